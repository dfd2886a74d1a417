"""A report with everything in it: a made-up corpus, a system that makes every mistake, a judge."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING

from goldsmith.records import Kind, Statement
from goldsmith.scoring.audit import audit
from goldsmith.scoring.gold import GoldEvidence, GoldQuery
from goldsmith.scoring.human_labels import LabelledPassage, LabelRow, gather
from goldsmith.scoring.judge import Judge
from goldsmith.scoring.judge_offline import OfflineJudge
from goldsmith.scoring.label_check import check_labels
from goldsmith.scoring.records import Half, Layer, Metric, Verdict
from goldsmith.scoring.report import Listing, ReleaseInfo, Report, RunInfo
from goldsmith.scoring.run_records import Retrieved, RunRecord
from goldsmith.scoring.triage import cases_of, triage
from goldsmith.scoring.unlabelled import UnlabelledSetup, score_unlabelled

if TYPE_CHECKING:
    from goldsmith.scoring.audit import AuditReport
    from goldsmith.scoring.unlabelled import UnlabelledScore

PLANS = ("Starter", "Team", "Business", "Enterprise")
THINGS = ("audit records", "build logs", "crash dumps", "invoices", "access tokens", "snapshots")
DIGEST = "3f5c0a" + "b7" * 29


def fact(plan: str, thing: str) -> str:
    days = 10 * (1 + PLANS.index(plan)) + THINGS.index(thing)
    return f"On the {plan} plan, {thing} are kept for {days} days after they were written."


def passage_id(plan: str, thing: str) -> str:
    return f"p-{PLANS.index(plan)}{THINGS.index(thing)}"


def passage(plan: str, thing: str) -> str:
    about = f"# Retention of {thing}\n\nStorage is counted towards the quota of the workspace. "
    return about + fact(plan, thing) + " A member with the role of an owner may export them before."


TEXTS = {passage_id(p, t): passage(p, t) for p in PLANS for t in THINGS}


def queries() -> list[GoldQuery]:
    return [_query(plan, thing) for plan in PLANS for thing in THINGS]


def _query(plan: str, thing: str) -> GoldQuery:
    quote = fact(plan, thing)
    return GoldQuery(
        query_id=f"q-{passage_id(plan, thing)[2:]}",
        evidences=(GoldEvidence(((passage_id(plan, thing),),), quote=quote),),
        question=f"How long are {thing} kept on the {plan} plan?",
        kind=Kind.FACTOID if thing != THINGS[-1] else Kind.MULTI_SOURCE,
        answer=quote,
        statements=(Statement(text=quote, evidence=(0,)),),
    )


def records() -> list[RunRecord]:
    """One of each fault in turn, and the rest right; the last query is missing."""
    return [_record(i, plan, thing) for i, (plan, thing) in enumerate(_pairs())][:-1]


def _pairs() -> list[tuple[str, str]]:
    return [(plan, thing) for plan in PLANS for thing in THINGS]


def _record(i: int, plan: str, thing: str) -> RunRecord:
    right, other = passage_id(plan, thing), passage_id(plan, THINGS[THINGS.index(thing) - 1])
    ids = [right, other, passage_id(PLANS[PLANS.index(plan) - 1], thing)]
    said, abstained = f"{fact(plan, thing)} [{right}]", None
    match i % 9:
        case 1:
            said = f"{fact(plan, thing)} [{other}]"
        case 2:
            said = (
                f"Deleted <b>{thing}</b> can be restored by the support team for a fee. [{right}]"
            )
        case 3:
            ids = ids[1:]
            said = f"On the {plan} plan it depends on the quota of the workspace. [{other}]"
        case 4:
            said, abstained = "I don't know.", True
        case 5:
            said = f"{fact(plan, thing)} [p-9999] See [P-1] too."
        case 6:
            said = ""
        case _:
            said += f" An owner may export {thing} before. [{right}, {ids[-1]}]"
    retrieved: list[str | Retrieved] = [Retrieved(j, text=TEXTS[j]) for j in ids]
    return RunRecord(f"q-{right[2:]}", retrieved, answer=said, abstained=abstained)


def scored() -> UnlabelledScore:
    asked = {query.query_id: query.question for query in queries()}
    setup = UnlabelledSetup(questions=asked, components=True, second_judge=Judge(OfflineJudge()))
    return asyncio.run(score_unlabelled(records(), Judge(OfflineJudge(), note=NOTE), setup))


NOTE = "The judge is offline rules, not a model: macro-F1 0.71 where people judged."


def audited() -> AuditReport:
    rows = [
        LabelRow(
            id=f"l-{i}",
            claim=fact(plan, thing),
            passages=(LabelledPassage(id="p", text=TEXTS[passage_id(plan, other)]),),
            label=Verdict.SUPPORTS if other == thing else Verdict.CONTRADICTS,
        )
        for i, (plan, thing) in enumerate(_pairs())
        for other in (THINGS[i % 3],)
    ]
    return asyncio.run(audit(gather(rows), Judge(OfflineJudge())))


def labelled_metrics() -> list[Metric]:
    """Plausible figures by k and kind, as the labelled half makes them."""
    found = []
    for half_life, (part, n) in enumerate(
        (("all", 24), ("kind=factoid", 20), ("kind=multi_source", 4))
    ):
        for k in (1, 3, 5, 10, 20):
            for name, top in (("recall", 0.96), ("ndcg", 0.88), ("all_hit", 0.93)):
                value = top * (1 - math.exp(-(k + 1) / (2 + half_life)))
                found.append(_metric(f"{name}@{k}", value, n, part))
        found.append(_metric("mrr", 0.81 - 0.05 * half_life, n, part))
    found.append(_metric("citation_precision", 0.72, 22, "all", Layer.CITATION))
    found.append(_metric("citation_recall", 0.66, 24, "all", Layer.CITATION))
    found.append(_metric("abstention_rate", None, 0, "all", Layer.PROBE))
    return found


def _metric(
    name: str, value: float | None, n: int, part: str, layer: Layer = Layer.RETRIEVAL
) -> Metric:
    return Metric(
        name=name,
        half=Half.LABELLED,
        layer=layer,
        slice=part,
        value=value,
        numerator=(value or 0) * n,
        denominator=n,
        n=n,
        undefined=0 if value is not None else 3,
        low=None if value is None else max(0.0, value - 0.12),
        high=None if value is None else min(1.0, value + 0.07),
        method="" if value is None else "bootstrap(1000, seed 7)",
    )


def unlabelled_metrics(score: UnlabelledScore) -> list[Metric]:
    """Pooled figures of the columns, without intervals."""
    pooled = []
    for name, column in score.columns.columns.items():
        top, bottom = float(column.numerator.sum()), float(column.denominator.sum())
        pooled.append(
            Metric(
                name=name,
                half=column.half,
                layer=column.layer,
                value=top / bottom if bottom else None,
                numerator=top,
                denominator=bottom,
                n=len(score.columns.query_ids),
            )
        )
    return [*pooled, *score.metrics]


def full_report() -> Report:
    score = scored()
    claimed = {answer.trial.claimed.query_id: answer.trial.claimed for answer in score.answers}
    judged = {answer.trial.claimed.query_id: answer for answer in score.answers}
    asked = queries()
    labelled = triage(
        cases_of(asked, {r.query_id: r for r in records()}, claimed, judged, score.abstained)
    )
    labels = check_labels(asked, judged)
    return Report(
        run=RunInfo(
            name="search-v2.jsonl",
            digest="77" * 32,
            records=len(records()),
            judge=score.judge,
            judge_note=score.judge_note,
            decomposer=score.decomposer,
            counts={"missing_in_run": 1, "duplicate_markers": score.duplicate_markers},
        ),
        release=ReleaseInfo(source="acme/handbook-gold", version="1.2.0", digest=DIGEST),
        metrics=(
            *labelled_metrics(),
            *unlabelled_metrics(score),
            *labelled.metrics(),
            *labels.metrics(),
        ),
        columns=(score.columns,),
        kinds={query.query_id: str(query.kind) for query in asked},
        triage=labelled,
        unlabelled=score,
        audit=audited(),
        notices=("Intervals of multi_source rest on 4 queries.",),
        listings=(
            Listing(
                "Brackets that nearly are markers",
                "They cite nothing; check the marker grammar.",
                ("query", "found"),
                tuple((i, ", ".join(found)) for i, found in score.near_markers.items()),
            ),
            *labels.listings(),
        ),
        texts=TEXTS,
    )
