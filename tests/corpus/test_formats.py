from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from goldsmith.corpus.formats import Format, format_of, refined

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.md", Format.MARKDOWN),
        ("a/b.MDX", Format.MARKDOWN),
        ("a.rst", Format.RST),
        ("a.HTM", Format.HTML),
        ("a.txt", Format.TEXT),
        ("a.pdf", Format.PDF),
        ("a.docx", Format.DOCX),
        ("notes", Format.TEXT),
        ("tutor.ja.sjis", Format.TEXT),
        ("tutor.pl", Format.TEXT),
        ("license.md", Format.MARKDOWN),
        ("LICENSE", None),
        ("LICENSE.txt", None),
        ("a/COPYING.md", None),
        ("a.yml", None),
        ("a.json", None),
        ("a.py", None),
        ("a.png", None),
        ("a.svg", None),
        ("a.md.gz", None),
        ("a.rtf", None),
        ("a.csv", None),
    ],
)
def test_formats_by_name(name: str, expected: Format | None) -> None:
    assert format_of(name) is expected


RST_ONLY = [
    ".. note:: Mind this.",
    ".. _label:",
    "See :doc:`other`.",
    "Call ``open()`` first.",
    "See `the page`_ for more.",
]


@pytest.mark.parametrize("mark", RST_ONLY)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_text_with_headings_and_marks_of_rst_is_rst(mark: str, end: str) -> None:
    text = f"Title\n=====\n\n{mark}\n".replace("\n", end)
    assert refined(Format.TEXT, "a.txt", text) is Format.RST


def test_a_heading_with_a_line_above_it_is_rst() -> None:
    assert refined(Format.TEXT, "a.txt", "=====\nTitle\n=====\n\nText.\n") is Format.RST


@pytest.mark.parametrize(
    "text",
    [
        "Just text.",
        "Title\n=====\n\nText.",
        "No heading, but ``code``.",
        "Title that is longer\n=====\n\nand ``code``.",
        "==========\n=  Box   =\n==========\n\nquoted ``so'' and ``so''.",
    ],
)
def test_other_text_stays_text(text: str) -> None:
    assert refined(Format.TEXT, "a.txt", text) is Format.TEXT


def test_a_suffix_of_two_meanings_is_settled_by_the_lines() -> None:
    code = "class A {\n  int b;\n  void C() {\n    return;\n  }\n}\n"
    assert refined(Format.TEXT, "a.cs", code) is None
    assert refined(Format.TEXT, "tutor.cs", "Vítejte v tutorialu.\nPrvní lekce.\n") is Format.TEXT
    assert refined(Format.TEXT, "listing.txt", code) is Format.TEXT
    assert refined(Format.MARKDOWN, "a.md", code) is Format.MARKDOWN


def test_all_of_django_is_rst(shared_data: Path) -> None:
    folder = shared_data / "corpora" / "django_rst"
    pages = [path for path in sorted(folder.rglob("*.txt")) if format_of(path.name)]
    assert len(pages) == 617
    for path in pages:
        assert refined(Format.TEXT, path.name, path.read_text("utf-8")) is Format.RST, path
