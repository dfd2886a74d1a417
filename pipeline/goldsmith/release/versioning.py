"""Which version a release must have at least, by what changed since its parent.

Patch: the wording of the card alone, every published row as it was. Minor: rows were added, and
nothing that a score depends on was touched. Major: rows removed, labels or corpus changed.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

from goldsmith.errors import CheckError, InputError
from goldsmith.release.diff import diff_releases
from goldsmith.release.ledger import numbers_of
from goldsmith.release.reading import read_release

if TYPE_CHECKING:
    from pathlib import Path

    from goldsmith.release.manifest import Parent
    from goldsmith.release.reading import Release

_REMARKS = frozenset({"critics", "proof", "necessity"})
"""Columns of a question that no score depends on, and no slice of one."""

_log = logging.getLogger(__name__)


class Step(IntEnum):
    """Which number of a version is raised: its place in `major.minor.patch`."""

    MAJOR = 0
    MINOR = 1
    PATCH = 2


@dataclass(frozen=True, slots=True)
class Change:
    """The step that a change asks for, and what was found, in words."""

    step: Step
    reason: str


def change_between(before: Release, after: Release) -> Change:
    """What the step from `before` to `after` must be at least.

    A question that reads otherwise, in whatever a score or a slice depends on, counts as a label
    changed; what critics and proofs remark beside it, and how it was made, do not.
    """
    diff = diff_releases(before, after)
    if diff.is_empty:
        return Change(Step.PATCH, "no published row changed")
    changed = [row for row in diff.changed if not _REMARKS.issuperset(row.columns)]
    same_corpus = before.manifest.corpus_digest == after.manifest.corpus_digest
    major = [
        *_counted(len(diff.removed), "questions removed"),
        *_counted(len(changed), "questions or their labels changed"),
        *_counted(diff.judgements.removed, "judgements removed"),
        *_counted(diff.judgements.changed, "judgements changed"),
        *([] if same_corpus else ["another corpus"]),
    ]
    if major:
        return Change(Step.MAJOR, ", ".join(major))
    minor = [
        *_counted(len(diff.added), "questions added"),
        *_counted(diff.judgements.added, "judgements added"),
    ]
    return Change(Step.MINOR, ", ".join(minor) or "no label changed, only remarks beside them")


def next_version(version: str, step: Step) -> str:
    """`version` with one number raised and those behind it at zero."""
    numbers = numbers_of(version)
    raised = [*numbers[:step], numbers[step] + 1, *(0 for _ in numbers[step + 1 :])]
    return ".".join(str(number) for number in raised)


def refuse_small_step(after: Release, parent: Parent | None, root: Path) -> None:
    """Raise `CheckError` with the version to take when that of `after` is smaller than its change.

    A parent whose rows are not at hand below `root` leaves the rule unchecked: a warning says so.
    """
    if parent is None:
        return
    try:
        before = _read(root / parent.version, parent.digest)
    except InputError as error:
        _log.warning(
            "version %r is not checked against what changed since %r: %s",
            after.manifest.version,
            parent.version,
            error,
        )
        return
    change = change_between(before, after)
    least = next_version(parent.version, change.step)
    if numbers_of(after.manifest.version) < numbers_of(least):
        raise CheckError(
            f"version {after.manifest.version!r} is too small a step from {parent.version!r} "
            f"({change.reason}): freeze it as {least!r} or a later one (release.version in "
            "configs/build.yaml)"
        )


def proposal(after: Release, known: Parent, root: Path) -> str:
    """The end of a message: the version to take after `known`; empty when its rows are not here."""
    try:
        change = change_between(_read(root / known.version, known.digest), after)
    except InputError:
        return ""  # the message that this would end says already what to do
    return f", to {next_version(known.version, change.step)!r} or a later one ({change.reason})"


def _read(folder: Path, digest: str) -> Release:
    found = read_release(folder)
    if found.manifest.digest != digest:
        raise InputError(
            f"{str(folder)!r} has the digest {found.manifest.digest}, the ledger {digest}"
        )
    return found


def _counted(count: int, what: str) -> list[str]:
    return [f"{what}: {count}"] if count else []
