from __future__ import annotations

import asyncio

import pytest

from goldsmith.engine.local import LocalEngine
from goldsmith.llm.scripted import Answer, Failure, ScriptedModel
from goldsmith.llm.tasks import FactoidReply, FactoidVariables, MultiSourceReply, StatementReply
from goldsmith.records import Chunk, Kind, LinkType, SourceSet
from goldsmith.settings import GenerateSettings
from goldsmith.stages import generate
from tests.support.corpora import by_id, languages, make_chunks

BUFFER = "The Relay Buffer holds at most 10,000 events. It must not be resized by hand."
PLANS = "The Relay Buffer is part of the Business plan. Team has none."


def factoid(chunk: Chunk) -> SourceSet:
    return SourceSet(set_id=f"s-{chunk.chunk_id}", kind=Kind.FACTOID, chunk_ids=(chunk.chunk_id,))


def reply(
    question: str = "How many events does the Relay Buffer hold?",
    answer: str = "10,000 events",
    quote: str = "The Relay Buffer holds at most 10,000 events.",
) -> FactoidReply:
    return FactoidReply(reasoning="a limit", quotes=(quote,), answer=answer, question=question)


def generated(answer: Answer, text: str = BUFFER, *, language: str = "en") -> generate.Generated:
    chunks = make_chunks("a.md", text)
    return asyncio.run(
        generate.run(
            [factoid(chunks[0])],
            by_id(chunks),
            languages(chunks, language),
            Kind.FACTOID,
            GenerateSettings(),
            ScriptedModel({"generate/factoid": answer}),
            LocalEngine(),
        )
    )


def reason_of(result: generate.Generated) -> str:
    assert result.drafts == []
    (dropped,) = result.dropped
    return dropped.reason


def test_a_draft_carries_its_evidence_with_exact_offsets() -> None:
    (draft,) = generated(reply()).drafts
    (evidence,) = draft.evidence
    assert evidence.quote == BUFFER[evidence.start : evidence.end]
    assert evidence.quote == "The Relay Buffer holds at most 10,000 events."
    assert draft.source_chunk_ids == evidence.chunk_ids


def test_layout_is_forgiven_and_the_original_is_stored() -> None:
    text = "The **Relay Buffer** holds\nat most 10,000 events."
    (draft,) = generated(reply(quote="The Relay Buffer holds at most 10,000 events"), text).drafts
    assert draft.evidence[0].quote == "The **Relay Buffer** holds\nat most 10,000 events"


def test_a_quote_that_does_not_stand_there_rejects() -> None:
    assert reason_of(generated(reply(quote="The buffer is big."))) == "quote_not_found"


@pytest.mark.parametrize(
    "answer",
    [
        "20,000 events",  # another number
        "10,000 requests",  # another unit
        "10,000 events, as Paul says",  # a name from nowhere
        "not more than 10,000 events",  # a negation that the quote lacks
        "10,000 max_events",  # an identifier from nowhere
        "a moderate capacity",  # other words altogether
    ],
)
def test_an_answer_that_its_quote_does_not_state_rejects(answer: str) -> None:
    assert reason_of(generated(reply(answer=answer))) == "answer_not_in_evidence"


@pytest.mark.parametrize(
    ("language", "answer"),
    [
        ("en", "The context does not mention it."),
        ("en", "Not specified"),
        ("de", "Der Kontext erwähnt das nicht."),
        ("ja", "文書に記載されていません。"),
    ],
)
def test_a_refusal_is_no_gold_answer(language: str, answer: str) -> None:
    question = "容量はいくつですか?" if language == "ja" else reply().question
    result = generated(reply(question=question, answer=answer), language=language)
    assert reason_of(result) == "refusal_as_answer"


def test_the_answer_rewritten_as_a_statement_is_no_question() -> None:
    result = generated(reply(question="The Relay Buffer holds at most 10,000 events."))
    assert reason_of(result) == "not_a_question"


def test_a_question_that_contains_its_answer_leaks() -> None:
    result = generated(reply(question="Does the Relay Buffer hold at most 10,000 events?"))
    assert reason_of(result) == "leaks_answer"
    # "of" is a choice in Dutch only.
    result = generated(reply(question="What is the use of at most 10,000 events of the hold?"))
    assert reason_of(result) == "leaks_answer"


@pytest.mark.parametrize(
    "question",
    [
        "How many events, according to the passage, does the Relay Buffer hold?",
        "What does the document say about the Relay Buffer?",
    ],
)
def test_a_question_that_speaks_of_its_source_rejects(question: str) -> None:
    assert reason_of(generated(reply(question=question))) == "refers_to_source"


def test_another_language_than_asked_rejects() -> None:
    assert reason_of(generated(reply(), language="ja")) == "wrong_language"
    result = generated(reply(question="リレーバッファの容量はいくつですか?"))
    assert reason_of(result) == "wrong_language"


@pytest.mark.parametrize(
    "raw",
    [
        "Here are two questions: 1. What is it? 2. Why?",
        '{"question": "How many?"}',  # no answer, no quote: an error, never a default
        "",
        "I'm sorry, I cannot help with that.",
    ],
)
def test_an_unreadable_reply_fails_with_its_raw_text(raw: str) -> None:
    result = generated(raw)
    assert result.drafts == []
    assert result.dropped[0].loss == "failed"
    assert result.dropped[0].raw == raw


def test_a_model_failure_is_counted_by_its_reason() -> None:
    result = generated(Failure("no_fact", "nothing to ask"))
    assert result.funnel.failed == {"no_fact": 1}
    assert (result.funnel.requested, result.funnel.kept) == (1, 0)


def test_an_answer_that_stands_in_another_chunk_rejects() -> None:
    chunks = make_chunks("a.md", "Nothing of the kind stands here at all.", BUFFER)
    result = asyncio.run(
        generate.run(
            [factoid(chunks[0])],
            by_id(chunks),
            languages(chunks),
            Kind.FACTOID,
            GenerateSettings(),
            ScriptedModel({"generate/factoid": reply()}),
            LocalEngine(),
        )
    )
    assert reason_of(result) == "quote_not_found"


def test_a_repeated_draft_is_one_draft() -> None:
    (chunk,) = make_chunks("a.md", BUFFER)
    sets = [factoid(chunk).model_copy(update={"set_id": f"s-{n}"}) for n in range(12)]
    result = asyncio.run(
        generate.run(
            sets,
            by_id([chunk]),
            languages([chunk]),
            Kind.FACTOID,
            GenerateSettings(),
            ScriptedModel({"generate/factoid": reply()}),
            LocalEngine(),
        )
    )
    assert len(result.drafts) == 1
    assert result.funnel.rejected == {"repeated": 11}


def test_a_prompt_holds_nothing_of_another_row() -> None:
    chunks = [make_chunks(f"{n}.md", f"Secret word {n * 1111}. " + BUFFER)[0] for n in range(1, 4)]
    model = ScriptedModel({"generate/factoid": reply()})
    asyncio.run(
        generate.run(
            [factoid(chunk) for chunk in chunks],
            by_id(chunks),
            languages(chunks),
            Kind.FACTOID,
            GenerateSettings(),
            model,
            LocalEngine(concurrency=3),
        )
    )
    asked = [call.variables for call in model.calls]
    assert all(isinstance(variables, FactoidVariables) for variables in asked)
    third = next(v for v in asked if "3333" in v.source.text)
    assert "1111" not in third.model_dump_json()


# -- several sources ----------------------------------------------------------------------------


def joined(*statements: StatementReply) -> generate.Generated:
    chunks = make_chunks("buffer.md", BUFFER) + make_chunks("plans.md", PLANS)
    source_set = SourceSet(
        set_id="s-1",
        kind=Kind.MULTI_SOURCE,
        chunk_ids=tuple(chunk.chunk_id for chunk in chunks),
        link=LinkType.BRIDGE,
        term="Relay Buffer",
    )
    answer = MultiSourceReply(
        reasoning="",
        statements=statements,
        answer="10,000 events; the Business plan",
        question="How many events does the Relay Buffer hold, and which plan has it?",
    )
    return asyncio.run(
        generate.run(
            [source_set],
            by_id(chunks),
            languages(chunks),
            Kind.MULTI_SOURCE,
            GenerateSettings(),
            ScriptedModel({"generate/multi_source": answer}),
            LocalEngine(),
        )
    )


CAPACITY = StatementReply(
    source="A", quote="The Relay Buffer holds at most 10,000 events.", text="It holds 10,000."
)
PLAN = StatementReply(
    source="B", quote="The Relay Buffer is part of the Business plan.", text="Business has it."
)


def test_every_statement_names_the_evidence_that_proves_it() -> None:
    (draft,) = joined(CAPACITY, PLAN).drafts
    assert [statement.evidence for statement in draft.statements] == [(0,), (1,)]
    assert len(draft.source_chunk_ids) == 2
    assert draft.link is LinkType.BRIDGE
    assert draft.term == "Relay Buffer"


def test_multi_hop_with_one_source_is_not_multi_source() -> None:
    second = StatementReply(
        source="A", quote="It must not be resized by hand.", text="Not resized by hand."
    )
    assert reason_of(joined(CAPACITY, second)) == "sources<2"


def test_a_label_that_was_not_given_cites_nothing() -> None:
    stray = StatementReply(source="C", quote=PLAN.quote, text=PLAN.text)
    assert reason_of(joined(CAPACITY, stray)) == "sources<2"
