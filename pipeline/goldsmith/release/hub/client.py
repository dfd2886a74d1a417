"""A dataset repository on the Hub. The only module that knows huggingface_hub.

Its errors leave here as one line that says what to do. The token comes from `HF_TOKEN` or from the
Hub's own login, and stands in no message.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith import __version__
from goldsmith.errors import GoldsmithError, InputError

try:
    import httpx2
    from huggingface_hub import CommitOperationAdd, HfApi, get_token, hf_hub_download
    from huggingface_hub.errors import (
        GatedRepoError,
        HfHubHTTPError,
        LocalEntryNotFoundError,
        RemoteEntryNotFoundError,
        RepositoryNotFoundError,
        RevisionNotFoundError,
    )
    from huggingface_hub.hf_api import RepoFile
    from huggingface_hub.utils.tqdm import disable_progress_bars
except ModuleNotFoundError as error:  # the scorer's base install does without
    raise InputError(
        f"the Hub needs a library that is not installed ({error.name}): "
        "pip install 'goldsmith[build]', or name a folder"
    ) from error

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_TYPE = "dataset"
_SERVER_ERROR = 500
_BUSY = frozenset({409, 412})
_TOO_MANY = 429
_UNKNOWN = 401
_FORBIDDEN = 403


class HubError(GoldsmithError):
    """The Hub refused, or could not be reached."""


class TransientError(HubError):
    """The same request may succeed in a moment."""


class ContentionError(HubError):
    """Somebody else wrote at the same time: look again, and go on from there."""


class MissingError(HubError):
    """The Hub has no such file at that revision."""


@dataclass(frozen=True, slots=True)
class Refs:
    """Commits by name."""

    main: str
    tags: Mapping[str, str]


class Repository:
    """A dataset repository `ORG/NAME`; nothing is asked before it is needed."""

    def __init__(self, name: str) -> None:
        self.name = name
        if not sys.stderr.isatty():
            disable_progress_bars()
        self._api = HfApi(
            endpoint=os.environ.get("HF_ENDPOINT"),
            library_name="goldsmith",
            library_version=__version__,
        )

    def create(self, *, private: bool) -> None:
        """Make it unless it is there; one that is there keeps its visibility."""
        with self._translated():
            self._api.create_repo(self.name, repo_type=_TYPE, private=private, exist_ok=True)

    def refs(self) -> Refs:
        with self._translated():
            found = self._api.list_repo_refs(self.name, repo_type=_TYPE)
        branches = {ref.name: ref.target_commit for ref in found.branches}
        if "main" not in branches:
            raise HubError(f"{self.name!r} has no branch 'main'; found {sorted(branches)}")
        return Refs(branches["main"], {ref.name: ref.target_commit for ref in found.tags})

    def commit_titled(self, title: str) -> str | None:
        """The newest commit of main with this title."""
        with self._translated():
            commits = self._api.list_repo_commits(self.name, repo_type=_TYPE)
        return next((one.commit_id for one in commits if one.title == title), None)

    def commit(self, files: Mapping[str, Path], title: str, *, parent: str) -> str:
        """All files in one commit on top of `parent`; those that are there already are not sent.

        Raises `ContentionError` when main has moved on from `parent`.
        """
        operations = [
            CommitOperationAdd(path_in_repo=name, path_or_fileobj=str(path))
            for name, path in sorted(files.items())
        ]
        with self._translated():
            made = self._api.create_commit(
                self.name, operations, commit_message=title, parent_commit=parent, repo_type=_TYPE
            )
        return made.oid

    def tag(self, name: str, commit: str) -> None:
        """Raises `ContentionError` when the tag is there, wherever it points."""
        with self._translated():
            self._api.create_tag(self.name, tag=name, revision=commit, repo_type=_TYPE)

    def files(self, commit: str) -> dict[str, str]:
        """Path: sha256 of a large file, or git's sha1 of a small one."""
        with self._translated():
            tree = list(
                self._api.list_repo_tree(
                    self.name, recursive=True, revision=commit, repo_type=_TYPE
                )
            )
        return {
            entry.path: entry.lfs.sha256 if entry.lfs else entry.blob_id
            for entry in tree
            if isinstance(entry, RepoFile)
        }

    def download(self, name: str, commit: str, folder: Path) -> Path:
        """One file as it was at `commit`, into `folder`; what is there of it is not sent again."""
        with self._translated():
            hf_hub_download(
                self.name,
                name,
                repo_type=_TYPE,
                revision=commit,
                local_dir=folder,
                endpoint=self._api.endpoint,
            )
        return folder / name

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (httpx2.HTTPError, ConnectionError, LocalEntryNotFoundError) as error:
            raise self._meant(error) from error
        except RuntimeError as error:  # what an upload in a thread ends in; the reason is below it
            if not isinstance(error.__cause__, httpx2.HTTPError | ConnectionError):
                raise
            raise self._meant(error.__cause__) from error

    def _meant(self, error: Exception) -> HubError:
        if isinstance(error, HfHubHTTPError) and not isinstance(error, LocalEntryNotFoundError):
            return self._refusal(error)
        return TransientError(self._out_of_reach(error))

    def _out_of_reach(self, error: Exception) -> str:
        reason = error.__cause__ or error
        return _without_token(
            f"the Hub at {self._api.endpoint} did not answer for {self.name!r} "
            f"({type(reason).__name__}: {str(reason)[:200]}): check the network and HF_ENDPOINT, "
            "and run the same command again"
        )

    def _refusal(self, error: HfHubHTTPError) -> HubError:
        status = error.response.status_code
        said = f"(status {status}: {error.server_message or 'no message'})"
        kind, text = self._meaning(error, status)
        return kind(_without_token(f"{text} {said}"))

    def _meaning(self, error: HfHubHTTPError, status: int) -> tuple[type[HubError], str]:
        name = repr(self.name)
        if status in _BUSY:
            return ContentionError, f"{name} was written to by somebody else at the same time"
        if status >= _SERVER_ERROR or status == _TOO_MANY:
            return TransientError, f"the Hub is in trouble with {name}: run the same command again"
        if isinstance(error, RemoteEntryNotFoundError):
            return MissingError, f"{name} lacks a file at that revision"
        if isinstance(error, RevisionNotFoundError):
            return HubError, f"{name} has no such revision: see `goldsmith log {self.name}`"
        return HubError, self._no_access(error, status) or f"the Hub refused a request for {name}"

    def _no_access(self, error: HfHubHTTPError, status: int) -> str | None:
        name, message = repr(self.name), (error.server_message or "").lower()
        if isinstance(error, GatedRepoError):
            return f"{name} is gated: ask for access on its page, then run this again"
        if status == _UNKNOWN and "credentials" in message:
            return "the Hub does not know this token: renew HF_TOKEN, or `hf auth login`"
        if isinstance(error, RepositoryNotFoundError) or status == _UNKNOWN:
            advice = (
                "check the name, and that the token's account may see it"
                if get_token()
                else "check the name; set HF_TOKEN or `hf auth login` to see private ones"
            )
            return f"{name} does not exist, or is not for you: {advice}"
        if status == _FORBIDDEN:
            owner = self.name.partition("/")[0]
            return f"this token may not write to {name}: it needs the write role, in {owner!r}"
        return None


def _without_token(text: str) -> str:
    token = get_token()
    return text.replace(token, "***") if token else text
