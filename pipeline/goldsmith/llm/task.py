"""What can be asked of a language model, and what comes back: the seam of the whole build.

A `Task` is a name (its prompt file), typed variables and a typed output. A `Model` runs it. There
are three: `PromptedModel` (an endpoint), `OfflineModel` (rules, no network) and `ScriptedModel`
(tests). Stages know only the Protocol.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from goldsmith.records import Provenance, Record, Usage

if TYPE_CHECKING:
    from collections.abc import Iterable

V = TypeVar("V", bound=Record)
O = TypeVar("O", bound=Record)  # noqa: E741 - output; V and O read as in Task[V, O]


@dataclass(frozen=True, slots=True)
class Task(Generic[V, O]):
    """One thing to ask. `name` is the path of its prompt below `prompts/`, without `.md`."""

    name: str
    variables: type[V]
    output: type[O]


@dataclass(frozen=True, slots=True)
class Outcome(Generic[O]):
    """The answer, or why there is none. Exactly one of `value` and `failure` is set."""

    model: str
    value: O | None = None
    failure: str | None = None
    """A snake_case reason: `refused`, `truncated`, `unparseable`, `no_fact`, ..."""
    detail: str = ""
    raw: str | None = None
    """The reply as it came."""
    prompt: str | None = None
    """`task@digest` of the prompt; None for a model that reads no prompt."""
    request_key: str | None = None
    usage: Usage = Usage()  # noqa: RUF009 - frozen

    def __post_init__(self) -> None:
        if (self.value is None) == (self.failure is None):
            raise ValueError("an outcome has a value or a failure, never both and never neither")


class Model(Protocol):
    """Anything that can run a task."""

    @property
    def name(self) -> str:
        """As it stands in provenance and manifest."""
        ...

    async def run(self, task: Task[V, O], variables: V) -> Outcome[O]:
        """Never raises for a bad reply (that is a failed outcome).

        Raises `ModelError` when the endpoint as a whole cannot be used, and
        `BudgetExceededError` at a limit.
        """
        ...


def provenance_of(outcomes: Iterable[Outcome[O]], model: str) -> Provenance:
    """The prompts and calls behind a row, without repeats."""
    listed = list(outcomes)
    return Provenance(
        model=model,
        prompts=tuple(dict.fromkeys(o.prompt for o in listed if o.prompt)),
        requests=tuple(dict.fromkeys(o.request_key for o in listed if o.request_key)),
    )
