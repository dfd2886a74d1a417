"""Probe: questions that the corpus cannot answer, each beside an answerable twin, each proven."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.funnel import FunnelRow, account
from goldsmith.ids import uniform_hash
from goldsmith.records import Dropped, Kind, ProbeKind, Query, Usage
from goldsmith.stages.probe.writing import STAGE, Attempt, Desk

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from goldsmith.engine.local import Engine
    from goldsmith.llm.absence import AbsenceSearch
    from goldsmith.llm.task import Model
    from goldsmith.records import Chunk
    from goldsmith.settings import ProbeSettings


@dataclass(frozen=True, slots=True)
class Probed:
    """Both sides of the stage."""

    probes: list[Query]
    dropped: list[Dropped]
    funnel: list[FunnelRow]
    usage: Usage


def wanted(answerable: int, share: float) -> int:
    """Probes that make up `share` of a release beside `answerable` questions.

    p / (p + answerable) = share, so p = answerable * share / (1 - share).
    """
    return round(answerable * share / (1 - share))


async def run(
    queries: Sequence[Query],
    chunks: Mapping[str, Chunk],
    settings: ProbeSettings,
    min_rating: int,
    audience: str,
    search: AbsenceSearch,
    model: Model,
    engine: Engine,
) -> Probed:
    """Plant probes of the three kinds in equal parts, each with a twin of its own.

    Attempts go on in rounds until the wanted number is kept or `settings.attempts` times as many
    were tried. Requested = attempts tried; each is kept, rejected or failed.
    """
    desk = Desk(min_rating, audience, search, model)
    total = wanted(len(queries), settings.share)
    probes: list[Query] = []
    dropped: list[Dropped] = []
    funnel: list[FunnelRow] = []
    usage = Usage()
    taken: set[str] = set()
    for position, kind in enumerate(ProbeKind):
        goal = total // len(ProbeKind) + (position < total % len(ProbeKind))
        kept, lost, spent = await _plant(
            _attempts(kind, queries, chunks, settings.seed), goal, taken, settings, desk, engine
        )
        probes += kept
        dropped += lost
        usage += spent
        funnel.append(
            account(
                STAGE, kind.value, requested=len(kept) + len(lost), kept=len(kept), dropped=lost
            )
        )
    return Probed(sorted(probes, key=lambda probe: probe.query_id), dropped, funnel, usage)


def _attempts(
    kind: ProbeKind, queries: Sequence[Query], chunks: Mapping[str, Chunk], seed: int
) -> Iterator[Attempt]:
    """Factoid twins first: they share topic and length with a probe most closely."""
    order = sorted(
        queries,
        key=lambda q: (q.kind is not Kind.FACTOID, uniform_hash(seed, kind.value, q.query_id)),
    )
    for twin in order:
        if twin.kind is Kind.FACTOID:
            yield Attempt(kind, twin, chunks)


async def _plant(
    attempts: Iterator[Attempt],
    goal: int,
    taken: set[str],
    settings: ProbeSettings,
    desk: Desk,
    engine: Engine,
) -> tuple[list[Query], list[Dropped], Usage]:
    """Rounds of as many attempts as are missing; `taken` holds the twins already paired."""
    kept: list[Query] = []
    dropped: list[Dropped] = []
    usage = Usage()
    budget = goal * settings.attempts
    while len(kept) < goal and budget > 0:
        batch = _take(attempts, min(goal - len(kept), budget), taken)
        if not batch:
            break
        budget -= len(batch)
        for attempt, tried in zip(batch, await engine.map(desk.attempt, batch), strict=True):
            usage += tried.usage
            if isinstance(tried.result, Query):
                kept.append(tried.result)
                taken.add(attempt.twin.query_id)
            else:
                dropped.append(tried.result)
    return kept, dropped, usage


def _take(attempts: Iterator[Attempt], count: int, taken: set[str]) -> list[Attempt]:
    batch: list[Attempt] = []
    while len(batch) < count:
        attempt = next(attempts, None)
        if attempt is None:
            break
        if attempt.twin.query_id not in taken:
            batch.append(attempt)
    return batch
