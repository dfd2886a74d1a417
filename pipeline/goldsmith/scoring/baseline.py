"""A baseline system for every release: BM25, and sentences quoted from what it found.

It is there so that a figure has something to stand beside. It reads no gold label: the questions
and the corpus are all that it is given, as with any other system.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from goldsmith.corpus.search import Index
from goldsmith.corpus.sentences import sentences
from goldsmith.corpus.words import content_words
from goldsmith.scoring.run_records import RecordedClaim, Retrieved, RunRecord
from goldsmith.tables import write_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from goldsmith.records import Chunk
    from goldsmith.scoring.gold import GoldQuery

DEPTH = 10
_READ = 3
"""Passages that answers are quoted from."""
_SENTENCES = 2
_ANSWERS_FROM = 0.5
"""Share of the question's content words that the first sentence must hold; below it, abstain."""
_ADDS_FROM = 0.25
"""Share that a further sentence must add."""
_REFUSAL = "I don't know."


@dataclass(frozen=True, slots=True)
class _Quotable:
    """A sentence that could be quoted; `words` are those it shares with the question."""

    chunk_id: str
    text: str
    words: frozenset[str]


def baseline(
    chunks: Sequence[Chunk], queries: Iterable[GoldQuery], *, depth: int = DEPTH
) -> list[RunRecord]:
    """One record a query: the BM25 ranking, at most two quoted sentences, each with its chunk."""
    by_id = {chunk.chunk_id: chunk for chunk in chunks}
    indexes: dict[str, Index] = {}
    records = []
    for query in queries:
        if query.language not in indexes:
            indexes[query.language] = Index(chunks, query.language)
        found = [
            (by_id[hit.chunk_id], hit.score)
            for hit in indexes[query.language].search(query.question, depth)
            if hit.score > 0
        ]
        records.append(_record(query, found))
    return records


def _record(query: GoldQuery, found: Sequence[tuple[Chunk, float]]) -> RunRecord:
    quoted = _quote(query, [chunk for chunk, _ in found[:_READ]])
    return RunRecord(
        query_id=query.query_id,
        question=query.question,
        retrieved=[
            Retrieved(chunk.chunk_id, score, chunk.text, chunk.doc_id, chunk.start, chunk.end)
            for chunk, score in found
        ],
        answer=" ".join(f"{one.text} [{one.chunk_id}]" for one in quoted) or _REFUSAL,
        claims=tuple(RecordedClaim(one.text, (one.chunk_id,)) for one in quoted) or None,
        abstained=not quoted,
    )


def _quote(query: GoldQuery, chunks: Sequence[Chunk]) -> list[_Quotable]:
    """Sentences that cover the question's words, the one that adds most of them first."""
    asked = frozenset(content_words(query.question, query.language))
    candidates = [
        _Quotable(
            chunk.chunk_id,
            " ".join(sentence.text.split()),
            asked.intersection(content_words(sentence.text, query.language)),
        )
        for chunk in chunks
        for sentence in sentences(chunk.text, query.language)
    ]
    quoted: list[_Quotable] = []
    covered: frozenset[str] = frozenset()
    while candidates and len(quoted) < _SENTENCES:
        best = max(candidates, key=lambda one: len(one.words - covered))
        needed = _ADDS_FROM if quoted else _ANSWERS_FROM
        if len(best.words - covered) < max(1, needed * len(asked)):
            break
        quoted.append(best)
        covered |= best.words
    return quoted


def write_run(path: Path, records: Iterable[RunRecord]) -> int:
    """Write records as JSON Lines, fields without a value left out; return how many there were."""
    lines = []
    for record in records:
        fields = msgspec.to_builtins(record)
        fields["retrieved"] = [_without_none(item) for item in fields["retrieved"]]
        lines.append(msgspec.json.encode(_without_none(fields)))
    write_bytes(path, b"".join(line + b"\n" for line in lines))
    return len(lines)


def _without_none(fields: dict[str, object] | str) -> dict[str, object] | str:
    if isinstance(fields, str):
        return fields
    return {name: value for name, value in fields.items() if value is not None}
