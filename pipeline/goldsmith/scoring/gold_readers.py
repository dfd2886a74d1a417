"""Read gold from what a user has: a release directory, a BEIR folder, or a qrels file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from goldsmith.errors import InputError
from goldsmith.scoring.faults import FaultList
from goldsmith.scoring.gold import Corpus, Gold
from goldsmith.scoring.qrels import Judgements, file_digest, gather_qrels, read_qrels_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def read_gold(path: Path, *, split: str | None = None) -> Gold:
    """Gold of any accepted kind; `split` names the table of a BEIR folder (default `test`).

    Raises `InputError` saying what was found when the path is none of them, and with file, line
    and value for judgements that cannot be used.
    """
    if is_release(path):
        # Parquet is a third of the memory of scoring, and qrels do without.
        from goldsmith.scoring.gold_release import read_release  # noqa: PLC0415 - see above

        return read_release(path)
    if path.is_dir():
        return read_beir(path, split=split)
    if not path.exists():
        raise InputError(
            f"{path} does not exist: expected a release directory, a BEIR folder or a qrels file"
        )
    return read_qrels_file(path)


def is_release(path: Path) -> bool:
    return (path / "questions.parquet").is_file() or (path / "manifest.json").is_file()


def read_beir(folder: Path, *, split: str | None = None) -> Gold:
    """A BEIR folder: `queries.jsonl`, `corpus.jsonl` and `qrels/*.tsv`."""
    table = _qrels_table(folder, split)
    judgements = Judgements(FaultList(table))
    gather_qrels(table, judgements)
    offsets, chunk_ids, relevance = judgements.laid_flat()
    gold = Gold(
        source=str(folder),
        digest=file_digest(table),
        numbers=judgements.numbers,
        offsets=offsets,
        chunk_ids=chunk_ids,
        relevance=relevance,
        load_corpus=lambda: _beir_corpus(folder / "corpus.jsonl"),
        load_questions=lambda: _beir_questions(folder / "queries.jsonl"),
    )
    _refuse_unknown_queries(folder / "queries.jsonl", table, gold)
    return gold


def _qrels_table(folder: Path, split: str | None) -> Path:
    tables = sorted((folder / "qrels").glob("*.tsv"))
    if not tables or not (folder / "queries.jsonl").is_file():
        found = ", ".join(sorted(entry.name for entry in folder.iterdir())[:10]) or "nothing"
        raise InputError(
            f"{folder} is neither a release (manifest.json, questions.parquet) nor a BEIR folder "
            f"(queries.jsonl, corpus.jsonl, qrels/*.tsv): found {found}"
        )
    wanted = split or ("test" if len(tables) > 1 else tables[0].stem)
    for table in tables:
        if table.stem == wanted:
            return table
    names = ", ".join(table.stem for table in tables)
    raise InputError(f"{folder / 'qrels'} has no split {wanted!r}: found {names}; choose one")


def _refuse_unknown_queries(path: Path, table: Path, gold: Gold) -> None:
    known = {str(row["_id"]) for row in _json_lines(path, ("_id", "text"))}
    absent = [query_id for query_id in gold.numbers if query_id not in known]
    if absent:
        raise InputError(
            f"{table}: {len(absent)} of {len(gold)} judged queries are not in {path.name}, "
            f"the first is {absent[0]!r}"
        )


def _beir_corpus(path: Path) -> Corpus:
    texts = {
        str(row["_id"]): f"{row.get('title') or ''}\n{row['text']}".strip()
        for row in _json_lines(path, ("_id", "text"))
    }
    return Corpus(chunk_ids=frozenset(texts), texts=texts)


def _beir_questions(path: Path) -> dict[str, str]:
    return {str(row["_id"]): str(row["text"]) for row in _json_lines(path, ("_id", "text"))}


def _json_lines(path: Path, fields: tuple[str, ...]) -> Iterator[dict[str, object]]:
    if not path.is_file():
        raise InputError(f"{path} does not exist: a BEIR folder has it")
    with path.open("rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                row = orjson.loads(line)
            except orjson.JSONDecodeError as error:
                raise InputError(f"{path}, line {number} is not JSON: {error}") from error
            missing = [name for name in fields if name not in row]
            if missing:
                raise InputError(f"{path}, line {number} has no {missing[0]!r}")
            yield row
