"""`goldsmith baseline | score | inspect | gate | audit`, as a user types them."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from goldsmith.cli.main import main
from goldsmith.scoring.baseline import baseline, write_run
from goldsmith.scoring.gold_readers import read_gold
from tests.support.command import Finished
from tests.support.llm_server import LLMServer, Status
from tests.support.releases import chunks, freeze_small

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Command = Callable[..., Finished]


@pytest.fixture
def goldsmith(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Command:
    """The command line in this process: the scorer's libraries are loaded once, not per test."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("GOLDSMITH_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-key")

    def run(*arguments: str | Path) -> Finished:
        monkeypatch.setattr(sys, "argv", ["goldsmith", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capsys.readouterr()
        return Finished(int(ended.value.code or 0), said.out, said.err)

    return run


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("data")
    freeze_small(data)
    return data / "release" / "1.0.0"


@pytest.fixture(scope="module")
def run(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    gold = read_gold(release)
    path = tmp_path_factory.mktemp("run") / "run.jsonl"
    write_run(path, baseline(chunks(), [gold.query(i) for i in gold.query_ids]))
    return path


def document(folder: Path) -> Any:  # noqa: ANN401 - decoded JSON
    return orjson.loads((folder / "report.json").read_bytes())


def test_the_loop_of_a_newcomer(goldsmith: Command, release: Path, tmp_path: Path) -> None:
    run, out = tmp_path / "run.jsonl", tmp_path / "report"
    assert "wrote" in goldsmith("baseline", release, "--out", run).out
    done = goldsmith("score", "--gold", release, "--run", run, "--out", out)
    assert done.status == 0
    assert "Labelled half" in done.out
    assert "Unlabelled half" in done.out
    assert "macro-F1" in done.out  # the offline judge says how well it was measured to do
    assert str(out / "report.html") in done.out.replace("\n", "")
    assert {path.name for path in out.iterdir()} == {
        "report.json",
        "report.md",
        "report.html",
        "rows.parquet",
    }
    assert goldsmith("show", out).out == done.out
    assert goldsmith("inspect", run).status == 0
    (out / "report.json").write_text("{}")
    assert "score the run again" in goldsmith("show", out).err


def test_json_is_the_document_of_the_report(
    goldsmith: Command, release: Path, run: Path, tmp_path: Path
) -> None:
    done = goldsmith("score", "--gold", release, "--run", run, "--out", tmp_path, "--json")
    assert json.loads(done.out) == document(tmp_path)
    claims = json.loads(goldsmith("inspect", run, "--json").out)
    assert claims


def test_without_gold_there_is_the_unlabelled_half_only(
    goldsmith: Command, run: Path, tmp_path: Path
) -> None:
    done = goldsmith("score", "--run", run, "--out", tmp_path, "--components")
    assert done.status == 0
    assert "Labelled half" not in done.out
    assert "context_sufficiency" in done.out
    assert {m["half"] for m in document(tmp_path)["metrics"]} == {"unlabelled"}
    nothing = goldsmith("score", "--run", run, "--out", tmp_path, "--judge", "none")
    assert nothing.status == 2
    assert "nothing to score with" in nothing.err


def test_files_that_dvc_compares(
    goldsmith: Command, release: Path, run: Path, tmp_path: Path
) -> None:
    metrics, plot = tmp_path / "m" / "run.json", tmp_path / "p" / "run.csv"
    arguments = ("--out", tmp_path / "out", "--metrics", metrics, "--plot", plot)
    assert goldsmith("score", "--gold", release, "--run", run, *arguments).status == 0
    values = {m["name"]: m["value"] for m in document(tmp_path / "out")["metrics"]
              if m["slice"] == "all"}  # fmt: skip
    found = orjson.loads(metrics.read_bytes())
    assert found["labelled"]["recall@10"] == values["recall@10"]
    assert found["unlabelled"]["citation_accuracy"] == values["citation_accuracy"]
    header, *rows = plot.read_text("utf-8").splitlines()
    assert header == "k,recall,all_hit,ndcg"
    assert [row.split(",")[0] for row in rows] == ["1", "3", "5", "10", "20"]


def test_a_judge_that_is_down_costs_its_own_half_only(
    goldsmith: Command,
    monkeypatch: pytest.MonkeyPatch,
    release: Path,
    run: Path,
    tmp_path: Path,
) -> None:
    with LLMServer(default=lambda _: Status(401)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        arguments = ("--gold", release, "--judge", "openai", "--model-name", "judge-1")
        done = goldsmith("score", *arguments, "--run", run, "--out", tmp_path)
        gate = goldsmith("gate", *arguments, "--candidate", run)
    assert done.status == 2
    assert "recall@10" in done.out
    assert "error:" in done.err
    assert {m["half"] for m in document(tmp_path)["metrics"]} == {"labelled"}
    assert "Nothing was judged" in (tmp_path / "report.html").read_text("utf-8")
    assert gate.status == 2  # never a pass


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--second-judge", "offline"), "the same judge"),
        (("--judge", "none", "--second-judge", "offline"), "needs two judges"),
    ],
)
def test_a_second_opinion_that_says_nothing_is_refused(
    goldsmith: Command,
    release: Path,
    run: Path,
    tmp_path: Path,
    arguments: tuple[str, ...],
    said: str,
) -> None:
    done = goldsmith("score", "--gold", release, "--run", run, "--out", tmp_path / "o", *arguments)
    assert done.status == 2
    assert said in done.err
    assert not (tmp_path / "o").exists()


def test_an_audit_corrects_the_figure_of_its_judge(
    goldsmith: Command, run: Path, tmp_path: Path
) -> None:
    labels = tmp_path / "labels.jsonl"
    text = "Audit log entries are kept for 90 days."
    rows = [
        {"id": f"l{i}", "claim": claim, "passages": [{"id": "p", "text": text}], "label": label}
        for i, (claim, label) in enumerate(
            [(text, "supports"), ("Invoices are printed on paper.", "does_not_support")] * 3
        )
    ]
    labels.write_bytes(b"\n".join(map(orjson.dumps, rows)))
    audited = goldsmith("audit", labels, "--json")
    assert audited.status == 0
    path = tmp_path / "audit.json"
    path.write_text(audited.out, "utf-8")
    done = goldsmith("score", "--run", run, "--out", tmp_path / "out", "--audit", path)
    assert done.status == 0
    names = {m["name"] for m in document(tmp_path / "out")["metrics"]}
    assert "citation_accuracy_corrected" in names
    refused = goldsmith("score", "--run", run, "--out", tmp_path / "o", "--audit", labels)
    assert refused.status == 2
    assert "goldsmith audit LABELS --json" in refused.err


def test_the_gate_decides_by_exit_status(
    goldsmith: Command, release: Path, run: Path, tmp_path: Path
) -> None:
    rules = tmp_path / "gate.yaml"
    for minimum, status in ((0.5, 0), (1.1, 1)):
        rules.write_text(f"metrics: [{{metric: recall@10, min: {minimum}}}]", "utf-8")
        done = goldsmith(
            "gate",
            *("--gold", release, "--candidate", run, "--baseline", run, "--gate", rules),
            *("--junit", tmp_path / "j.xml", "--markdown", tmp_path / "g.md", "--judge", "none"),
        )
        assert done.status == status, done.out + done.err
        assert (tmp_path / "j.xml").exists()
        assert (tmp_path / "g.md").exists()
