"""Run files of JSON Lines, read as a stream: one record in memory at a time.

A line is decoded and validated in one pass. Only a line that fails is looked at again, to say what
is wrong with it. Faults are gathered over the whole file before any number is computed.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import msgspec

from goldsmith.errors import InputError
from goldsmith.scoring.faults import FaultList
from goldsmith.scoring.lines import BLOCK_BYTES, line_blocks
from goldsmith.scoring.run_records import (
    BareRecord,
    Id,
    ObjectRecord,
    RecordedClaim,
    Retrieved,
    RunRecord,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_AT = re.compile(r"^(?P<what>.*?)(?: - at `\$\.?(?P<path>.*)`)?$", re.DOTALL)
_UNKNOWN = re.compile(r"Object contains unknown field `(?P<name>.*)`", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(?P<name>.*)`", re.DOTALL)
_STEP = re.compile(r"\[(\d+)\]|([^.\[\]]+)")


_ANSWER_NAMES = (b'"answer"', b'"claims"', b'"abstained"', b"\\u00")
"""Fields that only answers have; a letter may be written as its code."""
_LONGEST_NAME = max(map(len, _ANSWER_NAMES))


class _LenientRetrieved(Retrieved, frozen=True, gc=False, forbid_unknown_fields=False):
    """An item whose further fields are passed over."""


class _LenientClaim(RecordedClaim, frozen=True, gc=False, forbid_unknown_fields=False):
    """A claim whose further fields are passed over."""


class _LenientRecord(RunRecord, frozen=True, forbid_unknown_fields=False):
    """A record whose further fields are passed over."""

    retrieved: list[Id | _LenientRetrieved]  # type: ignore[assignment]
    claims: tuple[_LenientClaim, ...] | None = None


def is_json_lines(path: Path) -> bool:
    """Whether the first thing in a run file is a JSON value; a TREC line never starts so.

    Raises `InputError` when the file cannot be read or holds nothing.
    """
    try:
        with path.open("rb") as file:
            for line in file:
                content = line.removeprefix(b"\xef\xbb\xbf").strip()
                if content:
                    return content[:1] in b"{["
    except OSError as error:
        raise InputError(f"run {path} cannot be read: {error.strerror}") from error
    raise InputError(f"run {path} is empty: expected one record a query")


def holds_answers(path: Path) -> bool:
    """Whether a JSON Lines run can hold answers: False for one of bare rankings.

    Looks for the names of the fields in the bytes, which takes a hundredth of the time of parsing.
    A text may hold such a name too, so True is "it may"; False is certain.
    """
    kept = b""
    with path.open("rb") as file:
        while block := file.read(BLOCK_BYTES):
            seen = kept + block
            if any(name in seen for name in _ANSWER_NAMES):
                return True
            kept = seen[-_LONGEST_NAME:]
    return False


@dataclass(slots=True)
class RunReader:
    """Reads the sound records of a run file and notes what is wrong with the others.

    `strict` makes unknown fields and repeated chunk ids errors. Without it unknown fields are
    listed in `ignored` (name: line where it was first seen).
    """

    path: Path
    strict: bool = False
    by_form: bool = True
    """Give `BareRecord` and `ObjectRecord` where the items are alike: most runs have one form
    throughout, and knowing it saves asking every item what it is."""
    faults: FaultList = field(init=False)
    ignored: dict[str, int] = field(default_factory=dict)
    _decoders: list[msgspec.json.Decoder[RunRecord]] = field(init=False)
    """From the form that the last line had to the most general one."""

    def __post_init__(self) -> None:
        self.faults = FaultList(self.path)
        forms = (BareRecord, ObjectRecord, RunRecord) if self.by_form else (RunRecord,)
        self._decoders = [msgspec.json.Decoder(form) for form in forms]

    def records(self) -> Iterator[tuple[int, RunRecord]]:
        """(line number, record) of every sound line.

        Records come as they are read; whether the file as a whole is sound is known, and must be
        asked of `faults`, at the end.
        """
        for first, lines in self.blocks():
            yield from self.records_of(first, lines)

    def blocks(self, start: int = 0, end: int | None = None) -> Iterator[tuple[int, list[bytes]]]:
        """(number of the first line, lines) of those that begin in bytes `start` to `end`."""
        with self.path.open("rb") as file:
            yield from line_blocks(file, start, end)

    def records_of(self, first: int, lines: list[bytes]) -> Iterator[tuple[int, RunRecord]]:
        """(line number, record) of the sound ones among these lines."""
        for number, line in enumerate(lines, first):
            record = self._record(line, number)
            if record is not None and self._ranked_as_scored(record, number):
                yield number, record

    def _record(self, line: bytes, number: int) -> RunRecord | None:
        try:
            return self._decoders[0].decode(line)
        except (msgspec.DecodeError, RecursionError) as error:
            if len(self._decoders) > 1 and isinstance(error, msgspec.ValidationError):
                return self._in_another_form(line, number)
            return self._second_look(line, number, error)

    def _in_another_form(self, line: bytes, number: int) -> RunRecord | None:
        """Try the more general forms; the first that fits is kept for the lines that follow."""
        for place, decoder in enumerate(self._decoders[1:], 1):
            try:
                record = decoder.decode(line)
            except (msgspec.DecodeError, RecursionError) as error:
                last = error
            else:
                del self._decoders[:place]
                return record
        return self._second_look(line, number, last)

    def _second_look(self, line: bytes, number: int, error: Exception) -> RunRecord | None:
        """Explain a line that did not decode, or read it after all when it only says too much."""
        if not line.strip():
            return None
        unknown = isinstance(error, msgspec.ValidationError) and _UNKNOWN.match(str(error))
        if not unknown or self.strict:
            self._note(line, number, error)
            return None
        self._decoders = [msgspec.json.Decoder(_LenientRecord)]
        try:
            record = self._decoders[0].decode(line)
            # A typed decoder passes over names, and values of unknown ones, without a look.
            fields = list(_unknown_fields(msgspec.json.decode(line)))
        except (msgspec.DecodeError, RecursionError) as other:
            self._note(line, number, other)
            return None
        for name in fields:
            self.ignored.setdefault(name, number)
        return record

    def _note(self, line: bytes, number: int, error: Exception) -> None:
        """Say what is wrong, with the value that was found.

        Python's own parser takes NaN and Infinity, which other tools write for a missing score.
        """
        text = line.decode("utf-8", "replace").strip()
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            self.faults.add(number, "record", "not_json", text, f"a JSON object ({error})")
            return
        odd = [(path, n) for path, n in _numbers(value, "") if not math.isfinite(n)]
        if odd:
            self.faults.add(number, odd[0][0], "not_finite", odd[0][1], "a finite number")
        elif not isinstance(error, msgspec.ValidationError):
            self.faults.add(number, "record", "not_json", text, f"a JSON object ({error})")
        else:
            self._note_invalid(value, number, str(error))

    def _note_invalid(self, value: object, number: int, error: str) -> None:
        match = _AT.match(error)
        what, path = (match["what"], match["path"] or "") if match else (error, "")
        if name := _MISSING.match(what):
            where = f"{path}.{name['name']}".lstrip(".")
            self.faults.add(number, where, "missing_field", _at(value, path), "this field")
        elif name := _UNKNOWN.match(what):
            where = f"{path}.{name['name']}".lstrip(".")
            known = ", ".join(_FIELDS[path.partition("[")[0]])
            self.faults.add(number, where, "unknown_field", _at(value, where), f"one of {known}")
        else:
            self.faults.add(number, path or "record", "wrong_value", _at(value, path), what)

    def _ranked_as_scored(self, record: RunRecord, number: int) -> bool:
        """List order is the rank; scores that say otherwise are a fault."""
        found = record.scores
        try:
            if found == sorted(found, reverse=True):  # type: ignore[type-var]
                return True
        except TypeError:
            if found.count(None) == len(found):
                return True
        scores = [score for score in found if score is not None]
        for rank, (above, score) in enumerate(pairwise(scores), 1):
            if score > above:
                expected = f"at most {above!r}, the score above it: list order is the rank"
                place = f"retrieved[{rank}].score"
                self.faults.add(number, place, "rank_score_conflict", score, expected)
                return False
        return True


def read_run(path: Path, *, strict: bool = False) -> list[RunRecord]:
    """Every record of a JSON Lines run, for who needs them all; no gold is asked.

    Raises `InputError` with all faults of the file, repeated query ids among them.
    """
    if not is_json_lines(path):
        raise InputError(f"{path} is no JSON Lines: answers and claims need records, one a query")
    reader = RunReader(path, strict=strict, by_form=False)
    first: dict[str, int] = {}
    records = []
    for number, record in reader.records():
        known = first.setdefault(record.query_id, number)
        if known != number:
            note_repeated_query(reader.faults, number, record.query_id, f"line {known}")
        records.append(record)
    reader.faults.refuse()
    return records


def note_repeated_query(faults: FaultList, line: int, query_id: str, first: str) -> None:
    expected = f"one record a query (another is on {first})"
    faults.add(line, "query_id", "repeated_query_id", query_id, expected)


def _numbers(value: object, path: str) -> Iterator[tuple[str, float]]:
    if isinstance(value, float):
        yield path, value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _numbers(inner, f"{path}.{name}".lstrip("."))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _numbers(inner, f"{path}[{index}]")


def _at(value: Any, path: str) -> object:  # noqa: ANN401 - parsed JSON
    """The value at a path such as `retrieved[0].score`; all of it for no path."""
    for index, name in _STEP.findall(path):
        try:
            value = value[int(index)] if index else value[name]
        except (KeyError, IndexError, TypeError):
            break
    return value


_FIELDS = {
    "": RunRecord.__struct_fields__,
    "retrieved": Retrieved.__struct_fields__,
    "claims": RecordedClaim.__struct_fields__,
}
"""Known fields of a record, and of the objects in its lists."""


def _unknown_fields(row: dict[str, Any]) -> Iterator[str]:
    yield from (name for name in row if name not in _FIELDS[""])
    for inner in ("retrieved", "claims"):
        for item in row.get(inner) or ():
            if isinstance(item, dict):
                yield from (f"{inner}[].{name}" for name in item if name not in _FIELDS[inner])
