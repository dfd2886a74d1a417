"""A judge without a model: words, numbers and negation, the same answer on every machine.

It is a baseline and says so: it reads no meaning, so it cannot see a paraphrase in other words nor
a wrong statement in the same words. `MEASURED` is what it did on claims that people labelled
(`docs/judges.md`); every report that uses it prints that sentence.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from goldsmith.corpus.agreement import (
    content_coverage,
    is_negated,
    quantities,
    same_answer,
)
from goldsmith.corpus.sentences import sentences
from goldsmith.corpus.wellformed import is_refusal
from goldsmith.corpus.words import content_words, overlap
from goldsmith.llm.task import Outcome
from goldsmith.records import Record
from goldsmith.scoring.abstention import abstains
from goldsmith.scoring.checks import unstated
from goldsmith.scoring.judge import Judge
from goldsmith.scoring.judge_tasks import (
    ABSTENTION,
    ANSWER_RELEVANCE,
    CORRECTNESS,
    DECOMPOSE,
    INTERPRETABLE,
    PASSAGE_RELEVANCE,
    SUFFICIENCY,
    SUPPORT,
    AbstentionReply,
    AbstentionVariables,
    AnswerRelevanceVariables,
    CorrectnessReply,
    CorrectnessVariables,
    DecomposeReply,
    DecomposeVariables,
    Interpretability,
    InterpretableReply,
    InterpretableVariables,
    PassageRelevanceVariables,
    Response,
    Stated,
    SufficiencyVariables,
    SupportReply,
    SupportVariables,
    YesNo,
    YesNoReply,
)
from goldsmith.scoring.records import Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from goldsmith.engine.local import Engine
    from goldsmith.llm.task import Task

V = TypeVar("V", bound=Record)
O = TypeVar("O", bound=Record)  # noqa: E741 - output, as in Task[V, O]

MEASURED = (
    "The judge is a set of offline rules, not a model: no basis for a release decision. Measured "
    "against people on claims it was not tuned on, supported or not, its macro-F1 is 0.72 on WiCE, "
    "0.79 on BEGIN and 0.66 on SciFact; of contradictions it sees hardly any."
)

# Chosen on the development splits of WiCE and BEGIN (benchmarks/judges.py --tune), where the
# optimum is flat: 0.52 with a penalty of 0.3 does as well to two thousandths. The test splits and
# SciFact had no part in it. Contradiction has no development split: its bar is set high.
SUPPORTS_FROM = 0.58
PARTIALLY_FROM = 0.29
NAME_PENALTY = 0.20
"""Off the coverage for a name that no passage holds: it may well have another one there."""
ALIGNED_SENTENCES = 3
CONTRADICTS_FROM = 0.90
"""Coverage by one sentence from which its other number or its negation is about the same thing."""

_DANGLING = frozenset({"former", "latter", "above", "below", "aforementioned"})
_RELATED_FROM = 0.2
_SUFFICIENT_FROM = 0.6
_SHORT_ANSWER = 12
"""Content words; a shorter answer need not repeat any of the question's."""


class OfflineJudge:
    """A `Model` for the judge's tasks, by rule."""

    name = "offline"

    def __init__(self, language: str = "en") -> None:
        self._language = language
        self._rules: dict[str, Callable[[Any], Record | None]] = {
            DECOMPOSE.name: self._decompose,
            INTERPRETABLE.name: self._interpretable,
            SUPPORT.name: self._support,
            ABSTENTION.name: self._abstention,
            CORRECTNESS.name: self._correctness,
            ANSWER_RELEVANCE.name: self._answer_relevance,
            PASSAGE_RELEVANCE.name: self._passage_relevance,
            SUFFICIENCY.name: self._sufficiency,
        }

    async def run(self, task: Task[V, O], variables: V) -> Outcome[O]:
        """Fails with `no_rule` for a task that is not a judge's, `cannot_tell` where no word of the
        rules applies.
        """
        rule = self._rules.get(task.name)
        if rule is None:
            return Outcome(self.name, failure="no_rule", detail=f"no offline rule for {task.name}")
        reply = rule(variables)
        if reply is None:
            return Outcome(self.name, failure="cannot_tell")
        return Outcome(self.name, value=task.output.model_validate(reply.model_dump()))

    def _decompose(self, asked: DecomposeVariables) -> DecomposeReply:
        return DecomposeReply(reasoning="the sentence is the claim", claims=(asked.sentence,))

    def _interpretable(self, asked: InterpretableVariables) -> InterpretableReply:
        words = content_words(asked.claim, self._language)
        dangling = _DANGLING & set(asked.claim.casefold().split())
        if not words or dangling:
            why = f"refers to {sorted(dangling)}" if dangling else "holds no word of content"
            return InterpretableReply(rationale=why, verdict=Interpretability.NOT_INTERPRETABLE)
        return InterpretableReply(
            rationale="nothing in it refers elsewhere", verdict=Interpretability.INTERPRETABLE
        )

    def _support(self, asked: SupportVariables) -> SupportReply:
        texts = [passage.text for passage in asked.passages]
        evidence = evidence_of(asked.claim, texts, self._language)
        return SupportReply.model_validate(
            {"rationale": evidence.rationale, "verdict": verdict_of(evidence)}
        )

    def _abstention(self, asked: AbstentionVariables) -> AbstentionReply:
        declined = abstains(asked.answer, self._language)
        return AbstentionReply(
            rationale="its first sentence declines" if declined else "its first sentence answers",
            verdict=Response.ABSTAINS if declined else Response.ANSWERS,
        )

    def _correctness(self, asked: CorrectnessVariables) -> CorrectnessReply:
        parts = [s.text for s in sentences(asked.answer, self._language)] or [asked.answer]
        if any(same_answer(asked.statement, part, self._language) for part in parts):
            return CorrectnessReply(rationale="a sentence says the same", verdict=Stated.STATES)
        aligned = align(asked.statement, [asked.answer], self._language)
        why = _contradiction(asked.statement, aligned, self._language)
        return CorrectnessReply(
            rationale=why or "no sentence says the same",
            verdict=Stated.CONTRADICTS if why else Stated.LEAVES_OUT,
        )

    def _answer_relevance(self, asked: AnswerRelevanceVariables) -> YesNoReply | None:
        if is_refusal(asked.answer):
            return YesNoReply(rationale="it says that there is no answer", verdict=YesNo.YES)
        shared = overlap(asked.question, asked.answer, self._language)
        if shared >= _RELATED_FROM:
            return YesNoReply(rationale=f"shares {shared:.2f} of the words", verdict=YesNo.YES)
        if len(content_words(asked.answer, self._language)) < _SHORT_ANSWER:
            return None
        return YesNoReply(rationale=f"shares {shared:.2f} of the words", verdict=YesNo.NO)

    def _passage_relevance(self, asked: PassageRelevanceVariables) -> YesNoReply:
        return _from(overlap(asked.question, asked.passage, self._language), _RELATED_FROM)

    def _sufficiency(self, asked: SufficiencyVariables) -> YesNoReply:
        joined = "\n".join(passage.text for passage in asked.passages)
        return _from(overlap(asked.question, joined, self._language), _SUFFICIENT_FROM)


def offline_judge(*, engine: Engine | None = None, language: str = "en") -> Judge:
    """The offline rules as a judge that says how well it was measured to do."""
    return Judge(
        OfflineJudge(language), engine=engine, language=language, note=MEASURED, by_rules=True
    )


def _from(share: float, threshold: float) -> YesNoReply:
    return YesNoReply(
        rationale=f"{share:.2f} of the question's words",
        verdict=YesNo.YES if share >= threshold else YesNo.NO,
    )


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the words of the passages say about a claim."""

    aligned: Alignment
    unstated: tuple[str, ...]
    """Numbers, units, dates and negations of the claim that no passage holds."""
    names: tuple[str, ...]
    """Names of the claim that no passage holds."""
    against: str
    """Why the best sentence says otherwise; empty when it does not."""

    @property
    def rationale(self) -> str:
        said = f"words covered {self.aligned.coverage:.2f}"
        if missing := (*self.unstated, *self.names):
            said += f"; not found: {', '.join(missing)}"
        return f"{said}; {self.against}: {self.aligned.best!r}" if self.against else said


def evidence_of(claim: str, passages: Sequence[str], language: str = "en") -> Evidence:
    """Look the claim up in the passages, read together."""
    aligned = align(claim, passages, language)
    missing = unstated(claim, "\n".join(passages), language)
    return Evidence(
        aligned=aligned,
        unstated=missing.facts,
        names=missing.names,
        against=_contradiction(claim, aligned, language),
    )


def verdict_of(
    evidence: Evidence,
    *,
    supports_from: float = SUPPORTS_FROM,
    name_penalty: float = NAME_PENALTY,
    partially_from: float = PARTIALLY_FROM,
) -> Verdict:
    """The thresholds are arguments so that they can be measured."""
    if evidence.against:
        return Verdict.CONTRADICTS
    coverage = evidence.aligned.coverage
    score = coverage - (name_penalty if evidence.names else 0.0)
    if score >= supports_from and not evidence.unstated:
        return Verdict.SUPPORTS
    return Verdict.PARTIALLY_SUPPORTS if coverage >= partially_from else Verdict.DOES_NOT_SUPPORT


@dataclass(frozen=True, slots=True)
class Alignment:
    """The sentences that cover a claim best."""

    coverage: float
    """Share of the claim's content words in the best few sentences together."""
    best: str
    """The one sentence that covers most."""
    best_coverage: float


@lru_cache(maxsize=20_000)
def _sentence_words(passage: str, language: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """Sentences with their content words: a passage is looked at for many claims."""
    return tuple(
        (sentence.text, frozenset(content_words(sentence.text, language)))
        for sentence in sentences(passage, language)
    )


def align(claim: str, passages: Sequence[str], language: str = "en") -> Alignment:
    """Choose sentences greedily, each the one that adds most of the claim's words."""
    wanted = frozenset(content_words(claim, language))
    held = {
        text: wanted & words
        for passage in passages
        for text, words in _sentence_words(passage, language)
    }
    if not wanted or not held:
        return Alignment(coverage=0.0, best="", best_coverage=0.0)
    found: frozenset[str] = frozenset()
    best = max(held, key=lambda text: len(held[text]))
    for _ in range(ALIGNED_SENTENCES):
        found |= max(held.values(), key=lambda words: len(words - found))
    return Alignment(
        coverage=len(found) / len(wanted),
        best=best,
        best_coverage=len(held[best]) / len(wanted),
    )


def _contradiction(claim: str, aligned: Alignment, language: str) -> str:
    """Why the best sentence says otherwise about the same thing; empty when it does not."""
    if aligned.best_coverage < CONTRADICTS_FROM:
        # The claim's own numbers are what is in doubt: leave them out of the coverage.
        bare = " ".join(word for word in claim.split() if not any(map(str.isdigit, word)))
        if content_coverage(bare, aligned.best, language) < CONTRADICTS_FROM:
            return ""
    if is_negated(claim, language) != is_negated(aligned.best, language):
        return "negated on one side only"
    said, stated = dict(quantities(claim)), dict(quantities(aligned.best))
    units = {unit for unit in said.values() if unit in stated.values()}
    if units and not set(said.items()) & set(stated.items()):
        return f"another number of {sorted(units)}"
    return ""
