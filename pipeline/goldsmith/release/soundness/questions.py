"""Questions: wording, kind, critics, twins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldsmith.ids import rated_digest
from goldsmith.records import Critic, Expected, Kind, ProbeKind
from goldsmith.release.layout import QUESTIONS
from goldsmith.release.proofs import needs_every_source
from goldsmith.release.soundness.corpus import repeated
from goldsmith.release.soundness.fault import Fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from goldsmith.records import CriticScore, Query
    from goldsmith.release.contents import Contents
    from goldsmith.release.manifest import Rules

_EXPECTED = {
    None: {Expected.ANSWER},
    ProbeKind.MISSING: {Expected.ABSTAIN},
    ProbeKind.OUTDATED: {Expected.ABSTAIN},
    ProbeKind.FALSE_PREMISE: {Expected.ABSTAIN, Expected.CORRECT_THE_PREMISE},
}


def question_faults(contents: Contents, rules: Rules) -> Iterator[Fault]:
    """Faults that a row shows by itself, and ids that name two rows."""
    if not contents.queries:
        detail = (
            "no question was kept: the funnel says where they were lost; give more documents, ask "
            "for fewer questions, or lower select.min_rating"
        )
        yield Fault(QUESTIONS.name, "(none)", "no_questions", "query_id", detail)
    yield from repeated(QUESTIONS.name, "query_id", (query.query_id for query in contents.queries))
    for query in contents.queries:
        yield from _wording_faults(query)
        yield from _kind_faults(query, rules)
        yield from _critic_faults(query, rules.min_rating)


def fault_in(query: Query, rule: str, column: str, detail: str) -> Fault:
    """A fault of a row of `questions`."""
    return Fault(QUESTIONS.name, query.query_id, rule, column, detail)


def _wording_faults(query: Query) -> Iterator[Fault]:
    if not query.question.strip():
        yield fault_in(query, "empty_question", "question", f"found {query.question!r}")
    if query.kind is not Kind.UNANSWERABLE and not query.answer.strip():
        yield fault_in(query, "empty_answer", "answer", f"found {query.answer!r}")


def _kind_faults(query: Query, rules: Rules) -> Iterator[Fault]:
    is_probe = query.kind is Kind.UNANSWERABLE
    if is_probe is (query.probe_kind is None):
        detail = f"found {query.probe_kind!r} for a question of kind {query.kind.value!r}"
        yield fault_in(query, "wrong_probe_kind", "probe_kind", detail)
    elif query.expected_response not in _EXPECTED[query.probe_kind]:
        detail = f"found {query.expected_response.value!r} for kind {query.kind.value!r}"
        yield fault_in(query, "wrong_expected_response", "expected_response", detail)
    if query.kind is Kind.MULTI_SOURCE:
        yield from _multi_source_faults(query, rules)


def _multi_source_faults(query: Query, rules: Rules) -> Iterator[Fault]:
    sources = set(query.source_chunk_ids)
    if len(sources) < 2:  # noqa: PLR2004 - "multi"
        detail = f"multi_source, but written from {sorted(sources)}"
        yield fault_in(query, "sources<2", "source_chunk_ids", detail)
    # A passage that carries every fact alone makes the question a factoid.
    alone = set(query.gold_citations).intersection(*(found.chunk_ids for found in query.evidence))
    if alone and query.evidence:
        detail = f"multi_source, but {sorted(alone)} carries every evidence alone"
        yield fault_in(query, "sources<2", "evidence", detail)
    if rules.necessity and not needs_every_source(query):
        detail = "no proof that each source is needed (trials with all sources and without each)"
        yield fault_in(query, "necessity_not_proven", "necessity", detail)


def _critic_faults(query: Query, min_rating: int) -> Iterator[Fault]:
    if query.critics is None:
        yield fault_in(query, "no_verdict", "critics", "no critic has rated the question")
        return
    wording = rated_digest(query.question, query.answer)
    for critic in Critic:
        score: CriticScore | None = getattr(query.critics, critic.value)
        column = f"critics.{critic.value}"
        if score is None:
            # There is nothing that a probe could be grounded in.
            if query.kind is not Kind.UNANSWERABLE:
                yield fault_in(query, "no_verdict", column, "the critic has not rated the question")
            continue
        if score.rating < min_rating:
            detail = f"found {score.rating}, at least {min_rating} is needed"
            yield fault_in(query, "rating_below_threshold", f"{column}.rating", detail)
        if score.normalised != (score.rating - 1) / 4:
            detail = f"found {score.normalised}, rating {score.rating} is {(score.rating - 1) / 4}"
            yield fault_in(query, "wrong_normalised", f"{column}.normalised", detail)
        if score.text_digest != wording:
            detail = (
                f"the verdict is on another wording ({score.text_digest[:12]}; this one is "
                f"{wording[:12]}): criticise the question again"
            )
            yield fault_in(query, "verdict_on_other_wording", f"{column}.text_digest", detail)
