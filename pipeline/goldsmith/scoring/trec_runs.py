"""TREC run files: `query iteration chunk rank score tag`, a line an item.

The rank column is not trusted, by anyone: the order is that of the scores, descending, and of ids
in descending byte order where scores are equal, as trec_eval has it. trec_eval holds scores in
single precision, so two scores that differ beyond the seventh digit are equal here too.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from goldsmith.scoring.faults import FaultList
from goldsmith.scoring.runs import lines_between

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

_FIELDS = 6
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
    scores: NDArray[np.float32]

    def find(self, chunk_id: bytes) -> TrecRank:
        """Rank by counting: no sort. Of several copies the one with the best score counts."""
        place = self.ids.index(chunk_id)
        score = self.scores[place]
        if self.ids.count(chunk_id) > 1:
            score = max(self.scores[n] for n, other in enumerate(self.ids) if other == chunk_id)
        better = int(np.count_nonzero(self.scores > score))
        tied = np.flatnonzero(self.scores == score)
        above = sum(self.ids[n] > chunk_id for n in tied) if len(tied) > 1 else 0
        return TrecRank(better + above + 1, better, len(tied))

    def in_order(self) -> list[bytes]:
        pairs = sorted(zip(self.scores.tolist(), self.ids, strict=True), reverse=True)
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
        query, first = b"", 0
        ids: list[bytes] = []
        scores: list[float] = []
        for number, row_query, chunk_id, score in self._rows(start, end):
            if row_query != query:
                if ids:
                    yield from self._list(query, first, ids, scores)
                query, first, ids, scores = row_query, number, [], []
            ids.append(chunk_id)
            scores.append(score)
        if ids:
            yield from self._list(query, first, ids, scores)

    def whole_lists(self) -> Iterator[TrecList]:
        """Every query once, its rows from anywhere in the file: all of it is held in memory."""
        gathered: dict[bytes, tuple[int, list[bytes], array[float]]] = {}
        for number, query, chunk_id, score in self._rows(0, None):
            _, ids, scores = gathered.setdefault(query, (number, [], array("d")))
            ids.append(chunk_id)
            scores.append(score)
        for query, (first, ids, scores) in gathered.items():
            yield from self._list(query, first, ids, scores)

    def _rows(self, start: int, end: int | None) -> Iterator[tuple[int, bytes, bytes, float]]:
        """(line, query, chunk, score) of every sound row."""
        with self.path.open("rb") as file:
            for number, line in lines_between(file, start, end):
                fields = line.split(None, _FIELDS - 1)
                try:
                    score = float(fields[4])
                    # For NaN and the infinities the difference is NaN.
                    if score - score == 0 and len(fields) == _FIELDS:
                        yield number, fields[0], fields[2], score
                        continue
                except (ValueError, IndexError):
                    if not fields:
                        continue
                self._note(line, fields, number)

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
        with np.errstate(over="ignore"):
            yield TrecList(query_id, line, ids, np.asarray(scores).astype(np.float32))
