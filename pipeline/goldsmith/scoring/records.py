"""What the scorer's two halves share: one system's records, claims, verdicts, and figures.

The *labelled* half compares a run with a frozen release; the *unlabelled* half needs the run and a
judge. Both put what they measured into `Column`s (one number pair a query) and both are summed up
into `Metric`s by one mechanism, so that slices, intervals and the gate treat them alike.

The records of a run file are in `run_records`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

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
    share: bool = True
    """By its definition between 0 and 1."""


@dataclass(frozen=True, slots=True, repr=False)
class Columns:
    """Everything measured, a query a place; the input of summaries, rows and the gate."""

    query_ids: Sequence[str]
    columns: Mapping[str, Column]
    slices: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    """Membership by slice name; `all` is implied."""
