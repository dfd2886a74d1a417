"""Bare rankings by the block: lines that hold nothing but a query id and a list of ids.

    {"query_id":"q1","retrieved":["d3","d1","d2"]}
    {"query_id":"q2","retrieved":[{"chunk_id":"d3"},{"chunk_id":"d1"}]}

Most of a retrieval-only run looks so, byte for byte. Such a block is proved to be what it seems by
looking at its quotes, all lines at a time, and no object is made of any id. A block that differs
in anything (an escape, another field, an odd space, an empty list) is left to the reader of
records, which reads everything and says what is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]
    Ints = NDArray[np.int64]
    Keys = NDArray[np.uint64]

_QUOTE, _SPACE, _WORD = ord('"'), ord(" "), 8
_LONGEST_ID = 64
_MIX = np.uint64(0x9E3779B97F4A7C15)
_HEAD_STRINGS = 3
"""`query_id`, its value, `retrieved`: the strings of a line that come before its items."""


class _Style(NamedTuple):
    """How a line is written around its ids; every part takes in the quotes at its ends."""

    head: bytes
    middle: bytes
    between: bytes
    tail: bytes
    strings: int
    """Of an item; the last of them is the id."""


_STYLES = (
    _Style(b'{"query_id":"', b'","retrieved":["', b'","', b'"]}\n', 1),
    _Style(b'{"query_id": "', b'", "retrieved": ["', b'", "', b'"]}\n', 1),
    _Style(
        b'{"query_id":"',
        b'","retrieved":[{"chunk_id":"',
        b'"},{"chunk_id":"',
        b'"}]}\n',
        2,
    ),
    _Style(
        b'{"query_id": "',
        b'", "retrieved": [{"chunk_id": "',
        b'"}, {"chunk_id": "',
        b'"}]}\n',
        2,
    ),
)
"""Bare ids and objects, without spaces and as Python's `json` writes them."""


@dataclass(frozen=True, slots=True)
class RegularLists:
    """The ranked lists of a block, as places in its bytes."""

    block: bytes
    query_ids: list[str]
    begins: list[int]
    """Where the first id's quote opens, by line."""
    ends: list[int]
    """Behind the last id's closing quote, by line."""
    lengths: list[int]
    """Ids of each line."""
    suspects: frozenset[int]
    """Lines in which an id may stand twice; in no other line does one."""
    _opens: Ints
    """Opening quotes of all ids."""
    _firsts: Ints
    """Which of them is the first of a line."""
    _between: str

    def ids(self, line: int) -> list[str]:
        """The ids of a line, in rank order."""
        inside = self.block[self.begins[line] + 1 : self.ends[line] - 1]
        return inside.decode().split(self._between)

    def find(self, chunk_id: str, line: int) -> int:
        """Where the quote of an id's first place opens; -1 when the line does not hold it."""
        wanted = chunk_id.encode("utf-8", "surrogatepass")
        # An id with a quote would be written with an escape, and then the block were not regular.
        if b'"' in wanted:
            return -1
        return self.block.find(b'"%b"' % wanted, self.begins[line], self.ends[line])

    def ranks(self, lines: Sequence[int], places: Sequence[int]) -> list[int] | None:
        """Ranks of what `find` found; None when it took something between two ids for an id."""
        found = np.searchsorted(self._opens, places)
        if not np.array_equal(self._opens[found], places):
            return None
        ranks: list[int] = (found - self._firsts[list(lines)] + 1).tolist()
        return ranks


def regular_lists(lines: Sequence[bytes]) -> RegularLists | None:
    """The lists of a block of whole lines, or None when it holds anything else."""
    style = _style_of(lines[0])
    if style is None:
        return None
    block = b"".join(lines)
    letters = np.frombuffer(block + bytes(_LONGEST_ID + _WORD), dtype=np.uint8)
    quotes = _quotes(block, letters, len(lines))
    query_ids = None if quotes is None else _query_ids(lines, style)
    if quotes is None or query_ids is None:
        return None
    strings = np.searchsorted(quotes[0::2], list(accumulate(map(len, lines), initial=0)))
    in_items = np.diff(strings) - _HEAD_STRINGS
    lengths, left_over = np.divmod(in_items, style.strings)
    if np.any(lengths < 1) or np.any(left_over):
        return None
    of_line = np.repeat(np.arange(len(lines)), lengths)
    firsts = np.cumsum(lengths) - lengths
    # The id is the last string of its item.
    place = np.arange(len(of_line)) - firsts[of_line] + 1
    ids = strings[of_line] + _HEAD_STRINGS + place * style.strings - 1
    opens, closes = quotes[2 * ids], quotes[2 * ids + 1]
    windows = np.ndarray(
        (len(letters) - _WORD + 1,), dtype="<u8", buffer=letters.data, strides=(1,)
    )
    within = of_line[1:] == of_line[:-1]
    keys = _keys(windows, opens + 1, closes)
    if keys is None or not _stands(windows, closes[:-1][within], opens[1:][within], style.between):
        return None
    return RegularLists(
        block=block,
        query_ids=query_ids,
        begins=opens[firsts].tolist(),
        ends=(closes[firsts + lengths - 1] + 1).tolist(),
        lengths=lengths.tolist(),
        suspects=_suspects(keys, of_line),
        _opens=opens,
        _firsts=firsts,
        _between=style.between.decode(),
    )


def _style_of(line: bytes) -> _Style | None:
    for style in _STYLES:
        if line.startswith(style.head):
            close = line.find(b'"', len(style.head))
            if line.startswith(style.middle, close):
                return style
    return None


def _quotes(block: bytes, letters: Bytes, lines: int) -> Ints | None:
    """The quotes of a block in which every one opens or closes a string, and nothing is escaped."""
    if b"\\" in block or not _is_utf8(block):
        return None
    # No control character but one line feed a line: JSON allows none inside strings.
    if np.count_nonzero(letters[: len(block)] < _SPACE) != lines:
        return None
    quotes = np.flatnonzero(letters == _QUOTE)
    return None if len(quotes) % 2 else quotes


def _is_utf8(block: bytes) -> bool:
    if block.isascii():
        return True
    try:
        block.decode()
    except UnicodeDecodeError:
        return False
    return True


def _stands(windows: Keys, begins: Ints, ends: Ints, wanted: bytes) -> bool:
    """Whether exactly these bytes stand from each begin to each end, both taken in."""
    if not np.all(ends - begins + 1 == len(wanted)):
        return False
    for offset in range(0, len(wanted), _WORD):
        word = wanted[offset : offset + _WORD]
        found = windows[begins + offset] & _MASKS[len(word)]
        if not np.all(found == int.from_bytes(word, "little")):
            return False
    return True


def _query_ids(lines: Sequence[bytes], style: _Style) -> list[str] | None:
    """Query ids of lines that begin, go on behind the id, and end in the given style."""
    head, middle, tail = style.head, style.middle, style.tail
    found = []
    for line in lines:
        close = line.find(b'"', len(head))
        if not (
            close > len(head)
            and line.startswith(head)
            and line.startswith(middle, close)
            and line.endswith(tail)
        ):
            return None
        found.append(line[len(head) : close].decode())
    return found


def _keys(windows: Keys, begins: Ints, ends: Ints) -> Keys | None:
    """A number for each id: equal for equal ids, and hardly ever for different ones.

    The bytes are taken eight at a time; None for an empty id and for very long ones.
    """
    lengths = ends - begins
    if lengths.min() < 1 or lengths.max() > _LONGEST_ID:
        return None
    keys = np.zeros(len(begins), dtype=np.uint64)
    for offset in range(0, int(lengths.max()), _WORD):
        kept = np.clip(lengths - offset, 0, _WORD)
        keys = keys * _MIX ^ (windows[begins + offset] & _MASKS[kept])
    return keys


_MASKS = np.array([(1 << 8 * kept) - 1 for kept in range(_WORD + 1)], dtype=np.uint64)
"""Keeps the first bytes of a word, 0 to 8 of them."""


def _suspects(keys: Keys, of_line: Ints) -> frozenset[int]:
    """Lines in which two keys are equal."""
    tagged = (keys ^ (of_line.astype(np.uint64) * _MIX)) * _MIX
    ordered = np.sort(tagged)
    twice = ordered[1:][ordered[1:] == ordered[:-1]]
    return frozenset(of_line[np.isin(tagged, twice)].tolist()) if len(twice) else frozenset()
