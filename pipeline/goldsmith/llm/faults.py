"""What can go wrong with one call. These stay inside `llm`: `PromptedModel` turns them to data.

CallError               this call found no reply
├── TransientError      the next attempt may find one: timeout, connection, 408, 409, 429, 5xx
│   └── ThrottledError  429: the endpoint asks for fewer calls
└── RejectedError       the endpoint will not take this request, however often it is sent
"""

from __future__ import annotations

from goldsmith.errors import ModelError


class CallError(Exception):
    """One call found no reply; `failure` is the word for the funnel."""

    failure = "unanswered"


class TransientError(CallError):
    """Worth another attempt, after `retry_after` seconds where the endpoint named a time."""

    reached = True
    """False: no sign of life came back."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class UnreachableError(TransientError):
    """No connection, a broken one, or no whole reply in time."""

    reached = False


class ThrottledError(TransientError):
    """429, or 503 with a time to wait."""


class RejectedError(CallError):
    """400, 413, 422 and the like, for a reason that lies in the request itself."""

    failure = "request_rejected"

    def __init__(self, message: str, said: str = "") -> None:
        super().__init__(message)
        self.said = said
        """In the endpoint's own words."""


class NotFoundError(ModelError):
    """404: for a call, the model or the address is wrong; for a batch, it is gone."""
