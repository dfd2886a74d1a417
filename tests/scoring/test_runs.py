from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from goldsmith.errors import InputError
from goldsmith.scoring.run_records import CitationTiming, RecordedClaim, Retrieved
from goldsmith.scoring.runs import RunReader, holds_answers, is_json_lines, read_run

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, *rows: object) -> Path:
    """A run file; a row that is bytes goes in as it is."""
    path = folder / "run.jsonl"
    lines = (row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows)
    path.write_bytes(b"\n".join(lines) + b"\n")
    return path


def faults(path: Path, *, strict: bool = False) -> str:
    with pytest.raises(InputError) as refusal:
        read_run(path, strict=strict)
    return str(refusal.value)


def test_every_field_of_a_record(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        {
            "query_id": "q",
            "retrieved": [
                {"chunk_id": "a", "score": 2, "text": "t", "doc_id": "d", "start": 0, "end": 1},
                {"chunk_id": "b", "score": 1.5},
            ],
            "question": "why?",
            "supplied": ["b", "b", "a"],
            "answer": "so [a].",
            "claims": [{"text": "so", "cited_ids": ["a"]}],
            "abstained": False,
            "citation_timing": "post_hoc",
        },
    )
    (record,) = read_run(path)
    assert record.items[0] == Retrieved("a", 2.0, "t", "d", 0, 1)
    assert record.chunk_ids == ["a", "b"]
    assert record.scores == [2.0, 1.5]
    assert record.supplied_ids == ("b", "a")
    assert record.claims == (RecordedClaim("so", ("a",)),)
    assert record.citation_timing is CitationTiming.POST_HOC
    assert record.abstained is False


def test_bare_ids_and_objects_may_be_mixed(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        {"query_id": "1", "retrieved": ["a", "b", "a"]},
        {"query_id": "2", "retrieved": ["a", {"chunk_id": "b", "score": 1.0}]},
        {"query_id": "3", "retrieved": []},
    )
    bare, mixed, empty = read_run(path)
    assert (bare.chunk_ids, bare.scores) == (["a", "b", "a"], [None] * 3)
    assert bare.supplied_ids == ("a", "b")
    assert (mixed.chunk_ids, mixed.scores) == (["a", "b"], [None, 1.0])
    assert mixed.items == [Retrieved("a"), Retrieved("b", 1.0)]
    assert (empty.chunk_ids, empty.scores) == ([], [])


def test_odd_but_sound_files(tmp_path: Path) -> None:
    long_id = "x" * 10_000
    path = tmp_path / "run.jsonl"
    rows = [
        {"query_id": "ein Käse 🧀", "retrieved": [{"chunk_id": "p 1"}, {"chunk_id": long_id}]},
        {"query_id": "2", "retrieved": [], "answer": "y" * 1_000_000},
    ]
    text = "\r\n\r\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    first, second = read_run(path)
    assert first.query_id == "ein Käse 🧀"
    assert first.chunk_ids == ["p 1", long_id]
    assert len(second.answer or "") == 1_000_000


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        (b"{", "line 2: record: not_json: found '{'"),
        (b'["a"]', "line 2: record: wrong_value: found ['a'], expected Expected `object`"),
        ({"retrieved": []}, "line 2: query_id: missing_field"),
        ({"query_id": "q"}, "line 2: retrieved: missing_field"),
        ({"query_id": "", "retrieved": []}, "line 2: query_id: wrong_value: found ''"),
        ({"query_id": 7, "retrieved": []}, "line 2: query_id: wrong_value: found 7, expected"),
        (
            {"query_id": "q", "retrieved": [{"chunk_id": "a"}, {"score": 1}]},
            "line 2: retrieved[1].chunk_id: missing_field: found {'score': 1}",
        ),
        (
            {"query_id": "q", "retrieved": [{"chunk_id": "a", "score": "1"}]},
            "line 2: retrieved[0].score: wrong_value: found '1', expected Expected `float | null`",
        ),
        (
            {"query_id": "q", "retrieved": [{"chunk_id": "a", "score": True}]},
            "line 2: retrieved[0].score: wrong_value: found True",
        ),
        (
            {"query_id": "q", "retrieved": [{"chunk_id": "a", "score": float("nan")}]},
            "line 2: retrieved[0].score: not_finite: found nan, expected a finite number",
        ),
        (
            {"query_id": "q", "retrieved": [{"chunk_id": "a", "score": float("-inf")}]},
            "line 2: retrieved[0].score: not_finite: found -inf",
        ),
        (
            b'{"query_id": "q", "retrieved": [{"chunk_id": "a", "score": 1e999}]}',
            "line 2: retrieved[0].score: not_finite: found inf",
        ),
        (
            {"query_id": "q", "retrieved": [{"chunk_id": "a", "start": -1}]},
            "line 2: retrieved[0].start: wrong_value: found -1",
        ),
        (
            {
                "query_id": "q",
                "retrieved": [
                    {"chunk_id": "a", "score": 1.0},
                    {"chunk_id": "b", "score": 1.0},
                    {"chunk_id": "c", "score": 1.5},
                ],
            },
            "line 2: retrieved[2].score: rank_score_conflict: found 1.5, expected at most 1.0",
        ),
        (
            {"query_id": "q", "retrieved": [], "citation_timing": "before"},
            "line 2: citation_timing: wrong_value: found 'before'",
        ),
        (
            {"query_id": "first", "retrieved": []},
            "line 2: query_id: repeated_query_id: found 'first', expected one record a query (an",
        ),
        (b'{"query_id": "\xff", "retrieved": []}', "line 2: record: not_json"),
        (b"[" * 100_000, "line 2: record: not_json"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_fault_is_named_with_line_field_and_value(
    tmp_path: Path, row: object, fault: str
) -> None:
    path = write(tmp_path, {"query_id": "first", "retrieved": []}, row)
    message = faults(path)
    assert message.startswith(f"{path}: 1 fault; nothing was scored")
    assert fault in message


def test_all_faults_are_listed_not_only_the_first(tmp_path: Path) -> None:
    path = write(tmp_path, {"query_id": 1, "retrieved": []}, b"nonsense", {"query_id": "q"})
    message = faults(path)
    assert "3 faults" in message
    assert [f"line {n}:" in message for n in (1, 2, 3)] == [True] * 3
    many = write(tmp_path, *[{"query_id": n, "retrieved": []} for n in range(30)])
    message = faults(many)
    assert message.count("wrong_value") == 20
    assert "and 10 more" in message


def test_a_long_value_is_cut_in_a_message(tmp_path: Path) -> None:
    message = faults(write(tmp_path, {"query_id": ["z" * 5000], "retrieved": []}))
    assert "(5004 characters)" in message
    assert len(message) < 400


def test_unknown_fields_are_listed_or_refused(tmp_path: Path) -> None:
    path = write(
        tmp_path,
        {"query_id": "1", "retrieved": []},
        {"query_id": "2", "retrieved": [{"chunk_id": "a", "rank": 1}], "latency": 3},
        {"query_id": "3", "retrieved": ["b"], "claims": [{"text": "t", "sure": True}]},
    )
    reader = RunReader(path)
    assert [record.chunk_ids for _, record in reader.records()] == [[], ["a"], ["b"]]
    assert reader.ignored == {"latency": 2, "retrieved[].rank": 2}
    message = faults(path, strict=True)
    assert (
        "line 2: latency: unknown_field: found 3, expected one of query_id, retrieved" in (message)
        or "line 2: retrieved[0].rank: unknown_field: found 1, expected one of chunk_id" in message
    )
    assert "line 3: claims[0].sure: unknown_field: found True, expected one of text" in message


def test_a_misspelt_required_field_is_missing_not_empty(tmp_path: Path) -> None:
    message = faults(write(tmp_path, {"query_id": "q", "retreived": ["a"]}))
    assert "retrieved: missing_field" in message


def test_bytes_that_are_no_utf8_in_a_name_that_is_passed_over(tmp_path: Path) -> None:
    path = write(tmp_path, b'{"query_id": "q", "retrieved": [], "ans\xb7er": "x"}')
    assert "line 1: record: not_json" in faults(path)


@pytest.mark.parametrize("by_form", [True, False])
def test_forms_may_change_from_line_to_line(tmp_path: Path, by_form: bool) -> None:
    forms: list[list[object]] = [["a"], [{"chunk_id": "b"}], ["c", {"chunk_id": "d"}], []]
    rows = [{"query_id": f"{n}", "retrieved": forms[n % 4]} for n in (0, 1, 0, 2, 3, 1, 0)]
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    found = [record.chunk_ids for _, record in RunReader(path, by_form=by_form).records()]
    assert found == [["a"], ["b"], ["a"], ["c", "d"], [], ["b"], ["a"]]


def test_what_kind_of_run_it_is(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_text("\n  q1 Q0 a 1 2.0 tag\n")
    assert not is_json_lines(path)
    path.write_text('\n {"query_id"')
    assert is_json_lines(path)
    path.write_text("\n \n")
    with pytest.raises(InputError, match="is empty"):
        is_json_lines(path)
    with pytest.raises(InputError, match="cannot be read: No such file"):
        is_json_lines(tmp_path / "absent")
    path.write_text("q1 Q0 a 1 2.0 tag\n")
    with pytest.raises(InputError, match="is no JSON Lines"):
        read_run(path)


@pytest.mark.parametrize(
    ("row", "may"),
    [
        ({"query_id": "q", "retrieved": ["a"]}, False),
        ({"query_id": "q", "retrieved": [{"chunk_id": "a", "text": "the answer"}]}, False),
        ({"query_id": "q", "retrieved": [], "answer": ""}, True),
        ({"query_id": "q", "retrieved": [], "claims": []}, True),
        ({"query_id": "q", "retrieved": [], "abstained": True}, True),
        (b'{"query_id": "q", "retrieved": [], "\\u0061nswer": "x"}', True),
    ],
    ids=str,
)
def test_a_run_of_bare_rankings_is_known_without_parsing(
    tmp_path: Path, row: object, may: bool
) -> None:
    assert holds_answers(write(tmp_path, row)) is may


def test_a_field_on_the_border_of_two_blocks_is_seen(tmp_path: Path) -> None:
    border = 1 << 18
    for shift in range(10):
        path = tmp_path / "run.jsonl"
        path.write_bytes(b" " * (border - shift) + b'"answer"')
        assert holds_answers(path)
