"""Metrics as a reader sees them: grouped by half and layer, with fraction and interval in words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.scoring.records import Half, Layer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from goldsmith.scoring.records import Metric

NULL = "\u2014"
"""How an undefined figure is printed: never 0, never 1."""
_AT_K = re.compile(r"(?P<name>.+)@(?P<k>\d+)\Z")
_PREFERRED_K = 10

HALF_TITLES = {
    Half.LABELLED: "Labelled half: against the frozen release",
    Half.UNLABELLED: "Unlabelled half: from the run and a judge alone",
}
LAYER_TITLES: dict[Layer, str] = {
    Layer.RETRIEVAL: "Retrieval: was the passage that carries the evidence retrieved?",
    Layer.FAITHFULNESS: "Faithfulness: is each claim supported by what was supplied?",
    Layer.CITATION: "Citation: does the passage that a claim names support it?",
    Layer.PROBE: "Probes: does the system abstain where it should, and only there?",
    Layer.COMPONENT: "Components and triage",
}

HEADLINES: tuple[tuple[Half, Layer, str], ...] = (
    (Half.LABELLED, Layer.RETRIEVAL, "recall@k"),
    (Half.LABELLED, Layer.RETRIEVAL, "all_hit@k"),
    (Half.LABELLED, Layer.RETRIEVAL, "ndcg@k"),
    (Half.LABELLED, Layer.RETRIEVAL, "mrr"),
    (Half.LABELLED, Layer.CITATION, "citation_precision"),
    (Half.LABELLED, Layer.CITATION, "citation_recall"),
    (Half.LABELLED, Layer.PROBE, "abstention_rate"),
    (Half.LABELLED, Layer.PROBE, "false_abstention_rate"),
    (Half.UNLABELLED, Layer.FAITHFULNESS, "faithfulness"),
    (Half.UNLABELLED, Layer.CITATION, "citation_accuracy"),
    (Half.UNLABELLED, Layer.CITATION, "citation_coverage"),
    (Half.UNLABELLED, Layer.CITATION, "ais"),
)
"""What stands at the top of a report, in this order, where it was measured."""

EXPLANATIONS: dict[str, str] = {
    "recall": "share of the needed evidence found in the first k passages",
    "hit": "any of the needed evidence in the first k passages",
    "all_hit": "all of the needed evidence in the first k passages",
    "precision": "relevant passages among the first k, divided by k",
    "ndcg": "gain of new evidence, discounted by rank, against the best order",
    "mrr": "1 / rank of the first relevant passage",
    "unjudged": "share of the first k passages that nobody judged",
    "citation_precision": "cited ids that are gold passages (a lower bound)",
    "citation_recall": "needed evidence that is cited somewhere",
    "citation_f1": "harmonic mean of citation precision and recall",
    "attributable_statement_coverage": "gold statements whose evidence was all supplied",
    "marker_resolution": "cited ids that were retrieved for this query",
    "link_validity": "links that lead into the corpus",
    "abstention_rate": "unanswerable probes on which the system abstained",
    "answered_anyway": "unanswerable probes that were answered",
    "cited_anyway": "probes answered anyway, with a citation",
    "fell_for_trap": "probes answered anyway with the trap passage",
    "premise_corrected": "false premises that were corrected",
    "false_abstention_rate": "answerable questions on which the system abstained",
    "citation_accuracy": "claims with ids whose named passages support them",
    "citation_coverage": "claims with an id",
    "faithfulness": "claims supported by the supplied passages together",
    "ids_per_claim": "mean ids a claim with ids; a rise means gaming",
    "ais": "claims with ids that are understood and supported",
    "ais_interpretable": "claims with ids that can be understood from the question",
    "citation_presence_lr": "likelihood ratio of a citation; near 1, markers inform nobody",
    "citation_accuracy_corrected": "citation accuracy corrected by the audit of the judge",
    "check_failed": "claims that a deterministic check lowered",
    "failed_misattributed": "of the failed claims: another supplied passage supports it",
    "failed_hallucinated": "of the failed claims: no supplied passage supports it",
    "failed_contradicted": "of the failed claims: the named passages say otherwise",
    "failed_unresolved_marker": "of the failed claims: its ids name nothing that was supplied",
    "gold_supported": "citations of gold passages that the judge finds supported",
    "gold_unsupported": "citations of gold passages without support: suspect labels",
    "not_gold_supported": "supported citations of other passages: missing labels",
    "not_gold_unsupported": "citations of other passages without support",
    "citation_single_ceiling": "gold statements that one passage proves",
    "citation_accuracy_single_ceiling": "claims with ids that one passage carries",
    "answer_correctness": "gold statements that the answer states",
    "answer_contradicts": "gold statements that the answer contradicts",
    "answer_leaves_out": "gold statements that the answer leaves out",
    "answer_relevance": "answers that address the question",
    "retrieval_relevance": "passages that are not wholly unrelated",
    "context_sufficiency": "questions that the supplied passages can answer",
    "chunk_attribution": "supplied passages that support a claim",
    "judge_agreement": "verdicts on which the second judge agrees",
    "judge_kappa": "Cohen's kappa of the two judges: agreement beyond chance",
}


@dataclass(frozen=True, slots=True)
class Figure:
    """One metric, ready to be printed."""

    metric: Metric

    @property
    def name(self) -> str:
        return self.metric.name

    @property
    def explanation(self) -> str:
        at_k = _AT_K.match(self.metric.name)
        base = at_k["name"] if at_k else self.metric.name
        for suffix, note in (
            ("_strict", ", counting chunks as trec_eval does"),
            ("_pooled", ", pooled over occurrences"),
            ("_lenient", ", partial support passing"),
        ):
            if base.endswith(suffix) and base.removesuffix(suffix) in EXPLANATIONS:
                return EXPLANATIONS[base.removesuffix(suffix)] + note
        return EXPLANATIONS.get(base, self.metric.note)

    @property
    def value(self) -> str:
        return number(self.metric.value)

    @property
    def fraction(self) -> str:
        return f"{plain(self.metric.numerator)} / {plain(self.metric.denominator)}"

    @property
    def interval(self) -> str:
        if self.metric.low is None or self.metric.high is None:
            return NULL
        return f"[{number(self.metric.low)}, {number(self.metric.high)}]"

    @property
    def doubt(self) -> str:
        """What the value could be over what is not known; empty where nothing is in doubt."""
        metric = self.metric
        if metric.lowest is None or metric.highest is None or metric.lowest == metric.highest:
            return ""
        expected = "" if metric.expected is None else f", expected {number(metric.expected)}"
        return f"by ties {number(metric.lowest)} to {number(metric.highest)}{expected}"

    @property
    def is_share(self) -> bool:
        """Does it lie between 0 and 1, so that a bar can show it?"""
        metric = self.metric
        ends = (metric.value, metric.low, metric.high)
        return metric.value is not None and all(e is None or 0 <= e <= 1 for e in ends)


@dataclass(frozen=True, slots=True)
class Group:
    """The figures of one layer."""

    title: str
    figures: tuple[Figure, ...]


@dataclass(frozen=True, slots=True)
class Series:
    """A metric by k on one slice."""

    label: str
    points: tuple[tuple[int, float], ...]


def number(value: float | None) -> str:
    """Three decimals; a dash for what is undefined."""
    return NULL if value is None else f"{value:.3f}"


def plain(value: float) -> str:
    """Counts without decimals, sums with as few as they need."""
    return f"{value:.0f}" if value == int(value) else f"{value:.2f}"


def whole(metrics: Iterable[Metric]) -> list[Metric]:
    """The figures over all queries."""
    return [metric for metric in metrics if metric.slice == "all"]


def headlines(metrics: Sequence[Metric], half: Half) -> list[Figure]:
    """The headline figures of a half that were measured."""
    found = {metric.name: metric for metric in whole(metrics) if metric.half is half}
    figures = []
    for wanted_half, _, name in HEADLINES:
        if wanted_half is not half:
            continue
        chosen = _at_best_k(name, found) if name.endswith("@k") else name
        if chosen in found:
            figures.append(Figure(found[chosen]))
    return figures


def _at_best_k(name: str, found: Iterable[str]) -> str:
    """`ndcg@k` at 10 where it was measured, else at the deepest k."""
    base = name.removesuffix("@k")
    depths = [int(match["k"]) for n in found if (match := _AT_K.match(n)) and match["name"] == base]
    if not depths:
        return name
    return f"{base}@{_PREFERRED_K if _PREFERRED_K in depths else max(depths)}"


def groups(metrics: Sequence[Metric], half: Half) -> list[Group]:
    """All figures over all queries of a half, by layer."""
    found = []
    for layer, title in LAYER_TITLES.items():
        figures = tuple(Figure(m) for m in whole(metrics) if m.half is half and m.layer is layer)
        if figures:
            found.append(Group(title, figures))
    return found


def sliced(metrics: Sequence[Metric], half: Half) -> list[Figure]:
    """Headline figures on every slice."""
    shown = {figure.name for figure in headlines(metrics, half)}
    return [Figure(m) for m in metrics if m.half is half and m.slice != "all" and m.name in shown]


def by_k(metrics: Sequence[Metric], name: str) -> list[Series]:
    """`name@k` over k: all queries first, then each kind."""
    points: dict[str, dict[int, float]] = {}
    for metric in metrics:
        match = _AT_K.match(metric.name)
        kind = metric.slice == "all" or metric.slice.startswith("kind=")
        if match and match["name"] == name and kind and metric.value is not None:
            label = metric.slice.removeprefix("kind=")
            points.setdefault(label, {})[int(match["k"])] = metric.value
    return [
        Series(label, tuple(sorted(found.items())))
        for label, found in sorted(points.items(), key=lambda item: (item[0] != "all", item[0]))
    ]
