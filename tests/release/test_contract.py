"""The written contract and the files say the same."""

from __future__ import annotations

import re
from pathlib import Path

import pyarrow as pa
import pytest

from goldsmith.release.layout import CONFIGS, QRELS, QUERIES, TABLES, Table
from goldsmith.release.manifest import SCHEMA_VERSION, Manifest

CONTRACT = (Path(__file__).resolve().parents[2] / "docs" / "release.md").read_text("utf-8")


def section(title: str) -> str:
    found = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## )", CONTRACT, re.DOTALL | re.MULTILINE)
    assert found is not None, title
    return found[1]


def documented(text: str) -> list[str]:
    """Names in backquotes in the first column of the tables of a section."""
    rows = [line for line in text.splitlines() if line.startswith("| `")]
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row.split("|")[1])]


def nested(kind: pa.DataType) -> list[str]:
    """Names of the fields inside lists and structs."""
    if pa.types.is_list(kind):
        return nested(kind.value_type)
    if pa.types.is_struct(kind):
        inner = [kind.field(n) for n in range(kind.num_fields)]
        return [name for field in inner for name in (field.name, *nested(field.type))]
    return []


@pytest.mark.parametrize(
    "table", [t for t in TABLES if t not in (QUERIES, QRELS)], ids=lambda table: table.name
)
def test_every_column_is_in_the_contract_in_its_order(table: Table) -> None:
    text = section(f"`{table.name}`")
    assert documented(text) == table.schema.names
    for field in table.schema:
        for name in nested(field.type):
            assert f"`{name}`" in text, f"{table.name}.{field.name}.{name}"


def test_beir_columns_are_in_the_contract() -> None:
    text = section("`queries` and `qrels`")
    for table in (QUERIES, QRELS):
        for name in table.schema.names:
            assert f"`{name}`" in text


def test_every_field_of_the_manifest_is_in_the_contract() -> None:
    table = section("`manifest.json`").split("### Figures", maxsplit=1)[0]
    assert sorted(documented(table)) == sorted(Manifest.model_fields)
    assert f"`schema_version` is {SCHEMA_VERSION}." in CONTRACT


def test_every_file_is_in_the_contract() -> None:
    for table in TABLES:
        assert f"    {table.file} " in CONTRACT
    assert [table.name for table in CONFIGS] == [
        "questions",
        "corpus",
        "documents",
        "queries",
        "qrels",
        "judgements",
    ]


def test_names_of_columns_are_those_of_part_seven() -> None:
    """The public names that others' code relies on."""
    columns = {table.name: table.schema.names for table in TABLES}
    assert {
        "query_id",
        "kind",
        "probe_kind",
        "question",
        "answer",
        "statements",
        "evidence",
        "gold_citations",
        "trap_chunk_ids",
        "expected_response",
        "closed_book",
        "difficulty",
        "critics",
        "twin_id",
        "language",
        "provenance",
    } <= set(columns["questions"])
    assert columns["corpus"] == [
        "_id",
        "chunk_id",
        "doc_id",
        "title",
        "section",
        "text",
        "start",
        "end",
        "duplicate_group",
    ]
    assert columns["documents"][:5] == ["doc_id", "source", "title", "text", "sha256"]
    assert columns["queries"] == ["_id", "text"]
    assert columns["qrels"] == ["query-id", "corpus-id", "score"]
    judgements = columns["judgements"]
    assert judgements[:5] == ["query_id", "chunk_id", "verdict", "judge", "rationale"]
    assert judgements[5:] == ["evidence", "audit", "found_by"]
