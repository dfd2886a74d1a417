"""Who may import whom: left to right only (see CONTRIBUTING)."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "pipeline" / "goldsmith"

LAYERS: tuple[frozenset[str], ...] = (
    frozenset({"errors"}),
    frozenset({"ids", "proportions"}),
    frozenset({"records", "settings", "funnel"}),
    frozenset({"corpus", "prompts", "tables"}),
    frozenset({"llm"}),
    frozenset({"engine", "offline", "release"}),
    frozenset({"stages", "scoring"}),
    frozenset({"review", "release.hub"}),
    frozenset({"cli"}),
)
"""From the one that knows nobody to the one that knows everybody."""

FOREIGN_DOORS = {
    "openai": {"llm/openai.py"},
    "huggingface_hub": {"release/hub/client.py"},
    "langchain_text_splitters": {"corpus/chunking.py"},
    "dvc": set[str](),
}
"""The only modules that may import each of these libraries."""

SCORER_DOES_WITHOUT = {"openai", "datasets", "langchain_text_splitters", "dvc"}

MODULES = sorted(PACKAGE.rglob("*.py"))


def layer_of(module: str) -> int | None:
    best: tuple[int, int] | None = None
    for rank, names in enumerate(LAYERS):
        for name in names:
            if module == name or module.startswith(name + "."):
                best = max(best or (0, 0), (len(name), rank))
    return best[1] if best else None


def imports_of(path: Path) -> set[str]:
    """Absolute dotted names that a module imports anywhere, also inside functions."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            module = node.module or ""
            found.add(module)
            found.update(f"{module}.{alias.name}" for alias in node.names)
    return found


def name_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_run_one_way(path: Path) -> None:
    own = layer_of(name_of(path))
    for imported in imports_of(path):
        if not imported.startswith("goldsmith."):
            continue
        other = layer_of(imported.removeprefix("goldsmith."))
        if own is None or other is None:
            continue
        assert other <= own, f"{name_of(path)} may not import {imported}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_stages_meet_in_records_only(path: Path) -> None:
    own = name_of(path)
    if not own.startswith("stages."):
        return
    room = ".".join(own.split(".")[:2])
    others = {
        imported
        for imported in imports_of(path)
        if imported.startswith("goldsmith.stages.") and not imported.startswith(f"goldsmith.{room}")
    }
    assert not others, f"{own} imports {sorted(others)}"
    for forbidden in ("pathlib", "os", "openai", "asyncio"):
        assert forbidden not in imports_of(path), f"{own} knows {forbidden}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_foreign_libraries_enter_by_their_own_door(path: Path) -> None:
    relative = path.relative_to(PACKAGE).as_posix()
    for imported in imports_of(path):
        doors = FOREIGN_DOORS.get(imported.split(".")[0])
        assert doors is None or relative in doors, f"{relative} imports {imported}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_the_scorer_does_without_the_build(path: Path) -> None:
    if not name_of(path).startswith("scoring"):
        return
    roots = {imported.split(".")[0] for imported in imports_of(path)}
    assert not roots & SCORER_DOES_WITHOUT
