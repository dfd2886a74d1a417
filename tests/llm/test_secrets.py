"""The key is in the environment and on the wire, and nowhere else."""

from __future__ import annotations

import logging
import traceback
from typing import TYPE_CHECKING

import pytest

from goldsmith.errors import ModelError, SettingsError
from goldsmith.llm.cache_upkeep import export_cache
from goldsmith.llm.clock import SystemClock
from goldsmith.llm.connection import Connection
from goldsmith.llm.openai import account
from tests.support.asking import GOOD, KEY, Asker, questions
from tests.support.llm_server import Answer, Chat, LLMServer, Reset, Status

if TYPE_CHECKING:
    from pathlib import Path

ECHO = f"Incorrect API key provided: {KEY}."


def test_no_output_holds_the_key(
    asker: Asker, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Errors that repeat the key, with every logger of every library at its most talkative."""
    script: list[Answer] = [Status(500, ECHO), Status(429, ECHO), Reset(), Status(400, ECHO)]
    with caplog.at_level(logging.DEBUG), LLMServer([*script, *script], Chat(GOOD)) as server:
        outcomes = asker.ask(server.url, questions(8))
        assert any(seen.headers["authorization"] == f"Bearer {KEY}" for seen in server.seen)
    with LLMServer(default=Status(401, ECHO)) as server, pytest.raises(ModelError) as caught:
        asker.ask(server.url, ["Another?"])
    export_cache(asker.cache, tmp_path / "export.jsonl")
    outputs = {
        "log": caplog.text,
        "outcomes": repr(outcomes),
        "error": "".join(traceback.format_exception(caught.value)),
        **{p.name: p.read_bytes().decode("latin-1") for p in asker.cache.iterdir()},
        "export": (tmp_path / "export.jsonl").read_text("utf-8"),
    }
    assert "refuses the key" in outputs["error"]
    assert any(outcome.failure for outcome in outcomes), "the failures are among the outputs"
    for name, output in outputs.items():
        assert KEY not in output, name


def test_no_repr_holds_the_key() -> None:
    mine = account("m", "http://127.0.0.1:9/v1")
    assert mine.key == KEY
    shown = repr(mine) + repr(Connection(mine, SystemClock(), seconds=1, width=1))
    assert KEY not in shown


def test_a_password_in_an_address_is_refused_and_not_repeated(asker: Asker) -> None:
    password = "hunter2"
    url = f"http://user:{password}@127.0.0.1:9/v1"
    with pytest.raises(SettingsError, match="secrets belong in the environment") as caught:
        asker.ask(url)
    assert "user:hunter2" not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("url", ["127.0.0.1:9/v1", "ftp://127.0.0.1/v1", "file:///v1", "v1"])
def test_what_is_no_address_is_said(asker: Asker, url: str) -> None:
    with pytest.raises(SettingsError, match="no address of an endpoint"):
        asker.ask(url)
