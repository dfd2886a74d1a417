from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from goldsmith.corpus.folder import RefusedError, content_of, sources
from goldsmith.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

IS_ROOT = os.geteuid() == 0


def names(folder: Path) -> list[str]:
    return [source.name for source in sources(folder)]


def reason(folder: Path, name: str, most: int = 100) -> str:
    (source,) = (source for source in sources(folder) if source.name == name)
    with pytest.raises(RefusedError) as refused:
        content_of(source, most)
    return refused.value.reason


def test_the_order_is_that_of_names_whatever_the_order_of_creation(tmp_path: Path) -> None:
    for name in ("z.md", "a/b.md", "a.md", "a/a.md", "B.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    assert names(tmp_path) == ["B.md", "a.md", "a/a.md", "a/b.md", "z.md"]


def test_what_is_hidden_was_not_asked_for(tmp_path: Path) -> None:
    for name in (".git/config.md", "a/.cache/x.md", ".x.md", "a/x.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x")
    assert names(tmp_path) == ["a/x.md"]


def test_a_loop_of_links_is_one_entry_with_a_reason(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "x.md").write_text("x")
    (tmp_path / "a" / "loop").symlink_to(tmp_path / "a", target_is_directory=True)
    assert names(tmp_path) == ["a/loop", "a/x.md"]
    assert reason(tmp_path, "a/loop") == "no_file"


def test_links_that_lead_nowhere_have_a_reason(tmp_path: Path) -> None:
    (tmp_path / "gone.md").symlink_to(tmp_path / "nowhere.md")
    (tmp_path / "self.md").symlink_to(tmp_path / "self.md")
    assert reason(tmp_path, "gone.md") == "unreadable"
    assert reason(tmp_path, "self.md") == "unreadable"


def test_a_link_to_a_file_is_that_file(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("text")
    (tmp_path / "b.md").symlink_to(tmp_path / "a.md")
    assert [content_of(source, 100) for source in sources(tmp_path)] == [b"text", b"text"]


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    assert reason(tmp_path, "pipe.md") == "no_file"


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    with (tmp_path / "huge.md").open("wb") as huge:
        huge.truncate(5 * 10**9)
    assert reason(tmp_path, "huge.md", most=10**8) == "too_large"


@pytest.mark.skipif(IS_ROOT, reason="root may open everything")
def test_a_folder_that_cannot_be_opened_has_a_reason(tmp_path: Path) -> None:
    (tmp_path / "closed").mkdir(mode=0)
    assert reason(tmp_path, "closed") in {"no_file", "unreadable"}


def test_names_are_the_same_text_on_every_system(tmp_path: Path) -> None:
    (tmp_path / "Cafe\u0301.md").write_text("x")
    (tmp_path / os.fsdecode(b"odd\xff.md")).write_text("x")
    assert names(tmp_path) == ["Caf\u00e9.md", "odd\\xff.md"]


def test_a_folder_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("x")
    for path in (tmp_path / "absent", tmp_path / "a.md"):
        with pytest.raises(InputError, match=path.name):
            sources(path)
    (tmp_path / "a.md").unlink()
    assert sources(tmp_path) == []
