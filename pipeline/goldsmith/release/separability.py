"""Can probes be told from their twins by their words alone? Then refusal could be learned."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from goldsmith.corpus.words import words
from goldsmith.records import Kind
from goldsmith.release.shares import Share

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from goldsmith.records import Query

_UNDECIDED = 1e-9
"""A smaller difference of log-likelihoods is rounding, and rounding depends on the machine."""


@dataclass(frozen=True, slots=True)
class _Label:
    """Word counts of all questions of one label."""

    counts: Counter[str] = field(default_factory=Counter)

    def log_likelihood(self, asked: Sequence[str], without: Counter[str], vocabulary: int) -> float:
        """Of the words under add-one smoothing, the held-out counts taken away."""
        total = self.counts.total() - without.total() + vocabulary
        return math.fsum(math.log((self.counts[w] - without[w] + 1) / total) for w in asked)


def twins_told_apart(queries: Iterable[Query]) -> Share:
    """Questions that a multinomial naive Bayes names right, of those asked.

    A twin and its probes are kept out of what is learned when they are asked. Chance is one half
    when every twin has one probe. An undecided case counts as named wrong.
    """
    by_id = {query.query_id: query for query in queries}
    groups: defaultdict[str, list[Query]] = defaultdict(list)
    for query in by_id.values():
        if query.kind is Kind.UNANSWERABLE and query.twin_id in by_id:
            groups[query.twin_id].append(query)
    if len(groups) < 2:  # noqa: PLR2004 - nothing to learn from
        return Share.of(0, 0)
    labelled = {
        twin: [(True, words(probe.question)) for probe in probes]
        + [(False, words(by_id[twin].question))]
        for twin, probes in groups.items()
    }
    cases = [case for group in labelled.values() for case in group]
    labels = {is_probe: _Label(_counted(cases, is_probe)) for is_probe in (True, False)}
    vocabulary = len(labels[True].counts | labels[False].counts)
    right = 0
    for group in labelled.values():
        held_out = {is_probe: _counted(group, is_probe) for is_probe in (True, False)}
        for is_probe, asked in group:
            likelihood = {
                label: labels[label].log_likelihood(asked, held_out[label], vocabulary)
                for label in (True, False)
            }
            right += likelihood[is_probe] - likelihood[not is_probe] > _UNDECIDED
    return Share.of(right, len(cases))


def _counted(cases: Iterable[tuple[bool, list[str]]], is_probe: bool) -> Counter[str]:
    counts: Counter[str] = Counter()
    for label, asked in cases:
        if label is is_probe:
            counts.update(asked)
    return counts
