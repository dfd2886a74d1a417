"""The citation accuracy of a run, corrected by what people found wrong with its judge."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pydantic

from goldsmith.errors import InputError
from goldsmith.scoring.audit import AuditReport
from goldsmith.scoring.citations_judged import Policy, passes
from goldsmith.scoring.prediction_powered import corrected_share
from goldsmith.scoring.records import Half, Layer, Metric, Verdict

if TYPE_CHECKING:
    from pathlib import Path

    from goldsmith.scoring.unlabelled import UnlabelledScore


def read_audit(path: Path) -> AuditReport:
    """What `goldsmith audit --json` printed; `InputError` when it is anything else."""
    try:
        return AuditReport.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(f"audit {str(path)!r} cannot be read: {error.strerror}") from error
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise InputError(
            f"audit {str(path)!r}: {place}: {first['msg']}; expected what "
            "`goldsmith audit LABELS --json` prints"
        ) from error


def corrected_accuracy(score: UnlabelledScore, audit: AuditReport) -> Metric | None:
    """`citation_accuracy_corrected`, beside the raw figure; None when either side has no verdict.

    The audited claims must be a random sample of claims like those of the run. Raises `InputError`
    when another judge was audited than the one that judged.
    """
    if audit.judge != score.judge:
        raise InputError(
            f"the audit is of the judge {audit.judge!r}, the run was judged by {score.judge!r}: "
            "audit the same judge"
        )
    both = [row for row in audit.audited if row.judge is not None]
    judged = [passes(claim, Policy.JOINT) for answer in score.answers for claim in answer.claims]
    found = corrected_share(
        [row.human is Verdict.SUPPORTS for row in both],
        [row.judge is Verdict.SUPPORTS for row in both],
        [outcome for outcome in judged if outcome is not None],
    )
    if found is None:
        return None
    note = f"prediction-powered, over {found.labelled} audited claims"
    if found.clipped:
        note += f"; interval [{found.low:.4f}, {found.high:.4f}] clipped to 0 to 1"
    return Metric(
        name="citation_accuracy_corrected",
        half=Half.UNLABELLED,
        layer=Layer.CITATION,
        value=found.value,
        numerator=found.value * found.unlabelled,
        denominator=found.unlabelled,
        n=found.unlabelled,
        low=found.clipped_low,
        high=found.clipped_high,
        method="prediction-powered inference" + (", clipped" if found.clipped else ""),
        note=note,
    )
