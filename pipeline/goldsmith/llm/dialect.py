"""What an endpoint takes: learned from what it refuses, remembered, and said once.

"OpenAI-compatible" servers differ in the parameters that they know. A request goes out in the
fullest form first; a refusal that names a parameter takes that parameter away for good.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from goldsmith.llm.request import Request

_log = logging.getLogger(__name__)


class Shape(IntEnum):
    """How the shape of the reply is asked for, from the plainest to the strictest."""

    TEXT = 0
    JSON = 1
    SCHEMA = 2


@dataclass(slots=True)
class Dialect:
    """What one model at one endpoint has been found to take."""

    shape: Shape = Shape.SCHEMA
    left_out: set[str] = field(default_factory=set)
    """Parameters that it refuses."""
    length_name: str = "max_tokens"

    def body(self, request: Request) -> dict[str, Any]:
        """The body of a chat completion in this dialect, for `orjson.dumps`."""
        shape = self.shape if request.output_schema else Shape.TEXT
        messages = [{"role": m.role, "content": m.content} for m in request.messages]
        body: dict[str, Any] = {"model": request.model, "messages": messages}
        optional = {
            "temperature": request.temperature,
            self.length_name: request.max_tokens,
            "seed": request.seed,
        }
        body |= {k: v for k, v in optional.items() if v is not None and k not in self.left_out}
        if request.output_schema is None:
            return body
        if shape is Shape.SCHEMA:
            schema = orjson.Fragment(request.output_schema)
            wanted = {"name": request.schema_name, "strict": True, "schema": schema}
            body["response_format"] = {"type": "json_schema", "json_schema": wanted}
            return body
        if shape is Shape.JSON:
            body["response_format"] = {"type": "json_object"}
        messages[-1]["content"] += _instruction(request.output_schema)
        return body

    def learn(self, sent: dict[str, Any], complaint: str) -> bool:
        """Take the hint of a refusal; True when the request is worth sending again.

        `sent` is the body that was refused: another call may have learned the same meanwhile.
        """
        complaint = complaint.casefold()
        if "response_format" in sent and _names_the_shape(complaint):
            self._plainer(sent["response_format"]["type"])
            return True
        if "max_tokens" in sent and "max_completion_tokens" in complaint:
            if self.length_name == "max_tokens":
                self.length_name = "max_completion_tokens"
                _log.warning("the endpoint takes max_completion_tokens in place of max_tokens")
            return True
        for name in ("temperature", "seed"):
            if name in sent and name in complaint:
                self._leave_out(name)
                return True
        return False

    def _plainer(self, refused: str) -> None:
        was = Shape.SCHEMA if refused == "json_schema" else Shape.JSON
        if self.shape < was:
            return
        self.shape = Shape(was - 1)
        _log.warning("the endpoint refuses %s; from now on: %s", refused, self.shape.name.lower())

    def _leave_out(self, name: str) -> None:
        if name not in self.left_out:
            self.left_out.add(name)
            _log.warning("the endpoint refuses %r: left out, so replies may vary more", name)


def _names_the_shape(complaint: str) -> bool:
    words = ("response_format", "json_schema", "json_object", "json mode", "grammar", "schema")
    return any(word in complaint for word in words)


def _instruction(schema: str) -> str:
    return (
        "\n\nReply with one JSON object and nothing else. It must have exactly the keys that this "
        f"JSON schema describes, in the same order:\n{schema}"
    )
