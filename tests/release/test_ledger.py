"""The ledger makes a version unrepeatable, whatever happens to the folders."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from goldsmith.errors import CheckError, InputError
from goldsmith.release.ledger import LedgerEntry, enter, parent_of, read_ledger
from goldsmith.release.manifest import Parent
from goldsmith.release.measuring import describe
from tests.support.releases import small_contents, small_origin

if TYPE_CHECKING:
    from pathlib import Path

    from goldsmith.release.manifest import Manifest


def manifest(version: str = "1.0.0") -> Manifest:
    return describe(small_contents(), small_origin(version), None)


def entry(version: str, digest: str = "d") -> LedgerEntry:
    return LedgerEntry(version=version, digest=digest, parent=None, counts={"factoid": 1})


def line(version: str, digest: str) -> str:
    return entry(version, digest).model_dump_json() + "\n"


def test_a_release_is_entered_once(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    assert read_ledger(path) == []
    assert enter(path, manifest())
    content = path.read_bytes()
    assert not enter(path, manifest())
    assert path.read_bytes() == content
    (only,) = read_ledger(path)
    assert (only.version, only.digest) == ("1.0.0", manifest().digest)
    assert only.counts == {"factoid": 2, "multi_source": 1, "unanswerable": 2}


def test_releases_stand_in_the_order_in_which_they_were_frozen(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    for version in ("1.10.0", "1.2.0"):
        enter(path, manifest(version))
    assert [one.version for one in read_ledger(path)] == ["1.10.0", "1.2.0"]


def test_a_version_is_not_entered_with_another_digest(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_text(line("1.0.0", "a" * 64))
    with pytest.raises(CheckError) as refusal:
        enter(path, manifest())
    message = str(refusal.value)
    assert "a" * 64 in message
    assert manifest().digest in message
    assert "raise release.version" in message
    assert path.read_text() == line("1.0.0", "a" * 64)


def test_a_line_that_a_merge_doubled_is_one_release(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_text(line("1.0.0", "a") + line("1.1.0", "b") + line("1.0.0", "a"))
    assert [one.version for one in read_ledger(path)] == ["1.0.0", "1.1.0"]


def test_two_digests_of_one_version_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_text(line("1.0.0", "a") + line("1.0.0", "b"))
    with pytest.raises(CheckError, match=r"line 2: version '1\.0\.0' has the digest b, and a"):
        read_ledger(path)


@pytest.mark.parametrize("torn", ['{"version":"1.1', "{}", "[1]", '{"version":"one"}'])
def test_a_line_that_is_no_entry_is_named(tmp_path: Path, torn: str) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_text(line("1.0.0", "a") + torn)
    with pytest.raises(InputError, match="line 2 is no ledger entry"):
        read_ledger(path)


def test_the_parent_is_the_newest_earlier_version() -> None:
    entries = [entry("1.0.0", "a"), entry("1.10.0", "c"), entry("1.9.0", "b"), entry("3.0.0", "d")]
    assert parent_of(entries, "2.0.0", None, "ledger") == Parent(version="1.10.0", digest="c")
    assert parent_of(entries, "1.10.0", None, "ledger") == Parent(version="1.9.0", digest="b")
    assert parent_of(entries, "1.0.0", None, "ledger") is None
    assert parent_of(entries, "2.0.0", "1.0.0", "ledger") == Parent(version="1.0.0", digest="a")


def test_a_parent_that_was_never_frozen_is_refused() -> None:
    entries = [entry("1.0.0"), entry("1.1.0")]
    for parent in ("0.9.0", "1.2.0", "1.1.0"):
        with pytest.raises(InputError, match=r"no version before '1\.1\.0'.*found \['1\.0\.0'\]"):
            parent_of(entries, "1.1.0", parent, "ledger")
