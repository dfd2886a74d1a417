"""The versions that a repository holds."""

from __future__ import annotations

from goldsmith.records import Record
from goldsmith.release.hub.client import Repository
from goldsmith.release.hub.push import manifest_at
from goldsmith.release.hub.reference import require_repository, version_of
from goldsmith.release.ledger import numbers_of


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
    tags = repository.refs().tags.items()
    known = {version: sha for tag, sha in tags if (version := version_of(tag)) is not None}
    ordered = sorted(known, key=numbers_of, reverse=True)
    return [_version(repository, known[version]) for version in ordered]


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
