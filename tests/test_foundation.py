"""Ids, the conservation law, tables, settings and prompt files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldsmith.errors import ConservationError, InputError, SettingsError
from goldsmith.funnel import FunnelRow, account
from goldsmith.ids import content_id, refuse_collisions, rows_digest, uniform_hash
from goldsmith.prompts import load_prompt
from goldsmith.records import Dropped, Evidence, Loss, Trial
from goldsmith.settings import BuildSettings, RuntimeSettings, load_settings
from goldsmith.tables import read_table, replacing, write_table

ROOT = Path(__file__).resolve().parents[1]

# -- ids ----------------------------------------------------------------------------------------


@given(st.lists(st.text(), min_size=1, max_size=3))
def test_an_id_is_its_content(parts: list[str]) -> None:
    assert content_id("p", *parts) == content_id("p", *parts)
    assert content_id("p", *parts).startswith("p-")
    assert content_id("p", *parts) != content_id("p", *parts, "")


def test_an_id_is_the_same_on_every_machine() -> None:
    assert content_id("p", "a.md", "text") == "p-s52nonzrccp6"
    assert uniform_hash(7, "p-1") == 7989879321369833031


def test_parts_do_not_run_into_each_other() -> None:
    assert content_id("p", "ab", "c") != content_id("p", "a", "bc")


def test_a_collision_is_an_error_that_names_the_id() -> None:
    with pytest.raises(InputError, match="'p-1'"):
        refuse_collisions(["p-1", "p-2", "p-1"], "chunks")


def test_a_digest_of_rows_depends_on_every_value_and_on_no_order_of_keys() -> None:
    one = rows_digest({"a": [{"x": 1, "y": 2}], "b": []})
    assert one == rows_digest({"b": [], "a": [{"y": 2, "x": 1}]})
    assert one != rows_digest({"a": [{"x": 1, "y": 3}], "b": []})
    assert one != rows_digest({"a": [], "b": [{"x": 1, "y": 2}]})


# -- conservation -------------------------------------------------------------------------------


def lost(reason: str, loss: Loss) -> Dropped:
    return Dropped(stage="s", kind="k", item_id="i", loss=loss, reason=reason)


def test_everything_requested_is_accounted_for() -> None:
    dropped = [lost("bad", Loss.REJECTED), lost("bad", Loss.REJECTED), lost("down", Loss.FAILED)]
    row = account("s", "k", requested=5, kept=2, dropped=dropped)
    assert (row.rejected, row.failed) == ({"bad": 2}, {"down": 1})


@pytest.mark.parametrize("requested", [4, 6])
def test_a_row_that_does_not_add_up_cannot_be_made(requested: int) -> None:
    with pytest.raises(ConservationError):
        FunnelRow(
            stage="s", kind="k", requested=requested, kept=2, rejected={"bad": 2}, failed={"x": 1}
        )


# -- tables -------------------------------------------------------------------------------------


def test_a_table_comes_back_as_it_was(tmp_path: Path) -> None:
    rows = [
        Evidence(doc_id="d", start=0, end=3, quote="abc", joint_members=(("p-1", "p-2"),)),
        Evidence(doc_id="d", start=1, end=2, quote="ü", chunk_ids=("p-1",)),
    ]
    assert write_table(tmp_path / "t.parquet", Evidence, rows) == 2
    assert read_table(tmp_path / "t.parquet", Evidence) == rows


def test_an_empty_table_and_nulls_come_back_too(tmp_path: Path) -> None:
    write_table(tmp_path / "t.parquet", Evidence, [])
    assert read_table(tmp_path / "t.parquet", Evidence) == []
    trial = Trial(chunk_ids=(), answer=None, matches_gold=False)
    write_table(tmp_path / "u.parquet", Trial, [trial])
    assert read_table(tmp_path / "u.parquet", Trial) == [trial]


def test_a_write_that_fails_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_text("old")

    def fail_halfway() -> None:
        with replacing(path) as temporary:
            temporary.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_halfway()
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("content", [b"", b"no parquet at all"])
def test_a_damaged_table_is_named(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"t\.parquet"):
        read_table(path, Evidence)
    with pytest.raises(InputError, match="run the stage"):
        read_table(tmp_path / "none.parquet", Evidence)


# -- settings -----------------------------------------------------------------------------------


def written(folder: Path, text: str) -> Path:
    path = folder / "build.yaml"
    path.write_text(text)
    return path


def test_the_shipped_settings_are_the_defaults_of_no_one_else() -> None:
    build = load_settings(ROOT / "configs" / "build.yaml", BuildSettings)
    runtime = load_settings(ROOT / "configs" / "runtime.yaml", RuntimeSettings)
    assert build.select.min_rating == 4
    assert runtime.max_calls is None


def test_an_override_wins(tmp_path: Path) -> None:
    path = written(tmp_path, "sample: {factoid: 5}")
    settings = load_settings(path, BuildSettings, ["sample.factoid=9", "probe.share=0.5"])
    assert settings.sample.factoid == 9
    assert settings.probe.share == 0.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("smaple: {}", "unknown key 'smaple'; known: chunk, sample"),
        ("sample: {factiod: 5}", "unknown key 'sample.factiod'; known: seed, factoid"),
        ("sample: {factoid: many}", "sample.factoid"),
        ("select: {min_rating: 6}", "select.min_rating"),
        ("- a list", "expected sections"),
        ("sample: {factoid: [", "cannot be read"),
    ],
)
def test_a_wrong_setting_is_named_with_what_is_known(
    tmp_path: Path, text: str, message: str
) -> None:
    with pytest.raises(SettingsError, match=message) as caught:
        load_settings(written(tmp_path, text), BuildSettings)
    assert "build.yaml" in str(caught.value)


@pytest.mark.parametrize("override", ["sample.factoid", "sample.factoid.x=1"])
def test_a_malformed_override_is_an_error(tmp_path: Path, override: str) -> None:
    with pytest.raises(SettingsError, match="--set"):
        load_settings(written(tmp_path, "sample: {factoid: 5}"), BuildSettings, [override])


def test_a_missing_settings_file_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="goldsmith init"):
        load_settings(tmp_path / "none.yaml", BuildSettings)


# -- prompt files -------------------------------------------------------------------------------

HEAD = "---\ntask: t\nsummary: s\n---\n"


def prompt(folder: Path, content: str) -> Path:
    (folder / "t.md").write_text(content)
    return folder


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            HEAD + "## system\nBe.\n## user\n{{ question }} {{ extra }}",
            r"unknown placeholders.*extra",
        ),
        (HEAD + "## system\nBe.\n## user\nnothing", r"lacks the placeholders.*question"),
        (HEAD + "## user\n{{ question }}", "'## system'"),
        (HEAD + "## system\nBe.\n## user\n{{ question", "line"),
        ("no front matter", "front matter"),
        ("---\ntask: other\nsummary: s\n---\n## system\n\n## user\n{{ question }}", "other"),
        ("---\ntask: t\n---\n## system\n\n## user\n{{ question }}", "summary"),
        ("---\ntask: t\nsummary: s\nmax_token: 5\n---\n", "max_token"),
    ],
)
def test_a_faulty_prompt_file_is_named_with_its_fault(
    tmp_path: Path, content: str, message: str
) -> None:
    with pytest.raises(SettingsError, match=message) as caught:
        load_prompt(prompt(tmp_path, content), "t", ["question"])
    assert "t.md" in str(caught.value)


def test_a_missing_prompt_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="goldsmith init"):
        load_prompt(tmp_path, "t", ["question"])


def test_the_digest_is_the_version_and_ignores_line_endings(tmp_path: Path) -> None:
    content = HEAD + "## system\nBe.\n## user\n{{ question }}"
    unix = load_prompt(prompt(tmp_path, content), "t", ["question"])
    (tmp_path / "t.md").write_bytes(content.replace("\n", "\r\n").encode())
    assert load_prompt(tmp_path, "t", ["question"]).version == unix.version
    changed = load_prompt(prompt(tmp_path, content + "!"), "t", ["question"])
    assert changed.version != unix.version
