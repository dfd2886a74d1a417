"""Freeze what a migration made: a release that follows the one it came from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldsmith.errors import CheckError
from goldsmith.records import Usage
from goldsmith.release.ledger import enter
from goldsmith.release.manifest import OFFLINE_NOTICE, Origin
from goldsmith.release.migration import STAGE
from goldsmith.release.migration.report import markdown
from goldsmith.release.writing import write_release
from goldsmith.tables import write_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pydantic import JsonValue

    from goldsmith.release.manifest import Code, Manifest
    from goldsmith.release.migration import Migrated
    from goldsmith.release.migration.report import MigrationReport
    from goldsmith.release.writing import Written


def next_major(version: str) -> str:
    """The labels are on other chunks: no figure of the old version compares with one of the new."""
    return f"{int(version.split('.', maxsplit=1)[0]) + 1}.0.0"


def freeze_migrated(
    before: Manifest,
    migrated: Migrated,
    *,
    version: str,
    cut: Mapping[str, JsonValue],
    code: Code,
    root: Path,
    ledger: Path,
) -> tuple[Written, MigrationReport]:
    """Write `root/<version>`, and the report beside it as `<version>.migration.md` and `.json`.

    `cut` says how the new chunks were made. The old release enters the ledger when it does not
    stand there, so that it can be the parent.

    Raises `CheckError` when no question could be carried; the report is written all the same.
    """
    report = migrated.report.model_copy(update={"after": version})
    if not migrated.contents.queries:
        _write(report, root)
        raise CheckError(
            f"none of {sum(b.before for b in report.questions.values())} questions could be "
            f"carried over: {root / version}.migration.md says why for each; are these the "
            "documents that the release was built from?"
        )
    enter(ledger, before)
    written = write_release(
        migrated.contents,
        _origin(before, migrated, version=version, cut=cut, code=code),
        root=root,
        ledger=ledger,
    )
    after = f"{version} ({written.manifest.digest[:12]})"
    report = report.model_copy(update={"after": after})
    _write(report, root, version)
    return written, report


def _origin(
    before: Manifest,
    migrated: Migrated,
    *,
    version: str,
    cut: Mapping[str, JsonValue],
    code: Code,
) -> Origin:
    """All that was said of the old release holds of the new one: its questions are the same."""
    release = before.settings.get("release")
    named = {**release} if isinstance(release, dict) else {}
    usage = dict(before.usage)
    if migrated.judge is not None:
        usage[STAGE] = usage.get(STAGE, Usage()) + migrated.usage
    return Origin(
        name=before.name,
        version=version,
        licence=before.licence,
        settings={
            **before.settings,
            **cut,
            "release": {**named, "version": version, "parent": before.version},
        },
        rules=before.rules,
        prompts=before.prompts,
        models=tuple(dict.fromkeys((*before.models, *filter(None, [migrated.judge])))),
        offline=before.notice == OFFLINE_NOTICE,
        code=code,
        funnel=(*before.funnel, *migrated.funnel),
        usage=usage,
        price=before.price,
        parent=before.version,
    )


def _write(report: MigrationReport, root: Path, version: str | None = None) -> None:
    name = f"{version or report.after}.migration"
    content = report.model_dump_json(indent=2).encode() + b"\n"
    write_bytes(root / f"{name}.json", content)
    write_bytes(root / f"{name}.md", markdown(report).encode())
