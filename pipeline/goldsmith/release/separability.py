"""Can probes be told from their twins by their words alone? Then refusal could be learned."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import product
from statistics import NormalDist
from typing import TYPE_CHECKING

from goldsmith.corpus.words import words
from goldsmith.ids import uniform_hash
from goldsmith.proportions import LEVEL
from goldsmith.records import Kind
from goldsmith.release.figures import Separability

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from goldsmith.records import Query

_FOLDS = 10
_SEED = 7
_UNDECIDED = 1e-9
"""A smaller difference of log-likelihoods is rounding, and rounding depends on the machine."""
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class _Case:
    """A question, and which group (a twin with its probes) it belongs to."""

    asked: tuple[str, ...]
    is_probe: bool
    fold: int


@dataclass(frozen=True, slots=True)
class _Label:
    """Word counts of all questions of one label that are learned from."""

    counts: Counter[str] = field(default_factory=Counter)

    def log_likelihood(self, asked: Sequence[str], vocabulary: int) -> float:
        """Of the words, under add-one smoothing."""
        total = self.counts.total() + vocabulary
        return math.fsum(math.log((self.counts[word] + 1) / total) for word in asked)


def twins_told_apart(queries: Iterable[Query]) -> Separability:
    """The area under the ROC curve of a multinomial naive Bayes over bags of words, by
    cross-validation: how often it finds a probe likelier to be one than a twin of the same fold.

    A twin is in one fold with its probes. Ties count half. The interval is Hanley and McNeil's
    (1982). Null where there are fewer than two twins with probes: nothing can be learned.
    """
    cases = _cases(queries)
    probes, twins = (sum(case.is_probe is label for case in cases) for label in (True, False))
    won = pairs = 0.0
    for fold in sorted({case.fold for case in cases}) if twins > 1 else ():
        scores = _scores(cases, fold)
        for probe, twin in product(scores[True], scores[False]):
            difference = probe - twin
            won += 0.5 if abs(difference) <= _UNDECIDED else float(difference > 0)
            pairs += 1
    if not pairs:
        return Separability(probes=probes, twins=twins, auc=None, low=None, high=None)
    auc = won / pairs
    low, high = _hanley_mcneil(auc, probes, twins)
    return Separability(
        probes=probes,
        twins=twins,
        auc=round(auc, _DIGITS),
        low=round(low, _DIGITS),
        high=round(high, _DIGITS),
    )


def _cases(queries: Iterable[Query]) -> list[_Case]:
    by_id = {query.query_id: query for query in queries}
    groups: defaultdict[str, list[Query]] = defaultdict(list)
    for query in by_id.values():
        if query.kind is Kind.UNANSWERABLE and query.twin_id in by_id:
            groups[query.twin_id].append(query)
    # Drawn by hash and dealt in turn: folds of one length, the same on every machine.
    drawn = sorted(groups, key=lambda twin: uniform_hash(_SEED, twin))
    return [
        _Case(tuple(words(query.question)), query is not by_id[twin], place % _FOLDS)
        for place, twin in enumerate(drawn)
        for query in (by_id[twin], *groups[twin])
    ]


def _scores(cases: Sequence[_Case], fold: int) -> dict[bool, list[float]]:
    """How much likelier each question of `fold` is a probe, by the other folds alone."""
    labels = {True: _Label(), False: _Label()}
    for case in cases:
        if case.fold != fold:
            labels[case.is_probe].counts.update(case.asked)
    vocabulary = len(labels[True].counts | labels[False].counts) + 1
    scores: dict[bool, list[float]] = {True: [], False: []}
    for case in cases:
        if case.fold == fold:
            likelihood = [labels[x].log_likelihood(case.asked, vocabulary) for x in (True, False)]
            scores[case.is_probe].append(likelihood[0] - likelihood[1])
    return scores


def _hanley_mcneil(auc: float, positives: int, negatives: int) -> tuple[float, float]:
    """The 95% interval of an area under the curve, clipped to 0 and 1."""
    both_beat, beats_both = auc / (2 - auc), 2 * auc * auc / (1 + auc)
    variance = (
        auc * (1 - auc)
        + (positives - 1) * (both_beat - auc * auc)
        + (negatives - 1) * (beats_both - auc * auc)
    ) / (positives * negatives)
    spread = NormalDist().inv_cdf((1 + LEVEL) / 2) * math.sqrt(max(variance, 0.0))
    return max(0.0, auc - spread), min(1.0, auc + spread)
