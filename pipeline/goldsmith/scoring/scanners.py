"""Goes through a run file once, in either format, and makes a `Scan` of it."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Protocol

from goldsmith.errors import InputError
from goldsmith.scoring.regular import regular_lists
from goldsmith.scoring.runs import RunReader, is_json_lines, note_repeated_query
from goldsmith.scoring.scan import Scan, ScanRules
from goldsmith.scoring.spans import span_hits
from goldsmith.scoring.trec_runs import TrecReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from goldsmith.scoring.faults import FaultList
    from goldsmith.scoring.gold import Corpus, GoldQuery, Ints
    from goldsmith.scoring.regular import RegularLists
    from goldsmith.scoring.run_records import RunRecord
    from goldsmith.scoring.trec_runs import TrecList


class Judged(Protocol):
    """What a scan asks of gold; see `gold.Gold`."""

    @property
    def source(self) -> str: ...
    @property
    def numbers(self) -> Mapping[str, int]: ...
    @property
    def offsets(self) -> Ints: ...
    @property
    def chunk_ids(self) -> Sequence[str]: ...
    @property
    def details(self) -> Mapping[int, GoldQuery]: ...
    @property
    def load_corpus(self) -> Callable[[], Corpus] | None: ...
    def __len__(self) -> int: ...


class _Scanning:
    """The part of a scan that does not depend on the format."""

    def __init__(self, gold: Judged, rules: ScanRules, faults: FaultList) -> None:
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

    def __init__(self, path: Path, gold: Judged, rules: ScanRules) -> None:
        self.reader = RunReader(path, strict=rules.strict)
        super().__init__(gold, rules, self.reader.faults)
        self._corpus: frozenset[str] | None = None

    def run(self, start: int = 0, end: int | None = None) -> None:
        for first, lines in self.reader.blocks(start, end):
            lists = None if self.gold.details else regular_lists(lines)
            if lists is None or not self._add_regular(first, lists):
                for line, record in self.reader.records_of(first, lines):
                    self._add(line, record)
        self.scan.ignored = self.reader.ignored

    def _add(self, line: int, record: RunRecord) -> None:
        scan, gold_ids = self.scan, self.gold.chunk_ids
        number = self.number_of(record.query_id, line)
        if number is None:
            return
        ids = record.chunk_ids
        listed = set(ids)
        scan.lengths[number] = len(ids)
        if len(listed) != len(ids):
            self.note_copies(number, ids, line)
        for place in range(self._bounds[number], self._bounds[number + 1]):
            if gold_ids[place] in listed:
                scan.places.append(place)
                scan.ranks.append(ids.index(gold_ids[place]) + 1)
        if self.gold.details:
            self._match_spans(number, record)
        if record.answer is not None or record.claims is not None or record.abstained:
            scan.with_answers += 1

    def _add_regular(self, first: int, lists: RegularLists) -> bool:
        """Add a block of bare rankings; False, with nothing added, when its ids mislead."""
        bounds, gold_ids, numbers = self._bounds, self.gold.chunk_ids, self.gold.numbers
        lines, places, begins = [], [], []
        for line, query_id in enumerate(lists.query_ids):
            number = numbers.get(query_id)
            if number is None:
                continue
            for place in range(bounds[number], bounds[number + 1]):
                begin = lists.find(gold_ids[place], line)
                if begin >= 0:
                    lines.append(line)
                    places.append(place)
                    begins.append(begin)
        ranks = lists.ranks(lines, begins)
        if ranks is None:
            return False
        self.scan.places.extend(places)
        self.scan.ranks.extend(ranks)
        for line, query_id in enumerate(lists.query_ids):
            number = self.number_of(query_id, first + line)
            if number is not None:
                self.scan.lengths[number] = lists.lengths[line]
                if line in lists.suspects:
                    self.note_copies(number, lists.ids(line), first + line)
        return True

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

    def __init__(self, path: Path, gold: Judged, rules: ScanRules) -> None:
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


def scan_whole(path: Path, gold: Judged, rules: ScanRules) -> Scan:
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


def scan_part(path: Path, gold: Judged, rules: ScanRules, start: int, end: int) -> Scan | None:
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
