"""A probe on another chunking: its absence is carried where no document changed, searched again
where one did.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.records import Answering, Nearest, ProbeKind, Proof, Query, Usage
from goldsmith.release.migration.report import Fate, Move

if TYPE_CHECKING:
    from goldsmith.llm.absence import AbsenceSearch
    from goldsmith.release.migration.questions import Carried
    from goldsmith.release.migration.shelf import Shelf


@dataclass(frozen=True, slots=True)
class CarriedProbe:
    """Both sides of one probe."""

    before: Query
    move: Move
    after: Query | None = None
    usage: Usage = Usage()  # noqa: RUF009 - frozen


async def carry_probe(
    probe: Query, twin: Carried | None, shelf: Shelf, search: AbsenceSearch | None
) -> CarriedProbe:
    """`search` None: no document changed, so what was searched is all there is."""
    if twin is None or twin.after is None:
        detail = f"its twin {probe.twin_id!r} is not in the release any more"
        return _lost(probe, "twin_lost", detail)
    traps = _traps(probe, shelf)
    if probe.trap_chunk_ids and not traps:
        return _lost(probe, "trap_lost", "the passage that misleads is gone or was changed")
    sources = tuple(
        dict.fromkeys(
            new for old in probe.source_chunk_ids if (new := _source(old, twin, shelf)) is not None
        )
    )
    carried = probe.model_copy(update={"trap_chunk_ids": traps, "source_chunk_ids": sources})
    if probe.proof is None:
        return _lost(probe, "absence_unproved", "it carries no proof")
    if search is None:
        renamed = carried.model_copy(update={"proof": _renamed(probe, probe.proof, traps, shelf)})
        return CarriedProbe(probe, Move(query_id=probe.query_id, fate=Fate.CARRIED), renamed)
    return await _searched(probe, carried, probe.proof, search)


async def _searched(
    probe: Query, carried: Query, proof: Proof, search: AbsenceSearch
) -> CarriedProbe:
    """Ask for the stored queries of the proof again, over the new corpus."""
    found = await search.ask(probe.question, proof.queries)
    if found.failed is not None or found.proof is None:
        why = f"{found.failed.failure}: {found.failed.detail}" if found.failed else "no proof"
        return _lost(probe, "absence_unproved", why, found.usage)
    near = found.refutation(carried.trap_chunk_ids)
    if near is not None:
        answers = near.verdict is Answering.ANSWERS
        reason, verb = ("became_answerable", "answers") if answers else ("murky", "half-answers")
        detail = f"{near.chunk_id} {verb} it now: {near.rationale}"
        return _lost(probe, reason, detail, found.usage)
    after = carried.model_copy(update={"proof": found.proof})
    move = Move(query_id=probe.query_id, fate=Fate.CARRIED)
    return CarriedProbe(probe, move, after, found.usage)


def _traps(probe: Query, shelf: Shelf) -> tuple[str, ...]:
    """The chunks that hold the whole of an old trap; where none does, all that do so together."""
    if probe.probe_kind is ProbeKind.MISSING:
        return ()
    places = (shelf.placed(chunk_id) for chunk_id in probe.trap_chunk_ids)
    return tuple(
        dict.fromkeys(
            chunk_id
            for place in places
            if place is not None
            for chunk_id in shelf.covering(place) or [c.chunk_id for c in shelf.touching(place)]
        )
    )


def _source(old: str, twin: Carried, shelf: Shelf) -> str | None:
    if old in twin.sources:
        return twin.sources[old]
    place = shelf.placed(old)
    return None if place is None else shelf.nearest(place)


def _renamed(probe: Query, proof: Proof, traps: tuple[str, ...], shelf: Shelf) -> Proof:
    """The verdicts on the old passages, each on the new chunk that shares most with its passage.

    The text is the same, so the whole of it was searched, however it is cut.
    """
    best: dict[str, Nearest] = {}
    for near in proof.nearest:
        place = shelf.placed(near.chunk_id)
        if near.chunk_id in probe.trap_chunk_ids and near.verdict is not Answering.NO:
            targets = traps
        else:
            nearest = None if place is None else shelf.nearest(place)
            targets = () if nearest is None else (nearest,)
        for chunk_id in targets:
            known = best.get(chunk_id)
            if known is None or (
                known.verdict is Answering.NO and near.verdict is not Answering.NO
            ):
                best[chunk_id] = near.model_copy(update={"chunk_id": chunk_id})
    ranked = sorted(best.values(), key=lambda near: (near.rank, near.chunk_id))
    return proof.model_copy(
        update={
            "chunks_searched": len(shelf.new),
            "nearest": tuple(
                near.model_copy(update={"rank": rank}) for rank, near in enumerate(ranked, start=1)
            ),
        }
    )


def _lost(
    probe: Query,
    reason: str,
    detail: str,
    usage: Usage = Usage(),  # noqa: B008 - frozen
) -> CarriedProbe:
    move = Move(query_id=probe.query_id, fate=Fate.LOST, reason=reason, detail=detail)
    return CarriedProbe(probe, move, None, usage)
