"""The innermost layer, and the only module that imports openai: one attempt at one call.

The client's own retries are off (`Retrying` does it, and sees all calls), and so is its parsing
of replies: an "OpenAI-compatible" server may send anything.
"""

from __future__ import annotations

import asyncio
import math
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, NoReturn, Self

from goldsmith.errors import ModelError
from goldsmith.llm.completion import read_completion
from goldsmith.llm.dialect import Dialect
from goldsmith.llm.faults import (
    CallError,
    RejectedError,
    ThrottledError,
    TransientError,
    UnreachableError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

    import openai

    from goldsmith.llm.clock import Clock
    from goldsmith.llm.request import Reply, Request

_CONNECT_SECONDS = 10.0
_REFUSES_A_PARAMETER = frozenset({400, 415, 422, 501})
_PASSING = frozenset({408, 409, 425, 429})
_HOW_TO_GET_A_KEY = "set OPENAI_API_KEY (to any word, for a server of your own that asks for none)"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where calls go. The key comes from the environment, and is never part of a repr."""

    model: str
    base_url: str | None = None
    timeout_seconds: float = 120.0
    dialect: Dialect = field(default_factory=Dialect, repr=False)


class OpenAIClient:
    """A `Sender` on the network; an async context manager that closes its connections."""

    def __init__(self, endpoint: Endpoint, clock: Clock) -> None:
        """Raises `ModelError` when openai is not installed or no key is set."""
        self._endpoint = endpoint
        self._clock = clock
        self._openai, self._response, self._client = _connect(endpoint)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._client.close()

    async def send(self, request: Request) -> Reply:
        """One attempt; a parameter that the endpoint refuses is left out and sent again."""
        dialect = self._endpoint.dialect
        while True:
            body = dialect.body(request)
            try:
                content = await self._post(body)
            except self._openai.APIStatusError as error:
                learnable = error.status_code in _REFUSES_A_PARAMETER
                if learnable and dialect.learn(body, str(error.message)):
                    continue
                self._raise_for(error)
            else:
                return read_completion(content, sum(len(m.content) for m in request.messages))

    async def _post(self, body: dict[str, Any]) -> bytes:
        """The body of the response, as it came. The time limit covers the last byte, too."""
        seconds = self._endpoint.timeout_seconds
        try:
            async with asyncio.timeout(seconds):
                response = await self._client.post(
                    "/chat/completions", cast_to=self._response, body=body
                )
        except (TimeoutError, self._openai.APITimeoutError) as error:
            raise UnreachableError(f"no reply from {self._where} within {seconds:g} s") from error
        except self._openai.APIConnectionError as error:
            reason = self._hidden(str(error.__cause__ or error))
            raise UnreachableError(f"no connection to {self._where}: {reason}") from error
        return bytes(response.content)

    def _raise_for(self, error: openai.APIStatusError) -> NoReturn:
        """Translate a status: is it the endpoint, this request, or only the moment?"""
        status, said = error.status_code, self._said(error)
        wait = retry_after(error.response.headers, self._clock.wall())
        if error.code == "insufficient_quota":
            raise ModelError(f"the account at {self._where} has no quota left: {said}") from error
        if status == 429 or (status == 503 and wait is not None):  # noqa: PLR2004 - HTTP
            raise ThrottledError(f"{self._where} is at its limit: {said}", wait) from error
        if status in _PASSING or status >= 500:  # noqa: PLR2004 - HTTP
            raise TransientError(f"{self._where} is in trouble: {said}", wait) from error
        if status in {401, 403}:
            raise ModelError(
                f"{self._where} refuses the key: {said}; {_HOW_TO_GET_A_KEY}"
            ) from error
        if status in {404, 405} or error.code == "model_not_found" or error.param == "model":
            raise ModelError(
                f"model {self._endpoint.model!r} is not to be had at {self._where}: {said}; "
                "see model.name in build.yaml and base_url in runtime.yaml"
            ) from error
        raise _rejected(error, f"{self._where} refuses the request: {said}") from error

    def _said(self, error: openai.APIStatusError) -> str:
        body = error.body
        message = body.get("message") if isinstance(body, dict) else None
        text = " ".join(str(message or error.message).split())
        return f"status {error.status_code}, {self._hidden(text)[:200]!r}"

    def _hidden(self, text: str) -> str:
        """`text` without the key: servers like to repeat it."""
        key = self._client.api_key
        return text.replace(key, "***") if key else text

    @property
    def _where(self) -> str:
        """The address without user, password and query."""
        url = self._client.base_url
        port = f":{url.port}" if url.port else ""
        return f"{url.scheme}://{url.host}{port}{url.path}".rstrip("/")


def retry_after(headers: Mapping[str, str], wall: float) -> float | None:
    """Seconds to wait by `retry-after-ms` or `retry-after` (seconds, or a date); None: not said.

    A date is read against the response's own `date` where it has one: the two clocks may differ.
    """
    try:
        if (milliseconds := headers.get("retry-after-ms")) is not None:
            return _finite(float(milliseconds) / 1000)
        if (value := headers.get("retry-after")) is None:
            return None
        if value.strip().replace(".", "", 1).isdigit():
            return _finite(float(value))
        sent = headers.get("date")
        now = parsedate_to_datetime(sent).timestamp() if sent else wall
        return _finite(parsedate_to_datetime(value).timestamp() - now)
    except (ValueError, OverflowError):
        return None


def _finite(seconds: float) -> float | None:
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _rejected(error: openai.APIStatusError, message: str) -> CallError:
    rejected = RejectedError(message)
    if error.code in {"content_filter", "content_policy_violation"}:
        rejected.failure = "filtered"
    return rejected


def _connect(endpoint: Endpoint) -> tuple[Any, Any, openai.AsyncOpenAI]:
    """The openai module (imported here because it takes a second), its response type, a client."""
    try:
        import httpx2  # noqa: PLC0415 - what openai speaks HTTP with
        import openai  # noqa: PLC0415 - lazily: see above
    except ImportError as error:
        raise ModelError(
            f"model {endpoint.model!r} needs the openai client: install goldsmith[build]"
        ) from error
    try:
        client = openai.AsyncOpenAI(
            base_url=endpoint.base_url,
            max_retries=0,
            timeout=openai.Timeout(endpoint.timeout_seconds, connect=_CONNECT_SECONDS),
        )
    except openai.OpenAIError as error:
        raise ModelError(
            f"model {endpoint.model!r} cannot be asked without a key: {_HOW_TO_GET_A_KEY}"
        ) from error
    return openai, httpx2.Response, client
