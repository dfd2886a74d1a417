"""A model that says what a test tells it to: for the tests of goldsmith, and of its users.

model = ScriptedModel({
    "critique/standalone": [RatingReply(rationale="clear", rating=5), "no JSON at all"],
    "generate/factoid": lambda variables: FactoidReply(...),
})
outcome = await model.run(STANDALONE, StandaloneVariables(question="..."))
assert model.calls[0].variables.question == "..."
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from goldsmith.errors import ModelError
from goldsmith.llm.parsing import parse_reply
from goldsmith.llm.task import Outcome
from goldsmith.records import Record, Usage

if TYPE_CHECKING:
    from goldsmith.llm.task import Task

V = TypeVar("V", bound=Record)
O = TypeVar("O", bound=Record)  # noqa: E741 - as in `task`


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed outcome, as an answer of a script."""

    reason: str
    detail: str = ""
    raw: str | None = None


Answer = Record | str | Failure | Exception
"""An output; a raw reply (parsed as an endpoint's would be); a failure; an error to raise."""

Script = Answer | Sequence[Answer] | Callable[[Any], Answer]
"""The same answer every time; one after the other; or what a function makes of the variables."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call as it was made."""

    task: str
    variables: Any


class ScriptedModel:
    """A `Model` that answers by the name of the task, and remembers every call."""

    def __init__(self, scripts: Mapping[str, Script], *, name: str = "scripted") -> None:
        self.calls: list[Call] = []
        self._name = name
        self._scripts = dict(scripts)
        self._queues: dict[str, Iterator[Answer]] = {
            task: iter(script)
            for task, script in scripts.items()
            if isinstance(script, Sequence) and not isinstance(script, str)
        }

    @property
    def name(self) -> str:
        return self._name

    def calls_of(self, task: Task[V, O]) -> list[V]:
        """The variables of every call of one task, in order."""
        return [call.variables for call in self.calls if call.task == task.name]

    async def run(self, task: Task[V, O], variables: V) -> Outcome[O]:
        """The next answer of the script; `ModelError` when it has none."""
        self.calls.append(Call(task.name, variables))
        answer = self._answer(task.name, variables)
        usage = Usage(calls=1)
        if isinstance(answer, Exception):
            raise answer
        if isinstance(answer, Failure):
            return Outcome(
                model=self._name,
                failure=answer.reason,
                detail=answer.detail,
                raw=answer.raw,
                usage=usage + Usage(failed=1),
            )
        if isinstance(answer, str):
            parsed = parse_reply(answer, task.output)
            return Outcome(
                model=self._name,
                value=parsed.value,
                failure=parsed.failure,
                detail=parsed.detail,
                raw=answer,
                usage=usage + Usage(failed=parsed.failure is not None),
            )
        value = task.output.model_validate(answer.model_dump())
        return Outcome(model=self._name, value=value, raw=value.model_dump_json(), usage=usage)

    def _answer(self, task: str, variables: Record) -> Answer:
        if task not in self._scripts:
            raise ModelError(f"the script has no answers for {task!r}; it has {[*self._scripts]}")
        script = self._scripts[task]
        if task in self._queues:
            answer = next(self._queues[task], None)
            if answer is None:
                raise ModelError(f"the script has no further answer for {task!r}")
            return answer
        if isinstance(script, Record | str | Failure | Exception):
            return script
        if callable(script):
            return script(variables)
        raise TypeError(f"no script: {script!r}")
