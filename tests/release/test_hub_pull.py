"""A pull gives the version that was asked for, verified, or an error."""

from __future__ import annotations

import errno
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from goldsmith.cli.references import release_folder
from goldsmith.errors import CheckError, InputError
from goldsmith.release.hub import client
from goldsmith.release.hub.client import HubError, TransientError
from goldsmith.release.hub.history import versions
from goldsmith.release.hub.pull import fetch, pull
from goldsmith.release.hub.push import push
from goldsmith.release.hub.reference import is_reference, parse_reference
from goldsmith.release.reading import read_manifest
from goldsmith.release.verify import verify
from tests.support.hub_user import hub_user
from tests.support.loopback_refusal import Refusal
from tests.support.releases import freeze_small

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.loopback_hub import LoopbackHub, Seen

NAME = "org/gold"
TAGGED = parse_reference(f"{NAME}@v1.0.0")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return freeze_small(tmp_path_factory.mktemp("frozen")).folder


@pytest.fixture
def hub(tmp_path: Path, folder: Path) -> Iterator[LoopbackHub]:
    """With one release on it, and nothing counted yet."""
    with hub_user(tmp_path / "home") as started:
        push(folder, NAME)
        started.requests.clear()
        yield started


def down(seen: Seen) -> None:
    raise Refusal(503, "maintenance")


def test_a_pulled_release_is_the_pushed_one(hub: LoopbackHub, folder: Path, tmp_path: Path) -> None:
    pull(TAGGED, tmp_path / "here", tmp_path / "store")

    assert {path.name: path.read_bytes() for path in (tmp_path / "here").iterdir()} == {
        path.name: path.read_bytes() for path in folder.iterdir()
    }
    # The same again stands there already.
    pull(TAGGED, tmp_path / "here", tmp_path / "store")


def test_a_second_pull_asks_for_the_tags_alone_and_a_commit_for_nothing(
    hub: LoopbackHub, tmp_path: Path
) -> None:
    commit = fetch(TAGGED, tmp_path).commit
    hub.requests.clear()

    fetch(TAGGED, tmp_path)
    assert [seen.path for seen in hub.requests] == [f"/api/datasets/{NAME}/refs"]

    hub.requests.clear()
    fetch(parse_reference(f"{NAME}@{commit}"), tmp_path)
    assert not hub.requests


def test_without_the_hub_a_tag_is_no_version_and_a_commit_is(
    hub: LoopbackHub, tmp_path: Path
) -> None:
    commit = fetch(TAGGED, tmp_path).commit
    hub.trouble = down

    with pytest.raises(TransientError, match=f"it was {commit}"):
        fetch(TAGGED, tmp_path)
    assert fetch(parse_reference(f"{NAME}@{commit}"), tmp_path).commit == commit
    with pytest.raises(TransientError):
        fetch(parse_reference(f"{NAME}@{'0' * 40}"), tmp_path)


def test_a_version_that_is_not_there_is_an_error_that_lists_those_that_are(
    hub: LoopbackHub, tmp_path: Path
) -> None:
    fetch(TAGGED, tmp_path)
    with pytest.raises(HubError, match=r"no version 'v2\.0\.0'; found \['v1\.0\.0'\]"):
        fetch(parse_reference(f"{NAME}@v2.0.0"), tmp_path)


def test_a_moved_tag_is_refused(hub: LoopbackHub, tmp_path: Path) -> None:
    commit = fetch(TAGGED, tmp_path).commit
    repo = hub.store.repos[NAME]
    repo.tags["v1.0.0"] = repo.put("Notes", notes_md=b"Ours.")

    with pytest.raises(CheckError, match=f"was moved: from commit {commit}"):
        fetch(TAGGED, tmp_path)


def test_a_tag_on_another_version_is_refused(hub: LoopbackHub, tmp_path: Path) -> None:
    repo = hub.store.repos[NAME]
    repo.tags["v1.1.0"] = repo.tags["v1.0.0"]
    with pytest.raises(CheckError, match=r"holds version '1\.0\.0'"):
        fetch(parse_reference(f"{NAME}@v1.1.0"), tmp_path)


def test_a_byte_flipped_on_the_hub_is_found(hub: LoopbackHub, tmp_path: Path) -> None:
    file = hub.store.repos[NAME].resolve("main").files["qrels.parquet"]
    flipped = bytes([*file.content[:40], file.content[40] ^ 1, *file.content[41:]])
    hub.store.repos[NAME].spoil("qrels.parquet", flipped)

    with pytest.raises(CheckError, match=r"qrels\.parquet"):
        fetch(TAGGED, tmp_path)
    assert not list(tmp_path.rglob("*.parquet"))


def test_a_copy_that_was_damaged_here_is_fetched_again(hub: LoopbackHub, tmp_path: Path) -> None:
    first = fetch(TAGGED, tmp_path).release.folder
    (first / "qrels.parquet").write_bytes(b"spoiled")

    verify(fetch(TAGGED, tmp_path).release.folder)


def test_a_half_download_is_no_release_and_is_gone_on_with(
    hub: LoopbackHub, tmp_path: Path
) -> None:
    def breaks(seen: Seen) -> None:
        if "questions.parquet" in seen.path:
            raise Refusal(503, "maintenance")

    hub.trouble = breaks
    with pytest.raises(TransientError):
        fetch(TAGGED, tmp_path)

    hub.trouble = lambda _: None
    hub.requests.clear()
    fetch(TAGGED, tmp_path)
    assert not [seen for seen in hub.requests if "corpus.parquet" in seen.path]


def test_a_full_disk_is_an_error_and_leaves_no_release(
    hub: LoopbackHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> str:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(client, "hf_hub_download", full)
        with pytest.raises(OSError, match="No space left"):
            fetch(TAGGED, tmp_path)
    verify(fetch(TAGGED, tmp_path).release.folder)


def test_two_pulls_into_one_store(hub: LoopbackHub, tmp_path: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda _: fetch(TAGGED, tmp_path), range(2))
    assert first.release.folder == second.release.folder
    assert len([s for s in hub.requests if s.method == "GET" and "corpus.parquet" in s.path]) == 1


def test_other_peoples_files_are_left_there(hub: LoopbackHub, tmp_path: Path) -> None:
    repo = hub.store.repos[NAME]
    commit = repo.put("Notes", notes_md=b"Ours.")
    found = fetch(parse_reference(f"{NAME}@{commit}"), tmp_path).release.folder
    assert not (found / "notes.md").exists()


def test_a_folder_with_something_else_is_not_overwritten(hub: LoopbackHub, tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    (tmp_path / "here" / "letter.txt").write_text("Dear", "utf-8")
    with pytest.raises(CheckError, match="something else"):
        pull(TAGGED, tmp_path / "here", tmp_path / "store")


def test_a_private_repository_is_not_there_for_strangers(
    hub: LoopbackHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HF_TOKEN")
    with pytest.raises(HubError, match="HF_TOKEN"):
        fetch(TAGGED, tmp_path)


def test_a_gated_repository_says_where_to_ask(hub: LoopbackHub, tmp_path: Path) -> None:
    hub.store.repos[NAME].gated = True
    with pytest.raises(HubError, match="is gated"):
        fetch(TAGGED, tmp_path)


def test_the_log_has_every_version(hub: LoopbackHub, folder: Path, tmp_path: Path) -> None:
    newer = freeze_small(tmp_path, "1.0.10").folder
    push(newer, NAME)
    hub.store.repos[NAME].tags["draft"] = hub.store.repos[NAME].main

    found = versions(NAME)
    assert [one.version for one in found] == ["1.0.10", "1.0.0"]
    assert found[1].digest == read_manifest(folder).digest
    assert found[1].questions == {"factoid": 2, "multi_source": 1, "unanswerable": 2}


def test_commands_take_a_reference_where_they_take_a_folder(hub: LoopbackHub, folder: Path) -> None:
    assert release_folder(folder) == folder
    found = release_folder(folder.__class__(str(TAGGED)))
    assert read_manifest(found) == read_manifest(folder)


@pytest.mark.parametrize("text", ["org/gold@main", "org/gold@1.0.0", "org/gold@v1", "org/gold@"])
def test_a_reference_names_one_version(text: str) -> None:
    assert is_reference(text)
    with pytest.raises(InputError, match="names no version"):
        parse_reference(text)
