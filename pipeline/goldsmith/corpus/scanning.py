"""Reading postings at the speed of compiled code, where numba is installed.

It takes a second to load and to compile, so it is asked for by large corpora only. Without it the
search is the same and slower.
"""

from __future__ import annotations

import logging
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

    Scan = Callable[..., tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]]

_log = logging.getLogger(__name__)


@cache
def compiled_scan() -> Scan | None:
    """`scan`, compiled; None where there is no numba."""
    try:
        import numba  # noqa: PLC0415 - see above
    except ImportError:
        _log.info("numba is not installed: searching a large corpus is several times slower")
        return None
    compiled: Scan = numba.njit(cache=True)(scan)
    return compiled


def scan(
    spans: npt.NDArray[np.int64],
    positions: npt.NDArray[np.int32],
    weights: npt.NDArray[np.float32],
    sums: npt.NDArray[np.float64],
    depth: int,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """Positions and scores of all chunks that reach the score of the last of the best `depth`.

    `spans`: a row (start, end, weight) for each word of the query. `sums` is all zeros, before and
    after. Plain loops: this is what compiles well.
    """
    touched = np.empty(len(sums), dtype=np.int64)
    count = 0
    for row in range(len(spans)):
        for place in range(spans[row, 0], spans[row, 1]):
            position = positions[place]
            if sums[position] == 0:
                touched[count] = position
                count += 1
            sums[position] += spans[row, 2] * np.float64(weights[place])
    # The best so far, in falling order: a new one is pushed in from the end.
    best = np.zeros(depth)
    for place in range(count):
        score = sums[touched[place]]
        if score > best[depth - 1]:
            slot = depth - 1
            while slot > 0 and best[slot - 1] < score:
                best[slot] = best[slot - 1]
                slot -= 1
            best[slot] = score
    least = best[depth - 1]
    reaching = 0
    for place in range(count):
        reaching += sums[touched[place]] >= least
    found = np.empty(reaching, dtype=np.int64)
    scores = np.empty(reaching, dtype=np.float64)
    at = 0
    for place in range(count):
        position = touched[place]
        if sums[position] >= least:
            found[at], scores[at] = position, sums[position]
            at += 1
        sums[position] = 0.0
    return found, scores
