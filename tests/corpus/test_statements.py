from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldsmith.corpus.statements import OPEN, as_statement

STATED = {
    "How many events does the Relay Buffer hold?": "the Relay Buffer hold … events",
    "What is the release date of version 5.3?": "the release date of version 5.3 is …",
    "Who can raise the Spend Ceiling?": "… can raise the Spend Ceiling",
    "Who wrote the handbook?": "… wrote the handbook",
    "How many characters can lane names have?": "lane names have … characters",
    "In how many ways can a Replay be verified?": "a Replay be verified in … ways",
    "Where did Paul buy his baguette in 1999?": "Paul buy his baguette in 1999 …",
    "What does Paul pay for a baguette?": "Paul pay for a baguette …",
    "Why does the Cold Shelf need no order?": "the Cold Shelf need no order …",
    "When the card fails, how often does Sluice try again?": (
        "When the card fails, Sluice try again …"
    ),
    "Which plan includes Seal Stamps?": "… plan includes Seal Stamps",
    "Can the retention period be changed?": "the retention period be changed …",
    "Since version 2, what is the limit?": "the limit is … Since version 2",
}


@pytest.mark.parametrize(("question", "statement"), STATED.items())
def test_what_is_asked_for_is_left_open(question: str, statement: str) -> None:
    assert as_statement(question) == statement


def test_other_languages_lose_only_the_marks_of_a_question() -> None:
    assert as_statement("¿Cuánto dura?", "es") == "Cuánto dura …"
    assert as_statement("いつ始まりますか？", "ja") == "いつ始まりますか …"


@given(st.text(max_size=200))
def test_any_text_gives_a_statement_that_is_open_and_no_question(text: str) -> None:
    statement = as_statement(text)
    assert OPEN in statement
    assert not statement.endswith("?")
    assert as_statement(text) == statement
