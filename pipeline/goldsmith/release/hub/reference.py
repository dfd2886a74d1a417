"""How a release on the Hub is named: `ORG/NAME@v1.2.0`, or `ORG/NAME@` and a whole commit id."""

from __future__ import annotations

import re
from dataclasses import dataclass

from goldsmith.errors import InputError

_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
_TAG = re.compile(r"v\d+\.\d+\.\d+")
_COMMIT = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class Reference:
    """One version in one repository; a branch is none, since what it names changes."""

    repository: str
    revision: str

    @property
    def is_commit(self) -> bool:
        return _COMMIT.fullmatch(self.revision) is not None

    def __str__(self) -> str:
        return f"{self.repository}@{self.revision}"


def is_reference(text: str) -> bool:
    """Whether `text` is meant for the Hub: an `@` after what looks like a repository."""
    repository, at, _ = text.partition("@")
    return bool(at) and _REPOSITORY.fullmatch(repository) is not None


def parse_reference(text: str) -> Reference:
    """Raises `InputError` for a revision that is neither a version's tag nor a commit."""
    repository, _, revision = text.partition("@")
    require_repository(repository)
    if not (_TAG.fullmatch(revision) or _COMMIT.fullmatch(revision)):
        raise InputError(
            f"{text!r} names no version: found {revision!r} after the @, expected a tag such as "
            "'v1.2.0' or a commit of 40 letters (a branch names other rows tomorrow)"
        )
    return Reference(repository, revision)


def require_repository(name: str) -> None:
    if _REPOSITORY.fullmatch(name) is None:
        raise InputError(f"{name!r} is no repository on the Hub: expected ORG/NAME")


def tag_of(version: str) -> str:
    return f"v{version}"


def version_of(tag: str) -> str | None:
    """The version that a tag names; None: it is somebody else's."""
    return tag[1:] if _TAG.fullmatch(tag) else None
