"""A row of the response cache: a request and its reply, each with its digest."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Protocol, Self

import orjson

from goldsmith.ids import canonical_json
from goldsmith.llm.request import Finish, Reply


class Asked(Protocol):
    """What the cache needs to know of a request."""

    @property
    def key(self) -> str: ...
    @property
    def task(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def identity(self) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the cache."""

    key: str
    task: str
    model: str
    identity: bytes
    reply: bytes
    checksum: str

    @property
    def is_sound(self) -> bool:
        """Whether key and checksum are those of the content."""
        return has_digest(self.identity, self.key) and has_digest(self.reply, self.checksum)

    @classmethod
    def of(cls, asked: Asked, reply: Reply) -> Self:
        content = canonical_json(
            {
                "text": reply.text,
                "finish": reply.finish.value,
                "tokens_in": reply.tokens_in,
                "tokens_out": reply.tokens_out,
                "model": reply.model,
            }
        )
        return cls(asked.key, asked.task, asked.model, asked.identity, content, sha256(content))

    @property
    def row(self) -> tuple[str, str, str, bytes, bytes, str]:
        return (self.key, self.task, self.model, self.identity, self.reply, self.checksum)


def reply_of(content: bytes) -> Reply:
    """The reply in a row of the cache."""
    values = orjson.loads(content)
    return Reply(
        text=values["text"],
        finish=Finish(values["finish"]),
        tokens_in=values["tokens_in"],
        tokens_out=values["tokens_out"],
        model=values["model"],
        cached=True,
    )


def has_digest(content: object, digest: str) -> bool:
    """Whether a value of the file is what was stored; one edited by hand may be no bytes at all."""
    return isinstance(content, bytes) and sha256(content) == digest


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
