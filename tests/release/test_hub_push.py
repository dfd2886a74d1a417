"""A push is one commit and one tag, however often it is interrupted."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from goldsmith.errors import CheckError, GoldsmithError
from goldsmith.release.hub.client import HubError, TransientError
from goldsmith.release.hub.push import push
from goldsmith.release.layout import MANIFEST
from goldsmith.release.reading import read_manifest
from tests.support.command import ROOT
from tests.support.hub_user import hub_user
from tests.support.loopback_hub import Reset, User
from tests.support.loopback_refusal import Refusal
from tests.support.releases import freeze_small, small_contents, with_query

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from goldsmith.release.hub.push import Pushed
    from tests.support.loopback_hub import LoopbackHub, Seen

NAME = "org/gold"


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[LoopbackHub]:
    with hub_user(tmp_path / "home") as started:
        yield started


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return freeze_small(tmp_path_factory.mktemp("frozen")).folder


def publish(folder: Path, *, public: bool = False) -> Pushed:
    """Without the pauses between attempts."""
    return push(folder, NAME, public=public, pause=lambda _: None)


def require_published(hub: LoopbackHub, folder: Path) -> None:
    """One commit with all files, one tag on it, the bytes of the folder."""
    repo, version = hub.store.repos[NAME], read_manifest(folder).version
    (commit,) = repo.titled(f"Release {version}")
    assert repo.tags[f"v{version}"] == commit.sha
    for path in folder.iterdir():
        assert commit.files[path.name].content == path.read_bytes()


def test_a_push_is_one_commit_with_all_files_and_a_tag(hub: LoopbackHub, folder: Path) -> None:
    pushed = publish(folder)

    require_published(hub, folder)
    assert pushed.is_new
    assert pushed.tag == "v1.0.0"
    assert pushed.digest == read_manifest(folder).digest
    assert hub.store.repos[NAME].private


def test_the_same_again_is_success_and_writes_nothing(hub: LoopbackHub, folder: Path) -> None:
    first = publish(folder, public=True)
    before = len(hub.requests)
    second = publish(folder)

    assert not hub.store.repos[NAME].private
    assert (second.commit, second.is_new) == (first.commit, False)
    written = [r for r in hub.requests[before:] if "/commit/" in r.path or "/tag/" in r.path]
    assert not written


def test_another_digest_under_the_tag_is_refused_with_both(
    hub: LoopbackHub, folder: Path, tmp_path: Path
) -> None:
    publish(folder)
    contents = with_query(small_contents(), "q-both", closed_book=True)
    other = freeze_small(tmp_path, "1.0.0", contents).folder

    with pytest.raises(CheckError, match=r"raise release\.version") as refusal:
        publish(other)

    assert read_manifest(folder).digest in str(refusal.value)
    assert read_manifest(other).digest in str(refusal.value)
    require_published(hub, folder)


def test_a_damaged_release_sends_nothing(hub: LoopbackHub, folder: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(folder, tmp_path / "copy")
    (copy / "README.md").write_bytes(b"Another card.")

    with pytest.raises(CheckError, match=r"README\.md"):
        publish(copy)
    assert not hub.requests


def test_other_peoples_files_stay(hub: LoopbackHub, folder: Path) -> None:
    publish(folder)
    repo = hub.store.repos[NAME]
    repo.put("Notes", notes_md=b"Ours.")
    repo.tags.clear()

    publish(folder)

    assert repo.resolve("main").files["notes.md"].content == b"Ours."
    require_published(hub, folder)


def test_only_the_files_that_changed_are_sent(
    hub: LoopbackHub, folder: Path, tmp_path: Path
) -> None:
    publish(folder)
    before = len(hub.requests)
    newer = freeze_small(tmp_path, "1.0.1").folder
    publish(newer)

    # The rows are the same: card and manifest alone name the new version.
    assert not [r for r in hub.requests[before:] if r.path.startswith("/_lfs/")]
    (sent,) = [r for r in hub.requests[before:] if "/commit/" in r.path]
    assert sent.body.count(b'"path"') == 2
    require_published(hub, newer)


def length_of_a_push(folder: Path, home: Path) -> int:
    with hub_user(home) as hub:
        publish(folder)
        return len(hub.requests)


@pytest.mark.parametrize("kind", ["reset", "reset_after", "gone"])
def test_interrupted_at_any_request_and_run_again_it_finishes(
    kind: str, folder: Path, tmp_path: Path
) -> None:
    """The process ends at request n: what it would still have asked is never asked."""
    for number in range(1, length_of_a_push(folder, tmp_path / "counting") + 1):
        with hub_user(tmp_path / f"{kind}-{number}") as hub:

            def once(seen: Seen, at: int = number) -> None:
                if seen.number == at:
                    raise Reset(after=kind == "reset_after")

            def from_here_on(seen: Seen, at: int = number) -> None:
                if seen.number >= at:
                    raise Refusal(418, "gone")

            hub.trouble = once
            if kind == "gone":
                hub.trouble = from_here_on
                with pytest.raises(GoldsmithError, match="418"):
                    publish(folder)
                hub.trouble = lambda _: None
            publish(folder)
            require_published(hub, folder)


def test_a_server_error_at_any_request_is_waited_out(folder: Path, tmp_path: Path) -> None:
    for number in range(1, length_of_a_push(folder, tmp_path / "counting") + 1):
        with hub_user(tmp_path / str(number)) as hub:

            def fails(seen: Seen, at: int = number) -> None:
                if seen.number == at and "preupload" not in seen.path and "lfs" not in seen.path:
                    raise Refusal(500, "out of order")

            hub.trouble = fails
            publish(folder)
            require_published(hub, folder)


@pytest.mark.parametrize("at", ["/commit/", "/tag/", "/_lfs/"])
def test_killed_and_run_again_it_finishes(
    hub: LoopbackHub, folder: Path, tmp_path: Path, at: str
) -> None:
    """A real kill -9, sent by the server while it holds the request."""
    started = threading.Event()
    process: list[subprocess.Popen[bytes]] = []

    def kills(seen: Seen) -> None:
        if at in seen.path:
            started.wait()
            os.kill(process[0].pid, signal.SIGKILL)
            process[0].wait()

    hub.trouble = kills
    command = [sys.executable, "-m", "goldsmith.cli", "push", str(folder), "--repo", NAME]
    env = os.environ | hub.env(tmp_path / "home") | {"PYTHONPATH": str(ROOT / "pipeline")}
    process.append(subprocess.Popen(command, env=env, cwd=ROOT))
    started.set()
    assert process[0].wait() == -signal.SIGKILL

    hub.trouble = lambda _: None
    publish(folder)
    require_published(hub, folder)


def test_eight_pushes_of_one_release_at_once(hub: LoopbackHub, folder: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        pushed = list(pool.map(lambda _: publish(folder), range(8)))

    assert len({one.commit for one in pushed}) == 1
    require_published(hub, folder)


def test_eight_pushes_of_eight_releases_at_once(hub: LoopbackHub, tmp_path: Path) -> None:
    folders = [freeze_small(tmp_path / str(n), f"1.{n}.0").folder for n in range(8)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(publish, folders))

    for folder in folders:
        require_published(hub, folder)


@pytest.mark.parametrize(
    ("token", "says"),
    [
        ("hf_wrong", "does not know this token"),
        ("hf_reader", "may not write"),
        ("hf_stranger", "may not write"),
        ("", "set HF_TOKEN"),
    ],
)
def test_who_may_not_push_is_told_why(
    hub: LoopbackHub, folder: Path, monkeypatch: pytest.MonkeyPatch, token: str, says: str
) -> None:
    hub.users |= {"hf_reader": User("org", may_write=False), "hf_stranger": User("bob")}
    monkeypatch.setenv("HF_TOKEN", token)
    with pytest.raises(HubError, match=says):
        publish(folder)


def test_a_token_stands_in_no_message(hub: LoopbackHub, folder: Path) -> None:
    def echoes(seen: Seen) -> None:
        raise Refusal(400, "hf_writer may not")

    hub.trouble = echoes
    with pytest.raises(HubError) as refusal:
        publish(folder)
    assert "*** may not" in str(refusal.value)
    assert "hf_writer" not in str(refusal.value)


def test_a_hub_that_stays_down_is_given_up(hub: LoopbackHub, folder: Path) -> None:
    def down(seen: Seen) -> None:
        raise Refusal(503, "maintenance")

    hub.trouble = down
    pauses: list[float] = []
    with pytest.raises(TransientError, match="run the same command again"):
        push(folder, NAME, pause=pauses.append)
    assert pauses == [0.5, 1, 2, 4]
    assert (folder / MANIFEST).is_file()
