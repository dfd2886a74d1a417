"""Large text files, a block of whole lines at a time."""

from __future__ import annotations

from bisect import bisect_left
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO

BLOCK_BYTES = 1 << 18
_SPACE, _NEWLINE = ord(" "), ord("\n")


def line_blocks(
    file: BinaryIO, start: int = 0, end: int | None = None, size: int = BLOCK_BYTES
) -> Iterator[tuple[int, list[bytes]]]:
    """(number of the first line, lines) of about `size` bytes at a time.

    `start` is where a line begins; the lines are those that begin before byte `end`. Numbers count
    from 1 at `start`.
    """
    position, number = start, 1
    file.seek(start)
    while lines := file.readlines(size):
        begun = position
        position = file.tell()
        if end is not None and position >= end:
            begins = list(accumulate(map(len, lines), initial=begun))
            lines = lines[: bisect_left(begins, end)]
        if begun == 0 and lines:
            lines[0] = lines[0].removeprefix(b"\xef\xbb\xbf")
        yield number, lines
        number += len(lines)
        if end is not None and position >= end:
            return


def words_a_line(block: bytes, lines: int, words: int) -> bool:
    """Whether a block is `lines` lines of `words` words each, white space between them.

    Counts the beginnings of words between line ends; splitting alone would not notice a word that
    is missing here and too many there.
    """
    letters = np.frombuffer(block, dtype=np.uint8)
    blank = letters <= _SPACE
    begins = ~blank
    begins[1:] &= blank[:-1]
    starts = np.concatenate(([0], np.flatnonzero(letters == _NEWLINE) + 1))
    if starts[-1] == len(letters):
        starts = starts[:-1]
    counts = np.add.reduceat(begins, starts, dtype=np.int32)
    return len(counts) == lines and bool(np.all(counts == words))
