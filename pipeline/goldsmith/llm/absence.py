"""Is the answer nowhere in the corpus? A search, and a verdict on each passage that it found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.corpus.pooling import pooled
from goldsmith.corpus.words import content_words
from goldsmith.llm.sources import as_source
from goldsmith.llm.tasks import ABSENCE, AbsenceReply, AbsenceVariables
from goldsmith.records import Answering, Nearest, Proof, Usage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from goldsmith.corpus.search import Retriever
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

    def refutation(self, traps: Sequence[str]) -> Nearest | None:
        """The passage that answers, else one that half-answers.

        A trap half-answers by design: it holds the stale state, or contradicts the premise.
        """
        return self.first(Answering.ANSWERS) or self.first(Answering.PARTLY, besides=traps)


@dataclass(frozen=True, slots=True)
class AbsenceSearch:
    """Everything that a search for an absent answer needs."""

    retrievers: Sequence[Retriever]
    chunks: Mapping[str, Chunk]
    """Of the whole corpus, by id."""
    model: Model
    depth: int
    """Passages that each retriever gives for each query."""

    async def search(self, question: str, answer_shaped: str, language: str) -> Searched:
        """Ask about each of the nearest passages of several queries, best first.

        The queries: the question, a sentence shaped like its answer, and its keywords. The search
        ends at the first passage that answers: one is enough to refute.
        """
        keywords = " ".join(dict.fromkeys(content_words(question, language)))
        return await self.ask(question, (question, answer_shaped, keywords))

    async def ask(self, question: str, queries: Sequence[str]) -> Searched:
        """The same, for queries that are known: those of an earlier proof."""
        queries = tuple(dict.fromkeys(queries))
        (pool,) = await pooled(self.retrievers, [queries], self.depth)
        nearest: list[Nearest] = []
        outcomes: list[Outcome[AbsenceReply]] = []
        for rank, found in enumerate(pool, start=1):
            source = as_source(self.chunks[found.chunk_id])
            outcome = await self.model.run(
                ABSENCE, AbsenceVariables(question=question, source=source)
            )
            outcomes.append(outcome)
            if outcome.value is None:
                return Searched(None, outcome, tuple(outcomes))
            nearest.append(
                Nearest(
                    chunk_id=found.chunk_id,
                    rank=rank,
                    score=round(found.score, _SCORE_DIGITS),
                    verdict=outcome.value.verdict,
                    rationale=outcome.value.rationale,
                )
            )
            if outcome.value.verdict is Answering.ANSWERS:
                break
        proof = Proof(
            retrievers=tuple(retriever.name for retriever in self.retrievers),
            queries=queries,
            depth=self.depth,
            chunks_searched=min(len(retriever) for retriever in self.retrievers),
            nearest=tuple(nearest),
        )
        return Searched(proof, None, tuple(outcomes))
