"""A web page to Markdown: its content, without navigation and other furniture.

What is furniture is decided by trafilatura's rules (elements, classes and roles that never hold
content, and where a page keeps its main part), and by one rule for what stands above the first
heading: menus and mottos. The rest is converted by html-to-markdown. trafilatura's own conversion
was measured first: on 51 pages of SQLite's documentation it kept 0 of 306 headings (297 with the
page wrapped as an article), 19 of 164 blocks of code and 3 of 29 table rows; this way it is 302,
164 and 23, and the rows that are missing belong to menus.
"""

from __future__ import annotations

import logging
from copy import deepcopy
from dataclasses import dataclass
from functools import cache

import html_to_markdown
from lxml.etree import ParserError
from lxml.html import HtmlElement, HTMLParser, document_fromstring, tostring
from trafilatura.htmlprocessing import prune_unwanted_nodes
from trafilatura.settings import MANUALLY_CLEANED
from trafilatura.xpaths import BODY_XPATH, OVERALL_DISCARD_XPATH

# What trafilatura says while it works speaks of pages on the web, not of files.
logging.getLogger("trafilatura").setLevel(logging.ERROR)

_INVISIBLE = ("head", "noscript", "script", "style", "svg", "template")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_BLOCKS = ("div", "p", "ul", "ol", "dl", "table", "section")
_MOST = 0.5
"""Share of the page's words: an element with more is no furniture, one with less no main part."""
_LINKED_SHARE = 0.5
_MOTTO_WORDS = 10


@dataclass(frozen=True, slots=True)
class Page:
    """Markdown, and what the head of the page calls it."""

    markdown: str
    title: str


def read_page(source: str) -> Page:
    """The content of a page as Markdown, links as their text, images left out.

    A page of which nothing would be left is converted as a whole, and one that is nested too
    deeply for that gives its bare words; a page without a visible word gives an empty text.
    """
    parser = HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    try:
        tree = document_fromstring(source.encode(), parser=parser)
    except ParserError:
        return Page("", "")  # it says so of a page without a single element
    title = " ".join((tree.findtext(".//head/title") or "").split())
    for element in list(tree.iter(*_INVISIBLE)):
        _drop(element)
    content = _to_markdown(_main_part(deepcopy(tree))).strip()
    content = content or _to_markdown(tree).strip() or str(tree.text_content())
    return Page(content, title)


def _drop(element: HtmlElement) -> None:
    if element.getparent() is not None:
        element.drop_tree()


def _words(element: HtmlElement) -> int:
    return len(element.text_content().split())


def _main_part(tree: HtmlElement) -> HtmlElement:
    """The element that holds the content, without furniture in it and above its first heading."""
    words = _words(tree)
    for element in list(tree.iter(*MANUALLY_CLEANED)):
        if element.tag != "figure" and _words(element) < _MOST * words:
            _drop(element)
    tree = prune_unwanted_nodes(tree, OVERALL_DISCARD_XPATH, with_backup=True)
    words = _words(tree)
    found = (next(iter(path(tree)), None) for path in BODY_XPATH)
    main = next((e for e in found if e is not None and _words(e) >= _MOST * words), tree)
    for block in _above_first_heading(main):
        if _is_menu(block) or _words(block) < _MOTTO_WORDS:
            _drop(block)
    return main


def _above_first_heading(tree: HtmlElement) -> list[HtmlElement]:
    """Blocks that end before the first heading begins; none in a page without headings."""
    above: list[HtmlElement] = []
    for element in tree.iter(*_HEADINGS, *_BLOCKS):
        if element.tag in _HEADINGS:
            holding = set(element.iterancestors())
            return [block for block in above if block not in holding]
        above.append(element)
    return []


def _is_menu(block: HtmlElement) -> bool:
    text = len("".join(block.text_content().split()))
    linked = sum(len("".join(link.text_content().split())) for link in block.iter("a"))
    return linked >= _LINKED_SHARE * text


def _to_markdown(tree: HtmlElement) -> str:
    for quote in list(tree.iter("blockquote")):
        # Indentation by quoting was the custom for code; the words of nobody are quoted there.
        if any(child.tag in {"pre", "table"} for child in quote):
            quote.tag = "div"
    return html_to_markdown.convert(tostring(tree, encoding="unicode"), _options()).content or ""


@cache
def _options() -> html_to_markdown.ConversionOptions:
    return html_to_markdown.ConversionOptions(
        preprocessing=html_to_markdown.PreprocessingOptions(enabled=False),
        extract_metadata=False,
        strip_tags=["a", "img"],
        heading_style="atx",
        bullets="-",
        compact_tables=True,
    )
