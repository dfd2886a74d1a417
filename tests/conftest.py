"""Fixtures that every room may use."""

from __future__ import annotations

from pathlib import Path

import pytest

_SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real corpora, beside the checkout; absent in most clones."""
    if not _SHARED.is_dir():
        pytest.skip("real data is not at hand: expected a folder shared/data beside the checkout")
    return _SHARED
