"""Gold and runs written by hand, small enough to work out on paper."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from goldsmith.records import Kind
from goldsmith.scoring.faults import FaultList
from goldsmith.scoring.gold import Corpus, Gold, GoldEvidence, GoldQuery, Span
from goldsmith.scoring.qrels import Judgements

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


def evidence(*members: str, span: tuple[str, int, int] | None = None) -> GoldEvidence:
    """Members by id; `a+b` is a joint member."""
    return GoldEvidence(
        tuple(tuple(member.split("+")) for member in members),
        span=Span(*span) if span else None,
    )


def answerable(query_id: str, *evidences: GoldEvidence, **fields: Any) -> GoldQuery:  # noqa: ANN401
    values: dict[str, Any] = {"kind": Kind.FACTOID, **fields}
    return GoldQuery(query_id, evidences, **values)


def gold_of(folder: Path, *queries: GoldQuery, corpus: Sequence[str] = ()) -> Gold:
    """A gold source of these queries; its corpus is every chunk they name, and `corpus`."""
    judgements = Judgements(FaultList(folder / "gold"))
    judgements.numbers.update({query.query_id: n for n, query in enumerate(queries)})
    for query in queries:
        for chunk_id in sorted(query.gold_ids):
            judgements.add(query.query_id, chunk_id, 1, 1)
    offsets, chunk_ids, relevance = judgements.laid_flat()
    traps = [chunk for query in queries for chunk in query.trap_chunk_ids]
    known = frozenset((*chunk_ids, *traps, *corpus))
    return Gold(
        source="gold by hand",
        digest="0" * 64,
        numbers=judgements.numbers,
        offsets=offsets,
        chunk_ids=chunk_ids,
        relevance=relevance,
        details=dict(enumerate(queries)),
        load_corpus=lambda: Corpus(chunk_ids=known),
    )


def qrels_file(folder: Path, relevance: Mapping[str, Mapping[str, int]]) -> Path:
    path = folder / "gold.qrels"
    rows = (f"{q} 0 {c} {r}\n" for q, chunks in relevance.items() for c, r in chunks.items())
    path.write_text("".join(rows), "utf-8")
    return path


def run_file(folder: Path, lists: Mapping[str, Sequence[object]]) -> Path:
    """JSON Lines; an item is an id or the fields of one."""
    path = folder / "run.jsonl"
    rows = ({"query_id": q, "retrieved": list(items)} for q, items in lists.items())
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def trec_file(folder: Path, scores: Mapping[str, Mapping[str, float]]) -> Path:
    path = folder / "run.trec"
    rows = (f"{q} Q0 {c} 0 {s!r} hand\n" for q, chunks in scores.items() for c, s in chunks.items())
    path.write_text("".join(rows), "utf-8")
    return path
