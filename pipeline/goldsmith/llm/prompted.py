"""The model behind an endpoint: renders the prompt, sends it down the stack, reads the reply."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from goldsmith.llm.faults import CallError
from goldsmith.llm.ledger import Ledger
from goldsmith.llm.parsing import Parsed, parse_reply
from goldsmith.llm.request import Finish, Reply, Request
from goldsmith.llm.schema import strict_schema
from goldsmith.llm.task import Outcome
from goldsmith.prompts import Message, load_prompt
from goldsmith.records import Record, Usage

if TYPE_CHECKING:
    from pathlib import Path

    from goldsmith.llm.request import Sender
    from goldsmith.llm.task import Task
    from goldsmith.prompts import Prompt

V = TypeVar("V", bound=Record)
O = TypeVar("O", bound=Record)  # noqa: E741 - as in `task`

_QUOTED_BACK = 4000
"""Characters of a faulty reply that a re-ask shows again."""

_FINISH_FAILURES = {
    Finish.LENGTH: ("truncated", "the reply reached the token limit of its prompt"),
    Finish.REFUSED: ("refused", "the model declined to answer"),
    Finish.FILTERED: ("filtered", "the content filter of the endpoint stopped the reply"),
}
_ASKED_AGAIN = frozenset({"empty", "truncated", "unparseable", "unfit"})
"""Failures of form. One of will (a refusal, a filter) is not argued with."""


@dataclass(frozen=True, slots=True)
class _Attempt:
    """One reply, read."""

    request: Request
    reply: Reply
    parsed: Parsed[Any]


class PromptedModel:
    """A `Model` over a stack of senders."""

    def __init__(
        self,
        sender: Sender,
        prompts_folder: Path,
        *,
        name: str,
        seed: int | None = None,
        max_reasks: int = 1,
        ledger: Ledger | None = None,
    ) -> None:
        self._sender = sender
        self._folder = prompts_folder
        self._name = name
        self._seed = seed
        self._max_reasks = max_reasks
        self.ledger = ledger or Ledger(name)
        self._prompts: dict[str, Prompt] = {}

    @property
    def name(self) -> str:
        return self._name

    def prompt_of(self, task: Task[V, O]) -> Prompt:
        """The prompt of a task, read once. Raises `SettingsError` when it is not usable."""
        if task.name not in self._prompts:
            fields = task.variables.model_fields
            self._prompts[task.name] = load_prompt(self._folder, task.name, fields)
        return self._prompts[task.name]

    def request_for(self, task: Task[V, O], variables: V) -> Request:
        """The first call of a task: what a batch or an estimate needs to know beforehand."""
        prompt = self.prompt_of(task)
        return Request(
            task=task.name,
            model=self._name,
            messages=prompt.render(variables),
            temperature=prompt.front.temperature,
            max_tokens=prompt.front.max_tokens,
            seed=self._seed,
            schema_name=task.output.__name__,
            output_schema=strict_schema(task.output),
        )

    async def run(self, task: Task[V, O], variables: V) -> Outcome[O]:
        """Ask, and ask again when the form of the reply is at fault; see `task.Model.run`."""
        first = self.request_for(task, variables)
        request, usage = first, Usage()
        while True:
            try:
                attempt = self._read(first, request, await self._sender.send(request), task)
            except CallError as error:
                return self._failed(task, request, usage, error)
            reask = request is not first
            self.ledger.answered(task.name, attempt.reply, reask=reask)
            usage += Usage(
                calls=1,
                reasks=int(reask),
                tokens_in=attempt.reply.tokens_in,
                tokens_out=attempt.reply.tokens_out,
            )
            failure = attempt.parsed.failure
            if failure not in _ASKED_AGAIN or usage.reasks >= self._max_reasks:
                return self._outcome(task, attempt, usage)
            request = _corrective(first, attempt)

    def _read(self, first: Request, request: Request, reply: Reply, task: Task[V, O]) -> _Attempt:
        """Only the first request is what the model was shown: a re-ask repeats its own words."""
        if reply.finish in _FINISH_FAILURES:
            failure, detail = _FINISH_FAILURES[reply.finish]
            return _Attempt(request, reply, Parsed(failure=failure, detail=detail))
        shown = (message.content for message in first.messages)
        return _Attempt(request, reply, parse_reply(reply.text, task.output, prompt=shown))

    def _outcome(self, task: Task[V, O], attempt: _Attempt, usage: Usage) -> Outcome[O]:
        if attempt.parsed.failure is not None:
            self.ledger.failed(task.name)
        return Outcome(
            model=self._name,
            value=attempt.parsed.value,
            failure=attempt.parsed.failure,
            detail=attempt.parsed.detail,
            raw=attempt.reply.text,
            prompt=self.prompt_of(task).version,
            request_key=attempt.request.key,
            usage=usage,
        )

    def _failed(
        self, task: Task[V, O], request: Request, usage: Usage, error: CallError
    ) -> Outcome[O]:
        self.ledger.failed(task.name)
        return Outcome(
            model=self._name,
            failure=error.failure,
            detail=str(error),
            prompt=self.prompt_of(task).version,
            request_key=request.key,
            usage=usage,
        )


def _corrective(first: Request, attempt: _Attempt) -> Request:
    """The first request, the reply to it, and what is wrong with that."""
    said = attempt.reply.text[:_QUOTED_BACK]
    wanted = (
        f"This reply cannot be used: {attempt.parsed.detail}. Reply again: one complete JSON "
        "object with exactly the keys that were asked for, no other text, and brief enough to end."
    )
    before = (Message(role="assistant", content=said),) if said.strip() else ()
    messages = (*first.messages, *before, Message(role="user", content=wanted))
    # A sample of its own: the same fault twice must not be served the same reply twice.
    return replace(first, messages=messages, sample=attempt.request.sample + 1)
