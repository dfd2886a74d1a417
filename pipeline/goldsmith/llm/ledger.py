"""What was asked, what it cost, and how much of it came from the cache: one row a stage."""

from __future__ import annotations

import logging
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.llm.costs import money_for
from goldsmith.records import Record

if TYPE_CHECKING:
    from goldsmith.llm.request import Reply
    from goldsmith.settings import Price

_log = logging.getLogger(__name__)


class LedgerRow(Record):
    """One stage. `cached` replies are among `calls`, and count as they were first billed."""

    stage: str
    calls: int
    """Replies used, corrective re-asks included."""
    cached: int
    reasks: int
    failed: int
    """Tasks that ended without an output."""
    tokens_in: int
    tokens_out: int
    money: float | None
    """Of all replies used, whenever they were paid. None: the model has no price."""
    paid_tokens_in: int
    """This and the next two: of this run alone."""
    paid_tokens_out: int
    paid_money: float | None


@dataclass(slots=True)
class _Account:
    calls: int = 0
    cached: int = 0
    reasks: int = 0
    failed: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    paid_tokens_in: int = 0
    paid_tokens_out: int = 0


class Ledger:
    """Filled by the model while it runs; read at the end, or when a limit stopped the build."""

    def __init__(self, model: str, price: Price | None = None) -> None:
        self._price = price
        self._accounts: defaultdict[str, _Account] = defaultdict(_Account)
        if price is None:
            _log.info("model %r has no price in runtime.yaml: tokens are counted, not money", model)

    def answered(self, stage: str, reply: Reply, *, reask: bool) -> None:
        """A reply was used, whatever is in it."""
        account = self._accounts[stage]
        account.calls += 1
        account.cached += reply.cached
        account.reasks += reask
        account.tokens_in += reply.tokens_in
        account.tokens_out += reply.tokens_out
        if not reply.cached:
            account.paid_tokens_in += reply.tokens_in
            account.paid_tokens_out += reply.tokens_out

    def failed(self, stage: str) -> None:
        """A task ended without an output."""
        self._accounts[stage].failed += 1

    def rows(self) -> tuple[LedgerRow, ...]:
        """One row a stage, in the order in which the stages first called."""
        return tuple(self._row(stage, account) for stage, account in self._accounts.items())

    def total(self) -> LedgerRow:
        """The sum of all rows, under the name `total`."""
        total = _Account()
        for account in self._accounts.values():
            for name in _Account.__slots__:
                setattr(total, name, getattr(total, name) + getattr(account, name))
        return self._row("total", total)

    def _row(self, stage: str, account: _Account) -> LedgerRow:
        return LedgerRow(
            stage=stage,
            calls=account.calls,
            cached=account.cached,
            reasks=account.reasks,
            failed=account.failed,
            tokens_in=account.tokens_in,
            tokens_out=account.tokens_out,
            money=money_for(self._price, account.tokens_in, account.tokens_out),
            paid_tokens_in=account.paid_tokens_in,
            paid_tokens_out=account.paid_tokens_out,
            paid_money=money_for(self._price, account.paid_tokens_in, account.paid_tokens_out),
        )
