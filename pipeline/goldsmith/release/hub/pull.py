"""Fetch a release from the Hub: the version that was asked for, verified, or an error.

What was fetched stands in a store of our own, a folder for each commit, and enters it whole and
verified. The usual loaders serve whatever their cache holds when the Hub is away, even another
revision: here a tag is always resolved by the Hub, and only a commit is served without it.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.errors import CheckError
from goldsmith.release.hub.client import HubError, MissingError, Repository, TransientError
from goldsmith.release.hub.reference import tag_of
from goldsmith.release.layout import MANIFEST
from goldsmith.release.reading import read_manifest
from goldsmith.release.verify import verify
from goldsmith.release.writing import alone
from goldsmith.tables import write_bytes

if TYPE_CHECKING:
    from pathlib import Path

    from goldsmith.release.hub.reference import Reference
    from goldsmith.release.verify import Verified


@dataclass(frozen=True, slots=True)
class Pulled:
    """A verified release in the store."""

    release: Verified
    commit: str


def fetch(reference: Reference, store: Path) -> Pulled:
    """The release that `reference` names, in a folder of `store`.

    A commit that stands in the store asks the Hub for nothing, a tag for one list of tags.
    """
    shelf = store / reference.repository.replace("/", "--")
    repository = Repository(reference.repository)
    with alone(shelf):
        commit = _commit_of(reference, repository, shelf)
        release = _standing(shelf / commit) or _download(repository, commit, shelf)
        if not reference.is_commit:
            if tag_of(release.manifest.version) != reference.revision:
                raise CheckError(
                    f"{str(reference)!r} holds version {release.manifest.version!r} (commit "
                    f"{commit}): the tag is on the wrong commit; see `goldsmith log "
                    f"{reference.repository}`"
                )
            write_bytes(_note(shelf, reference), commit.encode())
    return Pulled(release, commit)


def pull(reference: Reference, folder: Path, store: Path) -> Pulled:
    """Fetch a release and copy it to `folder`, whole or not at all."""
    pulled = fetch(reference, store)
    if folder.is_dir() and any(folder.iterdir()):
        standing = verify(folder) if (folder / MANIFEST).is_file() else None
        if standing is None or standing.manifest.seal != pulled.release.manifest.seal:
            raise CheckError(
                f"{str(folder)!r} holds something else than {str(reference)!r}: name another "
                "folder, or remove it"
            )
        return Pulled(standing, pulled.commit)
    temporary = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(temporary, ignore_errors=True)
    shutil.copytree(pulled.release.folder, temporary)
    temporary.replace(folder)
    return Pulled(verify(folder), pulled.commit)


def _note(shelf: Path, reference: Reference) -> Path:
    """Where the commit stands that a tag named when it was pulled last."""
    return shelf / f"{reference.revision}.commit"


def _commit_of(reference: Reference, repository: Repository, shelf: Path) -> str:
    if reference.is_commit:
        return reference.revision
    note = _note(shelf, reference)
    known = note.read_text("ascii") if note.is_file() else None
    try:
        tags = repository.refs().tags
    except TransientError as error:
        if known is None:
            raise
        raise TransientError(
            f"{error}; without the Hub nobody can say what the tag names now: it was {known} when "
            f"it was pulled last, and {reference.repository}@{known} asks for just that"
        ) from error
    found = tags.get(reference.revision)
    if found is None:
        raise HubError(
            f"{reference.repository!r} has no version {reference.revision!r}; found "
            f"{sorted(tags) or 'none'}"
        )
    if known is not None and known != found:
        raise CheckError(
            f"the tag {str(reference)!r} was moved: from commit {known}, as it was pulled here, to "
            f"{found}: ask for one of the two as {reference.repository}@COMMIT, or remove "
            f"{str(note)!r} to follow the tag"
        )
    return found


def _standing(folder: Path) -> Verified | None:
    """A release of the store, unless it is damaged: then it is fetched again."""
    if not folder.is_dir():
        return None
    try:
        return verify(folder)
    except CheckError:
        shutil.rmtree(folder)
        return None


def _download(repository: Repository, commit: str, shelf: Path) -> Verified:
    """Only the files of the release: a repository may hold other people's.

    What a killed download left is used again: it can only be of this very commit.
    """
    partial = shelf / f".{commit}.partial"
    try:
        repository.download(MANIFEST, commit, partial)
    except MissingError as error:
        raise HubError(
            f"{repository.name}@{commit} is no release: it has no {MANIFEST}; expected a "
            "repository that `goldsmith push` wrote"
        ) from error
    for name in sorted(read_manifest(partial).files):
        if "/" in name or "\\" in name:  # a manifest of a stranger must not write elsewhere
            raise CheckError(f"{repository.name}@{commit}: its manifest lists a path, {name!r}")
        repository.download(name, commit, partial)
    shutil.rmtree(partial / ".cache", ignore_errors=True)  # the client's notes of its progress
    try:
        verify(partial)
    except CheckError:
        shutil.rmtree(partial)  # it would only be found damaged again
        raise
    partial.replace(shelf / commit)
    return verify(shelf / commit)
