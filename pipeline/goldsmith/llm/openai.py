"""The connection to an endpoint, and the only module that imports openai.

The openai client is asked for what only it knows: address, key and headers as it reads them from
the environment, and its pool of connections. Requests then go straight to that pool. The client's
own path through a request costs more than all of goldsmith's layers together, and limits a build
from about a hundred calls at once on; and its typed replies and retries would be undone here
anyway, because an "OpenAI-compatible" server may send anything.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import orjson

from goldsmith.errors import ModelError, SettingsError
from goldsmith.llm.faults import UnreachableError
from goldsmith.llm.statuses import HOW_TO_GET_A_KEY, Refusal

if TYPE_CHECKING:
    from types import TracebackType

    import httpx2
    import openai

    from goldsmith.llm.clock import Clock

_CONNECT_SECONDS = 10.0
_KEEP_ALIVE_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where calls go. The key comes from the environment, and is kept nowhere else."""

    model: str
    base_url: str | None = None
    timeout_seconds: float = 120.0
    connections: int = 8


class Connection:
    """HTTP to one endpoint, its errors translated; an async context manager that closes it.

    Every method raises a `CallError` or a `ModelError`.
    """

    def __init__(self, endpoint: Endpoint, clock: Clock) -> None:
        """Raises `ModelError` without openai or a key, `SettingsError` for an unusable address."""
        self.model = endpoint.model
        self._clock = clock
        self._seconds = endpoint.timeout_seconds
        self._http = _pool(endpoint)
        client = _client(endpoint, self._http)
        self.where = _address(client.base_url)
        """The address of the endpoint, fit for messages."""
        self._key = client.api_key
        headers = {**client.default_headers, **client.auth_headers, "Accept-Encoding": "identity"}
        self._headers = {k: v for k, v in headers.items() if isinstance(v, str)}
        self._errors = _network_errors()
        self._request, self._url = _request_types()
        self._urls: dict[str, httpx2.URL] = {}
        """Of paths that were posted to: parsing one is a tenth of a call."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._http.aclose()

    async def post(self, path: str, body: dict[str, Any]) -> bytes:
        """The body of the response, as it came."""
        if path not in self._urls:
            self._urls[path] = self._url(self.where + path)
        request = self._request(
            "POST", self._urls[path], headers=self._headers, content=orjson.dumps(body)
        )
        return await self._exchange(request, self._seconds)

    async def get(self, path: str, seconds: float | None = None) -> bytes:
        """Likewise; `seconds` in place of the time limit of a call, for a large file."""
        request = self._request("GET", self.where + path, headers=self._headers)
        return await self._exchange(request, seconds or self._seconds)

    async def upload(self, path: str, name: str, content: bytes, seconds: float) -> bytes:
        """Likewise, for a new file of the batch API."""
        request = self._request(
            "POST",
            self.where + path,
            headers={k: v for k, v in self._headers.items() if k != "Content-Type"},
            data={"purpose": "batch"},
            files={"file": (name, content)},
        )
        return await self._exchange(request, seconds)

    async def _exchange(self, request: httpx2.Request, seconds: float) -> bytes:
        """Send, and read the response. The time limit covers its last byte, too."""
        request.extensions["timeout"] = {"connect": _CONNECT_SECONDS}
        try:
            async with asyncio.timeout(seconds):
                response = await self._http.send(request)
        except TimeoutError as error:
            raise UnreachableError(f"no reply from {self.where} within {seconds:g} s") from error
        except self._errors as error:
            reason = self._hidden(str(error)) or type(error).__name__
            raise UnreachableError(f"no connection to {self.where}: {reason}") from error
        if response.is_success:
            return response.content
        refusal = Refusal.read(
            response.status_code,
            self._hidden(response.content.decode("utf-8", "replace")),
            response.headers,
        )
        raise refusal.as_error(self.model, self.where, self._clock.wall())

    def _hidden(self, text: str) -> str:
        """`text` without the key: servers like to repeat it."""
        return text.replace(self._key, "***") if self._key else text


def _client(endpoint: Endpoint, http: httpx2.AsyncClient) -> openai.AsyncOpenAI:
    import openai  # noqa: PLC0415 - it takes a second, and only endpoints need it

    try:
        return openai.AsyncOpenAI(base_url=endpoint.base_url, http_client=http)
    except openai.OpenAIError as error:
        raise ModelError(
            f"model {endpoint.model!r} cannot be asked without a key: {HOW_TO_GET_A_KEY}"
        ) from error


def _pool(endpoint: Endpoint) -> httpx2.AsyncClient:
    """Connections for `endpoint`. On aiohttp, where it is installed: a third of the time a call."""
    try:
        import httpx2  # noqa: PLC0415 - with openai
        import openai  # noqa: PLC0415 - lazily: see above

        from goldsmith.llm.capped import cap  # noqa: PLC0415 - loads httpx2
    except ImportError as error:
        raise ModelError(
            f"model {endpoint.model!r} needs the openai client: install goldsmith[build]"
        ) from error
    options: dict[str, Any] = {
        "limits": httpx2.Limits(
            max_connections=endpoint.connections,
            max_keepalive_connections=endpoint.connections,
            keepalive_expiry=_KEEP_ALIVE_SECONDS,
        ),
        "event_hooks": {"response": [cap]},
    }
    try:
        return openai.DefaultAioHttpClient(**options)
    except RuntimeError:  # aiohttp is not installed
        return openai.DefaultAsyncHttpxClient(**options)


def _request_types() -> tuple[type[httpx2.Request], type[httpx2.URL]]:
    import httpx2  # noqa: PLC0415 - with openai

    return httpx2.Request, httpx2.URL


def _network_errors() -> tuple[type[Exception], ...]:
    """What a broken connection may raise; not every error of aiohttp is translated by openai."""
    import httpx2  # noqa: PLC0415 - with openai

    errors: tuple[type[Exception], ...] = (httpx2.RequestError, OSError)
    try:
        import aiohttp  # noqa: PLC0415 - optional
    except ImportError:
        return errors
    return (*errors, aiohttp.ClientError)


def _address(url: httpx2.URL) -> str:
    """The address of an endpoint; `SettingsError` when nothing can be sent there."""
    port = f":{url.port}" if url.port else ""
    address = f"{url.scheme}://{url.host}{port}{url.path}".rstrip("/")
    if url.scheme not in {"http", "https"} or not url.host:
        raise SettingsError(
            f"base_url {address!r} is no address of an endpoint: expected "
            "http://HOST:PORT/v1 or https://..."
        )
    if url.userinfo:
        raise SettingsError(
            f"base_url of {address!r} holds a user name: it cannot go together with a key; "
            "take it out, secrets belong in the environment"
        )
    return address
