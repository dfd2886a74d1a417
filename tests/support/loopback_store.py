"""Dataset repositories in memory: commits that hold the whole file map, branches, tags."""

from __future__ import annotations

import hashlib
import threading
from dataclasses import dataclass, field, replace

from tests.support.loopback_refusal import Refusal


@dataclass(frozen=True, slots=True)
class File:
    content: bytes
    large: bool
    """Whether it went through LFS."""

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    @property
    def oid(self) -> str:
        """git's name of the file, or of the pointer that stands for a large one."""
        size = len(self.content)
        head = "version https://git-lfs.github.com/spec/v1\noid sha256:"
        text = f"{head}{self.sha256}\nsize {size}\n".encode() if self.large else self.content
        return hashlib.sha1(b"blob %d\0" % len(text) + text).hexdigest()

    @property
    def hub_id(self) -> str:
        return self.sha256 if self.large else self.oid


@dataclass(frozen=True, slots=True)
class Commit:
    sha: str
    parent: str | None
    title: str
    files: dict[str, File]


@dataclass(slots=True)
class Repo:
    private: bool
    commits: dict[str, Commit] = field(default_factory=dict)
    main: str = ""
    tags: dict[str, str] = field(default_factory=dict)
    gated: bool = False

    def add(self, title: str, files: dict[str, File]) -> str:
        seed = f"{self.main}/{title}/{len(self.commits)}/{sorted(files)}"
        sha = hashlib.sha1(seed.encode()).hexdigest()
        self.commits[sha] = Commit(sha, self.main or None, title, files)
        self.main = sha
        return sha

    def put(self, title: str, **contents: bytes) -> str:
        """A commit by hand; `_md` at the end of a name is `.md`."""
        named = {name.replace("_md", ".md"): File(c, large=False) for name, c in contents.items()}
        return self.add(title, self.commits[self.main].files | named)

    def resolve(self, revision: str) -> Commit:
        sha = self.tags.get(revision, self.main if revision == "main" else revision)
        if sha not in self.commits:
            raise Refusal(404, f"Invalid rev id: {revision}", "RevisionNotFound")
        return self.commits[sha]

    def history(self) -> list[Commit]:
        found, sha = list[Commit](), self.main or None
        while sha:
            found.append(self.commits[sha])
            sha = self.commits[sha].parent
        return found

    def titled(self, start: str) -> list[Commit]:
        return [commit for commit in self.history() if commit.title.startswith(start)]

    def spoil(self, name: str, content: bytes) -> None:
        """Change a stored file in the newest commit, as a damaged disk would."""
        files = self.commits[self.main].files
        files[name] = replace(files[name], content=content)


@dataclass(slots=True)
class Store:
    repos: dict[str, Repo] = field(default_factory=dict)
    objects: dict[str, bytes] = field(default_factory=dict)
    """Large files by sha256."""
    lock: threading.RLock = field(default_factory=threading.RLock)
