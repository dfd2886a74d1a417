from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from goldsmith.corpus.search import Index
from goldsmith.engine.local import LocalEngine
from goldsmith.ids import content_id
from goldsmith.llm.absence import AbsenceSearch
from goldsmith.llm.scripted import Answer, Script, ScriptedModel
from goldsmith.llm.tasks import (
    AbsenceReply,
    AbsenceVariables,
    FalsePremiseReply,
    MissingReply,
    OutdatedReply,
    RatingReply,
)
from goldsmith.records import (
    Answering,
    Chunk,
    Evidence,
    Expected,
    Kind,
    ProbeKind,
    Provenance,
    Query,
)
from goldsmith.settings import ProbeSettings
from goldsmith.stages import probe
from tests.support.corpora import by_id, make_chunks

if TYPE_CHECKING:
    from collections.abc import Sequence

BAKERY = make_chunks("bakery.md", "Paul buys a baguette at the bakery every morning.")[0]
HIDDEN = make_chunks("son.md", "The boy hands over 1.20 euros for the long loaf.")[0]
TABLE = make_chunks("table.md", "| loaf | euros |\n| baguette | 1.20 |")[0]
OTHER = make_chunks("other.md", "The museum opens at nine.")[0]


def twin(chunk: Chunk = BAKERY, number: int = 1) -> Query:
    question = f"Where does Paul buy baguette number {number}?"
    return Query(
        query_id=content_id("q", question),
        kind=Kind.FACTOID,
        question=question,
        answer="at the bakery",
        language="en",
        source_chunk_ids=(chunk.chunk_id,),
        provenance=Provenance(model="scripted"),
    )


PRICE = MissingReply(reasoning="", question="What does Paul pay for a baguette?")
AS_OF = OutdatedReply(
    reasoning="", as_of="1999", question="Where did Paul buy his baguette in 1999?"
)
PREMISE = FalsePremiseReply(
    reasoning="",
    premise="Paul buys his baguette in the evening.",
    quote="Paul buys a baguette at the bakery every morning.",
    correction="Paul buys it every morning.",
    question="Why does Paul buy his baguette only in the evening?",
)
GOOD = RatingReply(rationale="fine", rating=5)


def verdicts(**by_text: Answering) -> Script:
    """The verdict on passages that hold a word; `no` on all others."""

    def judge(variables: AbsenceVariables) -> Answer:
        for word, verdict in by_text.items():
            if word in variables.source.text:
                return AbsenceReply(rationale=word, verdict=verdict)
        return AbsenceReply(rationale="nothing", verdict=Answering.NO)

    return judge


def probed(
    absence: Script,
    twins: Sequence[Query] = (),
    chunks: Sequence[Chunk] = (BAKERY, OTHER),
    share: float = 0.5,
    scripts: dict[str, Script] | None = None,
) -> tuple[probe.Probed, ScriptedModel]:
    model = ScriptedModel(
        {
            "probe/missing": PRICE,
            "probe/outdated": AS_OF,
            "probe/false_premise": PREMISE,
            "critique/standalone": GOOD,
            "critique/relevance": GOOD,
            "probe/absence": absence,
        }
        | (scripts or {})
    )
    result = asyncio.run(
        probe.run(
            list(twins) or [twin(number=n) for n in range(3)],
            by_id(list(chunks)),
            ProbeSettings(share=share),
            4,
            "people",
            AbsenceSearch([Index(chunks)], by_id(list(chunks)), model, 10),
            model,
            LocalEngine(),
        )
    )
    return result, model


def test_wanted_makes_up_the_share() -> None:
    # 20 of 100 is 20 beside 80.
    assert probe.wanted(80, 0.2) == 20
    assert probe.wanted(80, 0.0) == 0


def test_each_kind_with_a_twin_of_its_own_and_a_proof() -> None:
    result, _ = probed(verdicts())
    assert {p.probe_kind for p in result.probes} == set(ProbeKind)
    assert len({p.twin_id for p in result.probes}) == 3
    for planted in result.probes:
        assert planted.proof is not None
        assert planted.proof.retrievers == ("bm25",)
        assert planted.proof.chunks_searched == 2
        # Deeper than the corpus: every chunk was looked at.
        assert {n.chunk_id for n in planted.proof.nearest} == {BAKERY.chunk_id, OTHER.chunk_id}


def test_expected_response_and_traps_by_kind() -> None:
    result, _ = probed(verdicts())
    by_kind = {p.probe_kind: p for p in result.probes}
    assert by_kind[ProbeKind.MISSING].trap_chunk_ids == ()
    assert by_kind[ProbeKind.OUTDATED].trap_chunk_ids == (BAKERY.chunk_id,)
    premise = by_kind[ProbeKind.FALSE_PREMISE]
    assert premise.expected_response is Expected.CORRECT_THE_PREMISE
    assert premise.answer == "Paul buys it every morning."
    assert by_kind[ProbeKind.MISSING].expected_response is Expected.ABSTAIN
    assert by_kind[ProbeKind.MISSING].answer == ""


def test_a_passage_that_answers_in_other_words_rejects_with_the_chunk() -> None:
    result, _ = probed(verdicts(boy=Answering.ANSWERS), chunks=[BAKERY, HIDDEN, OTHER])
    missing = [item for item in result.dropped if item.kind == "missing"]
    assert {item.reason for item in missing} == {"answer_found"}
    assert all(HIDDEN.chunk_id in item.detail for item in missing)


def test_a_table_cell_answers_too() -> None:
    result, _ = probed(verdicts(**{"1.20 |": Answering.ANSWERS}), chunks=[BAKERY, TABLE])
    assert "answer_found" in {item.reason for item in result.dropped}


def test_a_passage_that_half_answers_makes_it_murky() -> None:
    result, _ = probed(verdicts(museum=Answering.PARTLY))
    assert result.probes == []
    assert {item.reason for item in result.dropped} == {"murky"}


def test_a_trap_half_answers_by_design() -> None:
    result, _ = probed(verdicts(bakery=Answering.PARTLY))
    # The missing probe has no trap: for it the same passage is murky.
    assert {p.probe_kind for p in result.probes} == {ProbeKind.OUTDATED, ProbeKind.FALSE_PREMISE}


def test_all_that_carry_the_stale_state_are_traps() -> None:
    """The twin's evidence has two members, and the contradicting words stand in one of them."""
    also = make_chunks("also.md", "Each morning Paul goes for a baguette to the bakery.")[0]
    twins = []
    for number in range(3):
        asked = twin(number=number)
        members = (BAKERY.chunk_id, also.chunk_id)
        found = Evidence(
            doc_id=BAKERY.doc_id, start=0, end=5, quote=BAKERY.text[:5], chunk_ids=members
        )
        twins.append(asked.model_copy(update={"evidence": (found,)}))
    result, _ = probed(verdicts(bakery=Answering.PARTLY), twins, chunks=[BAKERY, also, OTHER])
    traps = {p.probe_kind: p.trap_chunk_ids for p in result.probes}
    assert traps[ProbeKind.OUTDATED] == (BAKERY.chunk_id, also.chunk_id)
    # `also` half-answers it too, and does not hold the words that contradict it: murky.
    assert ProbeKind.FALSE_PREMISE not in traps
    assert {item.reason for item in result.dropped} == {"murky"}


def test_the_search_is_asked_with_question_statement_and_keywords() -> None:
    result, _ = probed(verdicts())
    by_kind = {p.probe_kind: p.proof for p in result.probes}
    missing, premise = by_kind[ProbeKind.MISSING], by_kind[ProbeKind.FALSE_PREMISE]
    assert missing is not None
    assert missing.queries == (PRICE.question, "Paul pay for a baguette …", "paul pay baguett")
    assert premise is not None
    assert premise.queries[:2] == (PREMISE.question, PREMISE.premise)


def test_an_unreadable_verdict_proves_nothing() -> None:
    result, _ = probed("garbage")
    assert result.probes == []
    assert {item.reason for item in result.dropped} == {"absence_unproved"}
    assert {item.loss for item in result.dropped} == {"failed"}


def test_a_low_rating_saves_the_search() -> None:
    low = RatingReply(rationale="unclear", rating=2)
    result, model = probed(verdicts(), scripts={"critique/standalone": low})
    assert {item.reason for item in result.dropped} == {"low_standalone"}
    assert "probe/absence" not in {call.task for call in model.calls}


def test_a_premise_must_be_contradicted_word_for_word() -> None:
    invented = PREMISE.model_copy(update={"quote": "Paul never buys in the evening."})
    result, _ = probed(verdicts(), scripts={"probe/false_premise": invented})
    assert "quote_not_found" in {i.reason for i in result.dropped if i.kind == "false_premise"}


def test_attempts_end_and_every_one_is_accounted_for() -> None:
    twins = [twin(number=n) for n in range(30)]
    result, _ = probed(verdicts(museum=Answering.ANSWERS), twins)
    # 30 wanted beside 30, 10 of each kind, 4 attempts for each: but there are only 30 twins.
    assert [row.requested for row in result.funnel] == [30, 30, 30]
    assert all(row.rejected == {"answer_found": 30} for row in result.funnel)
