"""Figure 2: how complete the labels are, and how many members are probably still missing.

Two estimates, neither of which needs a person (`docs/labels.md` says what they assume):

- *audit*: a sample of evidences was searched deeper; the share of their members that only the
  deeper search found is what a search at the usual depth misses. The members of one evidence are
  found or missed together, so the interval is Wilson's at the effective number of members
  (Kish 1965: their number over the design effect).
- *recapture*: of two retrievers, how many of the accepted passages did both find? Chapman's
  estimator (1951) of the number that neither found, with Seber's variance (1970).
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING

from goldsmith.proportions import LEVEL, wilson_bounds
from goldsmith.records import JUDGED_BY_SOURCE, JUDGED_BY_SPAN, WITHOUT_A_JUDGE, Answering
from goldsmith.release.figures import Completeness, Missing
from goldsmith.release.shares import Share

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from goldsmith.records import Evidence, Judgement, Query
    from goldsmith.release.contents import Contents

_DIGITS = 6
_PAIR = 2


@dataclass(frozen=True, slots=True)
class _Labelled:
    """One evidence, and what was said of chunks for it."""

    query: Query
    number: int
    rows: Sequence[Judgement]
    """Of its query."""

    @property
    def evidence(self) -> Evidence:
        return self.query.evidence[self.number]

    @property
    def further(self) -> list[str]:
        """Members besides the chunks that the question was written from."""
        sources = self.query.source_chunk_ids
        return [c for c in self.evidence.all_chunk_ids if c not in sources]

    @property
    def is_searched(self) -> bool:
        return any(self._read(row) for row in self.rows)

    @property
    def is_audited(self) -> bool:
        return any(self.number in row.audit for row in self.rows)

    @property
    def by_audit(self) -> int:
        """Members that only the audit came upon."""
        members = set(self.evidence.chunk_ids)
        return sum(row.chunk_id in members and self.number in row.audit for row in self.rows)

    def found_by(self, chunk_id: str) -> str:
        """A name of `WITHOUT_A_JUDGE`, or the judge's who accepted it for this evidence."""
        rows = [row for row in self.rows if row.chunk_id == chunk_id]
        judged = [row.judge for row in rows if self._read(row)]
        without = [row.judge for row in rows if row.judge in WITHOUT_A_JUDGE]
        return next(iter((*without, *judged)), JUDGED_BY_SPAN)

    def _read(self, row: Judgement) -> bool:
        """A row that names no evidence is about all of its query."""
        return row.judge not in WITHOUT_A_JUDGE and (
            not row.evidence or self.number in row.evidence
        )


def completeness_of(contents: Contents) -> Completeness:
    """All of figure 2."""
    labelled = list(_labelled(contents))
    searched = [one for one in labelled if one.is_searched]
    found_by = Counter(one.found_by(chunk_id) for one in labelled for chunk_id in one.further)
    missing = _by_audit(searched) or _by_recapture(searched, contents.judgements)
    return Completeness(
        searched=Share.of(len(searched), len(labelled)),
        evidences_with_more=Share.of(sum(bool(one.further) for one in labelled), len(labelled)),
        found_by_span=found_by[JUDGED_BY_SPAN],
        found_by_merging=found_by[JUDGED_BY_SOURCE],
        found_by_search=sum(n for judge, n in found_by.items() if judge not in WITHOUT_A_JUDGE),
        passages_judged=sum(row.judge not in WITHOUT_A_JUDGE for row in contents.judgements),
        still_missing=None if missing is None else missing.share,
        missing=missing,
    )


def _labelled(contents: Contents) -> Iterator[_Labelled]:
    rows: dict[str, list[Judgement]] = {}
    for row in contents.judgements:
        rows.setdefault(row.query_id, []).append(row)
    for query in contents.queries:
        for number in range(len(query.evidence)):
            yield _Labelled(query, number, rows.get(query.query_id, []))


def _by_audit(searched: Sequence[_Labelled]) -> Missing | None:
    audited = [one for one in searched if one.is_audited]
    if not audited:
        return None
    counts = [(one.by_audit, len(one.evidence.all_chunk_ids)) for one in audited]
    share = _clustered(counts)
    others = sum(len(o.evidence.all_chunk_ids) for o in searched if not o.is_audited)
    # Of what there is, `share` is missing: others = (1 - share) * all.
    members, low, high = (others * _odds(x) for x in (share.value, share.low, share.high))
    return Missing(
        method="audit",
        evidences=len(audited),
        share=share,
        members=round(members, _DIGITS),
        low=round(low, _DIGITS),
        high=round(high, _DIGITS),
    )


def _clustered(counts: Sequence[tuple[int, int]]) -> Share:
    """A share over clusters of (numerator, denominator), with its interval at the effective n."""
    numerator, denominator = sum(n for n, _ in counts), sum(m for _, m in counts)
    share = numerator / denominator
    simple = share * (1 - share) / denominator
    effect = 1.0
    if len(counts) > 1 and simple:
        squares = math.fsum((n - share * m) ** 2 for n, m in counts)
        clustered = len(counts) / (len(counts) - 1) * squares / denominator**2
        effect = max(1.0, clustered / simple)
    effective = denominator / effect
    low, high = wilson_bounds(share * effective, effective) or (0.0, 1.0)
    return Share(
        numerator=numerator,
        denominator=denominator,
        low=round(low, _DIGITS),
        high=round(high, _DIGITS),
    )


def _odds(share: float | None) -> float:
    return (share or 0.0) / (1 - (share or 0.0))


def _by_recapture(searched: Sequence[_Labelled], judgements: Sequence[Judgement]) -> Missing | None:
    accepted = [r for r in judgements if r.found_by and r.verdict is Answering.ANSWERS]
    names = sorted({name for row in judgements for name in row.found_by})
    if len(names) < _PAIR:
        return None
    first, second = (sum(name in r.found_by for r in accepted) for name in names[:_PAIR])
    both = sum(set(names[:_PAIR]) <= set(r.found_by) for r in accepted)
    seen = first + second - both
    total = (first + 1) * (second + 1) / (both + 1) - 1
    variance = (first + 1) * (second + 1) * (first - both) * (second - both)
    spread = NormalDist().inv_cdf((1 + LEVEL) / 2) * math.sqrt(
        variance / ((both + 1) ** 2 * (both + 2))
    )
    members, low, high = (max(0.0, total + x - seen) for x in (0.0, -spread, spread))
    held = sum(len(one.evidence.all_chunk_ids) for one in searched)
    return Missing(
        method="recapture",
        evidences=len(searched),
        share=Share(
            numerator=round(members),
            denominator=held + round(members),
            low=round(low / (held + low), _DIGITS),
            high=round(high / (held + high), _DIGITS),
        ),
        members=round(members, _DIGITS),
        low=round(low, _DIGITS),
        high=round(high, _DIGITS),
    )
