"""`goldsmith build` as a user meets it: what it makes, and what it says of bad input."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.support.command import ROOT, Finished, goldsmith, run_module

HANDBOOK = ROOT / "data" / "corpus"
FEW = ("--set", "sample.factoid=20", "--set", "sample.multi_source=10")


PAGES = 8


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """A few pages of the bundled handbook, for a test to spoil."""
    return pages(tmp_path / "corpus")


def pages(folder: Path) -> Path:
    folder.mkdir()
    for page in sorted(HANDBOOK.rglob("*.md"))[:PAGES]:
        shutil.copy(page, folder / f"{page.parent.name}-{page.name}")
    return folder


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same pages, built once without any trouble."""
    folder = tmp_path_factory.mktemp("undisturbed")
    finished = build(pages(folder / "corpus"), folder / "out")
    assert finished.status == 0, finished.err
    assert "Funnel" in finished.out
    assert "frozen" in finished.out
    # Progress and errors stay off stdout, and there is none of either on stderr without a terminal.
    assert finished.err == ""
    return folder / "out" / "release" / "1.0.0"


def digest_of(release: Path) -> str:
    return str(json.loads(goldsmith("verify", release, "--json").out)["digest"])


def build(corpus: Path, out: Path, *more: str, env: dict[str, str] | None = None) -> Finished:
    return goldsmith("build", "--corpus", corpus, "--out", out, *FEW, *more, env=env)


def one_line(finished: Finished) -> str:
    """The error of a run that must not show a traceback."""
    assert "Traceback" not in finished.err
    errors = [line for line in finished.err.splitlines() if line.startswith("error:")]
    assert len(errors) == 1, finished.err
    return errors[0]


def test_a_folder_becomes_a_release_and_the_account_adds_up(corpus: Path, tmp_path: Path) -> None:
    finished = build(corpus, tmp_path / "out", "--json")
    assert finished.status == 0, finished.err
    document = json.loads(finished.out)
    assert document["version"] == "1.0.0"
    assert Path(document["release"], "manifest.json").is_file()
    for row in document["funnel"]:
        lost = sum(row["rejected"].values()) + sum(row["failed"].values())
        assert row["requested"] == row["kept"] + lost
    verified = goldsmith("verify", document["release"], "--json")
    assert json.loads(verified.out)["digest"] == document["digest"]


def test_built_again_it_is_the_same_release(
    corpus: Path, tmp_path: Path, undisturbed: Path
) -> None:
    first = json.loads(build(corpus, tmp_path / "out", "--json").out)
    again = json.loads(build(corpus, tmp_path / "out", "--json").out)
    assert first["digest"] == again["digest"] == digest_of(undisturbed)
    ledger = (tmp_path / "out" / "ledger.jsonl").read_text().splitlines()
    assert len(ledger) == 1


def test_a_version_is_never_overwritten(corpus: Path, tmp_path: Path) -> None:
    first = json.loads(build(corpus, tmp_path / "out", "--json").out)
    other = build(corpus, tmp_path / "out", "--set", "sample.seed=8")
    assert other.status == 1
    assert "1.0.0" in one_line(other)
    assert goldsmith("verify", first["release"]).status == 0
    raised = build(
        corpus, tmp_path / "out", "--set", "sample.seed=8", "--set", "release.version=2.0.0"
    )
    assert raised.status == 0, raised.err


@pytest.mark.parametrize("file", [1, 6, 12, 20])
def test_killed_at_any_file_and_run_again_it_is_the_same_release(
    corpus: Path, tmp_path: Path, undisturbed: Path, file: int
) -> None:
    arguments = ("build", "--corpus", corpus, "--out", tmp_path / "out", *FEW, "--json")
    killed = run_module("tests.support.kill_at_write", str(file), *arguments)
    assert killed.status == -9
    again = goldsmith(*arguments)
    assert again.status == 0, again.err
    assert json.loads(again.out)["digest"] == digest_of(undisturbed)


# -- bad input ----------------------------------------------------------------------------------


def test_an_empty_folder(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    finished = build(tmp_path / "corpus", tmp_path / "out")
    assert finished.status == 2
    assert "no document" in one_line(finished)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    finished = build(tmp_path / "nowhere", tmp_path / "out")
    assert finished.status == 2
    assert "nowhere" in one_line(finished)


def test_one_short_document_says_what_to_change(tmp_path: Path) -> None:
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "a.md").write_text("word " * 40)
    finished = build(tmp_path / "corpus", tmp_path / "out")
    assert finished.status == 1
    assert "no question was kept" in one_line(finished)
    assert "Funnel" in finished.err


def test_files_without_text_are_refused_by_reason(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "blank.md").write_text(" \n\t\n")
    (folder / "empty.md").write_text("")
    finished = build(folder, tmp_path / "out")
    assert finished.status == 2
    assert "no_text" in finished.err


def test_a_file_that_cannot_be_used_does_not_stop_the_others(corpus: Path, tmp_path: Path) -> None:
    with (corpus / "huge.md").open("wb") as huge:
        huge.truncate(100_000_000)
    (corpus / "noise.md").write_bytes(bytes(range(256)) * 40)
    (corpus / "blank.md").write_text("  \n")
    finished = build(corpus, tmp_path / "out", "--json")
    assert finished.status == 0, finished.err
    row = next(r for r in json.loads(finished.out)["funnel"] if r["kind"] == "document")
    assert row["rejected"].get("too_large") == 1
    assert row["rejected"].get("no_text") == 1
    assert row["kept"] == PAGES


def test_more_than_the_corpus_holds_gives_what_it_can_and_says_so(
    corpus: Path, tmp_path: Path
) -> None:
    more = ("--set", "sample.factoid=5000", "--set", "sample.multi_source=500")
    finished = build(corpus, tmp_path / "out", *more, "--json")
    assert finished.status == 0, finished.err
    rows = {r["kind"]: r for r in json.loads(finished.out)["funnel"] if r["stage"] == "sample"}
    assert rows["factoid"]["requested"] == 5000
    assert rows["factoid"]["failed"]["corpus_too_small"] > 4000
    assert rows["multi_source"]["failed"]["no_linked_chunks"] > 0


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("sample.factiod=3", "unknown key"),
        ("sample.factoid=many", "sample.factoid"),
        ("select.min_rating=9", "select.min_rating"),
        ("nonsense", "section.key=value"),
    ],
)
def test_a_wrong_setting(corpus: Path, tmp_path: Path, override: str, message: str) -> None:
    finished = build(corpus, tmp_path / "out", "--set", override)
    assert finished.status == 2
    assert message in one_line(finished)


def test_a_prompt_without_its_placeholder(corpus: Path, tmp_path: Path) -> None:
    prompts = tmp_path / "prompts"
    shutil.copytree(ROOT / "prompts", prompts)
    path = prompts / "critique" / "standalone.md"
    path.write_text(path.read_text().replace("{{ question }}", "the question"))
    finished = build(corpus, tmp_path / "out", "--prompts", str(prompts))
    assert finished.status == 2
    assert "standalone.md" in one_line(finished)
    assert "question" in one_line(finished)


def test_no_key(corpus: Path, tmp_path: Path) -> None:
    finished = build(corpus, tmp_path / "out", "--model", "openai", "--model-name", "m")
    assert finished.status == 2
    assert "OPENAI_API_KEY" in one_line(finished)


def test_an_endpoint_that_is_down(corpus: Path, tmp_path: Path) -> None:
    # Port 1 is reserved and refuses at once.
    finished = build(
        corpus,
        tmp_path / "out",
        *("--model", "openai", "--model-name", "m"),
        *("--set", "base_url=http://127.0.0.1:1/v1", "--set", "retry_seconds=0"),
        env={"OPENAI_API_KEY": "sk-planted", "GOLDSMITH_CACHE": str(tmp_path / "cache")},
    )
    assert finished.status == 2
    assert "127.0.0.1:1" in one_line(finished)
    # What it will ask is said before the first call is paid: here there was none.
    assert re.search(r"estimate: [\d,]+ calls of m, at most [\d,]+", finished.err)
    assert "sk-planted" not in finished.err + finished.out


def test_debug_shows_the_traceback(tmp_path: Path) -> None:
    finished = build(tmp_path / "nowhere", tmp_path / "out", "--debug")
    assert "Traceback" in finished.err
    assert finished.status == 1
