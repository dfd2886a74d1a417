"""Relevance judgements in files: TREC qrels, BEIR's tab-separated qrels, and their refusals.

A duplicate row, a negative and a fractional relevance are refused, not repaired: each has been
seen to change scores in silence (the last row wins, 0.6 becomes 0).
"""

from __future__ import annotations

import hashlib
from array import array
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from goldsmith.errors import InputError
from goldsmith.scoring.faults import FaultList
from goldsmith.scoring.gold import Gold
from goldsmith.scoring.lines import line_blocks, words_a_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from goldsmith.scoring.gold import Ints

_HEADERS = frozenset({b"query-id", b"query_id", b"qid"})
"""First field of the line that names BEIR's columns."""
_MAX_RELEVANCE = 1 << 20
_TREC_FIELDS, _BEIR_FIELDS = 4, 3
_LAYOUTS = "`query iteration chunk relevance` (TREC) or `query-id<TAB>corpus-id<TAB>score` (BEIR)"


@dataclass(slots=True)
class Judgements:
    """Gathers (query, chunk, relevance) rows in any order and lays them flat by query."""

    faults: FaultList
    numbers: dict[str, int] = field(default_factory=dict)
    _owners: array[int] = field(default_factory=lambda: array("i"))
    _chunk_ids: list[str] = field(default_factory=list)
    _relevance: array[int] = field(default_factory=lambda: array("i"))
    _lines: array[int] = field(default_factory=lambda: array("i"))

    def add(self, query_id: str, chunk_id: str, relevance: int, line: int) -> None:
        self._owners.append(self.numbers.setdefault(query_id, len(self.numbers)))
        self._chunk_ids.append(chunk_id)
        self._relevance.append(relevance)
        self._lines.append(line)

    def add_all(
        self, query_ids: list[str], chunk_ids: list[str], relevance: list[int], first: int
    ) -> None:
        """Add rows of neighbouring lines; `first` is the line of the first."""
        numbers = self.numbers
        self._owners.extend([numbers.setdefault(q, len(numbers)) for q in query_ids])
        self._chunk_ids += chunk_ids
        self._relevance.extend(relevance)
        self._lines.extend(range(first, first + len(chunk_ids)))

    def laid_flat(self) -> tuple[Ints, Sequence[str], Ints]:
        """Offsets, chunk ids and relevance by query; raises `InputError` with every fault."""
        owners = np.frombuffer(self._owners, dtype=np.intc) if self._owners else np.empty(0, int)
        relevance = np.array(self._relevance, dtype=np.int64)
        counts = np.bincount(owners, minlength=len(self.numbers))
        offsets = np.concatenate(([0], np.cumsum(counts)))
        chunk_ids, lines = self._chunk_ids, np.array(self._lines)
        if np.any(owners[1:] < owners[:-1]):
            order = np.argsort(owners, kind="stable")
            chunk_ids = [chunk_ids[place] for place in order]
            relevance, lines = relevance[order], lines[order]
        self._note_duplicates(offsets, chunk_ids, lines)
        self.faults.refuse()
        return offsets, chunk_ids, relevance

    def _note_duplicates(self, offsets: Ints, chunk_ids: Sequence[str], lines: Ints) -> None:
        query_ids = list(self.numbers)
        bounds = offsets.tolist()
        for number, (start, end) in enumerate(pairwise(bounds)):
            if end - start < 2 or len(set(chunk_ids[start:end])) == end - start:  # noqa: PLR2004
                continue
            first: dict[str, int] = {}
            for place in range(start, end):
                line = int(lines[place])
                known = first.setdefault(chunk_ids[place], line)
                if known != line:
                    row = (query_ids[number], chunk_ids[place])
                    expected = f"one row a query and chunk (the first is on line {known})"
                    self.faults.add(line, "row", "duplicate_row", row, expected)


def read_qrels_file(path: Path) -> Gold:
    """A TREC qrels file or a BEIR qrels table as gold; retrieval can be scored against it."""
    judgements = Judgements(FaultList(path))
    gather_qrels(path, judgements)
    offsets, chunk_ids, relevance = judgements.laid_flat()
    if not judgements.numbers:
        raise InputError(f"{path} holds no judgement: expected lines of {_LAYOUTS}")
    return Gold(
        source=str(path),
        digest=file_digest(path),
        numbers=judgements.numbers,
        offsets=offsets,
        chunk_ids=chunk_ids,
        relevance=relevance,
    )


def gather_qrels(path: Path, judgements: Judgements) -> None:
    """Add the rows of a file to `judgements`, noting its faults there."""
    try:
        with path.open("rb") as file:
            layout = _Layout()
            for first, lines in line_blocks(file):
                if not (layout.is_trec(lines) and _add_regular(judgements, first, lines)):
                    for line, row in layout.rows(first, lines, judgements.faults):
                        _add_row(judgements, row, line)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error


def file_digest(path: Path) -> str:
    """sha256 (hex) of a file's bytes."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


class _Layout:
    """Takes lines apart; the first row decides which of the two layouts a file has."""

    def __init__(self) -> None:
        self._width = 0

    def is_trec(self, lines: list[bytes]) -> bool:
        for line in () if self._width else lines:
            if _is_row(line):
                tabbed = len(_fields(line, _BEIR_FIELDS)) == _BEIR_FIELDS
                self._width = _BEIR_FIELDS if tabbed else _TREC_FIELDS
                break
        return self._width == _TREC_FIELDS

    def rows(
        self, first: int, lines: list[bytes], faults: FaultList
    ) -> Iterator[tuple[int, tuple[bytes, bytes, bytes]]]:
        """(line, (query, chunk, relevance)) of every row that has its fields."""
        for number, line in enumerate(lines, first):
            if not _is_row(line):
                continue
            fields = _fields(line, self._width)
            if len(fields) != self._width:
                found = line.decode("utf-8", "replace").rstrip()
                faults.add(number, "line", "fields", found, f"{self._width} fields, {_LAYOUTS}")
            elif number > 1 or fields[0].lower() not in _HEADERS:
                yield number, (fields[0], fields[-2], fields[-1])


def _is_row(line: bytes) -> bool:
    return not line.startswith(b"#") and bool(line.strip())


def _fields(line: bytes, width: int) -> list[bytes]:
    """White space (ASCII only) separates TREC's fields; a tab separates BEIR's, whose ids may
    hold spaces.
    """
    return line.split() if width == _TREC_FIELDS else line.rstrip(b"\r\n").split(b"\t")


_GRADES = {str(grade): grade for grade in range(32)}


def _add_regular(judgements: Judgements, first: int, lines: list[bytes]) -> bool:
    """Add a block of TREC rows in which nothing is out of the ordinary; False for any other."""
    block = b"".join(lines)
    if not block.isascii() or b"#" in block or not words_a_line(block, len(lines), _TREC_FIELDS):
        return False
    words = block.decode("ascii").split()
    relevance = [_GRADES.get(written) for written in words[3::_TREC_FIELDS]]
    if None in relevance:
        return False
    judgements.add_all(words[0::_TREC_FIELDS], words[2::_TREC_FIELDS], relevance, first)  # type: ignore[arg-type]
    return True


def _add_row(judgements: Judgements, row: tuple[bytes, bytes, bytes], line: int) -> None:
    query, chunk, written = row
    relevance = parse_relevance(written.decode("utf-8", "replace"), line, judgements.faults)
    try:
        judgements.add(query.decode(), chunk.decode(), relevance, line)
    except UnicodeDecodeError:
        judgements.faults.add(line, "line", "encoding", query + b" " + chunk, "UTF-8")


def parse_relevance(written: str | float, line: int, faults: FaultList) -> int:
    """A whole number from 0; anything else is a fault (and 0, which is then never used)."""
    expected = "a whole number, 0 or more"
    try:
        value = float(written)
    except ValueError:
        faults.add(line, "relevance", "not_a_number", written, expected)
        return 0
    if value < 0:
        faults.add(line, "relevance", "negative_relevance", written, expected)
    elif not value.is_integer():
        faults.add(line, "relevance", "fractional_relevance", written, expected)
    elif value > _MAX_RELEVANCE:
        faults.add(line, "relevance", "relevance_too_large", written, f"at most {_MAX_RELEVANCE}")
    else:
        return int(value)
    return 0
