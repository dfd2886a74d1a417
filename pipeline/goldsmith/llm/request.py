"""What is sent to an endpoint, what comes back, and the Protocol that every layer shares.

A call passes through a stack of layers, each of which is a `Sender` around another::

    Cached > Budgeted > Retrying > Limited > OpenAIClient

`Limited` is inside `Retrying`, so that every attempt counts against the rates of the endpoint,
and a call that waits for its next attempt holds no slot.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from goldsmith.ids import canonical_json

if TYPE_CHECKING:
    from goldsmith.prompts import Message

KEY_VERSION = 1
"""Part of every key. Raise it when the meaning of a stored reply changes."""

NOT_IN_KEY = {
    "task": "what the call is for, in the ledger; the words that were sent are in the messages",
    "schema_name": "a label for the endpoint; the schema itself is in the key",
    "base_url": "the same model behind a gateway or another host name is the same model",
    "api_key": "who pays does not change the reply",
    "timeout, retries, concurrency": "they change when a reply comes, not what it says",
    "how the shape was asked for": (
        "json_schema, JSON mode or plain text: negotiated with the endpoint; "
        "the schema that was wanted is in the key, and every reply is parsed alike"
    ),
    "online or batch": "two ways to the same reply, and the cache serves both",
}
"""What a key leaves out, and why. Everything else of a `Request` is in it."""


@dataclass(frozen=True, slots=True)
class Request:
    """One call to a model; equal content has an equal `key` on every machine."""

    task: str
    model: str
    messages: tuple[Message, ...]
    temperature: float
    max_tokens: int
    seed: int | None = None
    schema_name: str = "reply"
    output_schema: str | None = None
    """Canonical JSON of the schema that the reply is wanted in."""
    sample: int = 0
    """Tells independent replies to the same words apart."""
    identity: bytes = field(init=False, repr=False)
    """The canonical JSON that `key` is the digest of."""
    key: str = field(init=False)
    """sha256 (hex): the name of the reply in the cache."""

    def __post_init__(self) -> None:
        identity = canonical_json(
            {
                "v": KEY_VERSION,
                "model": self.model,
                "messages": [[message.role, message.content] for message in self.messages],
                "temperature": self.temperature,
                "max_tokens": self.max_tokens,
                "seed": self.seed,
                "schema": self.output_schema,
                "sample": self.sample,
            }
        )
        object.__setattr__(self, "identity", identity)
        object.__setattr__(self, "key", hashlib.sha256(identity).hexdigest())


class Finish(StrEnum):
    """Why the model stopped."""

    STOP = "stop"
    LENGTH = "length"
    REFUSED = "refused"
    FILTERED = "filtered"


@dataclass(frozen=True, slots=True)
class Reply:
    """What the endpoint said. Tokens are those billed when the reply was first made."""

    text: str
    finish: Finish = Finish.STOP
    tokens_in: int = 0
    tokens_out: int = 0
    model: str = ""
    """As the endpoint names itself: `gpt-5` answers as `gpt-5-2026-08-07`."""
    cached: bool = False


class Sender(Protocol):
    """One layer of the stack."""

    async def send(self, request: Request) -> Reply:
        """The reply to `request`.

        Raises a `CallError` when this call found no reply (others may), `ModelError` when the
        endpoint as a whole is out of reach, `BudgetExceededError` at a limit, and `CacheError`.
        """
        ...
