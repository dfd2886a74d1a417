"""Go through a run once and keep the ranks of the judged chunks: all that retrieval needs.

A hundred retrieved ids become the few numbers that say where gold stands among them. Everything
else is computed from these arrays, for all queries at a time.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from goldsmith.errors import InputError

if TYPE_CHECKING:
    from goldsmith.scoring.spans import SpanHits


def _ints() -> array[int]:
    return array("i")


@dataclass(frozen=True, slots=True)
class ScanRules:
    """What a run is held to."""

    strict: bool = False
    """Repeated chunk ids and unknown fields are errors."""
    allow_extra: bool = False
    """Query ids that gold lacks are counted, not refused."""
    min_overlap: float = 1.0
    """Share of a quote that an item of another chunking must hold."""

    def __post_init__(self) -> None:
        if not 0 < self.min_overlap <= 1:
            raise InputError(
                f"min_overlap is a share above 0 and up to 1, found {self.min_overlap!r}"
            )


@dataclass(slots=True, repr=False)
class Scan:
    """What a run says about each query of gold, by the query's number.

    `places` index the judgements of gold (`Gold.chunk_ids`), `ranks` run beside it and count from
    1. For a TREC run `tie_starts` and `tie_sizes` do too: how many items have a higher score than
    this one, and how many have the same.
    """

    answered: bytearray
    lengths: array[int]
    places: array[int] = field(default_factory=_ints)
    ranks: array[int] = field(default_factory=_ints)
    tie_starts: array[int] = field(default_factory=_ints)
    tie_sizes: array[int] = field(default_factory=_ints)
    copy_owners: array[int] = field(default_factory=_ints)
    """Later copies of judged chunks: the query, and below the rank."""
    copy_ranks: array[int] = field(default_factory=_ints)
    spans: dict[int, SpanHits] = field(default_factory=dict)
    """Queries with items of another chunking."""
    duplicates: int = 0
    """Later copies of any chunk."""
    extra: int = 0
    """Records whose query gold lacks."""
    with_answers: int = 0
    """Records that hold an answer, claims, or say that they abstained."""
    ignored: dict[str, int] = field(default_factory=dict)
    """Unknown fields that were passed over: name, and line where first seen."""

    @classmethod
    def of(cls, queries: int) -> Scan:
        return cls(answered=bytearray(queries), lengths=array("i", bytes(4 * queries)))

    def merge(self, other: Scan) -> bool:
        """Take in the scan of another part of the same file.

        False, and nothing is taken, when both hold a query: its rows lie apart, or it is repeated.
        """
        ours, theirs = (np.frombuffer(s.answered, dtype=np.bool_) for s in (self, other))
        if np.any(ours & theirs):
            return False
        self.answered = bytearray((ours | theirs).tobytes())
        lengths = (np.frombuffer(s.lengths, dtype=np.intc) for s in (self, other))
        self.lengths = array("i", np.add(*lengths).tobytes())
        for name in ("places", "ranks", "tie_starts", "tie_sizes", "copy_owners", "copy_ranks"):
            getattr(self, name).extend(getattr(other, name))
        self.duplicates += other.duplicates
        self.extra += other.extra
        self.with_answers += other.with_answers
        return True

    @property
    def has_ties(self) -> bool:
        """Whether a judged chunk has the same score as another one: in TREC runs only."""
        return bool(np.any(np.array(self.tie_sizes) > 1))
