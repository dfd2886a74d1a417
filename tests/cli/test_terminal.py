"""Display code must not cost a finished row."""

from __future__ import annotations

import asyncio

import pytest
from rich.progress import Progress

from goldsmith.cli.terminal import progress
from goldsmith.engine.local import LocalEngine


@pytest.mark.parametrize("method", ["start", "advance", "stop"])
def test_a_progress_bar_that_breaks_loses_no_row(
    method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def breaks(*_: object, **__: object) -> None:
        raise RuntimeError("the terminal is gone")

    monkeypatch.setattr(Progress, method, breaks)

    async def paid_work(item: int) -> int:
        await asyncio.sleep(0)
        return item

    with progress("critique", 3) as advance:
        assert asyncio.run(LocalEngine(2, advance).map(paid_work, [1, 2, 3])) == [1, 2, 3]


def test_an_error_of_the_work_itself_is_not_taken_for_one_of_the_display() -> None:
    with pytest.raises(ValueError, match="of the work"), progress("critique", 3):
        raise ValueError("of the work")
