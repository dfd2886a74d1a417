"""What the models that one command opens have in common: a stage goes on where the last one was."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

from goldsmith.llm.budgeted import Spent
from goldsmith.llm.dialect import Dialect
from goldsmith.llm.ledger import Ledger
from goldsmith.llm.rates import Limits, Pace

if TYPE_CHECKING:
    from goldsmith.settings import ModelSettings, RuntimeSettings


@dataclass(frozen=True, slots=True)
class Session:
    """One budget, one ledger, and what was learned of one model at one endpoint."""

    ledger: Ledger
    pace: Pace
    spent: Spent = field(default_factory=Spent)
    dialect: Dialect = field(default_factory=Dialect)

    @classmethod
    def of(cls, model: ModelSettings, runtime: RuntimeSettings) -> Self:
        """A session in which nothing was asked yet."""
        ledger = Ledger(model.name, runtime.prices.get(model.name))
        return cls(ledger, Pace(Limits.of(runtime)))
