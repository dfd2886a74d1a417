"""Embeddings and the retriever on them, against a server on the loopback interface."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from goldsmith.corpus.pooling import pooled
from goldsmith.corpus.search import Index
from goldsmith.errors import BudgetExceededError, CacheError, ModelError
from goldsmith.llm.cache_upkeep import verify_cache
from goldsmith.llm.dense import DenseIndex
from goldsmith.llm.opening import open_embedder
from goldsmith.llm.retrying import Patience
from goldsmith.settings import ModelSettings, RuntimeSettings
from tests.support.corpora import make_chunks
from tests.support.llm_server import Body, Embeddings, LLMServer, Status

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from goldsmith.llm.embedding import Embedder

WORDS = Embeddings(words=("loaf", "clock"))
CHUNKS = [
    chunk
    for name, text in (
        ("a.md", "the boy pays for a loaf"),
        ("b.md", "the boy pays for a loaf"),
        ("c.md", "the clock stands still"),
    )
    for chunk in make_chunks(name, text)
]
NO_WAIT = Patience(attempts=2, seconds=1, first_wait=0.001)


@asynccontextmanager
async def embedder(server: LLMServer, cache: Path, **runtime: object) -> AsyncIterator[Embedder]:
    settings = RuntimeSettings.model_validate({"base_url": server.url, **runtime})
    async with open_embedder(
        "small", ModelSettings(), settings, cache_folder=cache, patience=NO_WAIT
    ) as opened:
        yield opened


def embed(server: LLMServer, cache: Path, *texts: str, **runtime: object) -> list[list[float]]:
    async def run() -> list[list[float]]:
        async with embedder(server, cache, **runtime) as opened:
            return [list(map(float, row)) for row in await opened.embed(texts)]

    return asyncio.run(run())


def test_vectors_are_joined_on_their_index_and_of_unit_length(tmp_path: Path) -> None:
    """(0.1, 1, 0) has length sqrt(1.01); the same text twice is asked for once."""
    with LLMServer(default=WORDS) as server:
        loaf, clock, again = embed(server, tmp_path, "loaf", "clock", "loaf")
    assert loaf == pytest.approx([0.1 / 1.01**0.5, 1 / 1.01**0.5, 0])
    assert clock == pytest.approx([0.1 / 1.01**0.5, 0, 1 / 1.01**0.5])
    assert again == loaf
    (seen,) = server.seen
    assert seen.path == "/v1/embeddings"
    assert seen.body["input"] == ["loaf", "clock"]


def test_a_second_run_pays_only_for_what_is_new(tmp_path: Path) -> None:
    with LLMServer(default=WORDS) as server:
        first = embed(server, tmp_path, "loaf", "clock")
        second = embed(server, tmp_path, "loaf", "a new one", "clock")
        assert [second[0], second[2]] == first
        assert [seen.body["input"] for seen in server.seen] == [["loaf", "clock"], ["a new one"]]
        # Nothing may be sent, and nothing has to be.
        assert embed(server, tmp_path, "clock", offline_cache=True) == [first[1]]
        with pytest.raises(CacheError, match="1 texts have no vector of model 'small'"):
            embed(server, tmp_path, "unknown", offline_cache=True)
    checked = verify_cache(tmp_path)
    assert (checked.replies, checked.removed) == (3, ())


def test_many_texts_are_sent_in_few_calls(tmp_path: Path) -> None:
    """150 texts: 64 + 64 + 22. Each call is billed 90 tokens, spread over its texts."""
    texts = [f"text {number}" for number in range(150)]

    async def run() -> tuple[int, int]:
        async with embedder(server, tmp_path) as opened:
            await opened.embed(texts)
            return opened.usage.calls, opened.usage.tokens_in

    with LLMServer(default=WORDS) as server:
        paid = asyncio.run(run())
        assert sorted(len(seen.body["input"]) for seen in server.seen) == [22, 64, 64]
        # From the cache the same is reported: what it cost when it was first billed.
        assert asyncio.run(run()) == paid == (3, 270)
        assert len(server.seen) == 3


def test_trouble_in_passing_is_tried_again(tmp_path: Path) -> None:
    script = (Status(429, headers={"retry-after-ms": "1"}), Body(b"{}"))
    with LLMServer(script, default=WORDS) as server:
        assert len(embed(server, tmp_path, "loaf")) == 1
    assert len(server.seen) == 3


@pytest.mark.parametrize(
    "body",
    [
        b'{"data": []}',
        b'{"data": [{"index": 0, "embedding": []}]}',
        b'{"data": [{"index": 0, "embedding": [NaN]}]}',
        b'{"data": [{"index": 0, "embedding": ["x"]}]}',
        b'{"data": [{"index": 1, "embedding": [1.0]}]}',
        b"<html>",
    ],
)
def test_what_is_no_vector_is_never_stored(tmp_path: Path, body: bytes) -> None:
    with LLMServer(default=Body(body)) as server, pytest.raises(ModelError, match="no vectors"):
        embed(server, tmp_path, "loaf")
    with LLMServer(default=WORDS) as server:
        assert len(embed(server, tmp_path, "loaf")[0]) == 3


def test_a_text_that_is_refused_is_named_and_the_others_are_kept(tmp_path: Path) -> None:
    with LLMServer(default=WORDS) as server:
        with pytest.raises(
            ModelError, match=r"does not take a text of 11 characters.*'refused one'"
        ):
            embed(server, tmp_path, "loaf", "refused one")
        embed(server, tmp_path, "loaf", offline_cache=True)


def test_a_limit_of_the_budget_holds_for_embeddings_too(tmp_path: Path) -> None:
    with LLMServer(default=WORDS) as server, pytest.raises(BudgetExceededError, match="max_calls"):
        embed(server, tmp_path, "loaf", max_calls=0)
    assert server.seen == []


def test_the_dense_retriever_ranks_by_cosine_and_ties_by_id(tmp_path: Path) -> None:
    async def run() -> None:
        async with embedder(server, tmp_path) as opened:
            dense = await DenseIndex.of(CHUNKS[::-1], opened)
            assert (dense.name, len(dense)) == ("small", 3)
            ((first, second, last),) = await dense.find(["what is a loaf"], 9)
            ((clock,),) = await dense.find(["clock"], 1)
            assert [first.chunk_id, second.chunk_id] == sorted(c.chunk_id for c in CHUNKS[:2])
            assert first.score == second.score == 1.0
            assert (last.chunk_id, last.rank) == (CHUNKS[2].chunk_id, 3)
            # (0.1, 1, 0) and (0.1, 0, 1): 0.01 / 1.01.
            assert last.score == pytest.approx(0.0099, abs=1e-4)
            assert clock.chunk_id == CHUNKS[2].chunk_id
            (pool,) = await pooled([Index(CHUNKS), dense], [["boy", "clock"]], 1)
            by_id = {one.chunk_id: one.retrievers for one in pool}
            assert by_id[CHUNKS[2].chunk_id] == ("bm25", "small")

    with LLMServer(default=WORDS) as server:
        asyncio.run(run())


def test_another_model_behind_the_name_is_noticed(tmp_path: Path) -> None:
    with LLMServer(default=WORDS) as server:
        embed(server, tmp_path, "loaf")
    with (
        LLMServer(default=Embeddings(words=("one",))) as server,
        pytest.raises(ModelError, match=r"vectors of \[2, 3\] numbers"),
    ):
        embed(server, tmp_path, "loaf", "clock")


def test_an_empty_corpus_has_no_vectors(tmp_path: Path) -> None:
    async def run() -> list[object]:
        async with embedder(server, tmp_path) as opened:
            return list(await (await DenseIndex.of([], opened)).find(["anything"], 5))

    with LLMServer(default=WORDS) as server:
        assert asyncio.run(run()) == [[]]
