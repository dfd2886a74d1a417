"""Which of goldsmith's own files a step runs, and their digest.

DVC does not follow imports, and it records code that was edited while a long stage ran as if that
had run. So each step writes down the digest of its code when it starts, and a test compares the
files named here with the dependencies in dvc.yaml.
"""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from goldsmith.ids import digest_of, text_digest

if TYPE_CHECKING:
    from collections.abc import Iterator

PACKAGE = Path(__file__).resolve().parents[2]
_NAME = PACKAGE.name


def code_digest(step: str) -> str:
    """sha256 over the path and text of every file in the step's import closure."""
    files = sorted(import_closure(step))
    # Line endings differ between checkouts, the code does not: read_text translates them.
    return digest_of(
        [[p.relative_to(PACKAGE).as_posix(), text_digest(p.read_text("utf-8"))] for p in files]
    )


def import_closure(step: str) -> set[Path]:
    """The modules of this package that `goldsmith.cli.steps.<step>` imports, itself included.

    Imports inside functions count; those for type checkers do not.
    """
    waiting = [PACKAGE / "cli" / "steps" / f"{step}.py"]
    seen: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            waiting += _imported(path)
    return seen


@cache
def _imported(path: Path) -> frozenset[Path]:
    """What a module imports; steps share most of their modules, and a build runs all the steps."""
    return frozenset(_files_named(ast.parse(path.read_text("utf-8"))))


def _files_named(tree: ast.Module) -> Iterator[Path]:
    for node in _run_time_nodes(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        for name in names:
            found = _module_file(name)
            if found is not None:
                yield found


def _run_time_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            continue
        yield node
        yield from _run_time_nodes(node)


def _module_file(name: str) -> Path | None:
    root, *parts = name.split(".")
    if root != _NAME or not parts:
        return None
    base = PACKAGE.joinpath(*parts)
    candidates = (base.with_suffix(".py"), base / "__init__.py")
    return next((path for path in candidates if path.is_file()), None)
