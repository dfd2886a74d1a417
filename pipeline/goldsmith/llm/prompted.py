"""The model behind an endpoint: renders the prompt, sends it down the stack, reads the reply."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from goldsmith.llm.faults import CallError
from goldsmith.llm.ledger import Ledger
from goldsmith.llm.parsing import Parsed, parse_reply
from goldsmith.llm.request import Finish, Reply, Request
from goldsmith.llm.schema import strict_schema
from goldsmith.llm.task import Outcome
from goldsmith.prompts import Message, load_prompt
from goldsmith.records import Record, Usage

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager
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
        stage: str | None = None,
        most_rendered: int | None = None,
    ) -> None:
        """`stage`: whose calls these are, in the ledger; None: the first word of each task's name.

        `most_rendered`: prompts held in memory at a time; further calls wait unrendered.
        """
        self._sender = sender
        self._folder = prompts_folder
        self._name = name
        self._seed = seed
        self._max_reasks = max_reasks
        self.ledger = ledger or Ledger(name)
        self._stage = stage
        self._gate: AbstractAsyncContextManager[object] = (
            nullcontext() if most_rendered is None else asyncio.Semaphore(most_rendered)
        )
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
        async with self._gate:
            return await self._run(task, variables)

    async def _run(self, task: Task[V, O], variables: V) -> Outcome[O]:
        first = self.request_for(task, variables)
        request, replies = first, list[Reply]()
        while True:
            try:
                reply = await self._sender.send(request)
            except CallError as error:
                return self._failed(task, request, replies, error)
            self.ledger.answered(self._stage_of(task), reply, reask=request is not first)
            replies.append(reply)
            parsed = self._read(first, reply, task)
            if parsed.failure not in _ASKED_AGAIN or len(replies) > self._max_reasks:
                return self._outcome(task, request, replies, parsed)
            request = _corrective(first, request, reply, parsed.detail)

    def _read(self, first: Request, reply: Reply, task: Task[V, O]) -> Parsed[O]:
        """Only the first request is what the model was shown: a re-ask repeats its own words."""
        if reply.finish in _FINISH_FAILURES:
            failure, detail = _FINISH_FAILURES[reply.finish]
            return Parsed(failure=failure, detail=detail)
        shown = (message.content for message in first.messages)
        return parse_reply(reply.text, task.output, prompt=shown)

    def _outcome(
        self, task: Task[V, O], request: Request, replies: list[Reply], parsed: Parsed[O]
    ) -> Outcome[O]:
        if parsed.failure is not None:
            self.ledger.failed(self._stage_of(task))
        return Outcome(
            model=self._name,
            value=parsed.value,
            failure=parsed.failure,
            detail=parsed.detail,
            raw=replies[-1].text,
            prompt=self.prompt_of(task).version,
            request_key=request.key,
            usage=_usage(replies, failed=parsed.failure is not None),
        )

    def _failed(
        self, task: Task[V, O], request: Request, replies: list[Reply], error: CallError
    ) -> Outcome[O]:
        """No reply to the last request; the one before it, if any, is the raw one."""
        self.ledger.failed(self._stage_of(task))
        return Outcome(
            model=self._name,
            failure=error.failure,
            detail=str(error),
            raw=replies[-1].text if replies else None,
            prompt=self.prompt_of(task).version,
            request_key=request.key,
            usage=_usage(replies, failed=True),
        )

    def _stage_of(self, task: Task[V, O]) -> str:
        return self._stage or task.name.partition("/")[0]


def _usage(replies: list[Reply], *, failed: bool) -> Usage:
    return Usage(
        calls=len(replies),
        reasks=max(0, len(replies) - 1),
        failed=failed,
        tokens_in=sum(reply.tokens_in for reply in replies),
        tokens_out=sum(reply.tokens_out for reply in replies),
    )


def _corrective(first: Request, faulty: Request, reply: Reply, fault: str) -> Request:
    """The first request, the reply to it, and what is wrong with that."""
    said = reply.text[:_QUOTED_BACK]
    wanted = (
        f"This reply cannot be used: {fault}. Reply again: one complete JSON "
        "object with exactly the keys that were asked for, no other text, and brief enough to end."
    )
    before = (Message(role="assistant", content=said),) if said.strip() else ()
    messages = (*first.messages, *before, Message(role="user", content=wanted))
    # A sample of its own: the same fault twice must not be served the same reply twice.
    return replace(first, messages=messages, sample=faulty.sample + 1)
