"""Human labels of claims, as `goldsmith audit` reads them: one JSON object a line.

A row is one rater's word on one claim. What the rater saw is part of the row: the passages, and
optionally `evidence_digest`, the digest of them at the time of labelling. A row whose text has
changed since is refused, because judge and human would not have seen the same.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from goldsmith.errors import InputError
from goldsmith.ids import digest_of, text_digest
from goldsmith.scoring.records import Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

_LISTED = 20


class LabelledPassage(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    text: str


class LabelRow(BaseModel):
    """One line. Fields that are not named here are a labelling tool's own and are left alone."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str = Field(min_length=1)
    claim: str = Field(min_length=1)
    passages: tuple[LabelledPassage, ...] = Field(min_length=1)
    label: Verdict
    rater: str = ""
    answer_id: str | None = None
    """Rows of one answer are no independent rows; None: the row stands alone."""
    evidence_digest: str | None = None

    @property
    def digest(self) -> str:
        return evidence_digest((passage.id, passage.text) for passage in self.passages)


def evidence_digest(passages: Iterable[tuple[str, str]]) -> str:
    """sha256 over the ids and texts of passages, in order."""
    return digest_of([[chunk_id, text_digest(text)] for chunk_id, text in passages])


@dataclass(frozen=True, slots=True)
class LabelledClaim:
    """A claim with the word of each rater, and theirs together."""

    row: LabelRow
    by_rater: dict[str, Verdict]
    label: Verdict | None
    """The majority; None where the raters tie."""


@dataclass(frozen=True, slots=True)
class Labels:
    """What a label file holds, and what of it was refused and why."""

    claims: tuple[LabelledClaim, ...]
    refused: tuple[str, ...]
    """A sentence for each refused row."""

    @property
    def tied(self) -> tuple[LabelledClaim, ...]:
        return tuple(claim for claim in self.claims if claim.label is None)


def read_labels(path: Path) -> Labels:
    """Read a label file. Raises `InputError` listing the first malformed lines, all in one error.

    A well-formed row is refused (not an error) when its evidence changed since it was labelled, or
    differs from what another rater of the same id saw.
    """
    rows, problems = [], []
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise InputError(f"label file {str(path)!r} cannot be read: {error.strerror}") from error
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            rows.append(LabelRow.model_validate(orjson.loads(line)))
        except orjson.JSONDecodeError as error:
            problems.append(f"line {number}: not JSON ({error})")
        except ValidationError as error:
            problems.extend(
                f"line {number}, {'.'.join(map(str, item['loc'])) or 'row'}: {item['msg']}, "
                f"found {item['input']!r:.80}"
                for item in error.errors()
            )
    if problems:
        more = f" (and {len(problems) - _LISTED} more)" if len(problems) > _LISTED else ""
        raise InputError(f"label file {str(path)!r}: " + "; ".join(problems[:_LISTED]) + more)
    if not rows:
        raise InputError(f"label file {str(path)!r} holds no row: expected JSON Lines, one a claim")
    return gather(rows)


def gather(rows: Sequence[LabelRow]) -> Labels:
    """Bring the raters of each claim together, in the order of first appearance."""
    refused: list[str] = []
    by_id: dict[str, list[LabelRow]] = defaultdict(list)
    for row in rows:
        first = by_id[row.id][0] if by_id[row.id] else row
        if row.label is Verdict.UNTESTED:
            refused.append(f"row {row.id!r}: 'untested' is no label of a person")
        elif row.evidence_digest not in {None, row.digest}:
            refused.append(f"row {row.id!r}: its passages changed since it was labelled")
        elif (row.claim, row.digest) != (first.claim, first.digest):
            refused.append(f"row {row.id!r}: rater {row.rater!r} saw another claim or passage")
        elif row.rater in {other.rater for other in by_id[row.id]}:
            refused.append(f"row {row.id!r}: a second label by rater {row.rater!r}")
        else:
            by_id[row.id].append(row)
    return Labels(tuple(_claim(group) for group in by_id.values() if group), tuple(refused))


def _claim(rows: Sequence[LabelRow]) -> LabelledClaim:
    counted = Counter(row.label for row in rows).most_common(2)
    tied = len(counted) > 1 and counted[0][1] == counted[1][1]
    return LabelledClaim(
        row=rows[0],
        by_rater={row.rater: row.label for row in rows},
        label=None if tied else counted[0][0],
    )
