"""Is the answer nowhere in the corpus? A search, and a verdict on each passage that it found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.corpus.words import content_words
from goldsmith.llm.sources import as_source
from goldsmith.llm.tasks import ABSENCE, AbsenceReply, AbsenceVariables
from goldsmith.records import Answering, Nearest, Proof, Usage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from goldsmith.corpus.search import Hit, Index
    from goldsmith.llm.task import Model, Outcome
    from goldsmith.records import Chunk


_SCORE_DIGITS = 3
"""A score is published and so part of a release's digest: its last bits differ between machines."""


@dataclass(frozen=True, slots=True)
class Searched:
    """A proof, or the outcome of the passage on which no verdict could be had."""

    proof: Proof | None
    failed: Outcome[AbsenceReply] | None
    outcomes: tuple[Outcome[AbsenceReply], ...]

    @property
    def usage(self) -> Usage:
        return sum((outcome.usage for outcome in self.outcomes), Usage())

    def first(self, verdict: Answering, besides: Sequence[str] = ()) -> Nearest | None:
        """The best ranked passage with this verdict, leaving out the chunks `besides`."""
        nearest = self.proof.nearest if self.proof else ()
        return next(
            (n for n in nearest if n.verdict is verdict and n.chunk_id not in besides), None
        )


@dataclass(frozen=True, slots=True)
class AbsenceSearch:
    """Everything that a search for an absent answer needs."""

    index: Index
    chunks: Mapping[str, Chunk]
    model: Model
    depth: int

    async def search(self, question: str, answer_shaped: str, language: str) -> Searched:
        """Ask about each of the nearest passages of several queries, best first.

        The queries: the question, a sentence shaped like its answer, and its keywords. The search
        ends at the first passage that answers: one is enough to refute.
        """
        keywords = " ".join(dict.fromkeys(content_words(question, language)))
        queries = tuple(dict.fromkeys((question, answer_shaped, keywords)))
        nearest: list[Nearest] = []
        outcomes: list[Outcome[AbsenceReply]] = []
        for rank, hit in enumerate(self._pool(queries), start=1):
            source = as_source(self.chunks[hit.chunk_id])
            outcome = await self.model.run(
                ABSENCE, AbsenceVariables(question=question, source=source)
            )
            outcomes.append(outcome)
            if outcome.value is None:
                return Searched(None, outcome, tuple(outcomes))
            nearest.append(
                Nearest(
                    chunk_id=hit.chunk_id,
                    rank=rank,
                    score=round(hit.score, _SCORE_DIGITS),
                    verdict=outcome.value.verdict,
                    rationale=outcome.value.rationale,
                )
            )
            if outcome.value.verdict is Answering.ANSWERS:
                break
        proof = Proof(
            retrievers=(self.index.name,),
            queries=queries,
            depth=self.depth,
            chunks_searched=len(self.index),
            nearest=tuple(nearest),
        )
        return Searched(proof, None, tuple(outcomes))

    def _pool(self, queries: Sequence[str]) -> list[Hit]:
        """The union of the first `depth` of every query, by best rank, then by id."""
        best: dict[str, Hit] = {}
        for query in queries:
            for hit in self.index.search(query, self.depth):
                known = best.get(hit.chunk_id)
                if known is None or hit.rank < known.rank:
                    best[hit.chunk_id] = hit
        return sorted(best.values(), key=lambda hit: (hit.rank, hit.chunk_id))
