"""Vectors of texts, from any OpenAI-compatible endpoint, through the same layers as every call.

Each text has a row of its own in the response cache, so that a corpus that changed by a page pays
for that page. What is not there is asked for many texts at a time.
"""

from __future__ import annotations

import asyncio
from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson

from goldsmith.errors import CacheError, ModelError
from goldsmith.llm.entry import Entry
from goldsmith.llm.faults import CallError, RejectedError, TransientError
from goldsmith.llm.request import Reply, Request
from goldsmith.prompts import Message
from goldsmith.records import Usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy.typing as npt

    from goldsmith.llm.cache import ResponseCache
    from goldsmith.llm.connection import Connection
    from goldsmith.llm.request import Sender

    Vectors = npt.NDArray[np.float32]

TASK = "search/embed"
TEXTS_A_CALL = 64
_FLOAT = np.dtype("<f4")
_BLANK = " "
"""Endpoints refuse an empty text."""


class EmbeddingClient:
    """The innermost layer: one attempt at the vectors of the texts in one request."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def send(self, request: Request) -> Reply:
        """The reply's text is a JSON list of vectors, each float32 in base64, in order."""
        texts = [message.content for message in request.messages]
        body = {"model": request.model, "input": texts, "encoding_format": "float"}
        content = await self._connection.post("/embeddings", body)
        return _read(content, texts)


class Embedder:
    """Texts to unit vectors: from the cache, else from `sender`."""

    def __init__(self, sender: Sender | None, cache: ResponseCache, name: str) -> None:
        """Without `sender` nothing is asked: a text that is not in the cache is a `CacheError`."""
        self.name = name
        self.usage = Usage()
        """Of all texts given so far, as they were first billed; a call for each `TEXTS_A_CALL`."""
        self._sender = sender
        self._cache = cache

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One row a text. Raises `ModelError` for a text that the endpoint does not take."""
        requests = [self._request(text) for text in dict.fromkeys(texts)]
        replies = {request.key: self._cache.get(request.key) for request in requests}
        missing = [request for request in requests if replies[request.key] is None]
        replies |= {
            request.key: reply
            for request, reply in zip(missing, await self._ask(missing), strict=True)
        }
        known = {key: reply for key, reply in replies.items() if reply is not None}
        self._count(known.values())
        vectors = {key: _vector(reply.text) for key, reply in known.items()}
        return self._stacked([vectors[self._request(text).key] for text in texts])

    def _request(self, *texts: str) -> Request:
        messages = tuple(Message(role="input", content=text.strip() or _BLANK) for text in texts)
        return Request(TASK, self.name, messages, temperature=0.0, max_tokens=0)

    async def _ask(self, missing: Sequence[Request]) -> list[Reply]:
        if not missing:
            return []
        if self._sender is None:
            raise CacheError(
                f"{len(missing)} texts have no vector of model {self.name!r} in the cache, and the "
                "build was told to make no calls: allow calls, or import the cache it needs"
            )
        sender = self._sender
        parts = [missing[at : at + TEXTS_A_CALL] for at in range(0, len(missing), TEXTS_A_CALL)]
        tasks = [asyncio.create_task(self._asked(part, sender)) for part in parts]
        try:
            return [reply for part in await asyncio.gather(*tasks) for reply in part]
        finally:
            for task in tasks:
                task.cancel()

    async def _asked(self, part: Sequence[Request], sender: Sender) -> list[Reply]:
        """Vectors of one call, stored before they are returned; halved where it is refused."""
        texts = [request.messages[0].content for request in part]
        try:
            reply = await sender.send(self._request(*texts))
        except RejectedError as error:
            if len(part) == 1:
                raise ModelError(
                    f"embedding model {self.name!r} does not take a text of {len(texts[0])} "
                    f"characters that begins {texts[0][:60]!r}: {error}; a smaller "
                    "chunk.chunk_size may help"
                ) from error
            middle = len(part) // 2
            halves = part[:middle], part[middle:]
            return [one for half in halves for one in await self._asked(half, sender)]
        except CallError as error:
            raise ModelError(f"embedding model {self.name!r} gave no vectors: {error}") from error
        shares = _shares(reply.tokens_in, [len(text) for text in texts])
        replies = [
            Reply(text=vector, tokens_in=share, model=reply.model)
            for vector, share in zip(orjson.loads(reply.text), shares, strict=True)
        ]
        self._cache.add(map(Entry.of, part, replies))
        return replies

    def _count(self, replies: Iterable[Reply]) -> None:
        counted = list(replies)
        self.usage += Usage(
            calls=-(-len(counted) // TEXTS_A_CALL),
            tokens_in=sum(reply.tokens_in for reply in counted),
        )

    def _stacked(self, vectors: list[Vectors]) -> Vectors:
        """Rows of unit length; a vector of zeros stays one."""
        lengths = sorted({len(vector) for vector in vectors})
        if len(lengths) > 1:
            raise ModelError(
                f"embedding model {self.name!r} gave vectors of {lengths} numbers: another model "
                "answers to that name now; give it another name, or use another cache"
            )
        rows = np.stack(vectors) if vectors else np.zeros((0, 0), dtype=_FLOAT)
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        return (rows / np.where(norms == 0, 1, norms)).astype(np.float32)


def _read(content: bytes, texts: Sequence[str]) -> Reply:
    """The vectors in a response body, by their index.

    Raises `TransientError` for a body that does not hold one for each text, all of one length.
    """
    try:
        body = orjson.loads(content)
        found = {int(row["index"]): _encoded(row["embedding"]) for row in body["data"]}
        vectors = [found[place] for place in range(len(texts))]
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError) as error:
        raise TransientError(
            f"the endpoint sent no vectors for {len(texts)} texts: {content[:120]!r}"
        ) from error
    counted = body.get("usage") or {}
    tokens = counted.get("prompt_tokens") if isinstance(counted, dict) else None
    return Reply(
        text=orjson.dumps(vectors).decode(),
        tokens_in=tokens if isinstance(tokens, int) else -(-sum(map(len, texts)) // 4),
        model=str(body.get("model") or ""),
    )


def _encoded(embedding: Any) -> str:  # noqa: ANN401 - decoded JSON
    """A list of numbers, or base64 as some servers send it, as base64 of float32."""
    if isinstance(embedding, str):
        vector = np.frombuffer(b64decode(embedding, validate=True), dtype=_FLOAT)
    else:
        vector = np.asarray(embedding, dtype=_FLOAT)
    if vector.ndim != 1 or not vector.size or not np.isfinite(vector).all():
        raise ValueError("no vector of finite numbers")
    return b64encode(vector.tobytes()).decode()


def _vector(encoded: str) -> Vectors:
    return np.frombuffer(b64decode(encoded), dtype=_FLOAT)


def _shares(total: int, lengths: Sequence[int]) -> list[int]:
    """`total` tokens over texts by their length, whole numbers that add up to it."""
    whole, given, so_far, shares = sum(lengths), 0, 0, []
    for length in lengths:
        so_far += length
        until = total * so_far // whole
        shares.append(until - given)
        given = until
    return shares
