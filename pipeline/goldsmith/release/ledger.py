"""The ledger: one JSON line for each release that was ever frozen, tracked in git.

It is what makes a version unrepeatable: folders come and go (a pipeline removes its outputs before
it makes them again), the line stays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson
from pydantic import Field, ValidationError

from goldsmith.errors import CheckError, InputError
from goldsmith.ids import canonical_json
from goldsmith.records import Record
from goldsmith.release.manifest import Parent
from goldsmith.tables import write_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from goldsmith.release.manifest import Manifest


class LedgerEntry(Record):
    """A release that was frozen."""

    version: str = Field(pattern=r"^\d+\.\d+\.\d+$")
    digest: str
    parent: str | None
    counts: dict[str, int]
    """Questions by kind."""

    @classmethod
    def of(cls, manifest: Manifest) -> LedgerEntry:
        return cls(
            version=manifest.version,
            digest=manifest.digest,
            parent=manifest.parent.version if manifest.parent else None,
            counts=manifest.counts.by_kind,
        )


def read_ledger(path: Path) -> list[LedgerEntry]:
    """All entries in the order in which they were frozen; none when there is no ledger yet.

    A line that stands there twice, as a merge of two branches leaves it, is one entry. Raises
    `InputError` naming the line that cannot be read, and `CheckError` for a version with two
    digests.
    """
    if not path.is_file():
        return []
    entries: dict[str, LedgerEntry] = {}
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        if not line.strip():
            continue
        entry = _parse(line, f"{path}, line {number}")
        known = entries.setdefault(entry.version, entry)
        if known.digest != entry.digest:
            raise CheckError(
                f"{path}, line {number}: version {entry.version!r} has the digest {entry.digest}, "
                f"and {known.digest} in an earlier line: one of the two releases must be frozen "
                "again under another version"
            )
    return list(entries.values())


def _parse(line: bytes, where: str) -> LedgerEntry:
    try:
        return LedgerEntry.model_validate(orjson.loads(line))
    except (orjson.JSONDecodeError, ValidationError) as error:
        raise InputError(
            f"{where} is no ledger entry, found {line[:80].decode('utf-8', 'replace')!r}: restore "
            "the file from git, or remove the line when it is the torn end of the last one"
        ) from error


def enter(path: Path, manifest: Manifest) -> bool:
    """Add the release unless it stands there already; returns whether a line was added.

    Raises `CheckError` when its version was frozen with another digest.
    """
    entries = read_ledger(path)
    if refuse_other_digest(entries, manifest.version, manifest.digest, str(path)):
        return False
    lines = [*entries, LedgerEntry.of(manifest)]
    write_bytes(path, b"".join(canonical_json(e.model_dump(mode="json")) + b"\n" for e in lines))
    return True


def refuse_other_digest(
    entries: Iterable[LedgerEntry], version: str, digest: str, where: str
) -> bool:
    """Whether `version` was frozen with this very digest; raises `CheckError` for another one."""
    known = next((entry for entry in entries if entry.version == version), None)
    if known is not None and known.digest != digest:
        raise CheckError(other_digest(version, where, known.digest, digest))
    return known is not None


def other_digest(version: str, where: str, known: str, found: str) -> str:
    """The message for a version that would be overwritten."""
    return (
        f"version {version!r} was frozen with digest {known} ({where}), and this build gives "
        f"{found}: a version is never overwritten, so raise release.version in configs/build.yaml"
    )


def parent_of(
    entries: Iterable[LedgerEntry], version: str, parent: str | None, where: str
) -> Parent | None:
    """The release that `version` follows: the one named, else the newest earlier version.

    Raises `InputError` when the one named is not in the ledger, or is no earlier version.
    """
    earlier = {e.version: e for e in entries if numbers_of(e.version) < numbers_of(version)}
    if parent is None:
        found = max(earlier.values(), key=lambda entry: numbers_of(entry.version), default=None)
    elif parent in earlier:
        found = earlier[parent]
    else:
        raise InputError(
            f"release.parent {parent!r} is no version before {version!r} in {where}; found "
            f"{sorted(earlier, key=numbers_of) or 'none'}: name one of these, or leave it out"
        )
    return None if found is None else Parent(version=found.version, digest=found.digest)


def numbers_of(version: str) -> tuple[int, ...]:
    """By which versions are compared: 1.10.0 is later than 1.9.0."""
    return tuple(int(part) for part in version.split("."))
