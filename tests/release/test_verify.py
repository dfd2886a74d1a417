"""Whatever is done to a release, `verify` names the first place where it shows."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from goldsmith.errors import CheckError, InputError
from goldsmith.ids import digest_of
from goldsmith.release.differences import differences, file_entry
from goldsmith.release.layout import TABLES
from goldsmith.release.manifest import SCHEMA_VERSION
from goldsmith.release.parquet import read_rows, write_rows
from goldsmith.release.verify import verify
from tests.support.releases import freeze_small

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from goldsmith.release.layout import Table

_PLAIN = {pa.string(): st.text(max_size=8), pa.int64(): st.integers(0, 9)}
FILES = [*(table.file for table in TABLES), "README.md", "manifest.json"]


@pytest.fixture(scope="module")
def frozen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return freeze_small(tmp_path_factory.mktemp("frozen")).folder


@pytest.fixture
def folder(frozen: Path, tmp_path: Path) -> Path:
    """A copy that a test may spoil."""
    return shutil.copytree(frozen, tmp_path / "copy")


def first(folder: Path) -> str:
    """The first difference, as `verify` reports it."""
    with pytest.raises(CheckError) as refusal:
        verify(folder)
    return str(refusal.value).partition("is not what was frozen: ")[2]


def edit_manifest(
    folder: Path, edit: Callable[[dict[str, Any]], object], *, seal: bool = True
) -> None:
    """Edit the manifest as someone would who knows how it is sealed, or who does not."""
    path = folder / "manifest.json"
    values = orjson.loads(path.read_bytes())
    edit(values)
    if seal:
        values["seal"] = digest_of({key: value for key, value in values.items() if key != "seal"})
    option = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    path.write_bytes(orjson.dumps(values, option=option))


def edit_rows(
    folder: Path, name: str, edit: Callable[[list[dict[str, Any]]], object], *, admit: bool = False
) -> None:
    """Edit a table; `admit`: enter its new bytes in the manifest, so that only rows can tell."""
    table = next(table for table in TABLES if table.name == name)
    path = folder / table.file
    rows = read_rows(path.read_bytes(), table.schema)
    edit(rows)
    write_rows(path, table.schema, rows)
    if admit:
        entry = file_entry(path.read_bytes()).model_dump()
        edit_manifest(folder, lambda values: values["files"].update({table.file: entry}))


def test_a_release_is_what_was_frozen(frozen: Path) -> None:
    verified = verify(frozen)
    assert verified.manifest.version == "1.0.0"
    # questions 5, corpus 8, documents 4, queries 5, qrels 8, judgements 8, rejected 5.
    assert verified.rows == 43
    assert verified.bytes == sum(
        path.stat().st_size for path in frozen.iterdir() if path.name != "manifest.json"
    )
    assert list(differences(frozen)) == []


# -- bytes --------------------------------------------------------------------------------------


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None
)
@given(st.sampled_from(FILES), st.floats(0, 1, exclude_max=True), st.integers(0, 7))
def test_a_flipped_bit_in_any_file_is_found(
    folder: Path, frozen: Path, name: str, place: float, bit: int
) -> None:
    content = bytearray((frozen / name).read_bytes())
    content[int(place * len(content))] ^= 1 << bit
    (folder / name).write_bytes(content)
    with pytest.raises((CheckError, InputError)) as refusal:
        verify(folder)
    (folder / name).write_bytes((frozen / name).read_bytes())
    message = str(refusal.value)
    # One bit makes a manifest of version 1 one of version 5, say: another goldsmith's business.
    assert f"frozen: {name}" in message or "upgrade goldsmith" in message


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
@pytest.mark.parametrize("share", [0, 0.5, 0.99])
def test_a_truncated_table_is_named_with_both_sizes(
    folder: Path, table: Table, share: float
) -> None:
    path = folder / table.file
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    assert first(folder) == (
        f"{table.file}: found {int(share * len(content))} bytes, expected {len(content)}"
    )


def test_a_missing_file_is_named(folder: Path) -> None:
    (folder / "judgements.parquet").unlink()
    assert first(folder) == (
        "judgements.parquet: found no file, expected the file that the manifest lists"
    )


def test_a_file_that_the_manifest_does_not_list_is_named(folder: Path) -> None:
    (folder / "notes.txt").write_text("mine")
    assert first(folder) == (
        "notes.txt: found a file, expected none: the manifest lists no such file"
    )


def test_what_the_hub_leaves_in_a_download_is_no_difference(folder: Path) -> None:
    (folder / ".gitattributes").write_text("*.parquet filter=lfs\n")
    (folder / ".cache").mkdir()
    assert verify(folder).manifest.version == "1.0.0"


def test_the_same_rows_written_otherwise_are_other_bytes(folder: Path) -> None:
    path = folder / "corpus.parquet"
    pq.write_table(pq.read_table(path), path, compression="snappy")
    assert first(folder).startswith("corpus.parquet: found ")


# -- rows ---------------------------------------------------------------------------------------


def test_an_edited_answer_is_found_in_its_row(folder: Path) -> None:
    edit_rows(folder, "questions", lambda rows: rows[2].update(answer="91 days"))
    assert first(folder).startswith(
        "questions.parquet, row 'q-days', critics.groundedness.text_digest: found "
        "verdict_on_other_wording"
    )


def test_an_edited_question_is_found_in_queries_too(folder: Path) -> None:
    edit_rows(folder, "queries", lambda rows: rows[0].update(text="Why?"))
    assert first(folder) == (
        "queries.parquet, row 'q-both', text: found 'Why?', expected 'How long do Enterprise plans "
        "keep audit records, and how far can an agreement extend it?'"
    )


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (
            lambda rows: rows[1].update(score=2),
            "qrels.parquet, row 'q-both / p-deals-2', score: found 2, expected 1",
        ),
        (
            lambda rows: rows.pop(1),
            (
                "qrels.parquet, row 'q-both / p-deals-all': found the row, expected "
                "'q-both / p-deals-2'"
            ),
        ),
        (
            lambda rows: rows.pop(),
            (
                "qrels.parquet, row 'q-days / p-plans-2': found no such row, expected "
                "'q-days / p-plans-2'"
            ),
        ),
        (
            lambda rows: rows.append({"query-id": "q-z", "corpus-id": "p-z", "score": 1}),
            "qrels.parquet, row 'q-z / p-z': found the row, expected none",
        ),
        (
            lambda rows: rows.reverse(),
            "qrels.parquet, row 'q-days / p-plans-2': found the row, expected 'q-both / p-deals-1'",
        ),
    ],
)
@pytest.mark.parametrize("admit", [False, True])
def test_qrels_follow_from_the_evidence(
    folder: Path, edit: Callable[[list[dict[str, Any]]], object], message: str, admit: bool
) -> None:
    edit_rows(folder, "qrels", edit, admit=admit)
    assert first(folder) == message


def test_rows_stand_in_the_order_of_their_ids(folder: Path) -> None:
    edit_rows(folder, "documents", lambda rows: rows.reverse(), admit=True)
    assert first(folder) == (
        "documents.parquet, row 'd-deals', doc_id: found the row after 'd-plans', expected rows "
        "sorted by id"
    )


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None
)
@given(st.data())
def test_no_cell_can_change_unseen(folder: Path, frozen: Path, data: st.DataObject) -> None:
    """Even when the new bytes of the table are entered in the manifest and sealed again."""
    table = data.draw(st.sampled_from(TABLES))
    column = data.draw(st.sampled_from([f.name for f in table.schema if f.type in _PLAIN]))
    value = data.draw(st.one_of(st.none(), _PLAIN[table.schema.field(column).type]))
    number = data.draw(st.integers(0, 3))
    before: list[object] = []

    def edit(rows: list[dict[str, Any]]) -> None:
        before.append(rows[number][column])
        rows[number][column] = value

    edit_rows(folder, table.name, edit, admit=True)
    try:
        if before == [value]:
            verify(folder)
        else:
            # What follows from a row shows too: queries and qrels, counts and figures.
            places = (table.file, "queries.parquet", "qrels.parquet", "manifest.json, ")
            assert first(folder).startswith(places)
    finally:
        for path in frozen.iterdir():
            shutil.copy(path, folder)


def test_a_corpus_id_has_one_name_and_another_for_beir(folder: Path) -> None:
    edit_rows(folder, "corpus", lambda rows: rows[0].update(_id="p-0"), admit=True)
    assert first(folder) == (
        "corpus.parquet, row 'p-dash-1', _id: found 'p-0', expected 'p-dash-1'"
    )


def test_a_cell_that_no_record_can_hold_is_named(folder: Path) -> None:
    edit_rows(folder, "questions", lambda rows: rows[0].update(kind="riddle"), admit=True)
    assert first(folder).startswith(
        "questions.parquet, row 'q-both', kind: found 'riddle', expected Input should be"
    )


def test_a_column_that_is_missing_is_named(folder: Path) -> None:
    path = folder / "documents.parquet"
    pq.write_table(pq.read_table(path).drop_columns(["title"]), path)
    entry = file_entry(path.read_bytes()).model_dump()
    edit_manifest(folder, lambda values: values["files"].update({"documents.parquet": entry}))
    assert first(folder).startswith(
        "documents.parquet: found columns missing: ['title'], unknown: none, expected columns"
    )


def test_rows_that_were_dropped_with_everything_that_counts_them_change_the_digest(
    folder: Path,
) -> None:
    """The most careful edit: file entry, counts and seal are all made to agree."""
    edit_rows(folder, "judgements", lambda rows: rows.pop(), admit=True)

    def hide(values: dict[str, Any]) -> None:
        values["counts"]["rows"]["judgements"] -= 1

    edit_manifest(folder, hide)
    assert first(folder).startswith("manifest.json, tables.judgements: found ")


def test_a_rejected_row_cannot_disappear(folder: Path) -> None:
    """It is outside the digest; the funnel still counts it."""
    edit_rows(folder, "rejected", lambda rows: rows.pop(0), admit=True)
    assert first(folder).startswith(
        "manifest.json, row 'generate/factoid', rejected: found reasons_not_listed"
    )


# -- manifest and card --------------------------------------------------------------------------


def test_a_hand_edited_manifest_breaks_its_seal(folder: Path) -> None:
    edit_manifest(folder, lambda values: values.update(version="1.0.1"), seal=False)
    assert first(folder).startswith("manifest.json, seal: found content that has the seal ")


@pytest.mark.parametrize(
    ("edit", "field"),
    [
        (lambda m: m["counts"]["by_kind"].update(factoid=3), "counts.by_kind.factoid: found 3"),
        (lambda m: m["counts"]["by_reason"].clear(), "counts.by_reason.generate/factoid/"),
        (
            lambda m: m["figures"]["multi_source_proof"].update(numerator=0),
            "figures.multi_source_proof.numerator: found 0, expected 1",
        ),
        (lambda m: m["usage"]["probe"].update(calls=1), "figures.cost.calls.high: found"),
        (lambda m: m.update(digest="0" * 64), "digest: found 000"),
        (lambda m: m["tables"].update(qrels="0" * 64), "tables.qrels: found 000"),
        (lambda m: m["tables"].pop("rejected"), "tables.rejected: found nothing"),
        (lambda m: m.update(corpus_digest="0" * 64), "corpus_digest: found 000"),
        (lambda m: m.update(canary="tweet"), "canary: found tweet"),
        (lambda m: m["files"].pop("qrels.parquet"), "files.qrels.parquet: found no entry"),
        (lambda m: m["rules"].update(min_rating=6), "rules.min_rating: found 6"),
        (lambda m: m.pop("licence"), "licence: found"),
        (lambda m: m["funnel"][0].update(kept=8), "funnel: found stage 'sample'"),
    ],
)
def test_a_resealed_manifest_is_computed_again(
    folder: Path, edit: Callable[[dict[str, Any]], object], field: str
) -> None:
    edit_manifest(folder, edit)
    assert first(folder).startswith(f"manifest.json, {field}")


def test_a_raised_threshold_names_the_row_below_it(folder: Path) -> None:
    edit_rows(
        folder,
        "questions",
        lambda rows: rows[1]["critics"]["relevance"].update(rating=4, normalised=0.75),
        admit=True,
    )
    edit_manifest(folder, lambda values: values["rules"].update(min_rating=5))
    assert first(folder).startswith(
        "questions.parquet, row 'q-change', critics.relevance.rating: found rating_below_threshold"
    )


def test_the_layout_of_the_manifest_is_part_of_it(folder: Path) -> None:
    path = folder / "manifest.json"
    path.write_bytes(path.read_bytes() + b"\n")
    assert first(folder).startswith("manifest.json: found other layout")


def test_a_manifest_that_is_no_json_is_named(folder: Path) -> None:
    (folder / "manifest.json").write_text("{")
    assert first(folder).startswith("manifest.json: found no JSON")


def test_a_manifest_of_a_newer_goldsmith_asks_to_upgrade(folder: Path) -> None:
    edit_manifest(
        folder, lambda values: values.update(schema_version=SCHEMA_VERSION + 1, colour="red")
    )
    with pytest.raises(InputError, match=r"schema_version 2, .* up to 1: upgrade goldsmith"):
        verify(folder)


def test_a_folder_without_a_manifest_is_no_release(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is no release"):
        verify(tmp_path)


@pytest.mark.parametrize("name", ["version", "digest", "corpus digest", "canary"])
def test_the_card_states_what_the_manifest_states(folder: Path, name: str) -> None:
    path = folder / "README.md"
    lines = [
        f"| {name} | `other` |" if line.startswith(f"| {name} |") else line
        for line in path.read_text("utf-8").splitlines()
    ]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    entry = file_entry(path.read_bytes()).model_dump()
    edit_manifest(folder, lambda values: values["files"].update({"README.md": entry}))
    assert first(folder).startswith(f"README.md, row {name!r}: found other, expected ")
