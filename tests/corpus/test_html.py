from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from goldsmith.corpus.html import read_page

if TYPE_CHECKING:
    from pathlib import Path

WORDS = "The Relay Buffer holds at most ten thousand events per workspace and day. "


def page(body: str) -> str:
    return read_page(
        f"<html><head><title>Docs:  Buffer</title></head><body>{body}</body></html>"
    ).markdown


def test_structure_is_kept() -> None:
    text = page(
        f"<h1>Buffer</h1><p>{WORDS}</p><h2>Plans</h2>"
        "<table><tr><th>Plan</th><th>Events</th></tr><tr><td>Team</td><td>500</td></tr></table>"
        "<pre><code class='language-python'>x = 1\n\n  y</code></pre>"
        "<ul><li>one</li><li>two <b>bold</b></li></ul>"
    )
    assert text.startswith(f"# Buffer\n\n{WORDS.strip()}\n\n## Plans\n\n")
    assert "| Team | 500 |" in text
    assert "```python\nx = 1\n\n  y\n```" in text
    assert "- one\n- two **bold**" in text


def test_code_that_is_quoted_only_to_indent_it_is_code() -> None:
    assert "\n```\nint f(void);\n```" in page(
        f"<p>{WORDS}</p><blockquote><pre>int f(void);</pre></blockquote>"
    )


def test_names_are_not_escaped() -> None:
    assert "sqlite3_open_v2(*p)" in page(f"<p>{WORDS} sqlite3_open_v2(*p)</p>")


def test_links_are_their_text_and_images_are_left_out() -> None:
    text = page(f"<p>{WORDS} See <a href='x.html'>the limits</a>.<img src='a.png' alt='pic'></p>")
    assert "See the limits." in text
    assert "x.html" not in text
    assert "a.png" not in text


@pytest.mark.parametrize(
    "furniture",
    [
        "<nav><a href='/'>FURNITURE</a></nav>",
        "<script>FURNITURE()</script>",
        "<style>.FURNITURE{}</style>",
        "<svg><text>FURNITURE</text></svg>",
        "<footer>FURNITURE 2026</footer>",
        "<aside>FURNITURE</aside>",
        "<form><input value='x'>FURNITURE</form>",
        "<!-- FURNITURE -->",
        "<div><ul><li><a href='a'>FURNITURE</a><li><a href='b'>Menu</a></ul></div>",
        "<div class='tagline'>FURNITURE. Fast. Reliable.</div>",
    ],
)
def test_furniture_is_dropped(furniture: str) -> None:
    assert "FURNITURE" not in page(f"{furniture}<h1>Buffer</h1><p>{WORDS * 3}</p>")


def test_a_list_of_links_below_a_heading_is_content() -> None:
    assert "- Limits" in page("<h1>All pages</h1><ul><li><a href='l'>Limits</a></li></ul>")


def test_a_form_around_the_whole_page_is_not_furniture() -> None:
    assert "ten thousand" in page(f"<form><h1>Buffer</h1><p>{WORDS * 3}</p></form>")


def test_a_page_that_would_come_out_empty_is_taken_as_a_whole() -> None:
    assert page("<nav><a href='a'>Only links here</a></nav>") == "Only links here"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("", ""),
        ("<html></html>", ""),
        ("<p>short note</p>", "short note"),
        ("no markup at all", "no markup at all"),
        ('<?xml version="1.0" encoding="latin-1"?><html><body><p>Größe</p></body></html>', "Größe"),
        ("<p>unclosed <b>tags <i>everywhere", "unclosed **tags *everywhere***"),
    ],
)
def test_odd_pages(source: str, expected: str) -> None:
    assert read_page(source).markdown == expected


def test_the_title_is_that_of_the_head() -> None:
    assert read_page("<title>Docs:\n Buffer</title><p>x</p>").title == "Docs: Buffer"


def test_real_pages_keep_their_headings_code_and_tables(shared_data: Path) -> None:
    """Nine headings in ten (the others are in comments and menus), the code, and no menu."""
    headings = kept_headings = code = kept_code = 0
    for path in sorted((shared_data / "corpora" / "sqlite_html").glob("*.html"))[::15]:
        source = path.read_text("utf-8", errors="replace")
        markdown = read_page(source).markdown
        headings += len(re.findall(r"<h[1-6]\b", source, re.IGNORECASE))
        kept_headings += len(re.findall(r"^#{1,6} ", markdown, re.MULTILINE))
        code += len(re.findall(r"<pre\b", source, re.IGNORECASE))
        kept_code += markdown.count("```") // 2
        assert "Documentation\n" not in markdown[:200]
    assert headings > 50
    assert kept_headings >= 0.9 * headings
    assert kept_code >= 0.95 * code
