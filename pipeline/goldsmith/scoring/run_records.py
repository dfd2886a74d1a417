"""The records of a run file: one system's ranked list and answer for each query.

They cross a file by the million, so they are `msgspec` structs: decoded and validated in one pass,
several times faster than any model built from a parsed mapping.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from msgspec import Meta, Struct


class CitationTiming(StrEnum):
    """When the system attached its markers: a slice of the report, never a change of score."""

    DURING = "during"
    POST_HOC = "post_hoc"


Id = Annotated[str, Meta(min_length=1)]
Offset = Annotated[int, Meta(ge=0)]


class Retrieved(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """One item of a ranked list; `start` and `end` are offsets in the document's text."""

    chunk_id: Id
    score: float | None = None
    text: str | None = None
    doc_id: str | None = None
    start: Offset | None = None
    end: Offset | None = None


class RecordedClaim(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A claim as the system itself recorded it, with the ids in its own order."""

    text: str
    cited_ids: tuple[str, ...] = ()


class RunRecord(Struct, frozen=True, forbid_unknown_fields=True):
    """What one system did with one query: a line of a run file, and its schema.

    `retrieved` is the ranked list, repeats included: rank is index + 1. An item that is nothing
    but its id may be written as a bare string.
    """

    query_id: Id
    retrieved: list[Id | Retrieved]
    question: str | None = None
    supplied: tuple[str, ...] | None = None
    """Ids that entered the prompt; None: not said, so all retrieved."""
    answer: str | None = None
    claims: tuple[RecordedClaim, ...] | None = None
    abstained: bool | None = None
    citation_timing: CitationTiming | None = None

    @property
    def chunk_ids(self) -> list[str]:
        """The ranked ids, repeats included."""
        return [item if isinstance(item, str) else item.chunk_id for item in self.retrieved]

    @property
    def scores(self) -> list[float | None]:
        """The scores in rank order; None for an item without one."""
        return [None if isinstance(item, str) else item.score for item in self.retrieved]

    @property
    def items(self) -> list[Retrieved]:
        """The ranked list with every item as an object."""
        return [Retrieved(i) if isinstance(i, str) else i for i in self.retrieved]

    @property
    def supplied_ids(self) -> tuple[str, ...]:
        """The ids that entered the prompt, without repeats, in order."""
        ids = self.chunk_ids if self.supplied is None else self.supplied
        return tuple(dict.fromkeys(ids))


class BareRecord(RunRecord, frozen=True, forbid_unknown_fields=True):
    """A record whose items are all bare ids: nothing needs to be looked at one by one."""

    retrieved: list[Id]  # type: ignore[assignment]

    @property
    def chunk_ids(self) -> list[str]:
        return self.retrieved

    @property
    def scores(self) -> list[float | None]:
        return []


class ObjectRecord(RunRecord, frozen=True, forbid_unknown_fields=True):
    """A record whose items are all objects."""

    retrieved: list[Retrieved]  # type: ignore[assignment]

    @property
    def chunk_ids(self) -> list[str]:
        return [item.chunk_id for item in self.retrieved]

    @property
    def scores(self) -> list[float | None]:
        return [item.score for item in self.retrieved]
