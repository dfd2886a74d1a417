"""A release as commands take it: a folder, or `ORG/NAME@v1.2.0` on the Hub."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldsmith.release.hub.reference import is_reference, parse_reference

if TYPE_CHECKING:
    from pathlib import Path


def release_folder(named: Path) -> Path:
    """`named` as it is, or the verified copy of what it names on the Hub."""
    text = named.as_posix()
    if named.exists() or not is_reference(text):
        return named
    from goldsmith.release.hub.pull import fetch

    return fetch(parse_reference(text), store()).release.folder


def store() -> Path:
    """Where releases of the Hub are kept, a folder for each repository and commit."""
    from goldsmith.cli.context import cache_folder

    return cache_folder() / "releases"
