"""A loopback Hub, and this process as its user."""

from __future__ import annotations

import time
from contextlib import contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest
from huggingface_hub import constants
from huggingface_hub.utils import _http

from tests.support.loopback_hub import loopback_hub

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.support.loopback_hub import LoopbackHub


@contextmanager
def hub_user(home: Path) -> Iterator[LoopbackHub]:
    with loopback_hub() as hub, pytest.MonkeyPatch.context() as patch:
        for key, value in hub.env(home).items():
            patch.setenv(key, value)
        # Read once, when the library is imported: another test may have done that.
        patch.setattr(constants, "HF_HUB_DISABLE_XET", True)
        patch.setattr(constants, "HF_TOKEN_PATH", str(home / "token"))
        patch.setattr(constants, "HF_STORED_TOKENS_PATH", str(home / "stored"))
        # The client waits up to 15 s before it gives a server up.
        patch.setattr(_http, "time", SimpleNamespace(**vars(time) | {"sleep": lambda _: None}))
        yield hub
