from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldsmith.llm.tasks import Source
from goldsmith.offline.facts import FactFinder
from goldsmith.offline.lexicon import Lexicon
from goldsmith.offline.library import Library
from tests.offline.passages import HANDBOOK, SOURCES

LIBRARY = Library(HANDBOOK)


def asked_of(text: str, title: str = "Handbook") -> dict[str, str]:
    """Question and answer of each fact of a text."""
    source = Source(label="A", title=title, section=title, text=text)
    return {fact.question: fact.answer for fact in LIBRARY.facts_of(source)}


@pytest.mark.parametrize(
    ("statement", "question", "answer"),
    [
        (
            "A *Blue Folder* is a legal hold that protects documents from deletion.",
            "What is a Blue Folder?",
            "a legal hold that protects documents from deletion",
        ),
        (
            "A schema can have at most 300 fields.",
            "How many fields can a schema have?",
            "at most 300 fields",
        ),
        (
            "Seal Stamps are kept for 7 years after their creation.",
            "For how long are Seal Stamps kept after their creation?",
            "7 years",
        ),
        (
            "The Tally Meter is updated every 10 minutes and shows parcels.",
            "How often is the Tally Meter updated?",
            "every 10 minutes",
        ),
        (
            "Penmarrow ended the support of version 3 on 31 October 2023.",
            "When did Penmarrow end the support of version 3?",
            "on 31 October 2023",
        ),
        (
            "Deletion reports are kept for 2 years on Team and for 3 years on Business.",
            "For how long are deletion reports kept on Team?",
            "2 years",
        ),
        (
            "An SFTP intake listens on port 2222.",
            "On which port does an SFTP intake listen?",
            "port 2222",
        ),
        (
            "Guests cannot sign in with a company account, because their employer is no customer.",
            "Why can guests not sign in with a company account?",
            "their employer is no customer",
        ),
        (
            "When a card payment fails, Sorrelwick charges the card a second time.",
            "What happens when a card payment fails?",
            "Sorrelwick charges the card a second time",
        ),
        (
            "If you commit a large file by hand, split the commit.",
            "What should you do if you commit a large file by hand?",
            "split the commit",
        ),
        (
            "To create an access token, open the settings page.",
            "How do you create an access token?",
            "open the settings page",
        ),
        (
            "Only a Vault Warden can edit a Redaction Mask.",
            "Who can edit a Redaction Mask?",
            "Only a Vault Warden",
        ),
        (
            "A member can end all sessions under **Profile > Sessions**.",
            "Where can a member end all sessions?",
            "under Profile > Sessions",
        ),
        (
            "Drift Guard pauses a lane when more than 8% of the records of a day have failed.",
            "When does Drift Guard pause a lane?",
            "when more than 8% of the records of a day have failed",
        ),
        (
            "Tanglewire locks an account for 30 minutes.",
            "For how long does Tanglewire lock an account?",
            "30 minutes",
        ),
    ],
)
def test_a_statement_becomes_a_question(statement: str, question: str, answer: str) -> None:
    assert asked_of(statement).get(question) == answer


@pytest.mark.parametrize(
    "statement",
    [
        "It can have up to 300 fields.",
        "The instruction can have up to 700 characters.",
        "The following limits apply to each of the 3 plans.",
        "This page describes the 12 limits of a workspace.",
        "See the release notes for the 3 changes.",
        "17 Feb 2007 16:30:29 becomes 29 seconds ago.",
        "See [Plans](plans.md) for the price of each plan.",
        "If value is 3, the output is 8.",
        "Note that 3 of these options are new.",
        "To do so, open the settings.",
    ],
)
def test_a_statement_that_leans_on_others_is_not_asked_about(statement: str) -> None:
    assert asked_of(statement) == {}


def test_code_is_not_asked_about() -> None:
    assert asked_of("```python\n# A schema can have at most 300 fields.\n```\n") == {}


def test_a_cell_is_asked_by_row_and_column() -> None:
    asked = asked_of("| Version | Release date |\n|---|---|\n| 5.1 | 18 June 2024 |\n| 5.0 | - |\n")
    assert asked == {"What is the release date of version 5.1?": "18 June 2024"}


def test_a_column_of_a_thing_with_a_common_noun_turns_the_table() -> None:
    # The handbook says "Team plan" often enough for `Team` to be known as a plan.
    asked = asked_of("| | Team |\n|---|---|\n| Minimum number of members | 3 |\n")
    assert asked == {"What is the minimum number of members for the Team plan?": "3"}


def test_the_version_of_a_heading_completes_the_question() -> None:
    questions = [fact.question for fact in LIBRARY.facts_of(SOURCES["Release notes"])]
    assert "How long can the Handoff Window be in version 5.6?" in questions


def test_a_definite_noun_takes_the_name_that_the_heading_gives_it() -> None:
    source = Source(
        label="A",
        title="Approval Gate",
        section="Approval Gate",
        text="The gate can ask for up to 3 decisions.",
    )
    questions = [fact.question for fact in LIBRARY.facts_of(source)]
    assert questions == ["How many decisions can the Approval Gate ask for?"] or all(
        "the gate" not in question for question in questions
    )


def test_the_first_step_of_a_procedure_is_asked_for() -> None:
    asked = asked_of(
        "To create an email intake:\n\n1. Open **Intakes** and select New.\n2. Choose the lane.\n"
    )
    assert asked["What is the first step to create an email intake?"] == (
        "Open Intakes and select New"
    )


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_read_and_every_quote_is_verbatim(text: str) -> None:
    source = Source(label="A", title="t", section="t", text=text)
    for fact in FactFinder(Lexicon(())).facts_of(source):
        assert fact.quote in text
        assert fact.question.endswith("?")


def test_every_fact_of_the_handbook_is_quoted_from_its_passage() -> None:
    facts = [(source, fact) for source in SOURCES.values() for fact in LIBRARY.facts_of(source)]
    assert len(facts) >= 8
    assert all(fact.quote in source.text for source, fact in facts)
