"""`goldsmith init`, and what DVC makes of the project that it writes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from goldsmith.settings import BuildSettings, load_settings
from tests.support.command import ROOT, goldsmith

PAGES = 6


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project on a few pages, as a user would start it, built once."""
    folder = tmp_path_factory.mktemp("user") / "my-dataset"
    done = goldsmith("init", folder)
    assert done.status == 0, done.err
    for page in sorted((ROOT / "data" / "corpus").rglob("*.md"))[:PAGES]:
        shutil.copy(page, folder / "data" / "corpus" / f"{page.parent.name}-{page.name}")
    path = folder / "configs" / "build.yaml"
    text = path.read_text("utf-8")
    path.write_text(
        text.replace("factoid: 250", "factoid: 12").replace("multi_source: 240", "multi_source: 8")
    )
    assert load_settings(path, BuildSettings).sample.factoid == 12
    dvc(folder, "repro")
    return folder


def dvc(folder: Path, *arguments: str) -> str:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [sys.executable, "-m", "dvc", *arguments],
        cwd=folder,
        env=os.environ | {"PATH": path, "DVC_NO_ANALYTICS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_project_builds_as_it_is(project: Path) -> None:
    release = project / "data" / "release" / "1.0.0"
    assert goldsmith("verify", release).status == 0
    settings = load_settings(project / "configs" / "build.yaml", BuildSettings)
    assert settings.release.name == "my-dataset"


def test_the_baseline_is_scored_on_what_was_frozen(project: Path) -> None:
    shown = goldsmith("show", project / "data" / "score" / "baseline")
    assert "recall@10" in shown.out
    assert "data/score/baseline/report.html" in shown.out
    values = json.loads((project / "data" / "metrics" / "score-baseline.json").read_bytes())
    assert 0 < values["labelled"]["recall@10"] <= 1
    ignored = (project / "data" / "metrics" / ".gitignore").exists()
    assert not ignored, "metrics belong into git"


def test_its_pipeline_names_no_source_of_ours(project: Path) -> None:
    stages = yaml.safe_load((project / "dvc.yaml").read_text("utf-8"))["stages"]
    assert not [d for stage in stages.values() for d in stage["deps"] if d.startswith("pipeline")]
    assert stages["chunk"]["deps"] == ["data/corpus"]


def test_a_second_repro_runs_nothing(project: Path) -> None:
    assert "Running stage" not in dvc(project, "repro")


def test_an_edited_prompt_re_runs_its_column_only(project: Path) -> None:
    path = project / "prompts" / "generate" / "factoid.md"
    before = path.read_text("utf-8")
    path.write_text(before.replace("Pick ONE", "Choose ONE"))
    assert path.read_text("utf-8") != before
    changed = {
        line.removesuffix(":") for line in dvc(project, "status").splitlines() if line[:1].isalnum()
    }
    path.write_text(before)
    # Freezing writes down the digest of every prompt, so it runs again too.
    assert changed == {"generate@factoid", "freeze"}


def test_a_new_threshold_re_runs_no_stage_that_asks_a_model(project: Path) -> None:
    path = project / "configs" / "build.yaml"
    before = path.read_text("utf-8")
    path.write_text(before.replace("min_rating: 4 ", "min_rating: 5 "))
    changed = {
        line.removesuffix(":") for line in dvc(project, "status").splitlines() if line[:1].isalnum()
    }
    path.write_text(before)
    assert changed == {"select", "probe", "freeze"}


def test_rebuilt_from_its_lock_it_is_the_same_release(project: Path) -> None:
    ledger = (project / "data" / "ledger.jsonl").read_text("utf-8")
    shutil.rmtree(project / "data" / "build")
    shutil.rmtree(project / "data" / "release")
    shutil.rmtree(project / ".dvc" / "cache")
    dvc(project, "repro", "--no-run-cache")
    assert (project / "data" / "ledger.jsonl").read_text("utf-8") == ledger
    assert goldsmith("verify", project / "data" / "release" / "1.0.0").status == 0


def test_a_folder_that_is_not_empty_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    done = goldsmith("init", tmp_path)
    assert done.status == 2
    assert "not empty" in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]
