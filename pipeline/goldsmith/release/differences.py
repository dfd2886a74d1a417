"""Where a release is not what its manifest says: every place that can be told, in order."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from goldsmith.errors import InputError
from goldsmith.release.card import stated_by
from goldsmith.release.difference import Difference, manifest_difference
from goldsmith.release.layout import (
    CARD,
    MANIFEST,
    TABLES,
)
from goldsmith.release.manifest import (
    FileEntry,
    ManifestError,
    parse_manifest,
)
from goldsmith.release.parquet import UnreadableTableError, read_rows
from goldsmith.release.row_differences import row_differences

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from goldsmith.release.layout import Row, Table
    from goldsmith.release.manifest import Manifest

_OF_THE_HUB = frozenset({".gitattributes", ".cache"})
"""What the Hub's client leaves in a folder that it downloads."""


def file_entry(content: bytes) -> FileEntry:
    """What a manifest says of a file."""
    return FileEntry(sha256=hashlib.sha256(content).hexdigest(), bytes=len(content))


def differences(folder: Path) -> Iterator[Difference]:
    """Compute everything again and compare.

    The order goes from the outside in: manifest, list of files, bytes of every file, rows, what
    follows from the rows (queries, qrels, soundness, counts, figures, digests), card. A file whose
    bytes are wrong is opened all the same: where its rows show the place, that comes first.

    Raises `InputError` when the folder is no release, or was written by a newer goldsmith.
    """
    try:
        content = (folder / MANIFEST).read_bytes()
    except OSError as error:
        raise InputError(f"{str(folder)!r} is no release: it has no readable {MANIFEST}") from error
    try:
        manifest = parse_manifest(content, str(folder))
    except ManifestError as error:
        yield manifest_difference(error.field, error.found, error.expected)
        return
    yield from _manifest_differences(manifest, content)
    yield from _list_differences(folder, manifest)
    files = _open(folder, manifest)
    located = list(row_differences(files.rows, manifest)) if files.are_readable else []
    changed = {difference.file for difference in files.changed}
    yield from (difference for difference in located if difference.file in changed)
    yield from files.changed
    yield from (difference for difference in located if difference.file not in changed)
    yield from _card_differences(files.card, manifest)


@dataclass(slots=True)
class _Files:
    """What could be read of a release, and which files are not what the manifest lists."""

    rows: dict[str, list[Row]] = field(default_factory=dict)
    card: str = ""
    changed: list[Difference] = field(default_factory=list)

    @property
    def are_readable(self) -> bool:
        return all(table.name in self.rows for table in TABLES)


def _manifest_differences(manifest: Manifest, content: bytes) -> Iterator[Difference]:
    seal = manifest.expected_seal()
    if manifest.seal != seal:
        yield manifest_difference(
            "seal", f"content that has the seal {seal}", f"{manifest.seal}, as it was frozen"
        )
    elif content != manifest.as_bytes():
        yield manifest_difference(None, "other layout of the JSON", "sorted keys, indented by two")


def _list_differences(folder: Path, manifest: Manifest) -> Iterator[Difference]:
    expected = {table.file for table in TABLES} | {CARD}
    for name in sorted(expected - set(manifest.files)):
        yield manifest_difference(f"files.{name}", "no entry", "one for each file")
    here = {path.name for path in folder.iterdir()} - _OF_THE_HUB - {MANIFEST}
    for name in sorted({*manifest.files} - here):
        yield Difference(file=name, found="no file", expected="the file that the manifest lists")
    for name in sorted(here - {*manifest.files}):
        yield Difference(
            file=name, found="a file", expected="none: the manifest lists no such file"
        )


def _open(folder: Path, manifest: Manifest) -> _Files:
    files = _Files()
    tables = {table.file: table for table in TABLES}
    for name, entry in sorted(manifest.files.items()):
        path = folder / name
        if not path.is_file():
            continue
        content = path.read_bytes()
        found = file_entry(content)
        if found.bytes != entry.bytes:
            files.changed.append(
                Difference(file=name, found=f"{found.bytes} bytes", expected=f"{entry.bytes}")
            )
        elif found != entry:
            files.changed.append(
                Difference(
                    file=name,
                    found=f"sha256 {found.sha256}",
                    expected=entry.sha256,
                )
            )
        if name in tables:
            _read_table(files, tables[name], content)
        elif name == CARD:
            files.card = content.decode("utf-8", "replace")
    return files


def _read_table(files: _Files, table: Table, content: bytes) -> None:
    try:
        files.rows[table.name] = read_rows(content, table.schema)
    except UnreadableTableError as error:
        files.changed.append(
            Difference(
                file=table.file,
                found=str(error),
                expected=f"columns {', '.join(table.schema.names)}",
            )
        )


def _card_differences(card: str, manifest: Manifest) -> Iterator[Difference]:
    stated = stated_by(card)
    for name in ("version", "digest", "corpus digest", "canary"):
        expected = str(getattr(manifest, name.replace(" ", "_")))
        if stated.get(name) != expected:
            found = stated.get(name, "nothing")
            yield Difference(file=CARD, row=name, found=found, expected=expected)
