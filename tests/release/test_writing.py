"""A release is frozen whole or not at all, and no version twice."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goldsmith.errors import CheckError, InputError, UnsoundReleaseError
from goldsmith.release.contents import Contents
from goldsmith.release.layout import CONFIGS, TABLES, release_digest, rows_of, table_digests
from goldsmith.release.parquet import read_rows, write_rows
from goldsmith.release.reading import read_release, require_corpus
from goldsmith.release.verify import verify
from goldsmith.release.writing import write_release
from tests.support.releases import (
    chunks,
    documents,
    freeze_small,
    small_contents,
    small_origin,
    with_query,
)

ROOT = Path(__file__).resolve().parents[2]


def bytes_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def digest_of(contents: Contents) -> str:
    return release_digest(table_digests(rows_of(contents)))


def other_contents() -> Contents:
    """The same release, one rationale longer."""
    query = small_contents().queries[0]
    assert query.critics is not None
    assert query.critics.groundedness is not None
    longer = query.critics.groundedness.model_copy(update={"rationale": "It is very plain."})
    return with_query(
        small_contents(),
        query.query_id,
        critics=query.critics.model_copy(update={"groundedness": longer}),
    )


# -- one content, one digest --------------------------------------------------------------------


def test_a_release_has_these_files(tmp_path: Path) -> None:
    written = freeze_small(tmp_path)
    assert written.is_new
    assert written.folder == tmp_path / "release" / "1.0.0"
    assert sorted(path.name for path in written.folder.iterdir()) == [
        "README.md",
        "corpus.parquet",
        "documents.parquet",
        "judgements.parquet",
        "manifest.json",
        "qrels.parquet",
        "queries.parquet",
        "questions.parquet",
        "rejected.parquet",
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ledger.jsonl", "release"]
    assert [path.name for path in (tmp_path / "release").iterdir()] == ["1.0.0"]


def test_the_same_contents_give_the_same_bytes_in_whatever_order_they_came(tmp_path: Path) -> None:
    first = freeze_small(tmp_path / "a")
    contents = small_contents()

    def shuffled(rows: tuple[object, ...]) -> list[object]:
        return random.Random(7).sample(rows, len(rows))

    again = Contents.of(
        queries=shuffled(contents.queries),  # type: ignore[arg-type]
        chunks=shuffled(contents.chunks),  # type: ignore[arg-type]
        documents=shuffled(contents.documents),  # type: ignore[arg-type]
        judgements=shuffled(contents.judgements),  # type: ignore[arg-type]
        dropped=shuffled(contents.dropped),  # type: ignore[arg-type]
    )
    second = freeze_small(tmp_path / "b", contents=again)
    assert bytes_of(first.folder) == bytes_of(second.folder)


def test_the_digest_does_not_depend_on_row_groups(tmp_path: Path) -> None:
    usual = freeze_small(tmp_path / "a")
    small = write_release(
        small_contents(),
        small_origin(),
        root=tmp_path / "b" / "release",
        ledger=tmp_path / "b" / "ledger.jsonl",
        row_group_rows=2,
    )
    assert bytes_of(usual.folder)["corpus.parquet"] != bytes_of(small.folder)["corpus.parquet"]
    assert usual.manifest.digest == small.manifest.digest
    assert verify(small.folder).manifest.digest == usual.manifest.digest


def test_the_digest_is_of_what_is_scored_against() -> None:
    contents = small_contents()
    digest = digest_of(contents)
    assert digest_of(replace(contents, dropped=())) == digest
    assert digest_of(replace(contents, judgements=())) != digest
    assert digest_of(other_contents()) != digest


def test_a_manifest_says_nothing_of_machine_or_hour(tmp_path: Path) -> None:
    text = (freeze_small(tmp_path).folder / "manifest.json").read_text("utf-8")
    assert os.uname().nodename not in text
    assert str(tmp_path) not in text


_TEXT = st.text(max_size=40)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(st.lists(st.tuples(_TEXT, _TEXT, st.integers(0, 2**62)), max_size=30), st.integers(1, 7))
def test_rows_come_back_from_parquet_as_they_were(
    tmp_path: Path, values: list[tuple[str, str, int]], group: int
) -> None:
    table = next(table for table in TABLES if table.name == "qrels")
    rows = [dict(zip(table.schema.names, row, strict=True)) for row in values]
    path = tmp_path / "rows.parquet"
    assert write_rows(path, table.schema, rows, row_group_rows=group) == len(rows)
    assert read_rows(path.read_bytes(), table.schema) == rows


def test_every_table_comes_back_as_it_was(tmp_path: Path) -> None:
    written = freeze_small(tmp_path)
    assert read_release(written.folder).contents == small_contents()


def test_no_release_is_written_of_contents_that_contradict_themselves(tmp_path: Path) -> None:
    with pytest.raises(UnsoundReleaseError, match="q-days"):
        freeze_small(tmp_path, contents=with_query(small_contents(), "q-days", question=""))
    assert not list(tmp_path.iterdir())


# -- no version twice ---------------------------------------------------------------------------


def test_freezing_again_changes_nothing(tmp_path: Path) -> None:
    first = freeze_small(tmp_path)
    before = bytes_of(first.folder)
    ledger = (tmp_path / "ledger.jsonl").read_bytes()
    again = freeze_small(tmp_path)
    assert not again.is_new
    assert again.manifest == first.manifest
    assert bytes_of(first.folder) == before
    assert (tmp_path / "ledger.jsonl").read_bytes() == ledger


@pytest.mark.parametrize("leave_empty_folder", [False, True])
def test_a_folder_that_a_pipeline_removed_is_written_again(
    tmp_path: Path, leave_empty_folder: bool
) -> None:
    folder = freeze_small(tmp_path).folder
    before = bytes_of(folder)
    for path in folder.iterdir():
        path.unlink()
    if not leave_empty_folder:
        folder.rmdir()
    assert freeze_small(tmp_path).is_new
    assert bytes_of(folder) == before
    assert len((tmp_path / "ledger.jsonl").read_text().splitlines()) == 1


@pytest.mark.parametrize("folder_is_gone", [False, True])
def test_a_version_is_never_overwritten(tmp_path: Path, folder_is_gone: bool) -> None:
    first = freeze_small(tmp_path)
    before = bytes_of(first.folder)
    if folder_is_gone:
        for path in first.folder.iterdir():
            path.unlink()
        first.folder.rmdir()
    with pytest.raises(CheckError) as refusal:
        freeze_small(tmp_path, contents=other_contents())
    message = str(refusal.value)
    assert first.manifest.digest in message
    assert digest_of(other_contents()) in message
    assert "raise release.version" in message
    assert folder_is_gone or bytes_of(first.folder) == before


def test_a_folder_without_its_ledger_line_is_not_overwritten_either(tmp_path: Path) -> None:
    first = freeze_small(tmp_path)
    (tmp_path / "ledger.jsonl").unlink()
    with pytest.raises(CheckError, match=first.manifest.digest):
        freeze_small(tmp_path, contents=other_contents())
    # The same content gets its line back: the process was killed before it could be written.
    assert not freeze_small(tmp_path).is_new
    assert first.manifest.digest in (tmp_path / "ledger.jsonl").read_text()


def test_a_damaged_folder_is_neither_kept_nor_overwritten(tmp_path: Path) -> None:
    folder = freeze_small(tmp_path).folder
    (folder / "README.md").write_text("# Mine\n")
    with pytest.raises(CheckError, match=r"README\.md.*remove the folder and freeze again"):
        freeze_small(tmp_path)
    assert (folder / "README.md").read_text() == "# Mine\n"


def test_the_next_version_knows_its_parent(tmp_path: Path) -> None:
    first = freeze_small(tmp_path)
    second = freeze_small(tmp_path, "1.1.0", other_contents())
    assert second.manifest.parent is not None
    assert second.manifest.parent.version == "1.0.0"
    assert second.manifest.parent.digest == first.manifest.digest
    entries = [json.loads(line) for line in (tmp_path / "ledger.jsonl").read_text().splitlines()]
    assert [(one["version"], one["parent"]) for one in entries] == [
        ("1.0.0", None),
        ("1.1.0", "1.0.0"),
    ]
    with pytest.raises(InputError, match=r"release\.parent '0\.5\.0'"):
        freeze_small(tmp_path, "1.2.0", parent="0.5.0")


# -- kill -9 ------------------------------------------------------------------------------------

# Forks one writer after the other and kills each at a later step: at the first thing it changes on
# the disk, at the second, and so on, until one comes through. Arrow writes its files past Python:
# the steps between them are counted by hand.
_KILLED_AT_EACH_STEP = """
import os, signal, sys
from pathlib import Path
sys.path[:0] = ["pipeline", "."]
from goldsmith.release import writing
from tests.support.releases import freeze_small
import goldsmith.release.separability
import pandas  # pyarrow does, at its first table; here once, not in every child

CHANGES = {"open", "os.rename", "os.mkdir", "os.rmdir", "os.remove", "os.chmod"}

def write(data, last):
    steps, write_rows = 0, writing.write_rows
    def step():
        nonlocal steps
        steps += 1
        if steps == last:
            os.kill(os.getpid(), signal.SIGKILL)
    def count(event, arguments):
        reads = event == "open" and arguments[1] == "r"
        if event in CHANGES and not reads and str(data) in str(arguments[0]):
            step()
    def counted_write(path, *arguments, **options):
        if path.stem in ("corpus", "rejected"):
            step()
        return write_rows(path, *arguments, **options)
    sys.addaudithook(count)
    writing.write_rows = counted_write
    freeze_small(data)
    os._exit(0)

base, killed = Path(sys.argv[1]), 0
while True:
    data = base / f"{killed:03}"
    child = os.fork()
    if not child:
        write(data, killed + 1)
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        killed += 1
        continue
    print(killed if status == 0 else f"exit status {status}")
    break
"""


def test_killed_anywhere_a_release_is_whole_or_absent_and_the_next_run_finishes(
    tmp_path: Path,
) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _KILLED_AT_EACH_STEP, str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    killed = int(done.stdout)
    assert killed >= 10  # the folder, the temporary one, tables, README, manifest, move, ledger
    expected = bytes_of(freeze_small(tmp_path / "expected").folder)
    states = set()
    for data in sorted(tmp_path.glob("[0-9]*")):
        folder = data / "release" / "1.0.0"
        states.add((folder.exists(), (data / "ledger.jsonl").exists()))
        if folder.exists():
            assert bytes_of(folder) == expected
        freeze_small(data)
        assert bytes_of(folder) == expected
        assert [path.name for path in (data / "release").iterdir()] == ["1.0.0"]
        assert len((data / "ledger.jsonl").read_text().splitlines()) == 1
    # Killed before the move, between move and ledger, and after both.
    assert {(False, False), (True, False), (True, True)} == states


# -- the corpus of a release --------------------------------------------------------------------


def test_a_release_and_its_own_corpus_agree(tmp_path: Path) -> None:
    release = read_release(freeze_small(tmp_path).folder)
    require_corpus(release, documents(), chunks()[::-1])


def test_another_corpus_is_refused_by_digest(tmp_path: Path) -> None:
    release = read_release(freeze_small(tmp_path).folder)
    fewer = [chunk for chunk in chunks() if chunk.chunk_id != "p-plans-2"]
    with pytest.raises(CheckError) as refusal:
        require_corpus(release, documents(), fewer)
    message = str(refusal.value)
    assert release.manifest.corpus_digest in message
    # Gold: p-plans-1, -2, p-dash-1, -copy, p-deals-all, -1, -2.
    assert "1 of 7 gold chunks are not in it, the first 'p-plans-2'" in message


def test_configs_are_the_tables_but_rejected() -> None:
    assert {table.name for table in TABLES} - {table.name for table in CONFIGS} == {"rejected"}


def test_what_is_no_release_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no release"):
        read_release(tmp_path)
    with pytest.raises(InputError, match="is no release"):
        read_release(tmp_path / "absent")
    folder = freeze_small(tmp_path).folder
    (folder / "corpus.parquet").unlink()
    with pytest.raises(InputError, match=r"corpus\.parquet' is missing"):
        read_release(folder)
