"""Claims of an answer: as the system recorded them, or read off its sentences.

`claim_answer` makes each sentence one claim (no model). A `Decomposer` may then break a sentence
into standalone claims; each inherits the ids of its sentence.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Protocol

from goldsmith.scoring.answers import read_answer
from goldsmith.scoring.judge_tasks import DECOMPOSE, DecomposeVariables
from goldsmith.scoring.markers import KnownIds
from goldsmith.scoring.records import AnswerOutcome, Claim, ClaimedAnswer

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from goldsmith.llm.task import Model
    from goldsmith.scoring.answers import AnswerSentence, ReadAnswer
    from goldsmith.scoring.markers import MarkerGrammar
    from goldsmith.scoring.run_records import RecordedClaim, RunRecord


def claim_answer(
    record: RunRecord,
    *,
    language: str = "en",
    known: Container[str] = (),
    grammar: MarkerGrammar | None = None,
) -> ClaimedAnswer:
    """Take an answer apart without a model: one claim a sentence, or the claims as recorded.

    `known` are chunk ids that exist beside those of the record itself. A record with neither
    claims nor text is `empty_output`; text in which no sentence is found is `extraction_failed`.
    """
    if record.claims is not None:
        return _recorded(record, record.claims)
    if record.answer is None or not record.answer.strip():
        return ClaimedAnswer(record.query_id, AnswerOutcome.EMPTY_OUTPUT, detail="no answer text")
    read = read_answer(
        record.answer,
        language=language,
        supplied=record.supplied_ids,
        known=KnownIds(frozenset(record.chunk_ids), known),
        grammar=grammar,
    )
    claims = tuple(_sentence_claim(record.answer, read, s) for s in read.sentences)
    return ClaimedAnswer(
        query_id=record.query_id,
        outcome=AnswerOutcome.CLAIMS if claims else AnswerOutcome.EXTRACTION_FAILED,
        claims=claims,
        links=tuple(link.target for link in read.marks.links),
        near_markers=tuple(f"{near.text} ({near.reason})" for near in read.listed),
        detail="" if claims else "the answer holds no sentence, only code, headings or markers",
    )


def _recorded(record: RunRecord, recorded: Sequence[RecordedClaim]) -> ClaimedAnswer:
    claims = []
    for item in recorded:
        unique = tuple(dict.fromkeys(item.cited_ids))
        claims.append(Claim(item.text, unique, duplicate_markers=len(item.cited_ids) - len(unique)))
    return ClaimedAnswer(
        query_id=record.query_id,
        outcome=AnswerOutcome.CLAIMS if claims else AnswerOutcome.EMPTY_OUTPUT,
        claims=tuple(claims),
        detail="" if claims else "an empty list of claims",
    )


def _sentence_claim(answer: str, read: ReadAnswer, sentence: AnswerSentence) -> Claim:
    """The claim of one sentence; its source runs on over the markers that follow it."""
    end, markers = sentence.end, read.marks.markers
    for number in range(bisect_right(markers, end, key=attrgetter("end")), len(markers)):
        if answer[end : markers[number].start].strip():
            break
        end = markers[number].end
    return Claim(
        text=sentence.text,
        cited_ids=sentence.ids,
        sentence=answer[sentence.start : end],
        duplicate_markers=sentence.duplicate_markers,
    )


# -- decomposition -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Decomposition:
    """The standalone claims of one sentence, or why there are none."""

    claims: tuple[str, ...] = ()
    failure: str | None = None


class Decomposer(Protocol):
    """Breaks a sentence into claims that can be understood and checked on their own."""

    @property
    def name(self) -> str: ...

    async def decompose(self, question: str, before: str, sentence: str) -> Decomposition:
        """`before` is the answer up to the sentence: what its pronouns refer to."""
        ...


class SentenceDecomposer:
    """The sentence is the claim: what can be done without a model, and reports say so."""

    name = "sentence"

    async def decompose(self, question: str, before: str, sentence: str) -> Decomposition:  # noqa: ARG002 - the Protocol's
        return Decomposition((sentence,))


class PromptedDecomposer:
    """Asks a model, one call a sentence."""

    def __init__(self, model: Model) -> None:
        self._model = model

    @property
    def name(self) -> str:
        return self._model.name

    async def decompose(self, question: str, before: str, sentence: str) -> Decomposition:
        outcome = await self._model.run(
            DECOMPOSE, DecomposeVariables(question=question, before=before, sentence=sentence)
        )
        if outcome.value is None:
            return Decomposition(failure=outcome.failure)
        return Decomposition(outcome.value.claims)


async def decompose_answer(
    claimed: ClaimedAnswer, question: str, decomposer: Decomposer
) -> ClaimedAnswer:
    """Refine the sentence claims of an answer; recorded claims are left as the system made them.

    One sentence that fails makes the whole answer `extraction_failed`: an answer of which only
    the easy sentences are scored would flatter the system.
    """
    if claimed.outcome is not AnswerOutcome.CLAIMS or not all(c.sentence for c in claimed.claims):
        return claimed
    claims: list[Claim] = []
    before = ""
    for claim in claimed.claims:
        made = await decomposer.decompose(question, before, claim.text)
        if made.failure is not None:
            return replace(
                claimed,
                outcome=AnswerOutcome.EXTRACTION_FAILED,
                claims=(),
                detail=f"{made.failure}: {claim.text}",
            )
        claims.extend(replace(claim, text=text) for text in made.claims)
        before = f"{before} {claim.text}".strip()
    outcome = AnswerOutcome.CLAIMS if claims else AnswerOutcome.EXTRACTION_FAILED
    detail = claimed.detail if claims else "no sentence holds a claim"
    return replace(claimed, outcome=outcome, claims=tuple(claims), detail=detail)
