"""Gold in memory: one form for a release, a BEIR folder and TREC qrels.

A gold of a million judged queries must fit beside everything else, so the judgements lie flat:
query number `i` owns the places `offsets[i]` to `offsets[i + 1]` of `chunk_ids` and `relevance`.
What only a release knows (evidence with alternatives, answers, probes) is kept in `details`, for
the queries that have it. A query without details needs each of its relevant chunks: every one is
an evidence of its own, which is what classic qrels mean.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from goldsmith.errors import InputError
from goldsmith.records import Expected, Kind

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from goldsmith.records import ProbeKind, Statement

    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Span:
    """Characters `start` to `end` of a document's text."""

    doc_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class GoldEvidence:
    """One fact that an answer needs. Any member will do; a joint member needs all its chunks."""

    members: tuple[tuple[str, ...], ...]
    gain: int = 1
    """Relevance grade; 1 in a release."""
    span: Span | None = None
    """Of the quote; None where gold knows no documents."""
    quote: str = ""

    @property
    def chunk_ids(self) -> tuple[str, ...]:
        """Every chunk of every member, without repeats, in order."""
        return tuple(dict.fromkeys(chain.from_iterable(self.members)))


@dataclass(frozen=True, slots=True)
class GoldQuery:
    """Everything that a query is scored against."""

    query_id: str
    evidences: tuple[GoldEvidence, ...]
    question: str = ""
    kind: Kind | None = None
    """None where the source does not say (BEIR, TREC)."""
    probe_kind: ProbeKind | None = None
    band: str | None = None
    """Difficulty band: how deep a plain word search finds the evidence."""
    strata: Mapping[str, str] = field(default_factory=dict)
    """Further slices that the query belongs to, such as `closed_book`: `true`."""
    answer: str = ""
    statements: tuple[Statement, ...] = ()
    expected: Expected = Expected.ANSWER
    trap_chunk_ids: tuple[str, ...] = ()
    language: str = "en"

    @property
    def is_probe(self) -> bool:
        return self.kind is Kind.UNANSWERABLE

    @property
    def answerable(self) -> bool:
        return bool(self.evidences) and not self.is_probe

    @property
    def gold_ids(self) -> frozenset[str]:
        """The chunks that are a right citation: members of any evidence."""
        return frozenset(chain.from_iterable(e.chunk_ids for e in self.evidences))

    @property
    def plain(self) -> bool:
        """Whether every evidence has one chunk of its own, so that counting chunks is enough."""
        ids = [chunk for evidence in self.evidences for chunk in evidence.chunk_ids]
        return len(ids) == len(self.evidences) and len(set(ids)) == len(ids)


@dataclass(frozen=True, slots=True, repr=False)
class Corpus:
    """What a citation can point at."""

    chunk_ids: frozenset[str]
    documents: Mapping[str, str] = field(default_factory=dict)
    """Document by every name that a link may use: its id, its source path."""
    texts: Mapping[str, str] = field(default_factory=dict)
    """Text by chunk id."""
    chunk_documents: Mapping[str, str] = field(default_factory=dict)
    """Document id by chunk id."""


@dataclass(frozen=True, slots=True, repr=False)
class Gold:
    """All queries of a gold source; see the module for the layout."""

    source: str
    digest: str
    """sha256 of the release's canonical rows, or of the qrels file: what runs are compared on."""
    numbers: Mapping[str, int]
    """Number by query id, 0 to n - 1, in the order of `query_ids`."""
    offsets: Ints
    chunk_ids: Sequence[str]
    relevance: Ints
    """0: judged, and not relevant."""
    version: str | None = None
    notice: str | None = None
    """What a reader of any figure must know first."""
    details: Mapping[int, GoldQuery] = field(default_factory=dict)
    load_corpus: Callable[[], Corpus] | None = None
    """Reads the corpus for who asks; None: the source has none."""
    load_questions: Callable[[], Mapping[str, str]] | None = None
    """Reads the questions by query id; None: they are in `details`, or the source has none."""

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @property
    def query_ids(self) -> list[str]:
        return list(self.numbers)

    def query(self, query_id: str) -> GoldQuery:
        """The query; raises `InputError` when gold has no such id."""
        number = self.numbers.get(query_id)
        if number is None:
            raise InputError(f"{self.source} has no query {query_id!r}")
        found = self.details.get(number)
        return self._from_judgements(query_id, number) if found is None else found

    def _from_judgements(self, query_id: str, number: int) -> GoldQuery:
        places = range(int(self.offsets[number]), int(self.offsets[number + 1]))
        evidences = tuple(
            GoldEvidence(((self.chunk_ids[j],),), gain=int(self.relevance[j]))
            for j in places
            if self.relevance[j] > 0
        )
        return GoldQuery(query_id, evidences)

    @property
    def owners(self) -> Ints:
        """The number of the query that each judgement belongs to."""
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.offsets))

    @property
    def answerable(self) -> NDArray[np.bool_]:
        """Which queries have evidence to be found; by number."""
        relevant = np.bincount(self.owners, weights=self.relevance > 0, minlength=len(self)) > 0
        for number, query in self.details.items():
            relevant[number] = query.answerable
        return relevant
