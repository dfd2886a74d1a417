from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldsmith.corpus.quotes import Span, locate


@pytest.mark.parametrize(
    ("quote", "text", "found"),
    [
        ("holds 10,000 events", "It holds 10,000 events.", "holds 10,000 events"),
        ("holds at most", "It **holds**\n  at `most` five.", "holds**\n  at `most"),
        ('the "best" plan', "It is the “best” plan.", "the “best” plan"),
        ("HOLDS EVENTS", "it holds events", "holds events"),
        ("Straße 5", "die STRASSE 5 hier", "STRASSE 5"),
        ("容量は5です。", "この容量は 5 です", "容量は 5 です"),
    ],
)
def test_layout_is_forgiven(quote: str, text: str, found: str) -> None:
    span = locate(quote, text)
    assert span is not None
    assert text[span.start : span.end] == found


@pytest.mark.parametrize(
    ("quote", "text"),
    [
        ("1.5 hours", "It takes 15 hours."),  # the decimal point changes the number
        ("-5 degrees", "It has 5 degrees."),  # so does the sign
        ("5% off", "It is 5 off."),
        ("holds events", "It holds no events."),
        ("old events", "It holds old_eventsource."),  # ends in the middle of a word
        ("", "anything"),
        ("...", "anything"),
    ],
)
def test_a_changed_word_number_or_sign_is_not(quote: str, text: str) -> None:
    assert locate(quote, text) is None


@given(st.text(max_size=60), st.integers(0, 60), st.integers(1, 60))
def test_whatever_is_copied_is_found_and_found_exactly(text: str, start: int, length: int) -> None:
    quote = text[start : start + length].strip()
    span = locate(quote, text)
    if quote:
        assert span is not None
        assert text[span.start : span.end] == quote
    else:
        assert span is None


def test_the_first_of_several_places() -> None:
    assert locate("a b", "x a b a b") == Span(2, 5)
