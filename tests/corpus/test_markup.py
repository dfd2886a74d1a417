from __future__ import annotations

import bisect
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from goldsmith.corpus.markup import PartKind, parts

if TYPE_CHECKING:
    from pathlib import Path


def kinds(text: str) -> list[tuple[str, str]]:
    return [(part.kind.value, text[part.start : part.end]) for part in parts(text)]


def test_a_wrapped_paragraph_is_one_part_and_a_blank_line_ends_it() -> None:
    assert kinds("one\ntwo\n\nthree") == [("prose", "one\ntwo"), ("prose", "three")]


@pytest.mark.parametrize("marker", ["- ", "* ", "+ ", "1. ", "1) ", "(1) ", "a) ", "#. "])
def test_a_list_item_begins_after_its_marker(marker: str) -> None:
    assert kinds(f"{marker}first\n  wrapped") == [("item", "first\n  wrapped")]


def test_a_wrapped_line_that_begins_with_a_number_is_no_item() -> None:
    assert kinds("The limit is\n100. Then it stops.") == [
        ("prose", "The limit is\n100. Then it stops.")
    ]
    assert kinds("1. one\n2. two") == [("item", "one"), ("item", "two")]


@pytest.mark.parametrize(
    "text", ["# Title", "Title\n=====", "Title\n-----", "Title\n~~~~~", "=====\nTitle\n====="]
)
def test_headings_of_both_languages(text: str) -> None:
    assert kinds(f"{text}\n\nBody") == [("heading", "Title"), ("prose", "Body")]


def test_rows_of_a_table_stand_apart_and_its_rule_is_nothing() -> None:
    table = "| Plan | Days |\n|------|------|\n| Pro | 90 |"
    assert [kind for kind, _ in kinds(table)] == ["row", "row"]
    assert kinds("a | b\n--- | ---\nc | d\n\nText") == [
        ("row", "a | b"),
        ("row", "c | d"),
        ("prose", "Text"),
    ]


def test_a_simple_table_of_rst() -> None:
    table = "==== ====\nname days\n==== ====\nPro  90\nFree 30\n==== ====\n\nText"
    assert kinds(table) == [
        ("row", "name days"),
        ("row", "Pro  90"),
        ("row", "Free 30"),
        ("prose", "Text"),
    ]


@pytest.mark.parametrize(
    "code",
    [
        "```python\nx = 1.\n\n# y\n```",
        "~~~\nx = 1.\n\n# y\n~~~",
        "````\n```\ninner\n```\n````",
        ".. code-block:: python\n\n    x = 1.\n\n    y = 2",
    ],
)
def test_code_is_one_part(code: str) -> None:
    assert kinds(f"Before\n\n{code}\n\nAfter") == [
        ("prose", "Before"),
        ("code", code),
        ("prose", "After"),
    ]


def test_what_stands_deeper_below_two_colons_is_code() -> None:
    assert kinds("Like this::\n\n    x = 1\n\n      y\n\nAfter") == [
        ("prose", "Like this::"),
        ("code", "x = 1\n\n      y"),
        ("prose", "After"),
    ]
    assert kinds("Text\n\n::\n\n    x = 1\n\nAfter")[1] == ("code", "x = 1")


def test_the_paragraphs_of_an_item_are_not_its_code() -> None:
    text = "- Like this::\n\n      x = 1\n\n  More text."
    assert kinds(text) == [("item", "Like this::"), ("code", "x = 1"), ("prose", "More text.")]


def test_code_that_is_cut_off_runs_to_the_end() -> None:
    assert kinds("```\nx = 1\n\ny = 2") == [("code", "```\nx = 1\n\ny = 2")]


def test_a_quote_stands_apart_from_what_is_around_it() -> None:
    assert kinds("Before\n> Said.\n> So.\nAfter") == [
        ("prose", "Before"),
        ("prose", "Said.\n> So."),
        ("prose", "After"),
    ]


def test_a_directive_is_a_marker_before_its_text() -> None:
    assert kinds(".. note:: Mind this.\n    And that.") == [("prose", "Mind this.\n    And that.")]
    assert kinds(".. note::\n\n    Mind this.") == [("prose", "Mind this.")]


@pytest.mark.parametrize(
    "line",
    [
        "<div>",
        "</div>",
        "{% endfor %}",
        "{* ../a.py *}",
        "/// tip",
        ":::",
        ".. _label:",
        "---",
        "***",
    ],
)
def test_machinery_and_rules_separate_and_hold_nothing(line: str) -> None:
    assert kinds(f"one\n\n{line}\ntwo") == [("prose", "one"), ("prose", "two")]


def test_the_term_of_a_definition_stands_apart() -> None:
    assert kinds("term\n    What it is.") == [("prose", "term"), ("prose", "What it is.")]


_PIECES = ["- ", "1. ", "| a |", "|---|---|", "```", "~~~", "\n", "\n\n", "word", "::", "    "]
_PIECES += ["> ", ".. note:: x", "=== ===", "====", "# H", "日本", "\t", "``", ":a: b"]


@given(st.lists(st.sampled_from(_PIECES), max_size=30).map("".join))
def test_parts_are_in_order_and_never_empty(text: str) -> None:
    end = 0
    for part in parts(text):
        assert end <= part.start < part.end <= len(text)
        assert not text[part.start].isspace()
        end = part.end


def test_agrees_with_a_grammar_on_the_fences_of_real_pages(shared_data: Path) -> None:
    """Lines against CommonMark: at most one fence in a hundred is seen differently."""
    grammar = MarkdownIt("commonmark")
    grammar.core.ruler.enableOnly(["normalize", "block"])
    fences = differing = 0
    for path in sorted((shared_data / "corpora").glob("*/**/*.md"))[::7]:
        text = path.read_text("utf-8")
        starts = [0]
        for line in text.split("\n"):
            starts.append(starts[-1] + len(line) + 1)
        theirs = {t.map[0] for t in grammar.parse(text) if t.type == "fence" and t.map}
        ours = {
            bisect.bisect_right(starts, part.start) - 1
            for part in parts(text)
            if part.kind is PartKind.CODE
        }
        fences += len(theirs)
        differing += len(theirs ^ ours)
    assert fences > 100
    assert differing <= fences / 100
