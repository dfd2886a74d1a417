"""Response bodies that cannot fill the memory. Imported lazily, with openai: it loads httpx2."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx2

from goldsmith.llm.faults import TransientError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

_MOST_BYTES = 64 * 2**20
"""A reply has kilobytes."""
_MOST_FILE_BYTES = 2**30
"""Of the replies of a batch."""
_MOST_PACKED_BYTES = 2**18
"""Of a body that comes compressed though it was asked not to: it may unpack to a thousandfold."""


class CappedStream(httpx2.AsyncByteStream):
    """The bytes of `inner`, up to `limit`; `TransientError` at the first one more."""

    def __init__(self, inner: httpx2.AsyncByteStream, limit: int) -> None:
        self._inner = inner
        self._limit = limit

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for piece in self._inner:
            size += len(piece)
            if size > self._limit:
                raise TransientError(f"the endpoint sent more than {self._limit} bytes")
            yield piece

    async def aclose(self) -> None:
        await self._inner.aclose()


async def cap(response: httpx2.Response) -> None:
    """A response hook: called before the body is read."""
    packed = response.headers.get("content-encoding", "identity") != "identity"
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    is_file = response.request.url.path.endswith("/content")
    limit = _MOST_FILE_BYTES if is_file else _MOST_PACKED_BYTES if packed else _MOST_BYTES
    response.stream = CappedStream(response.stream, limit)
