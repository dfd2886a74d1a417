"""Each rule of a sound release, broken alone in a release that is otherwise sound."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from goldsmith.engine.local import LocalEngine
from goldsmith.errors import UnsoundReleaseError
from goldsmith.funnel import account
from goldsmith.llm.scripted import ScriptedModel
from goldsmith.records import (
    JUDGED_BY_SPAN,
    Answering,
    Dropped,
    Expected,
    Judgement,
    Kind,
    Loss,
    ProbeKind,
    Statement,
    Trial,
)
from goldsmith.release.contents import Contents
from goldsmith.release.manifest import Rules
from goldsmith.release.soundness import Fault, faults_of, refuse_unsound
from goldsmith.settings import CompleteSettings
from goldsmith.stages import complete, freeze
from tests.support.releases import (
    DAYS,
    DEALS,
    chunk,
    chunks,
    critics,
    documents,
    dropped,
    evidence,
    funnel,
    judgements,
    proof,
    queries,
    score,
    small_contents,
    with_query,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

RULES = Rules(min_rating=4, necessity=True, requested={"factoid": 4, "multi_source": 2})


def faults(contents: Contents, rules: Rules = RULES) -> list[Fault]:
    return faults_of(contents, funnel(dropped()), rules)


def found(contents: Contents, rules: Rules = RULES) -> list[tuple[str, str, str]]:
    """(row, rule, column) of every fault."""
    return [(fault.row, fault.rule, fault.column) for fault in faults(contents, rules)]


def broken(query_id: str, **changes: object) -> list[tuple[str, str, str]]:
    return found(with_query(small_contents(), query_id, **changes))


def test_the_small_release_is_sound() -> None:
    assert faults(small_contents()) == []


# -- corpus -------------------------------------------------------------------------------------


def with_chunk(contents: Contents, chunk_id: str, **changes: object) -> Contents:
    changed = (
        c.model_copy(update=changes) if c.chunk_id == chunk_id else c for c in contents.chunks
    )
    return replace(contents, chunks=tuple(changed))


def test_a_chunk_is_the_text_of_its_span() -> None:
    contents = with_chunk(small_contents(), "p-dash-2", text="Ask!")
    (fault,) = faults(contents)
    assert str(fault) == (
        "corpus 'p-dash-2', text: chunk_not_its_span: found 'Ask!', but d-dash[73:77] is 'Ask.'"
    )


def test_a_chunk_belongs_to_a_document_of_the_release() -> None:
    contents = with_chunk(small_contents(), "p-dash-2", doc_id="d-gone")
    assert found(contents) == [("p-dash-2", "unknown_document", "doc_id")]


def test_an_id_names_one_row() -> None:
    contents = small_contents()
    twice = Contents.of(
        queries=contents.queries,
        chunks=[*contents.chunks, contents.chunks[0]],
        documents=[*contents.documents, contents.documents[0]],
        judgements=[*contents.judgements, contents.judgements[0]],
        dropped=contents.dropped,
    )
    rules = {(f.table, f.row, f.rule) for f in faults(twice)}
    first = contents.judgements[0]
    assert {
        ("corpus", contents.chunks[0].chunk_id, "duplicate_id"),
        ("documents", contents.documents[0].doc_id, "duplicate_id"),
        ("judgements", f"{first.query_id} / {first.chunk_id} / {first.judge}", "duplicate_id"),
    } <= rules


def test_two_questions_do_not_share_an_id() -> None:
    contents = with_query(small_contents(), "q-change", query_id="q-days")
    assert ("q-days", "duplicate_id", "query_id") in found(contents)


def test_the_sha256_of_a_document_is_that_of_its_text() -> None:
    contents = small_contents()
    wrong = contents.documents[0].model_copy(update={"sha256": "0" * 64})
    contents = replace(contents, documents=(wrong, *contents.documents[1:]))
    assert found(contents) == [(wrong.doc_id, "wrong_sha256", "sha256")]


# -- wording and kind ---------------------------------------------------------------------------


@pytest.mark.parametrize("question", ["", "  \n"])
def test_a_question_is_not_empty(question: str) -> None:
    assert ("q-days", "empty_question", "question") in broken("q-days", question=question)


def test_an_answerable_question_has_an_answer() -> None:
    assert ("q-days", "empty_answer", "answer") in broken("q-days", answer=" ")


def test_a_probe_may_have_no_answer() -> None:
    assert next(q for q in small_contents().queries if q.query_id == "q-starter").answer == ""
    assert faults(small_contents()) == []


@pytest.mark.parametrize(
    ("query_id", "changes", "rule"),
    [
        ("q-starter", {"probe_kind": None}, "wrong_probe_kind"),
        ("q-days", {"probe_kind": ProbeKind.MISSING}, "wrong_probe_kind"),
        ("q-days", {"expected_response": Expected.ABSTAIN}, "wrong_expected_response"),
        ("q-starter", {"expected_response": Expected.ANSWER}, "wrong_expected_response"),
        (
            "q-starter",
            {"expected_response": Expected.CORRECT_THE_PREMISE},
            "wrong_expected_response",
        ),
    ],
)
def test_kind_and_expected_response_agree(
    query_id: str, changes: dict[str, object], rule: str
) -> None:
    assert rule in [name for _, name, _ in broken(query_id, **changes)]


# -- critics ------------------------------------------------------------------------------------


def test_a_rating_below_the_threshold_does_not_freeze() -> None:
    low = critics("How long do Business plans keep audit records?", "90 days", rating=3)
    assert broken("q-days", critics=low) == [
        ("q-days", "rating_below_threshold", "critics.groundedness.rating"),
        ("q-days", "rating_below_threshold", "critics.relevance.rating"),
        ("q-days", "rating_below_threshold", "critics.standalone.rating"),
    ]


def test_the_threshold_is_a_rule_of_the_release() -> None:
    low = critics("How long do Business plans keep audit records?", "90 days", rating=3)
    contents = with_query(small_contents(), "q-days", critics=low)
    lenient = RULES.model_copy(update={"min_rating": 3})
    assert found(contents, lenient) == []


@pytest.mark.parametrize(
    "edit", [{"question": "How long does Business keep records?"}, {"answer": "91 days"}]
)
def test_a_question_edited_after_the_critics_does_not_freeze(edit: dict[str, object]) -> None:
    assert [(row, rule) for row, rule, _ in broken("q-days", **edit)] == [
        ("q-days", "verdict_on_other_wording")
    ] * 3


def test_every_question_was_rated() -> None:
    assert broken("q-days", critics=None) == [("q-days", "no_verdict", "critics")]
    assert broken("q-starter", critics=None) == [("q-starter", "no_verdict", "critics")]


def test_only_a_probe_goes_without_groundedness() -> None:
    question, answer = "How long do Business plans keep audit records?", "90 days"
    ungrounded = critics(question, answer, grounded=False)
    assert broken("q-days", critics=ungrounded) == [
        ("q-days", "no_verdict", "critics.groundedness")
    ]


def test_a_normalised_rating_is_that_of_the_rating() -> None:
    question, answer = "How long do Business plans keep audit records?", "90 days"
    good = score(question, answer)
    rated = critics(question, answer).model_copy(
        update={"relevance": good.model_copy(update={"normalised": 0.75})}
    )
    assert broken("q-days", critics=rated) == [
        ("q-days", "wrong_normalised", "critics.relevance.normalised")
    ]


# -- labels -------------------------------------------------------------------------------------


def test_a_gold_chunk_that_the_corpus_lacks_is_named() -> None:
    days = evidence("d-plans", DAYS, "p-plans-1", "p-plans-2", "p-gone")
    contents = with_query(
        small_contents(), "q-days", evidence=(days,), gold_citations=days.chunk_ids
    )
    (fault,) = faults(contents)
    assert str(fault) == (
        "questions 'q-days', evidence[0].chunk_ids: gold_not_in_corpus: gold chunk 'p-gone' is "
        "not in the corpus"
    )


def test_a_quote_is_the_text_of_its_span() -> None:
    days = evidence("d-plans", DAYS, "p-plans-1", "p-plans-2")
    shifted = days.model_copy(update={"start": days.start + 1, "end": days.end + 1})
    assert broken("q-days", evidence=(shifted,)) == [
        ("q-days", "quote_not_its_span", "evidence[0].quote")
    ]


def test_a_quote_is_not_empty() -> None:
    empty = evidence("d-plans", DAYS, "p-plans-1", "p-plans-2").model_copy(
        update={"quote": "", "end": 9, "start": 9}
    )
    assert ("q-days", "quote_not_its_span", "evidence[0].quote") in broken(
        "q-days", evidence=(empty,)
    )


def test_an_evidence_stands_in_a_document_of_the_release() -> None:
    days = evidence("d-plans", DAYS, "p-plans-1", "p-plans-2")
    elsewhere = days.model_copy(update={"doc_id": "d-gone"})
    assert broken("q-days", evidence=(elsewhere,)) == [
        ("q-days", "unknown_document", "evidence[0].doc_id")
    ]


def test_a_member_holds_the_quote() -> None:
    days = evidence("d-plans", DAYS, "p-plans-1", "p-plans-2", "p-dash-1")
    assert broken("q-days", evidence=(days,), gold_citations=days.chunk_ids) == [
        ("q-days", "quote_not_in_member", "evidence[0].chunk_ids")
    ]


def test_a_member_that_a_judge_accepted_may_say_it_in_other_words() -> None:
    days = evidence("d-plans", DAYS, "p-plans-1", "p-plans-2", "p-dash-1")
    contents = with_query(
        small_contents(), "q-days", evidence=(days,), gold_citations=days.chunk_ids
    )

    def judged_by(judge: str) -> Contents:
        verdict = Judgement(
            query_id="q-days", chunk_id="p-dash-1", verdict=Answering.ANSWERS, judge=judge
        )
        return replace(contents, judgements=(*contents.judgements, verdict))

    assert found(judged_by("a-model")) == []
    # A span is no judge: it says that the quote stands there, and it does not.
    assert [rule for _, rule, _ in found(judged_by(JUDGED_BY_SPAN))] == ["quote_not_in_member"]


def test_a_joint_member_covers_the_quote() -> None:
    year = small_contents().queries[0].evidence[0]
    halves = evidence("d-deals", DEALS, "p-deals-all", joint=("p-deals-1", "p-dash-2"))
    gold = ("p-plans-2", "p-deals-all", "p-deals-1", "p-dash-2")
    assert broken("q-both", evidence=(year, halves), gold_citations=gold) == [
        ("q-both", "quote_not_in_member", "evidence[1].joint_members")
    ]


def test_one_chunk_is_no_joint_member() -> None:
    year = small_contents().queries[0].evidence[0]
    alone = evidence("d-deals", DEALS, "p-deals-all", joint=("p-deals-all",))
    gold = ("p-plans-2", "p-deals-all")
    assert broken("q-both", evidence=(year, alone), gold_citations=gold) == [
        ("q-both", "quote_not_in_member", "evidence[1].joint_members")
    ]


def test_an_answerable_question_has_evidence_and_each_statement_names_it() -> None:
    bare = broken("q-days", evidence=(), gold_citations=())
    assert ("q-days", "no_evidence", "evidence") in bare
    assert ("q-days", "unknown_evidence", "statements[0].evidence") in bare
    assert broken("q-days", statements=()) == [("q-days", "no_statement", "statements")]
    unproved = (Statement(text="90 days", evidence=()), Statement(text=" ", evidence=(0,)))
    assert broken("q-days", statements=unproved) == [
        ("q-days", "statement_without_evidence", "statements[0].evidence"),
        ("q-days", "empty_statement", "statements[1].text"),
    ]


def test_an_evidence_has_a_member() -> None:
    assert broken("q-days", evidence=(evidence("d-plans", DAYS),), gold_citations=()) == [
        ("q-days", "no_member", "evidence[0].chunk_ids")
    ]


@pytest.mark.parametrize(
    "gold",
    [("p-plans-1",), ("p-plans-1", "p-plans-2", "p-dash-1"), ("p-plans-1", "p-plans-1"), ()],
)
def test_gold_citations_are_the_members(gold: tuple[str, ...]) -> None:
    assert broken("q-days", gold_citations=gold) == [
        ("q-days", "citations_not_members", "gold_citations")
    ]


@pytest.mark.parametrize("column", ["trap_chunk_ids", "source_chunk_ids"])
def test_other_ids_of_a_question_are_in_the_corpus(column: str) -> None:
    assert ("q-page", "chunk_not_in_corpus", column) in broken("q-page", **{column: ("p-gone",)})


def test_a_judgement_is_on_a_question_and_a_chunk_of_the_release() -> None:
    contents = small_contents()
    stray = Judgement(query_id="q-x", chunk_id="p-x", verdict=Answering.NO, judge="m")
    assert found(replace(contents, judgements=(*contents.judgements, stray))) == [
        ("q-x / p-x / m", "unknown_query", "query_id"),
        ("q-x / p-x / m", "chunk_not_in_corpus", "chunk_id"),
    ]


# -- multi-source -------------------------------------------------------------------------------


def test_a_multi_source_question_has_two_sources() -> None:
    assert ("q-both", "sources<2", "source_chunk_ids") in broken(
        "q-both", source_chunk_ids=("p-plans-2",)
    )


def test_a_passage_that_carries_every_fact_alone_makes_a_factoid() -> None:
    days = evidence("d-plans", DAYS, "p-plans-1", "p-plans-2")
    year = small_contents().queries[0].evidence[0]
    rules = broken("q-both", evidence=(days, year), gold_citations=("p-plans-1", "p-plans-2"))
    assert rules == [("q-both", "sources<2", "evidence")]


def _trials(**answers: bool | None) -> tuple[Trial, ...]:
    sets = {
        "both": ("p-plans-2", "p-deals-all"),
        "plans": ("p-plans-2",),
        "deals": ("p-deals-all",),
    }
    return tuple(
        Trial(
            chunk_ids=sets[name],
            answer=None if matches is None else "x",
            matches_gold=bool(matches),
            failure="refused" if matches is None else None,
        )
        for name, matches in answers.items()
    )


@pytest.mark.parametrize(
    ("trials", "proven"),
    [
        (_trials(both=True, plans=False, deals=False), True),
        (_trials(both=True, plans=True, deals=False), False),  # p-plans-2 suffices
        (_trials(both=False, plans=False, deals=False), False),  # not answered at all
        (_trials(both=True, plans=False), False),  # one source was never left out
        (_trials(both=True, plans=False, deals=None), False),  # a failed trial proves nothing
        ((), False),
    ],
)
def test_the_need_for_every_source_is_proven(trials: tuple[Trial, ...], proven: bool) -> None:
    expected = [] if proven else [("q-both", "necessity_not_proven", "necessity")]
    assert broken("q-both", necessity=trials) == expected


def test_necessity_is_not_asked_for_when_it_is_off() -> None:
    contents = with_query(small_contents(), "q-both", necessity=())
    assert found(contents, RULES.model_copy(update={"necessity": False})) == []


# -- probes -------------------------------------------------------------------------------------


def test_a_probe_has_its_proof() -> None:
    assert broken("q-starter", proof=None) == [("q-starter", "probe_without_proof", "proof")]


@pytest.mark.parametrize("verdict", [Answering.ANSWERS, Answering.PARTLY])
def test_a_passage_that_answers_refutes_a_probe(verdict: Answering) -> None:
    refuted = proof("How long do Starter plans keep audit records?", p_deals_2=verdict)
    (fault,) = faults(with_query(small_contents(), "q-starter", proof=refuted))
    assert (fault.row, fault.rule) == ("q-starter", "probe_answered")
    assert "'p-deals-2'" in fault.detail
    assert verdict.value in fault.detail


def test_a_trap_may_half_answer_and_never_answer() -> None:
    page = "On which page of the dashboard is the retention period changed?"
    half = proof(page, p_dash_1=Answering.PARTLY)
    whole = proof(page, p_dash_1=Answering.ANSWERS)
    assert broken("q-page", proof=half) == []
    assert broken("q-page", proof=whole) == [("q-page", "probe_answered", "proof.nearest")]


@pytest.mark.parametrize("lacking", [{"chunks_searched": 7}, {"nearest": ()}, {"retrievers": ()}])
def test_absence_is_searched_in_the_whole_corpus(lacking: dict[str, object]) -> None:
    partial = proof("How long do Starter plans keep audit records?").model_copy(update=lacking)
    assert broken("q-starter", proof=partial) == [("q-starter", "absence_not_proven", "proof")]


def test_a_judge_who_finds_an_answer_refutes_a_probe() -> None:
    contents = small_contents()
    verdict = Judgement(
        query_id="q-starter", chunk_id="p-dash-2", verdict=Answering.ANSWERS, judge="m"
    )
    assert found(replace(contents, judgements=(*contents.judgements, verdict))) == [
        ("q-starter", "probe_answered", "judgements")
    ]


@pytest.mark.parametrize("twin", [None, "q-gone", "q-page", "q-starter"])
def test_a_probe_has_an_answerable_twin(twin: str | None) -> None:
    assert broken("q-starter", twin_id=twin) == [("q-starter", "twin_missing", "twin_id")]


def test_a_probe_has_no_gold_passage() -> None:
    days = evidence("d-plans", DAYS, "p-plans-1", "p-plans-2")
    assert broken("q-starter", evidence=(days,), gold_citations=days.chunk_ids) == [
        ("q-starter", "probe_with_evidence", "evidence")
    ]


# -- accounts -----------------------------------------------------------------------------------


def accounts(rows: Iterable[tuple[str, str, int, int]], lost: list[Dropped]) -> list[str]:
    counted = [
        account(
            stage,
            kind,
            requested=requested,
            kept=kept,
            dropped=[item for item in lost if (item.stage, item.kind) == (stage, kind)],
        )
        for stage, kind, requested, kept in rows
    ]
    contents = replace(small_contents(), dropped=tuple(lost))
    return [str(fault) for fault in faults_of(contents, counted, RULES)]


def test_a_rejected_row_that_no_stage_counts_is_a_fault() -> None:
    extra = Dropped(
        stage="select", kind="factoid", item_id="q-x", loss=Loss.REJECTED, reason="low_relevance"
    )
    contents = small_contents()
    assert [str(f) for f in faults(replace(contents, dropped=(*contents.dropped, extra)))] == [
        (
            "funnel 'select/factoid', rejected: reasons_not_listed: 'low_relevance' is counted 1 "
            "times, 2 rows are rejected"
        )
    ]
    assert [f.rule for f in faults(replace(contents, dropped=()))] == ["reasons_not_listed"] * 5


SOUND = [
    ("sample", "factoid", 4, 4),
    ("sample", "multi_source", 2, 2),
    ("generate", "factoid", 4, 2),
    ("generate", "multi_source", 2, 1),
    ("probe", "missing", 2, 2),
]


def lost_in_generate() -> list[Dropped]:
    return [
        Dropped(stage="generate", kind=kind, item_id=str(n), loss=Loss.FAILED, reason="refused")
        for n, kind in enumerate(["factoid", "factoid", "multi_source"])
    ]


def test_what_one_stage_keeps_is_asked_of_the_next() -> None:
    lost = lost_in_generate()
    assert accounts(SOUND, lost) == []
    swapped = [row for row in SOUND if row[:2] != ("sample", "factoid")]
    assert accounts([("sample", "factoid", 5, 5), *swapped], lost) == [
        "funnel 'generate/factoid', requested: lost_between_stages: found 4, but 'sample' kept 5"
    ]


def test_what_was_asked_for_is_accounted_for() -> None:
    lost = [item for item in lost_in_generate() if item.kind == "multi_source"]
    rows = [row for row in SOUND if row[1] != "factoid"]
    assert accounts(rows, lost) == [
        (
            "funnel '-/factoid', requested: requested_not_accounted: 4 were asked for, and no "
            "stage accounts for them"
        )
    ]
    short = [("sample", "factoid", 3, 3), ("generate", "factoid", 3, 2), *rows]
    lost.append(
        Dropped(stage="generate", kind="factoid", item_id="s", loss=Loss.FAILED, reason="refused")
    )
    assert accounts(short, lost) == [
        "funnel 'sample/factoid', requested: requested_not_accounted: found 3, 4 were asked for"
    ]


def test_what_the_last_stage_kept_is_published() -> None:
    rows = [*SOUND[:-1], ("probe", "missing", 3, 3)]
    assert accounts(rows, lost_in_generate()) == [
        "funnel 'probe', kept: kept_not_published: found 3, the release has 2"
    ]
    single = tuple(q for q in small_contents().queries if q.query_id != "q-both")
    contents = replace(small_contents(), queries=single)
    assert ("complete/multi_source", "kept_not_published", "kept") in found(contents)


# -- the gate -----------------------------------------------------------------------------------


def test_a_release_without_questions_says_what_to_change() -> None:
    nothing = Contents.of(queries=(), chunks=chunks(), documents=documents())
    none_asked = Rules(min_rating=4, necessity=True, requested={})
    with pytest.raises(UnsoundReleaseError) as refusal:
        refuse_unsound(nothing, (), none_asked)
    assert str(refusal.value) == (
        "the release does not freeze, 1 fault:\n  questions '(none)', query_id: no_questions: no "
        "question was kept: the funnel says where they were lost; give more documents, ask for "
        "fewer questions, or lower select.min_rating"
    )


def test_all_faults_are_listed_not_only_the_first() -> None:
    contents = with_query(small_contents(), "q-days", question="")
    contents = with_query(contents, "q-starter", proof=None)
    contents = with_query(contents, "q-both", gold_citations=())
    with pytest.raises(UnsoundReleaseError) as refusal:
        refuse_unsound(contents, funnel(dropped()), RULES)
    message = str(refusal.value)
    for row in ("'q-days', question: empty", "'q-starter', proof", "'q-both', gold_citations"):
        assert row in message
    assert "6 faults" in message  # three of them: each critic rated another wording of q-days


def test_the_stage_sorts_what_it_freezes_whatever_order_it_came_in() -> None:
    asked = queries()
    answerable = [query for query in asked if query.kind is not Kind.UNANSWERABLE]
    probes = [query for query in asked if query.kind is Kind.UNANSWERABLE]
    frozen = freeze.run(
        answerable[::-1],
        probes[::-1],
        chunks()[::-1],
        documents()[::-1],
        judgements(asked)[::-1],
        dropped()[::-1],
        funnel(dropped()),
        RULES,
    )
    assert frozen == small_contents()
    with pytest.raises(UnsoundReleaseError, match="q-days"):
        freeze.run(
            [answerable[0].model_copy(update={"question": ""}), *answerable[1:]],
            probes,
            [*chunks()],
            documents(),
            judgements(asked),
            dropped(),
            funnel(dropped()),
            RULES,
        )


def test_what_the_complete_stage_adds_is_sound() -> None:
    """From evidence with its source alone to the small release, members and judgements alike."""
    asked = queries()
    bare = [
        query.model_copy(
            update={
                "evidence": tuple(
                    found.model_copy(
                        update={
                            "chunk_ids": tuple(
                                c for c in found.chunk_ids if c in query.source_chunk_ids
                            ),
                            "joint_members": (),
                        }
                    )
                    for found in query.evidence
                ),
                "gold_citations": (),
            }
        )
        for query in asked
        if query.kind is not Kind.UNANSWERABLE
    ]
    spans_only = CompleteSettings(depth=0, audit_share=0)
    completed = asyncio.run(
        complete.run(bare, chunks(), spans_only, [], ScriptedModel({}), LocalEngine())
    )
    probes = [query for query in asked if query.kind is Kind.UNANSWERABLE]
    contents = replace(
        small_contents(),
        queries=tuple(sorted([*completed.queries, *probes], key=lambda q: q.query_id)),
        judgements=tuple(completed.judgements),
    )
    assert faults(contents) == []
    by_id = {query.query_id: query for query in completed.queries}
    for query in asked:
        if query.kind is not Kind.UNANSWERABLE:
            assert set(by_id[query.query_id].gold_citations) == set(query.gold_citations)


def test_an_unexpected_duplicate_chunk_is_named_once() -> None:
    again = chunk("p-dash-2", "d-dash", "Ask.")
    contents = replace(small_contents(), chunks=(*small_contents().chunks, again))
    assert [row for row, rule, _ in found(contents) if rule == "duplicate_id"] == ["p-dash-2"]
