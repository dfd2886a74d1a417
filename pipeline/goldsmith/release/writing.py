"""Freeze a release into its folder: whole or not at all, and no version twice."""

from __future__ import annotations

import contextlib
import os
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.errors import CheckError
from goldsmith.release.card import render_card
from goldsmith.release.differences import file_entry
from goldsmith.release.layout import CARD, MANIFEST, TABLES
from goldsmith.release.ledger import (
    enter,
    other_digest,
    parent_of,
    read_ledger,
    refuse_other_digest,
)
from goldsmith.release.manifest import Parent
from goldsmith.release.measuring import describe
from goldsmith.release.parquet import ROW_GROUP_ROWS, write_rows
from goldsmith.release.reading import Release, read_manifest
from goldsmith.release.soundness import refuse_unsound
from goldsmith.release.verify import verify
from goldsmith.release.versioning import proposal, refuse_small_step

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from goldsmith.release.contents import Contents
    from goldsmith.release.ledger import LedgerEntry
    from goldsmith.release.manifest import FileEntry, Manifest, Origin


@dataclass(frozen=True, slots=True)
class Written:
    """Where a release stands; `is_new` is False when it stood there already."""

    folder: Path
    manifest: Manifest
    is_new: bool


def write_release(
    contents: Contents,
    origin: Origin,
    *,
    root: Path,
    ledger: Path,
    row_group_rows: int = ROW_GROUP_ROWS,
) -> Written:
    """Write `root/<version>` and enter it in the ledger.

    The folder is written under another name beside its place and moved there, then the ledger gets
    its line: killed anywhere in between, the next run finds the old state or the new one, and
    finishes.

    A version that was frozen with this very digest is left as it is, or written again when its
    folder is gone. Raises `UnsoundReleaseError` for contents that contradict themselves, and
    `CheckError` when the version was frozen with another digest, is smaller than what changed since
    its parent, or when its folder is damaged.
    """
    refuse_unsound(contents, origin.funnel, origin.rules)
    with alone(root):
        entries = read_ledger(ledger)
        parent = parent_of(entries, origin.version, origin.parent, str(ledger))
        manifest = describe(contents, origin, parent)
        after = Release(manifest, contents)
        if not _known(entries, after, root=root, ledger=ledger):
            refuse_small_step(after, parent, root)
        folder = root / manifest.version
        # An empty folder is as good as none: pipelines make one for an output they expect.
        standing = (
            _standing(folder, manifest) if folder.is_dir() and any(folder.iterdir()) else None
        )
        if standing is None:
            manifest = _place(contents, manifest, folder, row_group_rows)
        enter(ledger, manifest)
    return Written(folder, standing or manifest, is_new=standing is None)


def _known(entries: list[LedgerEntry], after: Release, *, root: Path, ledger: Path) -> bool:
    """Whether this very release was frozen before; a refusal ends in the version to take."""
    manifest = after.manifest
    try:
        return refuse_other_digest(entries, manifest.version, manifest.digest, str(ledger))
    except CheckError as error:
        known = next(entry for entry in entries if entry.version == manifest.version)
        before = Parent(version=known.version, digest=known.digest)
        raise CheckError(f"{error}{proposal(after, before, root)}") from error


@contextlib.contextmanager
def alone(root: Path) -> Iterator[None]:
    """One writer at a time; the system drops the lock of a process that was killed."""
    root.mkdir(parents=True, exist_ok=True)
    try:
        import fcntl  # noqa: PLC0415 - absent on Windows
    except ImportError:
        yield
        return
    handle = os.open(root, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _standing(folder: Path, manifest: Manifest) -> Manifest:
    """The release that stands at `folder` already; `CheckError` unless it is whole and the same."""
    standing = read_manifest(folder)
    if standing.digest != manifest.digest:
        raise CheckError(
            other_digest(manifest.version, str(folder), standing.digest, manifest.digest)
        )
    try:
        return verify(folder).manifest
    except CheckError as error:
        raise CheckError(f"{error}; remove the folder and freeze again") from error


def _place(contents: Contents, manifest: Manifest, folder: Path, row_group_rows: int) -> Manifest:
    temporary = folder.with_name(f".{folder.name}.partial")
    if temporary.exists():
        shutil.rmtree(temporary)  # left by a process that was killed: we hold the lock
    temporary.mkdir()
    for table in TABLES:
        write_rows(
            temporary / table.file,
            table.schema,
            table.rows(contents),
            row_group_rows=row_group_rows,
        )
    (temporary / CARD).write_text(render_card(manifest), "utf-8", newline="\n")
    manifest = manifest.model_copy(update={"files": _entries(temporary)}).sealed()
    (temporary / MANIFEST).write_bytes(manifest.as_bytes())
    temporary.replace(folder)
    return manifest


def _entries(folder: Path) -> dict[str, FileEntry]:
    return {path.name: file_entry(path.read_bytes()) for path in sorted(folder.iterdir())}
