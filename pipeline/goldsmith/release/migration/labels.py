"""An evidence and the verdicts on its passages, carried onto another chunking by their spans."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from goldsmith.corpus.quotes import locate
from goldsmith.records import JUDGED_BY_SPAN, Answering, Evidence, Judgement
from goldsmith.release.migration.places import LEAST_WORDS, Place
from goldsmith.release.migration.report import Fate, Move

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from goldsmith.records import Chunk, Query
    from goldsmith.release.migration.shelf import Shelf


@dataclass(frozen=True, slots=True)
class Projected:
    """What became of one evidence; `evidence` is None when it was lost."""

    move: Move
    place: Place | None = None
    evidence: Evidence | None = None
    passages: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Old members that say the fact in other words, with the new chunks that hold all of them."""
    cut: tuple[str, ...] = ()
    """Old members of which no new chunk and no group of chunks holds the whole text."""


def project(query: Query, number: int, shelf: Shelf) -> Projected:
    """Find the quote, then every new chunk that carries it where the old members carried it.

    A member that holds the quote is followed by the quote's span in it. One that says the same in
    other words has no span of its own: the new chunks must hold its whole text, alone or together.
    """
    found = query.evidence[number]
    place = shelf.places.of_quote(found.doc_id, found.start, found.end)
    if place is None:
        return Projected(_lost(query, number, "quote_not_found", _why_not_found(found)))
    carriers = shelf.carriers(place)
    single, joint = dict.fromkeys(carriers.single), dict.fromkeys(carriers.joint)
    passages: dict[str, tuple[str, ...]] = {}
    cut: list[str] = []
    for chunk_id in found.chunk_ids:
        other = _elsewhere(found, shelf.old[chunk_id], shelf)
        if other is None:
            continue
        member = shelf.carriers(other.place) if other.place else None
        if member is None or not (member.single or member.joint):
            cut.append(chunk_id)
            continue
        single |= dict.fromkeys(member.single)
        joint |= dict.fromkeys(member.joint)
        if other.in_other_words:
            passages[chunk_id] = member.single or member.joint[0]
    if not single and not joint:
        detail = f"no chunk and no group of chunks holds {_shown(found.quote)}"
        return Projected(_lost(query, number, "not_covered", detail))
    quote = shelf.places.text(place)
    evidence = Evidence(
        doc_id=place.doc_id,
        start=place.start,
        end=place.end,
        quote=quote,
        chunk_ids=tuple(single),
        # A group with a chunk that carries the fact alone adds nothing.
        joint_members=tuple(member for member in joint if not single.keys() & set(member)),
    )
    return Projected(_moved(query, number, place), place, evidence, passages, tuple(cut))


@dataclass(frozen=True, slots=True)
class _Elsewhere:
    place: Place | None
    in_other_words: bool


def _elsewhere(found: Evidence, chunk: Chunk, shelf: Shelf) -> _Elsewhere | None:
    """Where a member carries the fact beside the evidence's own span; None: just there."""
    if chunk.doc_id == found.doc_id and chunk.start <= found.start and found.end <= chunk.end:
        return None
    span = locate(found.quote, chunk.text)
    if span is None:
        return _Elsewhere(shelf.placed(chunk.chunk_id), in_other_words=True)
    start = chunk.start + span.start
    end = chunk.start + span.end
    return _Elsewhere(shelf.places.of_words(chunk.doc_id, start, end), in_other_words=False)


def _moved(query: Query, number: int, place: Place) -> Move:
    found = query.evidence[number]
    stays = (found.doc_id, found.start, found.end) == (place.doc_id, place.start, place.end)
    return Move(
        query_id=query.query_id,
        evidence=number,
        fate=Fate.CARRIED if stays else Fate.MOVED,
        before=f"{found.doc_id}[{found.start}:{found.end}]",
        after=f"{place.doc_id}[{place.start}:{place.end}]",
    )


def _lost(query: Query, number: int, reason: str, detail: str) -> Move:
    found = query.evidence[number]
    return Move(
        query_id=query.query_id,
        evidence=number,
        fate=Fate.LOST,
        reason=reason,
        detail=detail,
        before=f"{found.doc_id}[{found.start}:{found.end}]",
    )


def _why_not_found(found: Evidence) -> str:
    if len(found.quote.split()) >= LEAST_WORDS:
        return f"{_shown(found.quote)} stands in no document"
    return (
        f"{_shown(found.quote)} does not stand in its document, and is too short to be followed "
        "into another"
    )


def _shown(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")  # noqa: PLR2004 - a line


@dataclass(frozen=True, slots=True)
class Verdicts:
    """One row a chunk, and how many old rows could not be carried."""

    rows: list[Judgement]
    left_behind: int


def carry_verdicts(
    before: Query,
    after: Query,
    said: Sequence[Judgement],
    projected: Sequence[Projected],
    shelf: Shelf,
) -> Verdicts:
    """What was said of old chunks, as far as it says something of new ones.

    The same text keeps its verdict. A chunk that holds a passage that answers, answers. A part of a
    passage that does not, does not. Members without a row of their own follow from their spans.
    """
    rows: dict[str, Judgement] = {}
    left_behind = 0
    passages = {old: new for one in projected for old, new in one.passages.items()}
    for judgement in _with_copies(said, passages, shelf):
        found = list(_said_of(judgement, passages.get(judgement.chunk_id, ()), shelf))
        left_behind += not found
        for row in found:
            known = rows.get(row.chunk_id)
            if known is None or row.verdict.strength > known.verdict.strength:
                rows[row.chunk_id] = row
    for evidence in after.evidence:
        for chunk_id in evidence.all_chunk_ids:
            alone = chunk_id in evidence.chunk_ids
            verdict = Answering.ANSWERS if alone else Answering.PARTLY
            known = rows.get(chunk_id)
            if known is None or verdict.strength > known.verdict.strength:
                rows[chunk_id] = Judgement(
                    query_id=before.query_id,
                    chunk_id=chunk_id,
                    verdict=verdict,
                    judge=JUDGED_BY_SPAN,
                )
    return Verdicts(list(rows.values()), left_behind)


def _with_copies(
    said: Sequence[Judgement], passages: Iterable[str], shelf: Shelf
) -> Iterator[Judgement]:
    """A copy of an accepted passage was accepted with it, though its row says only that it is one.

    Cut anew, the two are no copies any more, and each needs the verdict.
    """
    wanted = set(passages)
    accepted = {
        shelf.old[row.chunk_id].duplicate_group: row
        for row in said
        if row.judge != JUDGED_BY_SPAN and row.verdict is Answering.ANSWERS
    }
    for row in said:
        copied = accepted.get(shelf.old[row.chunk_id].duplicate_group)
        if row.judge == JUDGED_BY_SPAN and row.chunk_id in wanted and copied is not None:
            yield copied.model_copy(update={"chunk_id": row.chunk_id})
        else:
            yield row


def _said_of(row: Judgement, parts: Iterable[str], shelf: Shelf) -> Iterator[Judgement]:
    place = shelf.placed(row.chunk_id)
    if place is None:
        return
    holds_it_whole = False
    for chunk in shelf.touching(place):
        same = (chunk.start, chunk.end) == (place.start, place.end)
        holds = chunk.start <= place.start and chunk.end >= place.end
        is_part = chunk.start >= place.start and chunk.end <= place.end
        holds_it_whole |= holds
        if (
            same
            or (holds and row.verdict is Answering.ANSWERS)
            or (is_part and row.verdict is Answering.NO)
        ):
            yield row.model_copy(update={"chunk_id": chunk.chunk_id})
    if not holds_it_whole:
        for chunk_id in parts:
            yield row.model_copy(update={"chunk_id": chunk_id, "verdict": Answering.PARTLY})
