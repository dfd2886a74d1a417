from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldsmith.llm.tasks import Source
from goldsmith.offline.clauses import clause_of
from goldsmith.offline.library import Library
from tests.offline.passages import HANDBOOK, SOURCES

LIBRARY = Library(HANDBOOK)


def asked_of(text: str, title: str = "Folders, meters, lanes and keys") -> dict[str, str]:
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
            "A schema of a lane can have at most 300 fields.",
            "How many fields can a schema of a lane have?",
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
            "A Handoff Window must be at least 30 minutes long.",
            "How long must a Handoff Window be?",
            "at least 30 minutes",
        ),
        (
            "The Glyph Reader needs a resolution of at least 150 dpi.",
            "What resolution does the Glyph Reader need?",
            "at least 150 dpi",
        ),
        (
            "The Seal Stamp is created within 3 seconds of the completion of a parcel.",
            "Within what time of the completion of a parcel is the Seal Stamp created?",
            "3 seconds",
        ),
        (
            "On the Enterprise plan, Penmarrow Support answers an S1 request within 1 hour.",
            "Within what time does Penmarrow Support answer an S1 request on the Enterprise plan?",
            "1 hour",
        ),
        (
            "The Glyph Reader of 2019 recognised 14 languages and no handwriting.",
            "How many languages did the Glyph Reader of 2019 recognise?",
            "14 languages",
        ),
        (
            "Vault Keys are not used for signing, because a customer must not sign for Penmarrow.",
            "Why are Vault Keys not used for signing?",
            "a customer must not sign for Penmarrow",
        ),
        (
            "Drift Guard pauses a lane when more than 8% of the records of a day have failed.",
            "When does Drift Guard pause a lane?",
            "when more than 8% of the records of a day have failed",
        ),
        (
            "To create an access key, open the settings page.",
            "How do you create an access key?",
            "open the settings page",
        ),
        (
            "Only a Vault Warden can edit a Redaction Mask.",
            "Who can edit a Redaction Mask?",
            "a Vault Warden",
        ),
        (
            "The `--polite` option lowers the priority of an import.",
            "What does the --polite option do?",
            "lowers the priority of an import",
        ),
        (
            "The **REINDEX command** is used to rebuild the keys of a folder.",
            "What is the REINDEX command used for?",
            "to rebuild the keys of a folder",
        ),
        ("The default size of a lane key is 64.", "What is the default size of a lane key?", "64"),
    ],
)
def test_a_statement_becomes_a_question(statement: str, question: str, answer: str) -> None:
    assert asked_of(statement) == {question: answer}


@pytest.mark.parametrize(
    "statement",
    [
        "It can have up to 300 fields.",
        "The instruction can have up to 700 characters.",
        "The following limits apply to each of the 3 lanes.",
        "This page describes the 12 limits of a lane.",
        "See the release notes for the 3 changes of a lane.",
        "If value is 3, the meter shows 8 lanes.",
        "To do so, open the lane.",
        "The reader knows RFC 4180 formatted keys.",
        "A lane that was restored keeps 3 keys.",
        "The meter is a good choice for every lane.",
        "A *Blue Folder* is a legal hold that protects documents",
        "What is a Blue Folder, and what is a lane?",
    ],
)
def test_a_statement_that_is_not_sure_is_not_asked_about(statement: str) -> None:
    assert asked_of(statement) == {}


def test_what_a_page_is_not_about_is_asked_only_by_name_or_at_length() -> None:
    statement = "A query can have at most 512 characters."
    assert asked_of(statement, title="Limits") == {}
    assert asked_of(statement, title="Writing a query") == {
        "How many characters can a query have?": "at most 512 characters"
    }


def test_code_is_not_asked_about() -> None:
    assert asked_of("```python\n# A schema of a lane can have at most 300 fields.\n```\n") == {}


def test_what_holds_for_a_version_is_asked_only_with_it() -> None:
    statement = "The Split Reader{} could read 150 pages."
    assert asked_of(statement.format(""), title="Limits of version 3") == {}
    assert asked_of(statement.format(" of version 3"), title="Limits of version 3") == {
        "How many pages could the Split Reader of version 3 read?": "150 pages"
    }


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Calls need a token", ("Calls", "do", "need", "a token")),
        ("A retry policy applies to a lane", ("A retry policy", "does", "apply", "to a lane")),
        ("The restored copy stays there", ("The restored copy", "does", "stay", "there")),
        ("Files with keys can have 3 names", ("Files with keys", "can", "", "have 3 names")),
    ],
)
def test_a_clause_is_cut_for_inversion(text: str, parts: tuple[str, str, str, str]) -> None:
    clause = clause_of(text)
    assert clause is not None
    assert (clause.subject, clause.auxiliary, clause.verb, clause.rest) == parts


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_read_and_every_quote_is_verbatim(text: str) -> None:
    source = Source(label="A", title="t", section="t", text=text)
    for fact in Library(()).facts_of(source):
        assert fact.quote in text
        assert fact.question.endswith("?")


def test_every_fact_of_the_handbook_is_quoted_from_its_passage() -> None:
    facts = [(source, fact) for source in SOURCES.values() for fact in LIBRARY.facts_of(source)]
    assert len(facts) >= 6
    assert all(fact.quote in source.text for source, fact in facts)
