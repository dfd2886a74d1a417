from __future__ import annotations

import asyncio
import random

import bm25s
from hypothesis import given
from hypothesis import strategies as st

from goldsmith.corpus.pooling import pooled
from goldsmith.corpus.scanning import scan
from goldsmith.corpus.search import Index
from goldsmith.corpus.words import content_words
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


def test_a_corpus_without_a_word_is_looked_at_all_the_same() -> None:
    hits = Index([chunk("p-2", "..."), chunk("p-1", "")]).search("anything", 5)
    assert [(hit.chunk_id, hit.score) for hit in hits] == [("p-1", 0.0), ("p-2", 0.0)]


WORDS = ("alpha", "beta", "gamma", "delta", "kappa", "sigma")
SENTENCES = st.lists(
    st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join),
    min_size=1,
    max_size=40,
)


@given(SENTENCES, SENTENCES, st.integers(1, 12))
def test_what_is_not_read_changes_no_ranking(
    texts: list[str], queries: list[str], depth: int
) -> None:
    """Every chunk scored by bm25s, and sorted by score and id: the same chunks, ranks, scores."""
    texts = [*texts, "omega"]  # bm25s needs a word
    corpus = [chunk(f"p-{n:03d}", text) for n, text in enumerate(texts)]
    index = Index(corpus)
    reference = bm25s.BM25()
    reference.index([content_words(text) for text in texts], show_progress=False)
    for query in queries:
        known = [w for w in content_words(query) if w in reference.vocab_dict]
        scores = reference.get_scores(known) if known else [0.0] * len(texts)
        ranked = sorted(enumerate(scores), key=lambda one: (-round(float(one[1]), 4), one[0]))
        hits = index.search(query, depth)
        assert [hit.chunk_id for hit in hits] == [f"p-{n:03d}" for n, _ in ranked[:depth]]
        for hit, (_, score) in zip(hits, ranked, strict=False):
            assert abs(hit.score - score) < 1e-4


@given(SENTENCES, SENTENCES, st.integers(1, 12))
def test_compiled_or_not_the_ranking_is_the_same(
    texts: list[str], queries: list[str], depth: int
) -> None:
    """The loops that numba compiles, run as they stand, beside the search without them."""
    corpus = [chunk(f"p-{n:03d}", text) for n, text in enumerate(texts)]
    plain, scanned = Index(corpus), Index(corpus)
    scanned._scan = scan
    for query in queries:
        assert scanned.search(query, depth) == plain.search(query, depth)


@given(SENTENCES, SENTENCES, st.integers(1, 12), st.sets(st.integers(0, 39)))
def test_rank_of_is_the_rank_that_a_search_gives(
    texts: list[str], queries: list[str], depth: int, asked: set[int]
) -> None:
    index = Index([chunk(f"p-{n:03d}", text) for n, text in enumerate(texts)])
    wanted = [*(f"p-{n:03d}" for n in asked), "absent"]
    for query in queries:
        hits = [hit for hit in index.search(query, depth) if hit.score]
        rank = next((hit.rank for hit in hits if hit.chunk_id in wanted), None)
        assert index.rank_of(query, wanted, depth) == rank


def test_a_pool_is_ordered_by_best_rank_and_its_head_is_the_shallow_pool() -> None:
    index = Index(CHUNKS)
    asked = [("relay buffer", "prices of plans")]
    (deep,) = asyncio.run(pooled([index], asked, 3))
    (shallow,) = asyncio.run(pooled([index], asked, 1))
    # p-1 leads one list and p-2 the other.
    assert [one.chunk_id for one in shallow] == ["p-1", "p-2"]
    assert [(one.chunk_id, one.rank) for one in deep[:2]] == [("p-1", 1), ("p-2", 1)]
    assert {one.retrievers for one in deep} == {("bm25",)}
