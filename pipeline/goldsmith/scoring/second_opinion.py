"""Two judges on the same support questions: how far they agree, beyond chance.

Two judges that agree can still both be wrong; where they differ, one of them is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from goldsmith.scoring.confusion import Confusion, kappa
from goldsmith.scoring.intervals import bootstrap_of, share_interval
from goldsmith.scoring.judge import Asked
from goldsmith.scoring.records import Half, Layer, Metric, Verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from goldsmith.scoring.intervals import Interval
    from goldsmith.scoring.judge import Judge
    from goldsmith.scoring.judged import JudgedAnswer

    Floats = NDArray[np.float64]

_LABELS: tuple[Verdict, ...] = tuple(
    verdict for verdict in Verdict if verdict is not Verdict.UNTESTED
)
_PLACE: dict[Verdict, int] = {verdict: i for i, verdict in enumerate(_LABELS)}


@dataclass(frozen=True, slots=True, repr=False)
class Agreement:
    """What the second judge says of the questions that the first one answered."""

    second: str
    counts: Floats
    """(answers, 4, 4): the first judge's verdict by the second's, for each answer."""
    unreadable: int
    """Questions on which one of them gave no readable verdict."""

    @property
    def together(self) -> Confusion:
        labels = tuple(verdict.value for verdict in _LABELS)
        return Confusion(labels, self.counts.sum(axis=0), (0,) * len(labels))

    @property
    def n(self) -> int:
        return self.together.n

    @property
    def agreement(self) -> float | None:
        return self.together.accuracy

    @property
    def kappa(self) -> float | None:
        return self.together.kappa

    def metrics(self, *, seed: int, resamples: int) -> list[Metric]:
        """`judge_agreement` and `judge_kappa`, with intervals over answers."""
        same = np.trace(self.counts, axis1=1, axis2=2)
        asked = self.counts.sum(axis=(1, 2))
        size = len(_LABELS)
        spread = bootstrap_of(
            self.counts.reshape(len(self.counts), size * size),
            lambda sums: kappa(sums.reshape(len(sums), size, size)),
            seed=seed,
            resamples=resamples,
        )
        share = share_interval(same, asked, seed=seed, resamples=resamples)
        chance = self._chance()
        agreed = self.agreement or 0.0
        return [
            self._metric(
                "judge_agreement", self.agreement, float(same.sum()), float(self.n), share
            ),
            # Cohen's kappa is what is agreed beyond chance, of what there is beyond chance.
            self._metric("judge_kappa", self.kappa, agreed - chance, 1 - chance, spread),
        ]

    def _chance(self) -> float:
        counts, n = self.together.counts, self.n
        return float((counts.sum(axis=0) * counts.sum(axis=1)).sum() / n**2) if n else 1.0

    def _metric(
        self, name: str, value: float | None, above: float, below: float, interval: Interval | None
    ) -> Metric:
        given = value is not None and interval is not None
        return Metric(
            name=name,
            half=Half.UNLABELLED,
            layer=Layer.COMPONENT,
            value=value,
            numerator=above if value is not None else 0.0,
            denominator=below if value is not None else 0.0,
            n=self.n,
            low=interval.low if given and interval else None,
            high=interval.high if given and interval else None,
            method=interval.method if given and interval else "",
            note=f"second opinion of {self.second}",
        )


async def second_opinion(answers: Sequence[JudgedAnswer], second: Judge) -> Agreement:
    """Put the questions about named passages to another judge too."""
    asked: list[Asked] = []
    first: list[tuple[int, Verdict | None]] = []
    for place, answer in enumerate(answers):
        texts = answer.trial.texts
        for claim in answer.claims:
            if claim.joint is not None and claim.resolved:
                asked.append(Asked(claim.claim.text, tuple(texts[i] for i in claim.resolved)))
                first.append((place, claim.joint.verdict))
    rulings = await second.support(asked)
    counts = np.zeros((len(answers), len(_LABELS), len(_LABELS)))
    unreadable = 0
    for (place, one), ruling in zip(first, rulings, strict=True):
        if one is None or ruling.verdict is None:
            unreadable += 1
        else:
            counts[place, _PLACE[one], _PLACE[ruling.verdict]] += 1
    return Agreement(second.name, counts, unreadable)
