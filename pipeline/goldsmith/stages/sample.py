"""Sample: which chunks are asked about, and which together. Drawn by hash, the same everywhere.

Factoids are stratified by document: documents take turns, so a long one does not crowd out the
short ones, and within a document every chunk has the same chance, so the end of a long page is
asked about as often as its beginning.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import combinations, product
from typing import TYPE_CHECKING

from goldsmith.corpus.eligibility import Eligibility, NearDuplicates, PassedOver
from goldsmith.corpus.terms import Term, shared_terms
from goldsmith.corpus.words import content_words
from goldsmith.funnel import FunnelRow, account
from goldsmith.ids import content_id, uniform_hash
from goldsmith.records import Chunk, Dropped, Kind, LinkType, Loss, SourceSet

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from goldsmith.settings import SampleSettings

STAGE = "sample"
_RELATED = (0.03, 0.6)
"""Jaccard of content words: below, two chunks have nothing to do with each other; above, they say
the same."""
_SETS_PER_CHUNK = 3
_SETS_PER_TERM = 6
_CHUNKS_PER_DOCUMENT = 2
_DATED = re.compile(r"\b(?:19|20)\d\d\b|\bversions? \d+(?:\.\d+)*|\bv\d+\.\d+")


@dataclass(frozen=True, slots=True)
class Sampled:
    """The source sets, and the chunks that were passed over."""

    sets: list[SourceSet]
    dropped: list[Dropped]
    funnel: list[FunnelRow]


def run(chunks: Sequence[Chunk], settings: SampleSettings) -> Sampled:
    """Draw `settings.factoid` single chunks and `settings.multi_source` linked sets.

    A corpus too small for that gives what it can; the rest is counted as failed
    (`corpus_too_small`, `no_linked_chunks`).
    """
    eligibility = Eligibility(chunks, settings.min_words)
    passed_over: list[PassedOver] = []
    usable: list[Chunk] = []
    for chunk in sorted(chunks, key=lambda c: c.chunk_id):
        fault = eligibility.fault(chunk)
        if fault is None:
            usable.append(chunk)
        else:
            passed_over.append(fault)
    factoid, repeated = _factoid_sets(usable, settings)
    passed_over += repeated
    multi_source = _multi_source_sets(usable, settings)
    dropped = [_dropped_chunk(item) for item in passed_over]
    kept = len(chunks) - len(dropped)
    funnel = [account(STAGE, "chunk", requested=len(chunks), kept=kept, dropped=dropped)]
    for kind, sets, asked, reason in (
        (Kind.FACTOID, factoid, settings.factoid, "corpus_too_small"),
        (Kind.MULTI_SOURCE, multi_source, settings.multi_source, "no_linked_chunks"),
    ):
        missing = [_missing(kind, number, reason) for number in range(len(sets), asked)]
        dropped += missing
        funnel.append(account(STAGE, kind.value, requested=asked, kept=len(sets), dropped=missing))
    return Sampled(factoid + multi_source, dropped, funnel)


def _factoid_sets(
    usable: Sequence[Chunk], settings: SampleSettings
) -> tuple[list[SourceSet], list[PassedOver]]:
    near = NearDuplicates()
    sets: list[SourceSet] = []
    repeated: list[PassedOver] = []
    for chunk in _taking_turns(usable, settings.seed):
        if len(sets) == settings.factoid:
            break
        original = near.original_of(chunk)
        if original is not None:
            repeated.append(PassedOver(chunk, "near_duplicate", f"says the same as {original}"))
            continue
        near.add(chunk)
        sets.append(_source_set(Kind.FACTOID, (chunk,)))
    return sets, repeated


def _taking_turns(chunks: Sequence[Chunk], seed: int) -> Iterator[Chunk]:
    """One chunk of each document, then a second of each, and so on, in hashed order."""
    waiting: defaultdict[str, list[Chunk]] = defaultdict(list)
    for chunk in chunks:
        waiting[chunk.doc_id].append(chunk)
    for held in waiting.values():
        held.sort(key=lambda c: uniform_hash(seed, "chunk", c.chunk_id))
    order = sorted(waiting, key=lambda doc_id: uniform_hash(seed, "document", doc_id))
    for turn in range(max(map(len, waiting.values()), default=0)):
        for doc_id in order:
            if turn < len(waiting[doc_id]):
                yield waiting[doc_id][turn]


def _multi_source_sets(usable: Sequence[Chunk], settings: SampleSettings) -> list[SourceSet]:
    """Terms take turns; a chunk serves in few sets, so that no passage dominates."""
    terms = shared_terms(usable)
    terms.sort(key=lambda term: (-_prominence(term), uniform_hash(settings.seed, term.name)))
    candidates = {term.name: _groups(term, settings) for term in terms}
    served: Counter[str] = Counter()
    used: set[frozenset[str]] = set()
    sets: list[SourceSet] = []
    for _ in range(_SETS_PER_TERM):
        for term in terms:
            if len(sets) == settings.multi_source:
                return sets
            for group in candidates[term.name]:
                key = frozenset(chunk.chunk_id for chunk in group)
                if key not in used and all(served[c] < _SETS_PER_CHUNK for c in key):
                    used.add(key)
                    served.update(key)
                    sets.append(_source_set(Kind.MULTI_SOURCE, group, term))
                    break
    return sets


def _prominence(term: Term) -> int:
    """Documents in whose headings the term stands, counted up to two."""
    subjects = sum(any(term.is_subject_of(c) for c in held) for held in term.by_document.values())
    return min(subjects, 2)


def _groups(term: Term, settings: SampleSettings) -> list[tuple[Chunk, ...]]:
    """Related groups of one chunk each of different documents, the most telling first."""
    facts = {c.chunk_id: term.facts_in(c) for held in term.by_document.values() for c in held}

    def telling(chunk: Chunk) -> tuple[bool, bool, int]:
        return facts[chunk.chunk_id] > 0, term.is_subject_of(chunk), facts[chunk.chunk_id]

    best = [
        sorted(held, key=lambda c: (*telling(c), c.chunk_id), reverse=True)[:_CHUNKS_PER_DOCUMENT]
        for held in term.by_document.values()
    ]
    sizes = range(2, min(settings.max_sources, len(best)) + 1)
    groups = [
        group
        for size in sizes
        for documents in combinations(best, size)
        for group in product(*documents)
        if _is_related(group)
    ]
    return sorted(
        groups,
        key=lambda group: (
            -sum(facts[chunk.chunk_id] > 0 for chunk in group) / len(group),
            -sum(term.is_subject_of(chunk) for chunk in group) / len(group),
            uniform_hash(settings.seed, term.name, *(chunk.chunk_id for chunk in group)),
        ),
    )


def _is_related(group: Sequence[Chunk]) -> bool:
    low, high = _RELATED
    return all(low <= _jaccard(a, b) <= high for a, b in combinations(group, 2))


def _jaccard(left: Chunk, right: Chunk) -> float:
    one, other = set(content_words(left.text)), set(content_words(right.text))
    return len(one & other) / len(one | other) if one | other else 1.0


def _link(group: Sequence[Chunk], term: Term) -> LinkType:
    subjects = sum(term.is_subject_of(chunk) for chunk in group)
    dated = [frozenset(_DATED.findall(chunk.text)) for chunk in group]
    if all(dated) and len(set(dated)) == len(dated):
        return LinkType.TEMPORAL
    if subjects == len(group):
        return LinkType.COMPARISON
    return LinkType.BRIDGE if subjects else LinkType.CONJUNCTION


def _source_set(kind: Kind, group: Sequence[Chunk], term: Term | None = None) -> SourceSet:
    ids = tuple(chunk.chunk_id for chunk in group)
    return SourceSet(
        set_id=content_id("s", kind.value, *ids, *([term.name] if term else [])),
        kind=kind,
        chunk_ids=ids,
        link=_link(group, term) if term else None,
        term=term.name if term else None,
    )


def _dropped_chunk(item: PassedOver) -> Dropped:
    return Dropped(
        stage=STAGE,
        kind="chunk",
        item_id=item.chunk.chunk_id,
        loss=Loss.REJECTED,
        reason=item.reason,
        detail=item.detail,
    )


def _missing(kind: Kind, number: int, reason: str) -> Dropped:
    return Dropped(
        stage=STAGE,
        kind=kind.value,
        item_id=f"{kind.value}-{number + 1}",
        loss=Loss.FAILED,
        reason=reason,
        detail="the corpus holds no further source set of this kind",
    )
