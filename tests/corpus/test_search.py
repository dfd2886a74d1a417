from __future__ import annotations

import random

from goldsmith.corpus.search import Index
from goldsmith.records import Chunk


def chunk(name: str, text: str) -> Chunk:
    return Chunk(
        chunk_id=name,
        doc_id="d-1",
        title="",
        section="",
        text=text,
        start=0,
        end=len(text),
        duplicate_group=f"g-{text}",
    )


CHUNKS = [
    chunk("p-1", "the relay buffer holds events"),
    chunk("p-2", "prices of plans"),
    chunk("p-3", "the relay buffer holds events"),
    chunk("p-4", ""),
]


def test_best_first_and_ties_by_id() -> None:
    hits = Index(CHUNKS).search("relay buffer", 2)
    assert [hit.chunk_id for hit in hits] == ["p-1", "p-3"]
    assert [hit.rank for hit in hits] == [1, 2]
    assert hits[0].score == hits[1].score > 0


def test_the_order_of_files_changes_nothing() -> None:
    shuffled = CHUNKS.copy()
    random.Random(3).shuffle(shuffled)
    assert Index(shuffled).search("events", 3) == Index(CHUNKS).search("events", 3)


def test_deeper_than_the_matches_looks_at_every_chunk() -> None:
    hits = Index(CHUNKS).search("prices", 10)
    assert hits[0].chunk_id == "p-2"
    assert {hit.chunk_id for hit in hits} == {"p-1", "p-2", "p-3", "p-4"}


def test_rank_of_counts_only_real_matches() -> None:
    index = Index(CHUNKS)
    assert index.rank_of("prices", ["p-2"], 3) == 1
    assert index.rank_of("prices", ["p-1"], 4) is None
    assert index.rank_of("unheard of", ["p-2"], 4) is None


def test_an_empty_corpus_finds_nothing() -> None:
    assert Index([]).search("anything", 5) == []
