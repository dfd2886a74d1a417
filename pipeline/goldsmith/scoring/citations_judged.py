"""The figures of the judged half, pooled over claims: accuracy, coverage, faithfulness, AIS.

Every figure is a `Column` (a numerator and a denominator for each answer), so that its interval is
a bootstrap over answers. A claim without a readable verdict is in no denominator: it is counted in
`judge_failed`, and the two figures `…_if_all_wrong` and `…_if_all_right` bound what it could do.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np

from goldsmith.scoring.records import Aggregation, Column, FailureKind, Half, Layer, Verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from goldsmith.scoring.judged import JudgedAnswer, JudgedClaim

    Floats = NDArray[np.float64]
    Share = tuple[float, float]


class Policy(StrEnum):
    """What a claim with several ids has to hold up to."""

    JOINT = "joint"
    """The named passages together support it."""
    SINGLE = "single"
    """One passage named, and it supports the claim; more than one id fails."""
    EACH = "each"
    """Together they support it, and every one of them supports a part."""


_STRICT = frozenset({Verdict.SUPPORTS})
_LENIENT = frozenset({Verdict.SUPPORTS, Verdict.PARTIALLY_SUPPORTS})


def passes(claim: JudgedClaim, policy: Policy, *, lenient: bool = False) -> bool | None:
    """Does the citation hold? None: the claim has no part in the figure, or no readable verdict."""
    if not claim.understood.interpretable or claim.joint is None or claim.joint.verdict is None:
        return None
    if claim.joint.verdict not in (_LENIENT if lenient else _STRICT):
        return False
    if policy is Policy.SINGLE:
        return claim.one_citation
    if policy is Policy.EACH and len(claim.claim.cited_ids) > 1:
        return _each_contributes(claim)
    return True


def _each_contributes(claim: JudgedClaim) -> bool | None:
    if len(claim.resolved) < len(claim.claim.cited_ids):
        return False
    alone = {claim.singly[i].verdict for i in claim.resolved}
    if alone & {Verdict.DOES_NOT_SUPPORT, Verdict.CONTRADICTS}:
        return False
    return None if None in alone else True


def columns(answers: Sequence[JudgedAnswer]) -> list[Column]:
    """All figures of this part, an answer a place."""
    return [
        *_accuracy_columns(answers),
        *_coverage_columns(answers),
        *_faithfulness_columns(answers),
        *_ais_columns(answers),
        *_failure_columns(answers),
    ]


def _column(
    name: str,
    layer: Layer,
    answers: Sequence[JudgedAnswer],
    share: Callable[[JudgedClaim], Share],
    note: str = "",
    *,
    is_share: bool = True,
) -> Column:
    """Sums of `share` (numerator, denominator) over the claims of each answer."""
    sums = np.array(
        [np.sum([share(c) for c in a.claims], axis=0) if a.claims else (0, 0) for a in answers],
        dtype=np.float64,
    ).reshape(len(answers), 2)
    return Column(
        name=name,
        half=Half.UNLABELLED,
        layer=layer,
        numerator=sums[:, 0],
        denominator=sums[:, 1],
        aggregation=Aggregation.POOLED,
        note=note,
        share=is_share,
    )


def _of(outcome: bool | None) -> Share:
    """A yes or no as (1 or 0, 1); nobody's word as (0, 0)."""
    return (0.0, 0.0) if outcome is None else (float(outcome), 1.0)


def _bounded(
    name: str,
    layer: Layer,
    answers: Sequence[JudgedAnswer],
    outcome: Callable[[JudgedClaim], bool | None],
    failed: Callable[[JudgedClaim], bool],
) -> Iterator[Column]:
    """A figure, how many claims have no readable verdict for it, and what they could make of it."""
    yield _column(name, layer, answers, lambda c: _of(outcome(c)))
    if not any(failed(claim) for answer in answers for claim in answer.claims):
        return

    def asked(claim: JudgedClaim) -> float:
        return float(failed(claim) or outcome(claim) is not None)

    yield _column(f"{name}_judge_failed", layer, answers, lambda c: (float(failed(c)), asked(c)))
    for suffix, value in (("if_all_wrong", 0.0), ("if_all_right", 1.0)):

        def bound(claim: JudgedClaim, value: float = value) -> Share:
            return (value, 1.0) if failed(claim) else _of(outcome(claim))

        yield _column(f"{name}_{suffix}", layer, answers, bound)


def _accuracy_columns(answers: Sequence[JudgedAnswer]) -> Iterator[Column]:
    for policy in Policy:
        for lenient in (False, True):

            def outcome(
                claim: JudgedClaim, policy: Policy = policy, lenient: bool = lenient
            ) -> bool | None:
                return passes(claim, policy, lenient=lenient)

            def failed(claim: JudgedClaim, policy: Policy = policy) -> bool:
                return _has_part(claim) and passes(claim, policy) is None

            name = "citation_accuracy" + ("" if policy is Policy.JOINT else f"_{policy}")
            name += "_lenient" if lenient else ""
            yield from _bounded(name, Layer.CITATION, answers, outcome, failed)
    yield _column(
        "citation_accuracy_single_ceiling",
        Layer.CITATION,
        answers,
        lambda c: _of(None if passes(c, Policy.JOINT) is None else not c.needs_several),
        note="claims that no single passage carries cannot pass under the policy single",
    )


def _has_part(claim: JudgedClaim) -> bool:
    """In the denominator of citation accuracy, had the judge given its word."""
    return bool(claim.claim.cited_ids) and claim.understood.interpretable is not False


def _coverage_columns(answers: Sequence[JudgedAnswer]) -> Iterator[Column]:
    yield _column(
        "citation_coverage", Layer.CITATION, answers, lambda c: _of(bool(c.claim.cited_ids))
    )
    yield _column(
        "ids_per_claim",
        Layer.CITATION,
        answers,
        lambda c: (float(len(c.claim.cited_ids)), float(bool(c.claim.cited_ids))),
        note="a rise means gaming",
        is_share=False,
    )
    yield _column(
        "check_failed",
        Layer.CITATION,
        answers,
        lambda c: _of(None if c.joint is None or not c.resolved else bool(c.joint.lowered)),
        note="verdicts lowered to partially_supports by a deterministic check",
    )


def _faithfulness_columns(answers: Sequence[JudgedAnswer]) -> Iterator[Column]:
    for suffix, outcome in (
        ("", lambda c: c.faithful),
        ("_lenient", lambda c: c.faithful_leniently),
    ):

        def failed(
            claim: JudgedClaim, outcome: Callable[[JudgedClaim], bool | None] = outcome
        ) -> bool:
            return claim.understood.interpretable is not False and outcome(claim) is None

        yield from _bounded(f"faithfulness{suffix}", Layer.FAITHFULNESS, answers, outcome, failed)


def _ais_columns(answers: Sequence[JudgedAnswer]) -> Iterator[Column]:
    """AIS over the claims with ids: attributable to identified sources."""

    def ais(claim: JudgedClaim) -> bool | None:
        if not claim.claim.cited_ids:
            return None
        if claim.understood.interpretable is False:
            return False
        return passes(claim, Policy.JOINT)

    yield from _bounded(
        "ais",
        Layer.CITATION,
        answers,
        ais,
        lambda c: bool(c.claim.cited_ids) and ais(c) is None,
    )
    yield _column(
        "ais_interpretable",
        Layer.CITATION,
        answers,
        lambda c: _of(c.understood.interpretable if c.claim.cited_ids else None),
        note="P(interpretable); P(supported given interpretable) is citation_accuracy",
    )


def _failure_columns(answers: Sequence[JudgedAnswer]) -> Iterator[Column]:
    """The split of the failed claims: the numerators add up to the common denominator."""
    for kind in FailureKind:

        def share(claim: JudgedClaim, kind: FailureKind = kind) -> Share:
            return _of(None if claim.failure is None else claim.failure is kind)

        yield _column(f"failed_{kind}", Layer.CITATION, answers, share)


# -- whether markers inform -----------------------------------------------------------------------


def presence_counts(
    answers: Sequence[JudgedAnswer],
) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """For each answer: cited and supported, supported, cited and unsupported, unsupported."""
    rows = np.zeros((len(answers), 4))
    for row, answer in zip(rows, answers, strict=True):
        for claim in answer.claims:
            if claim.faithful is None:
                continue
            first = 0 if claim.faithful else 2
            row[first] += bool(claim.claim.cited_ids)
            row[first + 1] += 1
    return rows


def presence_ratio(sums: Floats) -> Floats:
    """P(cited given supported) / P(cited given unsupported), NaN where it is undefined.

    `sums` are column sums of `presence_counts`, a resample a row: what `bootstrap_of` hands over.
    """
    cited_supported, supported, cited_unsupported, unsupported = sums.T
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = (cited_supported / supported) / (cited_unsupported / unsupported)
    return np.asarray(np.where(np.isfinite(ratio), ratio, np.nan), dtype=np.float64)
