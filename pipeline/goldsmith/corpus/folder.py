"""The files of a corpus folder: found in an order that no machine changes, read within bounds."""

from __future__ import annotations

import os
import stat
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from goldsmith.errors import InputError


@dataclass(frozen=True, slots=True)
class Source:
    """Something below the corpus folder that was asked for as a document."""

    path: Path
    name: str
    """Relative, with forward slashes, in Unicode NFC."""


class RefusedError(Exception):
    """What becomes no document: `reason` is a column of the funnel, `detail` says more."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason
        self.detail = detail


def sources(folder: Path) -> list[Source]:
    """Everything below `folder` that is no folder itself, in the order of its name.

    What is hidden (its name, or that of a folder above it, begins with a dot) was not asked for.
    Links to folders are not followed, so there are no loops; they and folders that cannot be opened
    are listed, and refused with a reason when they are read. Raises `InputError` when there is no
    such folder.
    """
    if not folder.is_dir():
        raise InputError(f"corpus folder {str(folder)!r} does not exist or is no folder")
    found: list[Path] = []
    closed = (Path(error.filename) for error in _walk(folder, found))
    found += closed
    listed = [Source(path, _name(path.relative_to(folder))) for path in found]
    return sorted(listed, key=lambda source: source.name)


def _walk(folder: Path, found: list[Path]) -> list[OSError]:
    """Adds to `found` what is no folder; returns why folders could not be opened."""
    closed: list[OSError] = []
    for top, folders, files in os.walk(folder, onerror=closed.append):
        folders[:] = [name for name in folders if not name.startswith(".")]
        links = [name for name in folders if Path(top, name).is_symlink()]
        found += [Path(top, name) for name in (*files, *links) if not name.startswith(".")]
    return closed


def _name(path: Path) -> str:
    """A name that is no valid text keeps its odd bytes, written in hexadecimal."""
    name = os.fsencode(path.as_posix()).decode("utf-8", "backslashreplace")
    return unicodedata.normalize("NFC", name)


def content_of(source: Source, most: int) -> bytes:
    """The bytes of a file of at most `most` bytes; a larger one is refused unread.

    Raises `RefusedError` (`too_large`, `no_file`, `unreadable`).
    """
    try:
        status = source.path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise RefusedError("no_file", "a link to a folder, a device or a pipe")
        if status.st_size > most:
            raise RefusedError(
                "too_large", f"{status.st_size:,} bytes; chunk.max_document_bytes is {most:,}"
            )
        return source.path.read_bytes()
    except OSError as error:
        raise RefusedError("unreadable", str(error.strerror or error)) from error
