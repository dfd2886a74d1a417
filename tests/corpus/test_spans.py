from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_text_splitters import RecursiveCharacterTextSplitter

from goldsmith.corpus.chunking import count_tokens
from goldsmith.corpus.spans import LostPieceError, Overlap, Span, located, trimmed

if TYPE_CHECKING:
    from collections.abc import Callable


def test_each_copy_has_its_own_place() -> None:
    # A search for "ab" would find the first one three times.
    assert located("ab ab ab", ["ab", "ab", "ab"], Overlap(0, len)) == [
        Span(0, 2),
        Span(3, 5),
        Span(6, 8),
    ]


def test_a_wrong_place_is_taken_back() -> None:
    # "a" fits at 0 and at 1; only from 1 does the rest reach the end: a|aab leaves nothing out.
    text = "aaab"
    spans = located(text, ["aa", "aab"], Overlap(1, len))
    assert spans == [Span(0, 2), Span(1, 4)]
    assert located("aaaaa", ["aaa", "aaa"], Overlap(2, len)) == [Span(0, 3), Span(2, 5)]


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("one two", ["one"]),
        ("one two", ["two"]),
        ("one two", ["one", "three"]),
        ("one two three", ["one", "three"]),
        ("one", []),
        ("one", ["one", "one"]),
    ],
)
def test_a_piece_that_is_elsewhere_is_a_defect(text: str, pieces: list[str]) -> None:
    with pytest.raises(LostPieceError):
        located(text, pieces, Overlap(0, len))


def test_trimmed() -> None:
    assert trimmed(" \n a b \t", 0, 8) == [Span(3, 6)]
    assert trimmed(" \n ", 0, 3) == []


@given(
    st.text(alphabet="ab \n", min_size=1, max_size=120),
    st.integers(4, 25),
    st.integers(0, 12),
    st.sampled_from([len, count_tokens]),
)
def test_what_a_splitter_makes_is_found_again(
    text: str, size: int, overlap: int, length: Callable[[str], int]
) -> None:
    overlap = min(overlap, size - 1)
    splitter = RecursiveCharacterTextSplitter(
        chunk_size=size, chunk_overlap=overlap, length_function=length
    )
    pieces = splitter.split_text(text)
    spans = located(text, pieces, Overlap(overlap, length))
    assert [text[span.start : span.end] for span in spans] == pieces
    end = 0
    for span in spans:
        assert text[end : span.start].strip() == ""
        assert span.end >= end
        assert length(text[span.start : end]) <= overlap
        end = span.end
    assert text[end:].strip() == ""
