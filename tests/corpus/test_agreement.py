from __future__ import annotations

import pytest

from goldsmith.corpus.agreement import Aspect, disagreements, numbers, quantities, same_answer

PASSAGE = "Audit log entries are kept for 90 days on Business. The Relay Buffer holds ten files."


@pytest.mark.parametrize(
    ("answer", "aspect"),
    [
        ("80 days", Aspect.NUMBER),
        ("90 hours", Aspect.UNIT),
        ("for 90 days on the Enterprise plan", Aspect.NAME),
        ("not for 90 days", Aspect.NEGATION),
    ],
)
def test_what_the_passage_does_not_state(answer: str, aspect: Aspect) -> None:
    assert aspect in {item.aspect for item in disagreements(answer, PASSAGE)}


@pytest.mark.parametrize(
    "answer", ["90 days", "Yes, 90 days on Business", "10 files", "kept for ninety-ish 90 days"]
)
def test_what_it_does_state(answer: str) -> None:
    assert disagreements(answer, PASSAGE) == []


def test_numbers_are_compared_without_separators_and_spelling() -> None:
    assert numbers("10,000 and v5.6 at 02:00, three") == {"10000", "5.6", "02:00", "3"}
    assert quantities("$21 a month, 5 MB, two hours") == {("21", "$"), ("5", "mb"), ("2", "hour")}


@pytest.mark.parametrize(
    ("gold", "answer", "same"),
    [
        ("90 days", "They are kept for 90 days.", True),
        ("90 days", "90 hours", False),
        ("90 days", "30 days", False),
        ("90 days on Business", "on Business", False),
        ("It cannot be changed", "It can be changed", False),
        ("the Business plan", "Business", False),
        ("10,000 events; the Business plan", "The Business plan, and 10000 events.", True),
    ],
)
def test_same_answer(gold: str, answer: str, same: bool) -> None:
    assert same_answer(gold, answer) is same
