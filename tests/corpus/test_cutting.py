from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

from goldsmith.corpus.cutting import Cutter

if TYPE_CHECKING:
    from pathlib import Path

PLAIN = ["\n\n", "\n", " ", ""]
MARKDOWN = RecursiveCharacterTextSplitter.get_separators_for_language(Language.MARKDOWN)


def library(text: str, separators: list[str], size: int) -> list[str]:
    splitter = RecursiveCharacterTextSplitter(
        separators, is_separator_regex=True, chunk_size=size, chunk_overlap=0
    )
    return splitter.split_text(text)


def ours(text: str, separators: list[str], size: int) -> list[str]:
    return [text[span.start : span.end] for span in Cutter(separators, size).cut(text)]


def test_a_worked_example() -> None:
    # "aaaa" and "\n\nbbb" make 4 + 5 = 9 of 10. What follows is too long, so it is cut at spaces:
    # "\ncc", " dd" and " ee" make 9, " ff" would make 12.
    text = "aaaa\n\nbbb\n\ncc dd ee ff gg"
    spans = Cutter(PLAIN, 10).cut(text)
    assert [text[span.start : span.end] for span in spans] == ["aaaa\n\nbbb", "cc dd ee", "ff gg"]
    assert [(span.start, span.end) for span in spans] == [(0, 9), (11, 19), (20, 25)]


def test_offsets_are_those_of_the_whole() -> None:
    spans = Cutter(PLAIN, 50).cut("  text ", offset=100)
    assert [(span.start, span.end) for span in spans] == [(102, 106)]


@pytest.mark.parametrize("text", ["", "  \n\n \t"])
def test_white_space_has_no_chunks(text: str) -> None:
    assert Cutter(PLAIN, 50).cut(text) == []


_PIECES = [
    "a",
    "bb ",
    "word",
    "\n",
    "\n\n",
    " ",
    "\n## ",
    "# ",
    "```\n",
    "\n---\n",
    "\n***\n",
    "é",
    "\t",
]


@given(
    st.lists(st.sampled_from(_PIECES), max_size=120).map("".join),
    st.sampled_from([PLAIN, MARKDOWN]),
    st.integers(3, 40),
)
def test_the_cuts_are_those_of_the_library(text: str, separators: list[str], size: int) -> None:
    assert ours(text, separators, size) == library(text, separators, size)


@given(st.text(alphabet="ab \n", max_size=200), st.integers(2, 20))
def test_also_in_repetitive_text(text: str, size: int) -> None:
    assert ours(text, PLAIN, size) == library(text, PLAIN, size)


@pytest.mark.parametrize("corpus", ["fastapi_en", "hf_hub", "django_rst", "nasty_fastapi_i18n_vim"])
@pytest.mark.parametrize("size", [300, 1200])
def test_also_on_real_pages(shared_data: Path, corpus: str, size: int) -> None:
    paths = [p for p in sorted((shared_data / "corpora" / corpus).rglob("*.*")) if p.is_file()]
    for path in paths[::12]:
        text = path.read_text("utf-8", errors="replace")
        assert ours(text, PLAIN, size) == library(text, PLAIN, size), path
        assert ours(text, MARKDOWN, size) == library(text, MARKDOWN, size), path
