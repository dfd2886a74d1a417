"""The interval of a share, as releases and scores print it."""

from __future__ import annotations

from statistics import NormalDist

LEVEL = 0.95


def wilson_bounds(
    successes: float, trials: float, *, level: float = LEVEL
) -> tuple[float, float] | None:
    """Wilson's score interval (1927), (low, high) in 0 to 1; None without trials.

    It always holds the share itself, and does not collapse at 0 of n, as the normal interval does.
    """
    if not trials:
        return None
    z = NormalDist().inv_cdf((1 + level) / 2)
    share = successes / trials
    centre = share + z * z / (2 * trials)
    spread = z * (share * (1 - share) / trials + z * z / (4 * trials * trials)) ** 0.5
    scale = 1 + z * z / trials
    low, high = (centre - spread) / scale, (centre + spread) / scale
    return min(max(low, 0.0), share), max(min(high, 1.0), share)
