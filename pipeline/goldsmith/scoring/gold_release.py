"""Read a frozen release as gold, from its Parquet files and manifest alone.

Only the columns that scoring needs are read, so that a release with further columns still scores.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq

from goldsmith.errors import InputError
from goldsmith.records import Expected, Kind, ProbeKind, Statement
from goldsmith.scoring.faults import FaultList
from goldsmith.scoring.gold import Corpus, Gold, GoldEvidence, GoldQuery, Span
from goldsmith.scoring.qrels import Judgements, file_digest, parse_relevance
from goldsmith.tables import read_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from goldsmith.scoring.gold import Ints

MANIFEST = "manifest.json"
_QUESTIONS = "questions.parquet"
_QUESTION_COLUMNS = (
    "query_id",
    "kind",
    "probe_kind",
    "question",
    "answer",
    "statements",
    "evidence",
    "trap_chunk_ids",
    "expected_response",
    "difficulty",
    "closed_book",
    "language",
)
EASY_RANK, MEDIUM_RANK = 1, 10
LONG_COPY = 5
"""Words in a row from which a question repeats its passage rather than asks about it."""
HIGH_OVERLAP = 0.8
"""Share of the question's content words in its passage from which a word search must find it."""


def read_release(folder: Path) -> Gold:
    """A release directory as gold.

    Raises `InputError` when a file is missing, damaged, or not the one that the manifest names:
    a figure must not carry the digest of rows that it was not computed on.
    """
    manifest = read_json(folder / MANIFEST)
    for name in (_QUESTIONS, "qrels.parquet", "judgements.parquet", "corpus.parquet"):
        _refuse_changed(folder / name, manifest)
    rows = _columns(folder / _QUESTIONS, _QUESTION_COLUMNS)
    judgements = Judgements(FaultList(folder / "qrels.parquet"))
    judgements.numbers.update({row["query_id"]: number for number, row in enumerate(rows)})
    _gather(folder, judgements)
    details = {number: _query(row) for number, row in enumerate(rows)}
    offsets, chunk_ids, relevance = judgements.laid_flat()
    _refuse_contradiction(folder, details, offsets, chunk_ids, relevance)
    return Gold(
        source=str(folder),
        digest=str(manifest["digest"]),
        version=manifest.get("version"),
        notice=manifest.get("notice"),
        numbers=judgements.numbers,
        offsets=offsets,
        chunk_ids=chunk_ids,
        relevance=relevance,
        details=details,
        load_corpus=lambda: _corpus(folder),
    )


def difficulty_band(difficulty: dict[str, Any] | None) -> str | None:
    """How deep BM25 finds the evidence by the question's own words: the first passage is easy."""
    if difficulty is None:
        return None
    rank = difficulty["bm25_rank"]
    if rank is None or rank > MEDIUM_RANK:
        return "hard"
    return "easy" if rank <= EASY_RANK else "medium"


def strata_of(difficulty: dict[str, Any] | None, closed_book: bool | None) -> dict[str, str]:
    """How easy a question is: for a word search, for who copies, for who knows it by heart.

    A stratum that was not measured is left out.
    """
    strata: dict[str, str] = {}
    if difficulty is not None:
        strata["bm25_rank"] = _rank_stratum(difficulty["bm25_rank"])
        strata["copied"] = "long" if difficulty["longest_copied_ngram"] >= LONG_COPY else "short"
        strata["overlap"] = "high" if difficulty["question_overlap"] >= HIGH_OVERLAP else "low"
    if closed_book is not None:
        strata["closed_book"] = "true" if closed_book else "false"
    return strata


def _rank_stratum(rank: int | None) -> str:
    if rank is None:
        return "none"
    if rank <= EASY_RANK:
        return "1"
    return "2-10" if rank <= MEDIUM_RANK else "11+"


def _query(row: dict[str, Any]) -> GoldQuery:
    return GoldQuery(
        query_id=row["query_id"],
        evidences=tuple(_evidence(evidence) for evidence in row["evidence"] or ()),
        question=row["question"],
        kind=Kind(row["kind"]),
        probe_kind=ProbeKind(row["probe_kind"]) if row["probe_kind"] else None,
        band=difficulty_band(row["difficulty"]),
        strata=strata_of(row["difficulty"], row["closed_book"]),
        answer=row["answer"],
        statements=tuple(Statement.model_validate(s) for s in row["statements"] or ()),
        expected=Expected(row["expected_response"]),
        trap_chunk_ids=tuple(row["trap_chunk_ids"] or ()),
        language=row["language"],
    )


def _evidence(row: dict[str, Any]) -> GoldEvidence:
    single = ((chunk,) for chunk in row["chunk_ids"] or ())
    joint = (tuple(member) for member in row["joint_members"] or ())
    return GoldEvidence(
        members=(*single, *joint),
        span=Span(row["doc_id"], row["start"], row["end"]),
        quote=row["quote"],
    )


def _gather(folder: Path, judgements: Judgements) -> None:
    """The rows of `qrels`, and the judged chunks that it does not list as relevance 0."""
    listed: set[tuple[str, str]] = set()
    qrels = _columns(folder / "qrels.parquet", ("query-id", "corpus-id", "score"))
    for number, row in enumerate(qrels, 1):
        query_id, chunk_id = row["query-id"], row["corpus-id"]
        if query_id not in judgements.numbers:
            expected = "a query of questions.parquet"
            judgements.faults.add(number, "query-id", "unknown_query", query_id, expected)
            continue
        relevance = parse_relevance(row["score"], number, judgements.faults)
        judgements.add(query_id, chunk_id, relevance, number)
        listed.add((query_id, chunk_id))
    judged = _columns(folder / "judgements.parquet", ("query_id", "chunk_id"))
    for pair in dict.fromkeys((row["query_id"], row["chunk_id"]) for row in judged):
        if pair not in listed and pair[0] in judgements.numbers:
            judgements.add(*pair, 0, 0)


def _refuse_contradiction(
    folder: Path,
    details: Mapping[int, GoldQuery],
    offsets: Ints,
    chunk_ids: Sequence[str],
    relevance: Ints,
) -> None:
    """Evidence and qrels must name the same chunks, or two figures of one report would not."""
    for number, query in details.items():
        places = range(int(offsets[number]), int(offsets[number + 1]))
        listed = {chunk_ids[place] for place in places if relevance[place] > 0}
        if odd := listed ^ query.gold_ids:
            where = "qrels.parquet" if min(odd) in listed else "questions.parquet"
            raise InputError(
                f"{folder}: chunk {min(odd)!r} of query {query.query_id!r} stands in {where} "
                "alone: the release contradicts itself; see `goldsmith verify`"
            )


def _corpus(folder: Path) -> Corpus:
    chunks = _columns(folder / "corpus.parquet", ("chunk_id", "doc_id", "text"))
    documents: dict[str, str] = {}
    for row in _columns(folder / "documents.parquet", ("doc_id", "source")):
        documents[row["doc_id"]] = documents[row["source"]] = row["doc_id"]
    return Corpus(
        chunk_ids=frozenset(row["chunk_id"] for row in chunks),
        documents=documents,
        texts={row["chunk_id"]: row["text"] for row in chunks},
        chunk_documents={row["chunk_id"]: row["doc_id"] for row in chunks},
    )


def _columns(path: Path, names: Iterable[str]) -> list[dict[str, Any]]:
    wanted = list(names)
    try:
        with pq.ParquetFile(path) as file:
            missing = [name for name in wanted if name not in file.schema_arrow.names]
            if missing:
                raise InputError(f"{path} has no column {missing[0]!r}: is it a release's file?")
            rows: list[dict[str, Any]] = file.read(columns=wanted).to_pylist()
            return rows
    except FileNotFoundError as error:
        raise InputError(f"{path} does not exist: the release is incomplete") from error
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(f"{path} is no readable Parquet file: {error}") from error


def _refuse_changed(path: Path, manifest: dict[str, Any]) -> None:
    entry = manifest.get("files", {}).get(path.name)
    if entry is not None and path.is_file() and file_digest(path) != entry["sha256"]:
        raise InputError(
            f"{path} is not the file that {MANIFEST} names (its sha256 differs): the release was "
            "edited or damaged; see `goldsmith verify`"
        )
