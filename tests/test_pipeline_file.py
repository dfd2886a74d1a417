"""dvc.yaml says everything that a stage depends on: DVC follows no import and no setting."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import BaseModel

from goldsmith.cli.judges import JudgeName
from goldsmith.cli.steps.source import import_closure
from goldsmith.llm.tasks import CRITICS, PROBES
from goldsmith.settings import BuildSettings

ROOT = Path(__file__).resolve().parents[1]
PIPELINE: dict[str, Any] = yaml.safe_load((ROOT / "dvc.yaml").read_text("utf-8"))["stages"]
STAGES = sorted(PIPELINE)

USED_BY = {
    "chunk": {"chunk"},
    "sample": {"sample"},
    "generate": {"model", "generate"},
    "critique": {"model", "critique", "generate.audience"},
    "select": {"select", "critique.necessity"},
    "complete": {"model", "search", "complete"},
    "probe": {"model", "search", "probe", "generate.audience", "select.min_rating"},
    "freeze": set(BuildSettings.model_fields),
    "baseline": set[str](),
    "score": {"model"},
}
"""Sections, or single keys, of build.yaml that each stage reads."""


def leaves(model: type[BaseModel], prefix: str = "") -> set[str]:
    found: set[str] = set()
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            found |= leaves(kind, f"{prefix}{name}.")
        else:
            found.add(prefix + name)
    return found


def params_of(stage: str) -> set[str]:
    return {
        key
        for entry in PIPELINE[stage].get("params", [])
        for keys in entry.values()
        for key in keys
    }


@pytest.mark.parametrize("stage", STAGES)
def test_the_code_that_a_stage_imports_is_in_its_deps(stage: str) -> None:
    deps = [ROOT / dep for dep in PIPELINE[stage]["deps"]]
    for path in import_closure(stage):
        covered = any(path == dep or dep in path.parents for dep in deps)
        assert covered, f"{stage} imports {path.relative_to(ROOT)}"


@pytest.mark.parametrize("stage", STAGES)
def test_no_dep_is_stale(stage: str) -> None:
    closure = import_closure(stage)
    for dep in PIPELINE[stage]["deps"]:
        if dep.startswith("pipeline/"):
            path = ROOT / dep
            assert any(path == used or path in used.parents for used in closure), dep


@pytest.mark.parametrize("stage", STAGES)
def test_the_settings_that_a_stage_reads_are_in_its_params(stage: str) -> None:
    wanted = {
        leaf
        for leaf in leaves(BuildSettings)
        if any(leaf == used or leaf.startswith(f"{used}.") for used in USED_BY[stage])
    }
    assert params_of(stage) == wanted


def test_the_prompts_of_each_stage_are_in_its_deps() -> None:
    assert "prompts/generate/${item.kind}.md" in PIPELINE["generate"]["deps"]
    assert "prompts/critique" in PIPELINE["critique"]["deps"]
    assert all(task.name.startswith("critique/") for task in CRITICS.values())
    assert "prompts/complete" in PIPELINE["complete"]["deps"]
    probe = PIPELINE["probe"]["deps"]
    assert {"prompts/probe", "prompts/critique/relevance.md"} <= set(probe)
    assert "prompts/critique/standalone.md" in probe
    assert all(task.name.startswith("probe/") for task in PROBES.values())


def test_every_run_that_is_listed_is_scored_and_the_baseline_is_among_them() -> None:
    score = yaml.safe_load((ROOT / "configs" / "score.yaml").read_text("utf-8"))["score"]
    assert PIPELINE["score"]["matrix"] == {"run": "${score.runs}"}
    assert PIPELINE["baseline"]["outs"] == [f"data/runs/{score['runs'][0]}.jsonl"]
    assert JudgeName(score["judge"]) is JudgeName.OFFLINE


def test_no_setting_has_a_name_that_dvc_leaves_out_of_its_cache_key() -> None:
    names = {part for leaf in leaves(BuildSettings) for part in leaf.split(".")}
    assert not names & {"size", "nfiles"}
    shipped = yaml.safe_load((ROOT / "configs" / "build.yaml").read_text("utf-8"))
    assert {f"{s}.{key}" for s, keys in shipped.items() for key in keys} == leaves(BuildSettings)


def test_accounts_are_metrics_in_git_and_tables_are_not() -> None:
    for stage in STAGES:
        for metric in PIPELINE[stage].get("metrics", []):
            ((path, options),) = metric.items()
            assert path.startswith("data/metrics/")
            assert options == {"cache": False}
        for plot in PIPELINE[stage].get("plots", []):
            ((path, options),) = plot.items()
            assert path.startswith("data/plots/")
            assert options["cache"] is False


def test_compiled_files_are_ignored() -> None:
    assert "__pycache__/" in (ROOT / ".dvcignore").read_text("utf-8").splitlines()
