"""An OpenAI-compatible endpoint on the loopback interface: real sockets, scripted trouble.

    with LLMServer(script=[Status(429), Chat('{"rating": 4}')]) as server:
        ...                       # base_url=server.url
    assert len(server.seen) == 2

Answers of `script` are given in the order in which requests arrive; then `default` answers.
`python -m tests.support.llm_server --latency 0.2` serves in a process of its own, prints its URL,
and stops when its standard input is closed.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import socket
import struct
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol, Self


@dataclass(frozen=True, slots=True)
class Seen:
    """A request as it arrived."""

    method: str
    path: str
    headers: dict[str, str]
    content: bytes

    @property
    def body(self) -> Any:  # noqa: ANN401 - decoded JSON
        return json.loads(self.content)

    @property
    def messages(self) -> list[str]:
        return [message["content"] for message in self.body["messages"]]


class Answer(Protocol):
    async def write(self, seen: Seen, writer: asyncio.StreamWriter) -> bool:
        """Write a response; True when the connection may serve another request."""
        ...


def response(
    content: bytes,
    *,
    status: int = 200,
    headers: dict[str, str] | None = None,
    content_type: str = "application/json",
) -> bytes:
    lines = [
        f"HTTP/1.1 {status} Scripted",
        f"content-type: {content_type}",
        f"content-length: {len(content)}",
        *(f"{name}: {value}" for name, value in (headers or {}).items()),
    ]
    return "\r\n".join([*lines, "", ""]).encode() + content


def completion(
    text: str | None,
    *,
    model: str = "scripted",
    finish: str = "stop",
    refusal: str | None = None,
    usage: tuple[int, int] | None = (100, 20),
) -> bytes:
    message = {"role": "assistant", "content": text, "refusal": refusal}
    body: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }
    if usage is not None:
        tokens_in, tokens_out = usage
        body["usage"] = {"prompt_tokens": tokens_in, "completion_tokens": tokens_out}
        body["usage"]["total_tokens"] = tokens_in + tokens_out
    return json.dumps(body).encode()


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat completion with this text."""

    text: str | None = '{"rationale": "scripted", "rating": 5}'
    finish: str = "stop"
    refusal: str | None = None
    usage: tuple[int, int] | None = (100, 20)
    latency: float = 0.0

    async def write(self, seen: Seen, writer: asyncio.StreamWriter) -> bool:
        if self.latency:
            await asyncio.sleep(self.latency)
        content = completion(self.text, finish=self.finish, refusal=self.refusal, usage=self.usage)
        writer.write(response(content))
        return True


@dataclass(frozen=True, slots=True)
class Embeddings:
    """A vector for each text of the request: how often it holds each of `words`, and a constant.

    Rows come in reverse order, as the format allows; a text with the word `refused` gets 400.
    """

    words: tuple[str, ...]

    async def write(self, seen: Seen, writer: asyncio.StreamWriter) -> bool:
        texts = seen.body["input"]
        if any("refused" in text for text in texts):
            return await Status(400, "this text is too long").write(seen, writer)
        rows = [
            {"index": n, "embedding": [0.1, *(float(text.count(w)) for w in self.words)]}
            for n, text in enumerate(texts)
        ]
        body = {"model": seen.body["model"], "data": rows[::-1], "usage": {"prompt_tokens": 90}}
        writer.write(response(json.dumps(body).encode()))
        return True


@dataclass(frozen=True, slots=True)
class Status:
    """An error response in OpenAI's shape."""

    status: int
    message: str = "scripted trouble"
    code: str | None = None
    param: str | None = None
    headers: dict[str, str] = field(default_factory=dict)

    async def write(self, seen: Seen, writer: asyncio.StreamWriter) -> bool:
        error = {"message": self.message, "type": "error", "code": self.code, "param": self.param}
        content = json.dumps({"error": error}).encode()
        writer.write(response(content, status=self.status, headers=self.headers))
        return True


@dataclass(frozen=True, slots=True)
class Body:
    """Any bytes as the body of a response."""

    content: bytes
    status: int = 200
    content_type: str = "application/json"
    encoding: str = "identity"

    async def write(self, seen: Seen, writer: asyncio.StreamWriter) -> bool:
        headers = {"content-encoding": self.encoding}
        content_type = self.content_type
        writer.write(
            response(self.content, status=self.status, headers=headers, content_type=content_type)
        )
        return True


@dataclass(frozen=True, slots=True)
class Reset:
    """Half a body, then a TCP reset."""

    async def write(self, seen: Seen, writer: asyncio.StreamWriter) -> bool:
        whole = response(completion('{"rationale": "never arrives", "rating": 5}'))
        writer.write(whole[: len(whole) // 2])
        await writer.drain()
        reset_on_close(writer)
        return False


@dataclass(frozen=True, slots=True)
class Silent:
    """Takes the request and never answers, until the client hangs up."""

    async def write(self, seen: Seen, writer: asyncio.StreamWriter) -> bool:
        while not writer.is_closing():  # noqa: ASYNC110 - there is no event for a client that left
            await asyncio.sleep(0.01)
        return False


@dataclass(frozen=True, slots=True)
class Endless:
    """A body without an end, `pause` seconds between its pieces."""

    piece: bytes = b'{"a":'
    pause: float = 0.01

    async def write(self, seen: Seen, writer: asyncio.StreamWriter) -> bool:
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n")
        writer.write(b"transfer-encoding: chunked\r\n\r\n")
        chunk = f"{len(self.piece):x}\r\n".encode() + self.piece + b"\r\n"
        while not writer.is_closing():
            writer.write(chunk)
            await writer.drain()
            await asyncio.sleep(self.pause)
        return False


def reset_on_close(writer: asyncio.StreamWriter) -> None:
    """Make closing send RST and not FIN."""
    raw: socket.socket = writer.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


Default = Answer | Callable[[Seen], Answer]


class LLMServer:
    """Serves from a thread of its own; a context manager."""

    def __init__(self, script: Iterable[Answer] = (), default: Default | None = None) -> None:
        self.seen: list[Seen] = []
        self.peak = 0
        """The largest number of requests under way at once."""
        self.url = ""
        self._script: Iterator[Answer] = iter(script)
        self._default: Default = default or Chat()
        self._arrived = threading.Event()
        self._busy = 0
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()

    def __enter__(self) -> Self:
        self._thread.start()
        self._started.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def wait_for_request(self) -> None:
        """Until another request arrives, or a second has passed."""
        self._arrived.wait(1.0)
        self._arrived.clear()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        tasks: set[asyncio.Task[None]] = set()

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            tasks.add(task)
            try:
                await self._connection(reader, writer)
            except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                pass  # the client hung up, or the server stops
            finally:
                tasks.discard(task)
                writer.close()

        server = await asyncio.start_server(connected, "127.0.0.1", 0, backlog=2048)
        port = server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}/v1"
        self._started.set()
        await self._stop.wait()
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            try:
                head = await reader.readuntil(b"\r\n\r\n")
            except asyncio.IncompleteReadError:
                return
            seen = await self._request(head, reader)
            self.seen.append(seen)
            self._arrived.set()
            self._busy += 1
            self.peak = max(self.peak, self._busy)
            try:
                goes_on = await self._answer(seen).write(seen, writer)
                if goes_on:
                    await writer.drain()
            finally:
                self._busy -= 1
            if not goes_on:
                return

    async def _request(self, head: bytes, reader: asyncio.StreamReader) -> Seen:
        first, *lines = head.decode("latin-1").split("\r\n")
        method, path, _ = first.split(" ", 2)
        pairs = (line.split(":", 1) for line in lines if line)
        headers = {name.strip().lower(): value.strip() for name, value in pairs}
        content = await reader.readexactly(int(headers.get("content-length", "0")))
        return Seen(method, path, headers, content)

    def _answer(self, seen: Seen) -> Answer:
        answer = next(self._script, None)
        if answer is not None:
            return answer
        return self._default(seen) if callable(self._default) else self._default


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--latency", type=float, default=0.0)
    options = parser.parse_args()
    with LLMServer(default=Chat(latency=options.latency)) as server:
        print(server.url, flush=True)  # noqa: T201 - how the parent process learns it
        with contextlib.suppress(KeyboardInterrupt):
            sys.stdin.read()


if __name__ == "__main__":
    main()
