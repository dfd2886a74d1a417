"""Tokens and money: what a call can cost at most, what it did cost, and per kept question."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldsmith.records import Record, Usage

if TYPE_CHECKING:
    from goldsmith.llm.request import Request
    from goldsmith.settings import Price

_MILLION = 1_000_000
_BYTES_A_TOKEN = 3
"""Of UTF-8, on the low side: English has about 4 bytes a token, Japanese about 3."""
_TOKENS_A_MESSAGE = 8
"""What the format of a chat adds around each message."""


def prompt_tokens_at_most(request: Request) -> int:
    """An estimate on the high side, made before the endpoint has counted."""
    size = sum(len(message.content.encode()) for message in request.messages)
    size += len(request.output_schema or "")
    return -(-size // _BYTES_A_TOKEN) + _TOKENS_A_MESSAGE * len(request.messages)


def money_for(price: Price | None, tokens_in: int, tokens_out: int) -> float | None:
    """Money for tokens; None when the price of the model is not known."""
    if price is None:
        return None
    return (tokens_in * price.input + tokens_out * price.output) / _MILLION


class CostPerKept(Record):
    """What one kept question cost, everything that was rejected on the way included."""

    kept: int
    usage: Usage
    """The numerators."""
    money: float | None
    """Of the whole; None: the model has no price in the settings."""
    calls_per_kept: float | None
    """This and the next two are None when nothing was kept."""
    tokens_per_kept: float | None
    money_per_kept: float | None


def cost_per_kept(usage: Usage, kept: int, price: Price | None) -> CostPerKept:
    """Divide what all stages used by the number of questions that were kept."""
    money = money_for(price, usage.tokens_in, usage.tokens_out)
    return CostPerKept(
        kept=kept,
        usage=usage,
        money=money,
        calls_per_kept=usage.calls / kept if kept else None,
        tokens_per_kept=(usage.tokens_in + usage.tokens_out) / kept if kept else None,
        money_per_kept=money / kept if kept and money is not None else None,
    )
