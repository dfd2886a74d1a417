"""`goldsmith migrate` as a user calls it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from goldsmith.cli.main import app
from goldsmith.errors import InputError
from goldsmith.release.verify import verify
from tests.support.releases import freeze_small

if TYPE_CHECKING:
    from pathlib import Path


def test_a_release_is_cut_anew_and_reported(tmp_path: Path) -> None:
    old = freeze_small(tmp_path / "old").folder
    out = tmp_path / "new"
    command = ["migrate", str(old), "--chunk-size", "50", "--out", str(out)]
    told = CliRunner().invoke(app, command, catch_exceptions=False)
    assert told.exit_code == 0
    assert "frozen" in told.stdout
    assert verify(out / "release" / "2.0.0").manifest.settings["chunk"] is not None
    # Run again, the same bytes come of it: the version stands already.
    again = CliRunner().invoke(app, [*command, "--json"], catch_exceptions=False)
    report = json.loads(again.stdout)
    assert report["evidence"] == {"before": 4, "carried": 4, "moved": 0, "lost": {}}


def test_another_chunking_asks_no_endpoint_for_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a key nor a server is there: a model or a vector that was wanted would fail."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    old = freeze_small(tmp_path / "old").folder
    command = ["migrate", str(old), "--chunk-size", "50", "--out", str(tmp_path / "new")]
    endpoint = ["--model", "openai", "--model-name", "m", "--set", "search.embeddings=vectors"]
    told = CliRunner().invoke(app, [*command, *endpoint, "--json"], catch_exceptions=False)
    assert told.exit_code == 0
    assert json.loads(told.stdout)["probes_searched"] == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ([], "nothing to migrate to"),
        (["--chunks", "x.jsonl", "--chunk-size", "80"], "exclude each other"),
    ],
)
def test_a_command_that_says_nothing_or_two_things_is_refused(
    tmp_path: Path, options: list[str], message: str
) -> None:
    old = freeze_small(tmp_path / "old").folder
    with pytest.raises(InputError, match=message):
        CliRunner().invoke(
            app,
            ["migrate", str(old), "--out", str(tmp_path / "new"), *options],
            catch_exceptions=False,
        )
