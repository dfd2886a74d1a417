from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from pydantic import ValidationError

from goldsmith.corpus.search import Index
from goldsmith.engine.local import LocalEngine
from goldsmith.llm.scripted import Answer, Failure, Script, ScriptedModel
from goldsmith.llm.tasks import CARRIES, CarriesReply, CarriesVariables
from goldsmith.records import (
    Answering,
    Chunk,
    Evidence,
    Kind,
    Provenance,
    Query,
    Statement,
)
from goldsmith.settings import CompleteSettings
from goldsmith.stages import complete
from tests.support.corpora import make_chunks

if TYPE_CHECKING:
    from collections.abc import Sequence

TEXT = "Alpha one two. The answer is forty two. Omega three four."
ANSWER = "The answer is forty two."
START = TEXT.index(ANSWER)
END = START + len(ANSWER)


def piece(name: str, start: int, end: int, doc_id: str = "d-1", group: str = "") -> Chunk:
    return Chunk(
        chunk_id=name,
        doc_id=doc_id,
        title="",
        section="",
        text=TEXT[start:end],
        start=start,
        end=end,
        duplicate_group=group or f"g-{name}",
    )


def completed(*chunks: Chunk, members: tuple[str, ...] = ()) -> Query:
    evidence = Evidence(doc_id="d-1", start=START, end=END, quote=ANSWER, chunk_ids=members)
    query = Query(
        query_id="q-1",
        kind=Kind.FACTOID,
        question="What is the answer?",
        answer="forty two",
        statements=(Statement(text="forty two", evidence=(0,)),),
        evidence=(evidence,),
        language="en",
        provenance=Provenance(model="scripted"),
    )
    return by_spans([query], chunks).queries[0]


def run(
    queries: Sequence[Query],
    chunks: Sequence[Chunk],
    settings: CompleteSettings,
    verdicts: Script = "never asked",
) -> tuple[complete.Completed, ScriptedModel]:
    model = ScriptedModel({"complete/carries": verdicts})
    done = complete.run(queries, chunks, settings, [Index(chunks)], model, LocalEngine())
    return asyncio.run(done), model


def by_spans(queries: Sequence[Query], chunks: Sequence[Chunk]) -> complete.Completed:
    """Without the pooled search: the scripted model has no answer for it."""
    result, model = run(queries, chunks, CompleteSettings(depth=0, audit_share=0))
    assert model.calls == []
    return result


def test_overlapping_windows_that_hold_the_quote_are_all_members() -> None:
    query = completed(
        piece("p-1", 0, END), piece("p-2", START, len(TEXT)), piece("p-3", END, len(TEXT))
    )
    assert query.evidence[0].chunk_ids == ("p-1", "p-2")
    assert query.gold_citations == ("p-1", "p-2")


def test_a_sentence_cut_at_the_border_makes_one_joint_member() -> None:
    middle = START + 10
    query = completed(piece("p-1", 0, middle), piece("p-2", middle, len(TEXT)))
    assert query.evidence[0].chunk_ids == ()
    assert query.evidence[0].joint_members == (("p-1", "p-2"),)
    assert query.gold_citations == ("p-1", "p-2")


def test_a_quote_over_four_chunks_is_one_joint_member_of_four() -> None:
    cuts = [START, START + 6, START + 12, START + 18, END]
    pieces = [piece(f"p-{n}", cuts[n], cuts[n + 1]) for n in range(4)]
    query = completed(*pieces)
    assert query.evidence[0].joint_members == (("p-0", "p-1", "p-2", "p-3"),)


def test_white_space_lost_between_chunks_is_no_gap() -> None:
    space = TEXT.index("is forty")
    query = completed(piece("p-1", 0, space - 1), piece("p-2", space, len(TEXT)))
    assert query.evidence[0].joint_members == (("p-1", "p-2"),)


def test_a_real_gap_is_not_covered() -> None:
    query = completed(piece("p-1", 0, START + 3), piece("p-2", START + 8, len(TEXT)))
    assert query.evidence[0].joint_members == ()


def test_exact_duplicates_of_a_member_are_members() -> None:
    query = completed(
        piece("p-1", START, END, group="g-same"),
        piece("p-2", START, END, doc_id="d-2", group="g-same"),
        members=("p-1",),
    )
    assert query.evidence[0].chunk_ids == ("p-1", "p-2")


def test_added_members_are_judgements_with_their_reason() -> None:
    query = Query(
        query_id="q-1",
        kind=Kind.FACTOID,
        question="?",
        answer="forty two",
        evidence=(Evidence(doc_id="d-1", start=START, end=END, quote=ANSWER, chunk_ids=("p-1",)),),
        language="en",
        provenance=Provenance(model="scripted"),
    )
    result = by_spans([query], [piece("p-1", 0, END), piece("p-2", START, len(TEXT))])
    assert {j.chunk_id: j.judge for j in result.judgements} == {
        "p-1": "source",
        "p-2": "overlap_or_duplicate",
    }


# -- the pooled search ----------------------------------------------------------------------------

GOLD, COPY, SAYS_SO, HALF, OTHER = (
    make_chunks(name, text)[0]
    for name, text in (
        ("gold.md", "The Relay Buffer holds 10,000 events."),
        ("copy.md", "The Relay  Buffer holds 10,000 events."),
        ("says.md", "Up to ten thousand events fit into the Relay Buffer."),
        ("half.md", "The Relay Buffer holds events until Sluice takes them."),
        ("other.md", "The museum opens at nine."),
    )
)
CORPUS = [GOLD, COPY, SAYS_SO, HALF, OTHER]


def asked(*quoted: Chunk) -> Query:
    return Query(
        query_id="q-1",
        kind=Kind.FACTOID,
        question="How many events does the Relay Buffer hold?",
        answer="10,000 events",
        evidence=tuple(
            Evidence(
                doc_id=one.doc_id,
                start=0,
                end=len(one.text),
                quote=one.text,
                chunk_ids=(one.chunk_id,),
            )
            for one in quoted
        ),
        language="en",
        source_chunk_ids=tuple(one.chunk_id for one in quoted),
        provenance=Provenance(model="scripted"),
    )


def saying(**by_word: Answering) -> Script:
    def answer(variables: CarriesVariables) -> Answer:
        for word, verdict in by_word.items():
            if word in variables.source.text:
                return CarriesReply(rationale=word, verdict=verdict)
        return CarriesReply(rationale="nothing", verdict=Answering.NO)

    return answer


ALL = CompleteSettings(depth=10, audit_share=0)
THOUSAND = saying(thousand=Answering.ANSWERS, until=Answering.PARTLY)


def test_a_passage_that_says_it_in_other_words_becomes_a_member() -> None:
    result, model = run([asked(GOLD)], CORPUS, ALL, THOUSAND)
    members = {GOLD.chunk_id, COPY.chunk_id, SAYS_SO.chunk_id}
    assert set(result.queries[0].evidence[0].chunk_ids) == members
    assert set(result.queries[0].gold_citations) == members
    # Members and their copies need no judge: three of five passages are left.
    assert len(model.calls_of(CARRIES)) == 3


def test_the_judge_sees_the_fact_its_quote_and_one_passage() -> None:
    _, model = run([asked(GOLD)], CORPUS, CompleteSettings(depth=1, audit_share=0), THOUSAND)
    (call,) = model.calls_of(CARRIES)
    assert (call.fact, call.quote) == ("10,000 events", GOLD.text)
    assert call.source.text in {SAYS_SO.text, HALF.text}


def test_every_verdict_is_published_negatives_too() -> None:
    result, _ = run([asked(GOLD)], CORPUS, ALL, THOUSAND)
    rows = {row.chunk_id: row for row in result.judgements}
    assert {c: (row.verdict.value, row.judge) for c, row in rows.items()} == {
        GOLD.chunk_id: ("answers", "source"),
        COPY.chunk_id: ("answers", "overlap_or_duplicate"),
        SAYS_SO.chunk_id: ("answers", "scripted"),
        HALF.chunk_id: ("partly", "scripted"),
        OTHER.chunk_id: ("no", "scripted"),
    }
    assert rows[SAYS_SO.chunk_id].rationale == "thousand"
    assert rows[SAYS_SO.chunk_id].found_by == ("bm25",)
    assert rows[SAYS_SO.chunk_id].evidence == (0,)


def test_a_copy_of_an_accepted_passage_is_a_member_and_read_once() -> None:
    says_copy = SAYS_SO.model_copy(update={"chunk_id": "p-copy"})
    result, model = run([asked(GOLD)], [*CORPUS, says_copy], ALL, THOUSAND)
    assert "p-copy" in result.queries[0].gold_citations
    assert len(model.calls_of(CARRIES)) == 3
    assert {row.judge for row in result.judgements if row.chunk_id == "p-copy"} == {"scripted"}


def test_no_verdict_is_neither_yes_nor_no() -> None:
    """Three passages to read; on one no verdict can be had: 3 = 2 + 1 failed, its reply kept."""

    def broken(variables: CarriesVariables) -> Answer:
        if "museum" in variables.source.text:
            return Failure("unparseable", raw="I think so")
        return CarriesReply(rationale="", verdict=Answering.NO)

    result, _ = run([asked(GOLD)], CORPUS, ALL, broken)
    (lost,) = result.dropped
    assert (lost.stage, lost.loss, lost.reason) == ("pool", "failed", "unparseable")
    assert lost.raw == "I think so"
    assert OTHER.chunk_id in lost.item_id
    assert OTHER.chunk_id not in {row.chunk_id for row in result.judgements}
    pool = next(row for row in result.funnel if row.stage == "pool")
    assert (pool.requested, pool.kept, pool.failed) == (3, 2, {"unparseable": 1})


def test_a_passage_read_for_two_evidences_has_one_row() -> None:
    """It carries the first and not the second: the row has the better verdict and names both."""

    def only_first(variables: CarriesVariables) -> Answer:
        accepted = variables.quote == GOLD.text and "thousand" in variables.source.text
        verdict = Answering.ANSWERS if accepted else Answering.NO
        return CarriesReply(rationale=variables.quote, verdict=verdict)

    result, _ = run([asked(GOLD, OTHER)], CORPUS, ALL, only_first)
    (row,) = (row for row in result.judgements if row.chunk_id == SAYS_SO.chunk_id)
    assert (row.verdict, row.evidence, row.rationale) == (Answering.ANSWERS, (0, 1), GOLD.text)
    first, second = result.queries[0].evidence
    assert SAYS_SO.chunk_id in first.chunk_ids
    assert SAYS_SO.chunk_id not in second.chunk_ids
    # The source of the second was read for the first, and refused: both are published.
    own = {
        r.judge: (r.verdict, r.evidence) for r in result.judgements if r.chunk_id == OTHER.chunk_id
    }
    assert own == {"source": (Answering.ANSWERS, ()), "scripted": (Answering.NO, (0,))}


def test_the_audit_looks_deeper_and_says_so() -> None:
    """Depth 1, audit 3: the first passage is the usual search, the other two are the audit."""
    settings = CompleteSettings(depth=1, audit_share=1, audit_depth=3)
    result, _ = run([asked(GOLD)], CORPUS, settings, saying())
    judged = [row for row in result.judgements if row.judge == "scripted"]
    assert sorted(row.audit for row in judged) == [(), (0,), (0,)]


def test_an_audit_must_be_deeper_than_the_search() -> None:
    with pytest.raises(ValidationError, match="audit_depth must be larger"):
        CompleteSettings(depth=10, audit_depth=10)
