"""An endpoint that costs next to nothing: the same completion to every request, after a while.

    python -m benchmarks.llm_endpoint LATENCY

Prints its URL, and stops when its standard input is closed. It is written on the bare protocol,
because a server that needs as much of the machine as its client would be what is measured.
"""

from __future__ import annotations

import asyncio
import re
import sys

from tests.support.llm_server import completion, response

_LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)
_ANSWER = response(
    completion('{"rationale": "The passage says so in its first sentence.", "rating": 5}')
)


class Endpoint(asyncio.Protocol):
    """One connection, one request at a time."""

    def __init__(self, latency: float) -> None:
        self._latency = latency
        self._received = bytearray()
        self._loop = asyncio.get_running_loop()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        head = self._received.find(b"\r\n\r\n")
        if head < 0:
            return
        length = _LENGTH.search(self._received, 0, head)
        if length is None or len(self._received) < head + 4 + int(length[1]):
            return
        self._received.clear()
        self._loop.call_later(self._latency, self._answer)

    def _answer(self) -> None:
        if not self._transport.is_closing():
            self._transport.write(_ANSWER)


async def serve(latency: float) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Endpoint(latency), "127.0.0.1", 0, backlog=2048)
    port = server.sockets[0].getsockname()[1]
    print(f"http://127.0.0.1:{port}/v1", flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1])))
