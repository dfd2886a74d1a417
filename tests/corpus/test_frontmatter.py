from __future__ import annotations

import json

import pytest

from goldsmith.corpus.frontmatter import split_front_matter


def test_it_is_taken_off_and_kept() -> None:
    page = split_front_matter("---\ntitle:  Relay\n  Buffer\ntags: [a, 1, true]\n---\n# Text\n")
    assert page.text == "# Text\n"
    assert page.title == "Relay Buffer"
    assert json.loads(page.metadata) == {"title": "Relay Buffer", "tags": ["a", 1, True]}


@pytest.mark.parametrize(
    "text",
    [
        "# Text",
        "",
        "---\n",
        "---\nText under a rule\n---\nMore\n",
        "---\na: b: c\n---\nText\n",
        "---\n- a\n- b\n---\nText\n",
        "---\ntitle: never closed\n",
        "---\nwhen: 2026-02-31\n---\nText\n",
        "Text\n---\na: b\n---\n",
        "---\na: &x [1]\nb: *x\n---\nText\n",
        "---\n---\nText",
    ],
)
def test_what_is_none_stays_text(text: str) -> None:
    page = split_front_matter(text)
    assert (page.text, page.title, page.metadata) == (text, "", "{}")


def test_what_json_does_not_know_becomes_its_wording() -> None:
    page = split_front_matter(
        "---\nday: 2026-01-02\n1: 99999999999999999999\nraw: !!binary aGk=\n"
        'half: "\\ud800"\nnan: .nan\n...\nText'
    )
    values = json.loads(page.metadata)
    assert values["day"] == "2026-01-02"
    assert values["1"] == "99999999999999999999"
    assert values["half"] == "?"
    assert values["nan"] is None
    assert page.text == "Text"


def test_a_bomb_of_references_stays_text() -> None:
    lines = [
        "a0: &a0 [x, x]",
        *(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12)),
    ]
    text = "---\n" + "\n".join(lines) + "\n---\nText"
    assert split_front_matter(text).text == text
