"""Goes through a run file once, in either format, and makes a `Scan` of it."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from goldsmith.errors import InputError
from goldsmith.scoring.runs import RunReader, is_json_lines, note_repeated_query
from goldsmith.scoring.scan import Scan, ScanRules
from goldsmith.scoring.spans import span_hits
from goldsmith.scoring.trec_runs import TrecReader

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from goldsmith.scoring.faults import FaultList
    from goldsmith.scoring.gold import Gold
    from goldsmith.scoring.records import RunRecord
    from goldsmith.scoring.trec_runs import TrecList


class _Scanning:
    """The part of a scan that does not depend on the format."""

    def __init__(self, gold: Gold, rules: ScanRules, faults: FaultList) -> None:
        self.gold, self.rules, self.faults = gold, rules, faults
        self.scan = Scan.of(len(gold))
        self._bounds = array("q", gold.offsets.astype("q").tobytes())
        self._extras: dict[str, int] = {}

    def number_of(self, query_id: str, line: int) -> int | None:
        """The query's number; None (and noted) when gold lacks it or it came before."""
        number = self.gold.numbers.get(query_id)
        if number is None:
            if query_id in self._extras:
                self.came_again(query_id, line)
            else:
                self._extras[query_id] = line
                self.scan.extra += 1
        elif self.scan.answered[number]:
            self.came_again(query_id, line)
            return None
        else:
            self.scan.answered[number] = 1
        return number

    def came_again(self, query_id: str, line: int) -> None:
        raise NotImplementedError

    def note_copies(self, number: int, ids: Sequence[str], line: int) -> None:
        """Count what is listed again; `ids` in rank order."""
        judged = set(self.gold.chunk_ids[self._bounds[number] : self._bounds[number + 1]])
        first: set[str] = set()
        for rank, chunk_id in enumerate(ids, 1):
            if chunk_id not in first:
                first.add(chunk_id)
                continue
            self.scan.duplicates += 1
            if self.rules.strict:
                expected = "each chunk id once (strict)"
                self.faults.add(line, "retrieved", "duplicate_chunk_id", chunk_id, expected)
            if chunk_id in judged:
                self.scan.copy_owners.append(number)
                self.scan.copy_ranks.append(rank)

    def in_order(self) -> Scan | None:
        """The scan, if nothing speaks against it so far."""
        if self.faults.count or self.scan.ignored or (self._extras and not self.rules.allow_extra):
            return None
        return self.scan

    def finished(self) -> Scan:
        """The scan, if the run is one that can be scored; else `InputError`."""
        if not self.faults.count and not any(self.scan.answered):
            theirs, ours = next(iter(self._extras), None), next(iter(self.gold.numbers), None)
            raise InputError(
                f"{self.faults.path}: 0 of {len(self.gold)} queries of {self.gold.source} are in "
                f"the run (ids there look like {theirs!r}, in the gold like {ours!r}): is it a run "
                "of this gold?"
            )
        if not self.rules.allow_extra:
            for query_id, line in self._extras.items():
                expected = "a query id of the gold (or allow extra ones)"
                self.faults.add(line, "query_id", "unknown_query_id", query_id, expected)
        self.faults.refuse()
        return self.scan


class _RecordScan(_Scanning):
    """Scans JSON Lines."""

    def __init__(self, path: Path, gold: Gold, rules: ScanRules) -> None:
        self.reader = RunReader(path, strict=rules.strict)
        super().__init__(gold, rules, self.reader.faults)
        self._corpus: frozenset[str] | None = None

    def run(self, start: int = 0, end: int | None = None) -> None:
        scan, bounds, gold_ids = self.scan, self._bounds, self.gold.chunk_ids
        for line, record in self.reader.records(start, end):
            number = self.number_of(record.query_id, line)
            if number is None:
                continue
            ids = record.chunk_ids
            listed = set(ids)
            scan.lengths[number] = len(ids)
            if len(listed) != len(ids):
                self.note_copies(number, ids, line)
            for place in range(bounds[number], bounds[number + 1]):
                if gold_ids[place] in listed:
                    scan.places.append(place)
                    scan.ranks.append(ids.index(gold_ids[place]) + 1)
            if self.gold.details:
                self._match_spans(number, record)
            if record.answer is not None or record.claims is not None or record.abstained:
                scan.with_answers += 1
        scan.ignored = self.reader.ignored

    def came_again(self, query_id: str, line: int) -> None:
        note_repeated_query(self.faults, line, query_id, "an earlier line")

    def _match_spans(self, number: int, record: RunRecord) -> None:
        """Match items that are no chunks of gold's corpus, but say where they stand in it."""
        query = self.gold.details.get(number)
        if query is None or not query.answerable:
            return
        foreign = [
            (rank, item)
            for rank, item in enumerate(record.retrieved, 1)
            if not isinstance(item, str) and item.start is not None and item.end is not None
            if item.chunk_id not in self._known()
        ]
        if foreign:
            found = span_hits(query.evidences, foreign, self.rules.min_overlap)
            self.scan.spans[number] = found

    def _known(self) -> frozenset[str]:
        if self._corpus is None:
            load = self.gold.load_corpus
            self._corpus = load().chunk_ids if load else frozenset(self.gold.chunk_ids)
        return self._corpus


class _RowsApartError(Exception):
    """The rows of one query do not stand together in a TREC run, which is allowed."""


class _TrecScan(_Scanning):
    """Scans a TREC run."""

    def __init__(self, path: Path, gold: Gold, rules: ScanRules) -> None:
        self.reader = TrecReader(path)
        super().__init__(gold, rules, self.reader.faults)

    def run(self, lists: Iterable[TrecList]) -> None:
        for ranked in lists:
            number = self.number_of(ranked.query_id, ranked.line)
            if number is not None:
                self._place(number, ranked)

    def came_again(self, query_id: str, line: int) -> None:
        raise _RowsApartError(query_id, line)

    def _place(self, number: int, ranked: TrecList) -> None:
        scan, bounds, gold_ids = self.scan, self._bounds, self.gold.chunk_ids
        listed = set(ranked.ids)
        scan.lengths[number] = len(ranked.ids)
        if len(listed) != len(ranked.ids):
            ids = [chunk_id.decode("utf-8", "replace") for chunk_id in ranked.in_order()]
            self.note_copies(number, ids, ranked.line)
        for place in range(bounds[number], bounds[number + 1]):
            chunk_id = gold_ids[place].encode()
            if chunk_id in listed:
                found = ranked.find(chunk_id)
                scan.places.append(place)
                scan.ranks.append(found.rank)
                scan.tie_starts.append(found.better)
                scan.tie_sizes.append(found.tied)


def scan_whole(path: Path, gold: Gold, rules: ScanRules) -> Scan:
    """Scan a run file of either kind.

    Raises `InputError` with every fault of the file, and when no query of gold is in the run.
    """
    if is_json_lines(path):
        records = _RecordScan(path, gold, rules)
        records.run()
        return records.finished()
    lists = _TrecScan(path, gold, rules)
    try:
        lists.run(lists.reader.lists())
    except _RowsApartError:
        lists = _TrecScan(path, gold, rules)
        lists.run(lists.reader.whole_lists())
    return lists.finished()


def scan_part(path: Path, gold: Gold, rules: ScanRules, start: int, end: int) -> Scan | None:
    """Scan the lines that begin in these bytes; None when something is not in order.

    What that is, and on which line, only a scan of the whole file can say.
    """
    if is_json_lines(path):
        records = _RecordScan(path, gold, rules)
        records.run(start, end)
        return records.in_order()
    lists = _TrecScan(path, gold, rules)
    try:
        lists.run(lists.reader.lists(start, end))
    except _RowsApartError:
        return None
    return lists.in_order()
