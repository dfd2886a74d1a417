from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from goldsmith.corpus.formats import Format
from goldsmith.corpus.outline import blocks, outline

if TYPE_CHECKING:
    from pathlib import Path


def headings(text: str, text_format: Format) -> list[tuple[int, str, str]]:
    """Level, title, and the line at which the heading begins."""
    return [
        (h.level, h.title, text[h.start :].partition("\n")[0]) for h in outline(text, text_format)
    ]


def test_markdown_headings_of_both_kinds() -> None:
    text = "Title\n=====\n\nText\n\n## Two\n\n#no heading\n\n### Three ###\n"
    assert headings(text, Format.MARKDOWN) == [
        (1, "Title", "Title"),
        (2, "Two", "## Two"),
        (3, "Three", "### Three ###"),
    ]


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("The `relay` **buffer**", "The relay buffer"),
        ("[Limits](limits.md) of plans", "Limits of plans"),
        ("Limits { #limits }", "Limits"),
        ("Limits {: .wide #limits }", "Limits"),
        ("Limits [[limits]]", "Limits"),
        ('Limits <a id="x"></a>', "Limits"),
        ("Sets {a, b}", "Sets {a, b}"),
        ("Salt &amp; pepper", "Salt & pepper"),
    ],
)
def test_a_title_is_words_without_markup_and_anchors(source: str, title: str) -> None:
    assert [h.title for h in outline(f"# {source}\n", Format.MARKDOWN)] == [title]


@pytest.mark.parametrize(
    "text", ["```\n# comment\n```\n", "> # quoted\n", "- # in a list\n", "#\n", "    # indented\n"]
)
def test_what_is_no_heading_of_the_page(text: str) -> None:
    assert outline(text, Format.MARKDOWN) == ()


def test_rst_levels_are_the_order_of_adornments() -> None:
    text = (
        "=====\nTitle\n=====\n\nText.\n\nSection\n~~~~~~~\n\nPart\n^^^^\n\nText.\n\n"
        "Other section\n~~~~~~~~~~~~~\n"
    )
    assert headings(text, Format.RST) == [
        (1, "Title", "====="),
        (2, "Section", "Section"),
        (3, "Part", "Part"),
        (2, "Other section", "Other section"),
    ]


@pytest.mark.parametrize(
    "markup",
    [
        ".. setting:: FOO\n\n    Text.",
        ".. versionadded:: 5.0",
        ".. code-block:: python\n\n    class A:\n        pass",
        ".. toctree::\n   :maxdepth: 1\n\n   a\n   b",
        "See :doc:`/topics/x` and :setting:`FOO <BAR>`, `broken.",
        ".. include:: /etc/hostname",
        ".. raw:: html\n\n   <h1>no</h1>",
        ".. csv-table::\n   :file: /etc/passwd",
        ".. default-role:: nonsense",
    ],
)
def test_unknown_directives_and_roles_hide_no_section(markup: str) -> None:
    text = f"Title\n=====\n\n{markup}\n\nSection\n-------\n\nText.\n"
    assert headings(text, Format.RST) == [(1, "Title", "Title"), (2, "Section", "Section")]


def test_an_rst_title_is_words() -> None:
    text = "The ``path()`` of :class:`~django.urls.URL` and `this <x>`_\n" + "=" * 60 + "\n"
    assert [h.title for h in outline(text, Format.RST)] == [
        "The path() of django.urls.URL and this"
    ]


def test_plain_text_has_no_headings() -> None:
    assert outline("Title\n=====\n", Format.TEXT) == ()


def test_tables_and_code_are_blocks() -> None:
    table = "| a | b |\n|---|---|\n| c | d |"
    text = f"Text\n\n{table}\n\n```\nx\n\ny\n```\n\n| e |\n"
    assert [(b.kind.value, text[b.start : b.end]) for b in blocks(text)] == [
        ("table", table[2:]),
        ("code", "```\nx\n\ny\n```"),
        ("table", "e |"),
    ]


_UNDERLINED = re.compile(r"^(?P<title>[^\s.].*)\n(?P<rule>([=\-~^])\3{2,})$", re.MULTILINE)


def test_no_heading_of_real_rst_is_lost(shared_data: Path) -> None:
    """Against the lines themselves: whatever looks like a heading is one."""
    paths = sorted((shared_data / "corpora" / "django_rst").rglob("*.txt"))[::25]
    looked_like = found = 0
    for path in paths:
        text = path.read_text("utf-8")
        lines = [
            m for m in _UNDERLINED.finditer(text) if len(m["rule"]) >= len(m["title"].rstrip())
        ]
        heads = outline(text, Format.RST)
        ends = [text.find("\n", h.start) for h in heads]
        covered = [
            m
            for m in lines
            if any(h.start <= m.start() <= e + 80 for h, e in zip(heads, ends, strict=True))
        ]
        looked_like += len(lines)
        found += len(covered)
    assert looked_like > 100
    assert found == looked_like
