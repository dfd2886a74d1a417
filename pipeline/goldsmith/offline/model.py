"""The embedded model: rules over the corpus, no network, the same on every machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from goldsmith.llm import tasks
from goldsmith.llm.task import Outcome, Task
from goldsmith.offline.absence import judge_absence
from goldsmith.offline.answer import answer_from
from goldsmith.offline.carries import judge_carries
from goldsmith.offline.factoid import write_factoid
from goldsmith.offline.false_premise import write_false_premise
from goldsmith.offline.groundedness import rate_groundedness
from goldsmith.offline.library import Declined, Library
from goldsmith.offline.missing import write_missing
from goldsmith.offline.multi_source import write_multi_source
from goldsmith.offline.outdated import write_outdated
from goldsmith.offline.relevance import rate_relevance
from goldsmith.offline.standalone import rate_standalone

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from goldsmith.llm.task import O, V
    from goldsmith.records import Chunk, Record

RULES: Mapping[str, Callable[[Any, Library], Any]] = {
    tasks.FACTOID.name: write_factoid,
    tasks.MULTI_SOURCE.name: write_multi_source,
    tasks.GROUNDEDNESS.name: rate_groundedness,
    tasks.RELEVANCE.name: rate_relevance,
    tasks.STANDALONE.name: rate_standalone,
    tasks.ANSWER.name: answer_from,
    tasks.MISSING.name: write_missing,
    tasks.OUTDATED.name: write_outdated,
    tasks.FALSE_PREMISE.name: write_false_premise,
    tasks.ABSENCE.name: judge_absence,
    tasks.CARRIES.name: judge_carries,
}
"""The register: a task is added by its name here and a module of its own."""


class OfflineModel:
    """A baseline: extractive, deterministic, English. It asks only what its patterns are sure of.

    A passage that no pattern fits fails with `no_fact`; a text in another language with
    `unsupported_language`.
    """

    name = "offline-2"

    def __init__(self, chunks: Sequence[Chunk]) -> None:
        self._library = Library(chunks)

    async def run(self, task: Task[V, O], variables: V) -> Outcome[O]:
        """Never fails for reasons outside the variables; see `Declined` for those within."""
        reply = self._reply(task.name, variables)
        if isinstance(reply, Declined):
            return Outcome(self.name, failure=reply.reason, detail=reply.detail)
        return Outcome(self.name, value=cast("O", reply))

    def _reply(self, task: str, variables: Record) -> object:
        if task not in RULES:
            return Declined("unsupported_task", f"no rules for {task!r}")
        language = getattr(variables, "language", "en")
        if language != "en":
            return Declined("unsupported_language", f"rules for English only, not {language!r}")
        return RULES[task](variables, self._library)
