"""What the scorer's two halves share: one system's records, claims, verdicts, and figures.

The *labelled* half compares a run with a frozen release; the *unlabelled* half needs the run and a
judge. Both put what they measured into `Column`s (one number pair a query) and both are summed up
into `Metric`s by one mechanism, so that slices, intervals and the gate treat them alike.

Run records cross a file by the million, so they are `msgspec` structs: decoded and validated in one
pass, several times faster than any model built from a parsed mapping.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct

from goldsmith.records import Record

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


# -- words ---------------------------------------------------------------------------------------


class Half(StrEnum):
    """The two halves of a report: with gold labels, or from the run alone."""

    LABELLED = "labelled"
    UNLABELLED = "unlabelled"


class Layer(StrEnum):
    """Whose fault a low figure is; layers are never blended into one."""

    RETRIEVAL = "retrieval"
    FAITHFULNESS = "faithfulness"
    CITATION = "citation"
    PROBE = "probe"
    COMPONENT = "component"


class CitationTiming(StrEnum):
    """When the system attached its markers: a slice of the report, never a change of score."""

    DURING = "during"
    POST_HOC = "post_hoc"


class Verdict(StrEnum):
    """What a judge says of a claim and the passages shown to it."""

    SUPPORTS = "supports"
    PARTIALLY_SUPPORTS = "partially_supports"
    DOES_NOT_SUPPORT = "does_not_support"
    CONTRADICTS = "contradicts"
    UNTESTED = "untested"
    """The claim could not be understood on its own, so support was not asked."""


class FailureKind(StrEnum):
    """Why a claim fails its citation check; every failed claim has exactly one."""

    MISATTRIBUTED = "misattributed"
    """Another supplied passage supports it."""
    HALLUCINATED = "hallucinated"
    """No supplied passage supports it."""
    CONTRADICTED = "contradicted"
    UNRESOLVED_MARKER = "unresolved_marker"


class RowLabel(StrEnum):
    """The triage label of an answerable query: the first that fits, in this order."""

    EMPTY_OUTPUT = "empty_output"
    ABSTAINED = "abstained"
    RETRIEVAL_MISS = "retrieval_miss"
    EXTRACTION_FAILED = "extraction_failed"
    HALLUCINATION = "hallucination"
    MISCITATION = "miscitation"
    CORRECT = "correct"


class MarkerStatus(StrEnum):
    """What an id that a claim cites points at."""

    RETRIEVED = "retrieved"
    NOT_RETRIEVED = "not_retrieved"
    """In the corpus, but this query did not retrieve it."""
    UNKNOWN = "unknown"
    """Not in the corpus."""


class AnswerOutcome(StrEnum):
    """What came of taking an answer apart; the last two are counted and never averaged in."""

    CLAIMS = "claims"
    EMPTY_OUTPUT = "empty_output"
    EXTRACTION_FAILED = "extraction_failed"


class Aggregation(StrEnum):
    """How a column's pairs become one figure."""

    MEAN = "mean"
    """Mean over queries of numerator / denominator; a query with denominator 0 is undefined."""
    POOLED = "pooled"
    """Sum of numerators / sum of denominators."""


# -- a run ---------------------------------------------------------------------------------------

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


# -- claims --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Claim:
    """The smallest checkable statement of an answer, and the ids it cites."""

    text: str
    cited_ids: tuple[str, ...] = ()
    """Without repeats, in order of appearance."""
    sentence: str = ""
    """The sentence it was taken from, markers included; empty for a recorded claim."""
    duplicate_markers: int = 0
    """Repeats that were dropped from `cited_ids`."""


@dataclass(frozen=True, slots=True)
class ClaimedAnswer:
    """An answer taken apart."""

    query_id: str
    outcome: AnswerOutcome
    claims: tuple[Claim, ...] = ()
    links: tuple[str, ...] = ()
    """Targets of the answer's links, in order, repeats included."""
    near_markers: tuple[str, ...] = ()
    """Bracketed things that nearly match the marker grammar: listed, never guessed at."""
    detail: str = ""


# -- figures -------------------------------------------------------------------------------------


class Metric(Record):
    """One printed figure. `value` is None when its denominator is zero: never 0, never 1."""

    name: str
    half: Half
    layer: Layer
    slice: str = "all"
    """`all`, or `kind=factoid`, `band=hard`, `timing=during`, ..."""
    value: float | None
    numerator: float
    denominator: float
    n: int
    """Queries that the figure is over, undefined ones left out."""
    undefined: int = 0
    """Queries of the slice without a value (denominator zero)."""
    low: float | None = None
    high: float | None = None
    """95% interval; None where there is no value or nothing was resampled."""
    method: str = ""
    """Of the interval: `bootstrap(1000, seed 7)`, `wilson`."""
    lowest: float | None = None
    highest: float | None = None
    """What the value could be over what is not known: the order of tied scores, or judgements
    that could not be made (all wrong, all right). None: nothing is unknown."""
    expected: float | None = None
    """Its mean over random orders of tied scores."""
    note: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Bounds:
    """What each query's value could be, where something is not known; arrays over queries."""

    lowest: Floats
    highest: Floats
    expected: Floats | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Column:
    """One metric over the queries of a report: a numerator and a denominator for each.

    Both arrays have the length and order of the report's `query_ids`. Denominator 0 means
    undefined for this query. A query that has no part in a metric at all (a probe, for recall)
    is left out by `applies`; None: all have a part.
    """

    name: str
    half: Half
    layer: Layer
    numerator: Floats
    denominator: Floats
    aggregation: Aggregation = Aggregation.MEAN
    applies: NDArray[np.bool_] | None = None
    note: str = ""
    bounds: Bounds | None = None
    """None: nothing is unknown."""
    trials: bool = False
    """Each value is the outcome of one independent yes/no trial: its interval is Wilson's."""


@dataclass(frozen=True, slots=True, repr=False)
class Columns:
    """Everything measured, a query a place; the input of summaries, rows and the gate."""

    query_ids: Sequence[str]
    columns: Mapping[str, Column]
    slices: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    """Membership by slice name; `all` is implied."""
