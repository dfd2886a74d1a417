"""The versions that a repository holds."""

from __future__ import annotations

import re

from goldsmith.records import Record
from goldsmith.release.hub.client import Repository
from goldsmith.release.hub.push import manifest_at
from goldsmith.release.hub.reference import require_repository

_TAG = re.compile(r"v(\d+)\.(\d+)\.(\d+)")


class Version(Record):
    """A tagged release, as its manifest describes it."""

    version: str
    commit: str
    digest: str
    questions: dict[str, int]
    """By kind."""
    documents: int
    chunks: int


def versions(name: str) -> list[Version]:
    """All tagged releases, the highest version first; other tags are somebody else's."""
    require_repository(name)
    repository = Repository(name)
    tags = {tag: sha for tag, sha in repository.refs().tags.items() if _TAG.fullmatch(tag)}
    ordered = sorted(tags, key=lambda tag: [int(n) for n in tag[1:].split(".")], reverse=True)
    return [_version(repository, tags[tag]) for tag in ordered]


def _version(repository: Repository, commit: str) -> Version:
    manifest = manifest_at(repository, commit)
    return Version(
        version=manifest.version,
        commit=commit,
        digest=manifest.digest,
        questions=manifest.counts.by_kind,
        documents=manifest.counts.rows["documents"],
        chunks=manifest.counts.rows["corpus"],
    )
