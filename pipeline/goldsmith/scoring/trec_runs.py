"""TREC run files: `query iteration chunk rank score tag`, a line an item.

The rank column is not trusted, by anyone: the order is that of the scores, descending, and of ids
in descending byte order where scores are equal, as trec_eval has it. trec_eval holds scores in
single precision, so two scores that differ beyond the seventh digit are equal here too.
"""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from goldsmith.scoring.faults import FaultList
from goldsmith.scoring.lines import line_blocks, words_a_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_FIELDS = 6
_BLOCK_BYTES = 1 << 17
_LAYOUT = "`query iteration chunk rank score tag`"


@dataclass(frozen=True, slots=True)
class TrecRank:
    """Where a chunk stands: its rank from 1, and the tie that it stands in."""

    rank: int
    better: int
    """Items with a higher score."""
    tied: int
    """Items with the same score, itself included."""


@dataclass(frozen=True, slots=True)
class TrecList:
    """The items of one query, in the order of the file."""

    query_id: str
    line: int
    ids: list[bytes]
    scores: list[float]
    """In single precision."""

    def find(self, chunk_id: bytes) -> TrecRank:
        """Rank by counting: no sort. Of several copies the one with the best score counts."""
        score = self.scores[self.ids.index(chunk_id)]
        if self.ids.count(chunk_id) > 1:
            score = max(s for i, s in zip(self.ids, self.scores, strict=True) if i == chunk_id)
        better, tied, above = sum(map(score.__lt__, self.scores)), self.scores.count(score), 0
        if tied > 1:
            pairs = zip(self.ids, self.scores, strict=True)
            above = sum(other > chunk_id for other, its_score in pairs if its_score == score)
        return TrecRank(better + above + 1, better, tied)

    def in_order(self) -> list[bytes]:
        pairs = sorted(zip(self.scores, self.ids, strict=True), reverse=True)
        return [chunk_id for _, chunk_id in pairs]


class TrecReader:
    """Reads a run file list by list, and notes its faults."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.faults = FaultList(path)

    def lists(self, start: int = 0, end: int | None = None) -> Iterator[TrecList]:
        """Neighbouring rows of one query, as a list; the rows begin in bytes `start` to `end`.

        A query whose rows lie apart comes several times: see `whole_lists`.
        """
        query, line = b"", 0
        ids: list[bytes] = []
        scores: list[float] = []
        for rows in self._row_blocks(start, end):
            place = 0
            for row_query, same in groupby(rows.queries):
                until = place + len(list(same))
                if row_query != query:
                    if ids:
                        yield from self._list(query, line, ids, scores)
                    query, line, ids, scores = row_query, rows.lines[place], [], []
                ids += rows.ids[place:until]
                scores += rows.scores[place:until]
                place = until
        if ids:
            yield from self._list(query, line, ids, scores)

    def whole_lists(self) -> Iterator[TrecList]:
        """Every query once, its rows from anywhere in the file: all of it is held in memory."""
        gathered: dict[bytes, tuple[int, list[bytes], array[float]]] = {}
        for rows in self._row_blocks(0, None):
            columns = (rows.lines, rows.queries, rows.ids, rows.scores)
            for line, query, chunk_id, score in zip(*columns, strict=True):
                _, ids, scores = gathered.setdefault(query, (line, [], array("d")))
                ids.append(chunk_id)
                scores.append(score)
        for query, (line, ids, scores) in gathered.items():
            yield from self._list(query, line, ids, scores)

    def _row_blocks(self, start: int, end: int | None) -> Iterator[_Rows]:
        with self.path.open("rb") as file:
            for first, lines in line_blocks(file, start, end, _BLOCK_BYTES):
                yield self._regular(first, lines) or self._checked(first, lines)

    def _regular(self, first: int, lines: list[bytes]) -> _Rows | None:
        """The rows of a block in which every line has its six words; None for any other."""
        block = b"".join(lines)
        if not words_a_line(block, len(lines), _FIELDS):
            return None
        words = block.split()
        try:
            scores = list(map(float, words[4::_FIELDS]))
        except ValueError:
            return None
        # A sum is finite only when all of it is.
        if not math.isfinite(sum(scores)):
            return None
        return _Rows(range(first, first + len(lines)), words[0::_FIELDS], words[2::_FIELDS], scores)

    def _checked(self, first: int, lines: list[bytes]) -> _Rows:
        """The sound rows of a block that is not all sound, or has more words than it must."""
        numbers: list[int] = []
        queries: list[bytes] = []
        ids: list[bytes] = []
        scores: list[float] = []
        for number, line in enumerate(lines, first):
            fields = line.split(None, _FIELDS - 1)
            score = _number(fields[4]) if len(fields) == _FIELDS else None
            if score is not None:
                numbers.append(number)
                queries.append(fields[0])
                ids.append(fields[2])
                scores.append(score)
            elif fields:
                self._note(line, fields, number)
        return _Rows(numbers, queries, ids, scores)

    def _note(self, line: bytes, fields: list[bytes], number: int) -> None:
        text = line.decode("utf-8", "replace").rstrip()
        if len(fields) < _FIELDS:
            self.faults.add(number, "line", "fields", text, f"6 fields, {_LAYOUT}")
        else:
            score = fields[4].decode("utf-8", "replace")
            self.faults.add(number, "score", "not_finite", score, "a finite number")

    def _list(
        self, query: bytes, line: int, ids: list[bytes], scores: Sequence[float]
    ) -> Iterator[TrecList]:
        try:
            query_id = query.decode()
        except UnicodeDecodeError:
            self.faults.add(line, "query_id", "encoding", query, "UTF-8")
            return
        yield TrecList(query_id, line, ids, array("f", scores).tolist())


class _Rows(NamedTuple):
    """Columns of neighbouring rows."""

    lines: Sequence[int]
    queries: Sequence[bytes]
    ids: Sequence[bytes]
    scores: Sequence[float]


def _number(written: bytes) -> float | None:
    """A finite number, or None."""
    try:
        score = float(written)
    except ValueError:
        return None
    return score if math.isfinite(score) else None
