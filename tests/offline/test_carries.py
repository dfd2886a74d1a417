from __future__ import annotations

import pytest

from goldsmith.llm.tasks import CarriesVariables, Source
from goldsmith.offline.carries import judge_carries
from goldsmith.offline.library import Library
from goldsmith.records import Answering

QUOTE = "The Relay Buffer of the Business plan holds at most 10,000 events."


def verdict(text: str, *, title: str = "Limits", question: str = "How many?") -> Answering:
    variables = CarriesVariables(
        question=question,
        fact="10,000 events",
        quote=QUOTE,
        source=Source(label="A", title=title, section="", text=text),
    )
    return judge_carries(variables, Library(())).verdict


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (QUOTE, Answering.ANSWERS),
        ("At most 10000 events are held by the Business plan's Relay Buffer.", Answering.ANSWERS),
        (
            "The Business plan has a Relay Buffer. It holds at most 10,000 events.",
            Answering.ANSWERS,
        ),
        # Another value, the opposite, the subject without the fact, the fact of another thing.
        (QUOTE.replace("10,000", "20,000"), Answering.NO),
        (QUOTE.replace("holds", "never holds"), Answering.NO),
        ("The Relay Buffer of the Business plan holds events.", Answering.NO),
        ("A lane takes 10,000 events.", Answering.NO),
        ("The buffer holds at most 10,000 events.", Answering.PARTLY),
    ],
)
def test_the_fact_and_nearly_all_of_the_quote_in_one_place(text: str, expected: Answering) -> None:
    assert verdict(text) is expected


def test_headings_may_name_the_subject() -> None:
    text = "It holds at most 10,000 events."
    assert verdict(text, title="Relay Buffer of the Business plan") is Answering.ANSWERS


def test_a_passage_of_another_version_carries_nothing() -> None:
    question = "How many events does it hold in version 5.6?"
    assert verdict(QUOTE, title="Release notes 5.5", question=question) is Answering.NO
    assert verdict(QUOTE, title="Release notes 5.6", question=question) is Answering.ANSWERS
