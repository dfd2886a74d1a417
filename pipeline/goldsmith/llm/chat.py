"""The innermost layer: one attempt at one call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldsmith.llm.completion import read_completion
from goldsmith.llm.dialect import Dialect
from goldsmith.llm.faults import RejectedError

if TYPE_CHECKING:
    from goldsmith.llm.connection import Connection
    from goldsmith.llm.request import Reply, Request


class OpenAIClient:
    """A `Sender` of chat completions that learns what its endpoint takes."""

    def __init__(self, connection: Connection, dialect: Dialect | None = None) -> None:
        self._connection = connection
        self._dialect = dialect or Dialect()

    async def send(self, request: Request) -> Reply:
        """One attempt; a parameter that the endpoint refuses is left out and sent again."""
        while True:
            body = self._dialect.body(request)
            try:
                content = await self._connection.post("/chat/completions", body)
            except RejectedError as error:
                if not self._dialect.learn(body, error.said):
                    raise
            else:
                return read_completion(content, sum(len(m.content) for m in request.messages))
