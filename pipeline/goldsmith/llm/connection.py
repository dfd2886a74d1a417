"""HTTP to an endpoint, with every way in which it can go wrong translated.

Requests go out through aiohttp and not through the openai client, whose path through one costs more
than ten times as much and would limit a build from about fifty calls at once on. Its typed replies
and its retries would be undone here anyway: an "OpenAI-compatible" server may send anything.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import orjson

from goldsmith.llm.faults import TransientError, UnreachableError
from goldsmith.llm.statuses import Refusal

if TYPE_CHECKING:
    from types import TracebackType

    import aiohttp

    from goldsmith.llm.clock import Clock
    from goldsmith.llm.openai import Account

_CONNECT_SECONDS = 10.0
_KEEP_ALIVE_SECONDS = 30.0
_MOST_BYTES = 64 * 2**20
"""Of a response, unpacked: a reply has kilobytes, and a flood must not fill the memory."""
_MOST_FILE_BYTES = 2**30
"""Of a file with the replies of a batch."""
_SUCCESS = range(200, 300)


@dataclass(frozen=True, slots=True)
class Allowance:
    """What one exchange may take."""

    seconds: float
    """To the last byte of the response."""
    bytes: int = _MOST_BYTES


class Connection:
    """A pool of connections to one endpoint; an async context manager.

    Every method returns the body of the response as it came, and raises a `CallError` or a
    `ModelError`.
    """

    def __init__(self, account: Account, clock: Clock, *, seconds: float, width: int) -> None:
        """`seconds` for one call; `width` calls at once."""
        self.model = account.model
        self.address = account.address
        self._account = account
        self._clock = clock
        self._call = Allowance(seconds)
        self._width = width
        self._open = AsyncExitStack()

    async def __aenter__(self) -> Self:
        import aiohttp  # noqa: PLC0415 - only endpoints need it

        self._errors = (aiohttp.ClientError, OSError, ValueError)
        connector = aiohttp.TCPConnector(
            limit=self._width,
            keepalive_timeout=_KEEP_ALIVE_SECONDS,
            ssl=_tls() if self.address.startswith("https") else False,
        )
        self._session = await self._open.enter_async_context(
            aiohttp.ClientSession(
                connector=connector,
                headers=self._account.headers,
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_SECONDS),
                proxy=_proxy(self.address),
                cookie_jar=aiohttp.DummyCookieJar(),
            )
        )
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._open.aclose()

    async def post(self, path: str, body: dict[str, Any]) -> bytes:
        return await self._exchange("POST", path, self._call, data=orjson.dumps(body))

    async def get(self, path: str) -> bytes:
        return await self._exchange("GET", path, self._call)

    async def download(self, path: str, seconds: float) -> bytes:
        return await self._exchange("GET", path, Allowance(seconds, _MOST_FILE_BYTES))

    async def upload(self, path: str, name: str, content: bytes, seconds: float) -> bytes:
        """A new file of the batch API."""
        import aiohttp  # noqa: PLC0415 - loaded by now

        form = aiohttp.FormData({"purpose": "batch"})
        form.add_field("file", content, filename=name, content_type="application/jsonl")
        headers = {"Content-Type": form().content_type}
        return await self._exchange("POST", path, Allowance(seconds), data=form(), headers=headers)

    async def _exchange(
        self,
        method: str,
        path: str,
        allowance: Allowance,
        **options: Any,  # noqa: ANN401 - of aiohttp
    ) -> bytes:
        try:
            async with (
                asyncio.timeout(allowance.seconds),
                self._session.request(method, self.address + path, **options) as response,
            ):
                content = await _read(response, allowance.bytes)
        except TimeoutError as error:
            raise UnreachableError(
                f"no reply from {self.address} within {allowance.seconds:g} s"
            ) from error
        except self._errors as error:
            reason = self._hidden(str(error)) or type(error).__name__
            raise UnreachableError(f"no connection to {self.address}: {reason}") from error
        if response.status in _SUCCESS:
            return content
        said = self._hidden(content.decode("utf-8", "replace"))
        refusal = Refusal.read(response.status, said, response.headers)
        raise refusal.as_error(self.model, self.address, self._clock.wall())

    def _hidden(self, text: str) -> str:
        """`text` without the key: servers like to repeat it."""
        key = self._account.key
        return text.replace(key, "***") if key else text


async def _read(response: aiohttp.ClientResponse, limit: int) -> bytes:
    """The body, unpacked as it comes, as far as `limit`."""
    pieces: list[bytes] = []
    size = 0
    async for piece in response.content.iter_any():
        size += len(piece)
        if size > limit:
            response.close()
            raise TransientError(f"the endpoint sent more than {limit} bytes")
        pieces.append(piece)
    return b"".join(pieces)


def _proxy(address: str) -> str | None:
    """The proxy that the environment names for `address`.

    Found once: aiohttp's own `trust_env` looks for it anew with each call, in two threads.
    """
    url = urlsplit(address)
    proxies = getproxies()
    if proxy_bypass(url.hostname or ""):
        return None
    return proxies.get(url.scheme) or proxies.get("all")


def _tls() -> Any:  # noqa: ANN401 - ssl.SSLContext, from the library that openai trusts
    import httpx2  # noqa: PLC0415 - loaded with openai

    return httpx2.create_ssl_context()
