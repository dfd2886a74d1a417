"""What an error status means: the endpoint, this request, or only the moment."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Self

import orjson

from goldsmith.errors import ModelError
from goldsmith.llm.faults import (
    CallError,
    NotFoundError,
    RejectedError,
    ThrottledError,
    TransientError,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

HOW_TO_GET_A_KEY = "set OPENAI_API_KEY (to any word, for a server of your own that asks for none)"

_TOO_MANY = 429
_UNAVAILABLE = 503
_SERVER_ERRORS = 500
_NOT_IMPLEMENTED = 501
_PASSING = frozenset({408, 409, 425})
_KEY_REFUSED = frozenset({401, 403})
_NOT_THERE = frozenset({404, 405})
_FILTERED = frozenset({"content_filter", "content_policy_violation"})
_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Refusal:
    """A response with an error status, as far as it matters."""

    status: int
    message: str
    code: str | None = None
    param: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def read(cls, status: int, body: str, headers: Mapping[str, str]) -> Self:
        """From a response: OpenAI's shape, another server's, or a proxy's page."""
        try:
            decoded = orjson.loads(body)
        except orjson.JSONDecodeError:
            decoded = body
        return cls.of(status, decoded, headers)

    @classmethod
    def of(cls, status: int, decoded: object, headers: Mapping[str, str] | None = None) -> Self:
        """From a decoded body."""
        error = decoded.get("error", decoded) if isinstance(decoded, dict) else decoded
        said = error if isinstance(error, dict) else {"message": error}
        message = said.get("message") or said.get("detail") or said
        return cls(
            status=status,
            message=" ".join(str(message).split()),
            code=_word(said.get("code")),
            param=_word(said.get("param")),
            headers=headers or {},
        )

    def as_error(self, model: str, where: str, wall: float) -> CallError | ModelError:
        """The error to raise; `wall` is seconds since 1970, to read a date to wait for."""
        said = f"status {self.status}, {self.message[:_SHOWN]!r}"
        if self.status in _KEY_REFUSED:
            return ModelError(f"{where} refuses the key: {said}; {HOW_TO_GET_A_KEY}")
        if self.code == "insufficient_quota":
            return ModelError(f"the account at {where} has no quota left: {said}")
        if self._says_no_such_model:
            return NotFoundError(
                f"model {model!r} is not to be had at {where}: {said}; "
                "see model.name in build.yaml and base_url in runtime.yaml"
            )
        return self._passing(where, said, wall) or self._rejected(where, said)

    @property
    def _says_no_such_model(self) -> bool:
        return self.status in _NOT_THERE or self.code == "model_not_found" or self.param == "model"

    def _passing(self, where: str, said: str, wall: float) -> TransientError | None:
        wait = retry_after(self.headers, wall)
        if self.status == _TOO_MANY or (self.status == _UNAVAILABLE and wait is not None):
            return ThrottledError(f"{where} is at its limit: {said}", wait)
        if self.status in _PASSING or (
            self.status >= _SERVER_ERRORS and self.status != _NOT_IMPLEMENTED
        ):
            return TransientError(f"{where} is in trouble: {said}", wait)
        return None

    def _rejected(self, where: str, said: str) -> RejectedError:
        named = f"{self.message} {self.param or ''}"
        rejected = RejectedError(f"{where} refuses the request: {said}", named)
        if self.code in _FILTERED:
            rejected.failure = "filtered"
        return rejected


def _word(value: object) -> str | None:
    return None if value is None else str(value)


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
