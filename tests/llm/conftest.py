from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.asking import KEY, Asker, write_prompt

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


@pytest.fixture
def asker(tmp_path: Path) -> Asker:
    return Asker(write_prompt(tmp_path / "prompts"), tmp_path / "cache")
