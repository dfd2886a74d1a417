"""Publish a release: one commit with all its files, then the tag of its version."""

from __future__ import annotations

import hashlib
import random
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from goldsmith.errors import CheckError
from goldsmith.release.hub.client import (
    ContentionError,
    MissingError,
    Repository,
    TransientError,
)
from goldsmith.release.hub.reference import require_repository, tag_of
from goldsmith.release.layout import MANIFEST
from goldsmith.release.reading import read_manifest
from goldsmith.release.verify import Verified, verify

if TYPE_CHECKING:
    from collections.abc import Callable

    from goldsmith.release.manifest import Manifest

_TROUBLES = 5
"""Failed requests in one push; the pauses between them are 0.5, 1, 2, 4 seconds."""
_CONTENTIONS = 30
"""Times that somebody else may be first."""
_SHORT = 0.2


@dataclass(frozen=True, slots=True)
class Pushed:
    """Where a version stands on the Hub; `is_new` is False when it stood there already."""

    repository: str
    tag: str
    commit: str
    digest: str
    is_new: bool


def push(
    folder: Path, name: str, *, public: bool = False, pause: Callable[[float], None] = time.sleep
) -> Pushed:
    """Verify the release at `folder` and publish it as `v<version>` of the repository `name`.

    Every step looks first whether it was done: killed anywhere and run again, the push finishes.
    Raises `CheckError` when the release is damaged, or when the tag holds another digest.
    """
    require_repository(name)
    release = verify(folder)
    repository = Repository(name)
    troubles = contentions = 0
    while True:
        try:
            repository.create(private=not public)
            return _publish(repository, release)
        except TransientError:
            troubles += 1
            if troubles == _TROUBLES:
                raise
            pause(2.0 ** (troubles - 2))
        except ContentionError:
            contentions += 1
            if contentions == _CONTENTIONS:
                raise
            pause(random.uniform(0, _SHORT))  # noqa: S311 - so that rivals do not meet again


def manifest_at(repository: Repository, commit: str) -> Manifest:
    """The manifest as it was at `commit`; raises `MissingError` where there is none."""
    with tempfile.TemporaryDirectory() as folder:
        repository.download(MANIFEST, commit, Path(folder))
        return read_manifest(Path(folder))


def _publish(repository: Repository, release: Verified) -> Pushed:
    manifest = release.manifest
    tag = tag_of(manifest.version)
    refs = repository.refs()
    is_new = tag not in refs.tags
    if is_new:
        commit = _committed(repository, release, parent=refs.main)
        repository.tag(tag, commit)
        refs = repository.refs()
        _require_files(repository, release, tag, refs.tags.get(tag))
    _require_digest(repository, manifest, tag, refs.tags[tag])
    return Pushed(repository.name, tag, refs.tags[tag], manifest.digest, is_new)


def _committed(repository: Repository, release: Verified, *, parent: str) -> str:
    """The commit of this release: one that an interrupted push left untagged, or a new one."""
    title = f"Release {release.manifest.version}, seal {release.manifest.seal[:16]}"
    files = {name: release.folder / name for name in [*release.manifest.files, MANIFEST]}
    found = repository.commit_titled(title)
    return found or repository.commit(files, title, parent=parent)


def _require_files(repository: Repository, release: Verified, tag: str, commit: str | None) -> None:
    """Read back what the tag names: every file with the bytes that lie here."""
    there = repository.files(commit) if commit else {}
    for name in [*sorted(release.manifest.files), MANIFEST]:
        content = (release.folder / name).read_bytes()
        if there.get(name) not in (hashlib.sha256(content).hexdigest(), _git_sha1(content)):
            raise CheckError(
                f"{repository.name!r} has under {tag!r} another {name!r} than "
                f"{str(release.folder)!r} (found {there.get(name, 'no file')}): "
                "delete the tag on the Hub, and push again"
            )


def _git_sha1(content: bytes) -> str:
    header = b"blob %d\0" % len(content)
    return hashlib.sha1(header + content, usedforsecurity=False).hexdigest()


def _require_digest(repository: Repository, manifest: Manifest, tag: str, commit: str) -> None:
    try:
        found = manifest_at(repository, commit).digest
    except MissingError:
        found = "no release at all"
    if found != manifest.digest:
        raise CheckError(
            f"{repository.name!r} has a tag {tag!r} already, with digest {found}, and this release "
            f"has {manifest.digest}: a version is never overwritten, so raise release.version in "
            "configs/build.yaml, freeze, and push that"
        )
