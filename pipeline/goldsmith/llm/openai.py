"""The connection to an endpoint, and the only module that imports openai.

The client's own retries are off (`Retrying` does it, and sees all calls), and so is its parsing
of replies: an "OpenAI-compatible" server may send anything.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar

from goldsmith.errors import ModelError, SettingsError
from goldsmith.llm.faults import UnreachableError
from goldsmith.llm.statuses import HOW_TO_GET_A_KEY, Refusal

if TYPE_CHECKING:
    from collections.abc import Awaitable
    from types import TracebackType

    import httpx2
    import openai

    from goldsmith.llm.clock import Clock

_T = TypeVar("_T")

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
        self._openai = _imported(endpoint.model)
        self._client = _client(self._openai, endpoint)
        self.where = _address(self._client.base_url)
        """The address of the endpoint, fit for messages."""
        self._seconds = endpoint.timeout_seconds
        self._plain = _plain_response()
        self._network_errors = _network_errors(self._openai)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._client.close()

    async def post(self, path: str, body: dict[str, Any]) -> bytes:
        """The body of the response, as it came."""
        # The plain response: the client's typed one costs more time than all of goldsmith's layers.
        response = await self._translated(
            self._client.post(path, cast_to=self._plain, body=body), self._seconds
        )
        return bytes(response.content)

    async def get(self, path: str, seconds: float | None = None) -> bytes:
        """Likewise; `seconds` in place of the time limit of a call, for a large file."""
        response = await self._translated(
            self._client.get(path, cast_to=self._plain), seconds or self._seconds
        )
        return bytes(response.content)

    async def upload(self, name: str, content: bytes, seconds: float) -> str:
        """The id of a new file of the batch API."""
        file = await self._translated(
            self._client.files.create(file=(name, content), purpose="batch", timeout=seconds),
            seconds,
        )
        return file.id

    async def _translated(self, call: Awaitable[_T], seconds: float) -> _T:
        """Await a call. The time limit covers the last byte of the response, too."""
        try:
            async with asyncio.timeout(seconds):
                return await call
        except TimeoutError as error:
            raise UnreachableError(f"no reply from {self.where} within {seconds:g} s") from error
        except self._openai.APIStatusError as error:
            self._raise_for(error)
        except self._network_errors as error:
            cause = error.__cause__ or error
            reason = self._hidden(str(cause)) or type(cause).__name__
            raise UnreachableError(f"no connection to {self.where}: {reason}") from error

    def _raise_for(self, error: openai.APIStatusError) -> NoReturn:
        message = error.body.get("message") if isinstance(error.body, dict) else None
        refusal = Refusal(
            status=error.status_code,
            message=self._hidden(" ".join(str(message or error.message).split())),
            where=self.where,
            model=self.model,
            code=error.code,
            param=error.param,
            headers=error.response.headers,
        )
        # Not `from error`: a traceback would show the message with the key in it.
        raise refusal.as_error(self._clock.wall()) from None

    def _hidden(self, text: str) -> str:
        """`text` without the key: servers like to repeat it."""
        key = self._client.api_key
        return text.replace(key, "***") if key else text


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


def _imported(model: str) -> Any:  # noqa: ANN401 - a module
    try:
        import openai  # noqa: PLC0415 - it takes a second, and only endpoints need it
    except ImportError as error:
        raise ModelError(
            f"model {model!r} needs the openai client: install goldsmith[build]"
        ) from error
    return openai


def _client(module: Any, endpoint: Endpoint) -> openai.AsyncOpenAI:  # noqa: ANN401 - a module
    import httpx2  # noqa: PLC0415 - loaded with openai

    from goldsmith.llm.capped import cap  # noqa: PLC0415 - likewise

    options: dict[str, Any] = {
        "timeout": httpx2.Timeout(endpoint.timeout_seconds, connect=_CONNECT_SECONDS),
        "limits": httpx2.Limits(
            max_connections=endpoint.connections,
            max_keepalive_connections=endpoint.connections,
            keepalive_expiry=_KEEP_ALIVE_SECONDS,
        ),
        "event_hooks": {"response": [cap]},
    }
    try:
        # A third of the time a call of the default one, which matters from 100 calls at once on.
        http_client = module.DefaultAioHttpClient(**options)
    except RuntimeError:  # aiohttp is not installed
        http_client = module.DefaultAsyncHttpxClient(**options)
    try:
        client: openai.AsyncOpenAI = module.AsyncOpenAI(
            base_url=endpoint.base_url,
            max_retries=0,
            timeout=options["timeout"],
            http_client=http_client,
            default_headers={"accept-encoding": "identity"},
        )
    except module.OpenAIError as error:
        raise ModelError(
            f"model {endpoint.model!r} cannot be asked without a key: {HOW_TO_GET_A_KEY}"
        ) from error
    return client


def _plain_response() -> Any:  # noqa: ANN401 - a class that is loaded lazily
    import httpx2  # noqa: PLC0415 - loaded with openai

    return httpx2.Response


def _network_errors(module: Any) -> tuple[type[BaseException], ...]:  # noqa: ANN401 - a module
    """What a broken connection may raise; not every error of aiohttp is translated by openai."""
    errors: tuple[type[BaseException], ...] = (module.APIConnectionError, OSError)
    try:
        import aiohttp  # noqa: PLC0415 - optional
    except ImportError:
        return errors
    return (*errors, aiohttp.ClientError)
