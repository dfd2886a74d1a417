"""The judge: two gates in order, each question asked once, each verdict checked.

A judge is a `Model` (an endpoint, the offline rules, a script in tests) that runs the tasks of
`judge_tasks`. What every one of them needs is here, so that none can leave it out: the same
question is never asked twice, many are under way at a time, a `supports` that fails a deterministic
check is lowered, and an unreadable verdict is no verdict.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from goldsmith.engine.local import LocalEngine
from goldsmith.records import Record
from goldsmith.scoring.checks import failed_checks
from goldsmith.scoring.judge_tasks import (
    INTERPRETABLE,
    SUPPORT,
    Interpretability,
    InterpretableVariables,
    SupportVariables,
    shown,
)
from goldsmith.scoring.records import Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goldsmith.engine.local import Engine
    from goldsmith.llm.task import Model, Outcome, Task
    from goldsmith.scoring.judge_tasks import SupportReply

V = TypeVar("V", bound=Record)
O = TypeVar("O", bound=Record)  # noqa: E741 - output, as in Task[V, O]


@dataclass(frozen=True, slots=True)
class Ruling:
    """A verdict on a claim, or why there is none: exactly one of `verdict` and `failure`."""

    verdict: Verdict | None = None
    failure: str | None = None
    rationale: str = ""
    lowered: tuple[str, ...] = ()
    """The checks that turned `supports` into `partially_supports` (flag `check_failed`)."""
    probability: float | None = None


@dataclass(frozen=True, slots=True)
class Understood:
    """Whether a claim can be understood; None when the judge gave no readable verdict."""

    interpretable: bool | None
    failure: str | None = None
    rationale: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A support question: the claim, and the texts of the passages that it may rest on."""

    claim: str
    passages: tuple[str, ...]


class Judge:
    """Asks a model, in batches, each question once, and checks what it says."""

    def __init__(
        self,
        model: Model,
        *,
        engine: Engine | None = None,
        language: str = "en",
        note: str = "",
        by_rules: bool = False,
    ) -> None:
        self._model = model
        self._language = language
        self._engine = engine or LocalEngine()
        self._answered: dict[tuple[str, Record], Outcome[Any]] = {}
        self.by_rules = by_rules
        """It reads words, not meaning; the labelled half does that without a judge."""
        self.note = note
        """A sentence that every report with this judge prints: how well it was measured to do."""

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def questions_asked(self) -> int:
        """Different questions so far; repeats cost nothing."""
        return len(self._answered)

    async def ask(self, task: Task[V, O], questions: Sequence[V]) -> list[Outcome[O]]:
        """An outcome for each question, in order; equal questions share one."""
        new = [q for q in dict.fromkeys(questions) if (task.name, q) not in self._answered]

        async def put(question: V) -> Outcome[O]:
            return await self._model.run(task, question)

        outcomes = await self._engine.map(put, new)
        for question, outcome in zip(new, outcomes, strict=True):
            self._answered[task.name, question] = outcome
        return [self._answered[task.name, question] for question in questions]

    async def understand(self, claims: Sequence[tuple[str, str]]) -> list[Understood]:
        """First gate, for (question, claim) pairs; no passage is shown."""
        outcomes = await self.ask(
            INTERPRETABLE,
            [InterpretableVariables(question=question, claim=claim) for question, claim in claims],
        )
        return [
            Understood(None, failure=outcome.failure)
            if outcome.value is None
            else Understood(
                outcome.value.verdict is Interpretability.INTERPRETABLE,
                rationale=outcome.value.rationale,
            )
            for outcome in outcomes
        ]

    async def support(self, asked: Sequence[Asked]) -> list[Ruling]:
        """Second gate: only the passages given are seen. No passage at all supports nothing."""
        with_passages = [item for item in asked if item.passages]
        outcomes = await self.ask(
            SUPPORT,
            [SupportVariables(claim=a.claim, passages=shown(a.passages)) for a in with_passages],
        )
        rulings = {
            item: self._ruling(item, outcome)
            for item, outcome in zip(with_passages, outcomes, strict=True)
        }
        nothing = Ruling(Verdict.DOES_NOT_SUPPORT, rationale="no passage to rest on")
        return [rulings.get(item, nothing) for item in asked]

    def _ruling(self, asked: Asked, outcome: Outcome[SupportReply]) -> Ruling:
        if outcome.value is None:
            return Ruling(failure=outcome.failure)
        reply = outcome.value
        lowered: tuple[str, ...] = ()
        if reply.verdict is Verdict.SUPPORTS:
            lowered = failed_checks(asked.claim, "\n".join(asked.passages), self._language)
        return Ruling(
            verdict=Verdict.PARTIALLY_SUPPORTS if lowered else reply.verdict,
            rationale=reply.rationale,
            lowered=lowered,
            probability=reply.probability,
        )
