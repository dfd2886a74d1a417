"""Probes: does a system abstain where it should, and only there? Both figures, always together.

Without a judge, "states the trap" and "corrects the premise" are read off the words, one-sidedly:
a system that says it in other words is not found. Whoever has a judge passes its own `Reading`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

import numpy as np

from goldsmith.corpus.agreement import same_answer
from goldsmith.corpus.sentences import sentences
from goldsmith.corpus.words import longest_copied_run, words
from goldsmith.records import Expected
from goldsmith.scoring.abstention import abstention_of
from goldsmith.scoring.records import AnswerOutcome, Column, Half, Layer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from goldsmith.scoring.abstention import Abstention
    from goldsmith.scoring.citations_labelled import Response
    from goldsmith.scoring.gold import Gold

    Floats = NDArray[np.float64]

COPIED_WORDS = 8
"""An answer that shares a run of this many words with the trap chunk states it."""


class Reading(Protocol):
    """How an answer is read: by words alone, or by a judge."""

    def abstention(self, response: Response) -> Abstention:
        """Whether the system abstained."""
        ...

    def states_trap(self, response: Response) -> bool:
        """Whether the answer states what a trap chunk says, cited or not."""
        ...

    def corrects_premise(self, response: Response) -> bool:
        """Whether the answer says that the question's premise is false."""
        ...


@dataclass(frozen=True, slots=True)
class WordReading:
    """Reads answers without a model."""

    texts: Mapping[str, str]
    """Corpus text by chunk id."""

    def abstention(self, response: Response) -> Abstention:
        return abstention_of(response.record, response.query.language)

    def states_trap(self, response: Response) -> bool:
        said = words(_said(response))
        traps = (self.texts.get(chunk_id, "") for chunk_id in response.query.trap_chunk_ids)
        return any(longest_copied_run(said, words(trap)) >= COPIED_WORDS for trap in traps)

    def corrects_premise(self, response: Response) -> bool:
        """One of its sentences says what the gold answer, the correction, says."""
        query = response.query
        found = sentences(_said(response), query.language)
        return any(same_answer(query.answer, one.text, query.language) for one in found)


def _said(response: Response) -> str:
    return response.record.answer or " ".join(claim.text for claim in response.claimed.claims)


@dataclass(slots=True)
class ProbeCounter:
    """Takes responses one by one and gives columns over all queries of gold."""

    gold: Gold
    reading: Reading
    counts: Counter[str] = field(default_factory=Counter)
    """`abstained_flagged`, `abstained_inferred`: who says so; `probes_empty_output`."""
    abstained: set[str] = field(default_factory=set)
    """Query ids of all responses that abstained."""
    _numerators: dict[str, Floats] = field(default_factory=dict)
    _denominators: dict[str, Floats] = field(default_factory=dict)

    def __post_init__(self) -> None:
        probes, answerable = self._masks()
        corrections = np.zeros(len(self.gold))
        for number, query in self.gold.details.items():
            corrections[number] = query.expected is Expected.CORRECT_THE_PREMISE
        unknown = np.zeros(len(self.gold))
        for name, denominator in {
            "abstention_rate": probes.astype(np.float64),
            "answered_anyway": probes.astype(np.float64),
            "cited_anyway": unknown.copy(),
            "fell_for_trap": unknown.copy(),
            "premise_corrected": corrections * probes,
            "false_abstention_rate": answerable.astype(np.float64),
        }.items():
            self._numerators[name] = np.zeros(len(self.gold))
            self._denominators[name] = denominator

    def add(self, response: Response) -> None:
        query = response.query
        number = self.gold.numbers[query.query_id]
        abstention = self.reading.abstention(response)
        if abstention.abstained:
            self.abstained.add(query.query_id)
            self.counts[f"abstained_{'inferred' if abstention.inferred else 'flagged'}"] += 1
        if query.answerable:
            self._numerators["false_abstention_rate"][number] = abstention.abstained
        elif query.is_probe:
            self._add_probe(number, response, abstained=abstention.abstained)

    def _add_probe(self, number: int, response: Response, *, abstained: bool) -> None:
        """Abstained, corrected the premise, said nothing, or answered anyway: one of them."""
        query = response.query
        self._numerators["abstention_rate"][number] = abstained
        if abstained:
            return
        if query.expected is Expected.CORRECT_THE_PREMISE and self.reading.corrects_premise(
            response
        ):
            self._numerators["premise_corrected"][number] = 1.0
            return
        if response.claimed.outcome is AnswerOutcome.EMPTY_OUTPUT:
            self.counts["probes_empty_output"] += 1
            return
        self._numerators["answered_anyway"][number] = 1.0
        cited = set(response.occurrences)
        self._put("cited_anyway", number, bool(cited))
        if query.trap_chunk_ids:
            fell = bool(cited & set(query.trap_chunk_ids)) or self.reading.states_trap(response)
            self._put("fell_for_trap", number, fell)

    def _put(self, name: str, number: int, value: bool) -> None:
        """A figure of those that answered anyway: defined for this query from now on."""
        self._numerators[name][number], self._denominators[name][number] = value, 1.0

    def columns(self) -> list[Column]:
        probes, answerable = self._masks()
        return [
            Column(
                name=name,
                half=Half.LABELLED,
                layer=Layer.PROBE,
                numerator=numerator,
                denominator=self._denominators[name],
                applies=answerable if name == "false_abstention_rate" else probes,
                trials=True,
            )
            for name, numerator in self._numerators.items()
        ]

    def _masks(self) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        probes = np.zeros(len(self.gold), dtype=np.bool_)
        probes[[number for number, query in self.gold.details.items() if query.is_probe]] = True
        return probes, self.gold.answerable
