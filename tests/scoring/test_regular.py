"""The fast reader of bare rankings reads a block as the reader of records does, or not at all."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from goldsmith.errors import InputError
from goldsmith.scoring.gold_readers import read_gold
from goldsmith.scoring.regular import RegularLists, regular_lists
from goldsmith.scoring.scan import ScanRules
from goldsmith.scoring.scanners import scan_whole
from tests.support.gold import qrels_file

if TYPE_CHECKING:
    from pathlib import Path

COMPACT, SPACED = (",", ":"), (", ", ": ")
STYLES = [(COMPACT, False), (SPACED, False), (COMPACT, True), (SPACED, True)]
STYLE_NAMES = ["compact ids", "spaced ids", "compact objects", "spaced objects"]
IDS = st.text(min_size=1, max_size=20)


def lines_of(
    lists: dict[str, list[str]],
    separators: tuple[str, str] = COMPACT,
    objects: bool = False,
) -> list[bytes]:
    rows = (
        {"query_id": q, "retrieved": [{"chunk_id": i} if objects else i for i in ids]}
        for q, ids in lists.items()
    )
    texts = (json.dumps(r, separators=separators, ensure_ascii=False) + "\n" for r in rows)
    return [text.encode() for text in texts]


def read(lines: list[bytes]) -> RegularLists:
    found = regular_lists(lines)
    assert found is not None
    return found


@pytest.mark.parametrize(("separators", "objects"), STYLES, ids=STYLE_NAMES)
def test_lists_of_different_lengths(separators: tuple[str, str], objects: bool) -> None:
    lists = {"q1": ["a", "b b", "ç漢🧀"], "q 2": ["x" * 64], "q3": ["b", "a", "c", "a"]}
    found = read(lines_of(lists, separators, objects))
    assert found.query_ids == ["q1", "q 2", "q3"]
    assert [found.ids(line) for line in range(3)] == list(lists.values())
    assert found.lengths == [3, 1, 4]
    assert found.suspects == {2}
    at = [found.find(chunk_id, line) for chunk_id, line in (("ç漢🧀", 0), ("a", 2), ("c", 2))]
    assert found.ranks([0, 2, 2], at) == [3, 2, 3]
    assert found.find("b", 0) == -1
    assert found.find('a","c', 2) == -1
    if objects:
        assert found.ranks([0], [found.find("chunk_id", 0)]) is None


@pytest.mark.parametrize(
    "line",
    [
        b'{"query_id":"q","retrieved":[]}\n',
        b'{"query_id":"","retrieved":["a"]}\n',
        b'{"query_id":"q","retrieved":["a",""]}\n',
        b'{"query_id":"q","retrieved":["a\\u0062"]}\n',
        b'{"query_id":"q","retrieved":["a\tb"]}\n',
        b'{"query_id":"q","retrieved":["\xff"]}\n',
        b'{"query_id":"\xff","retrieved":["a"]}\n',
        b'{"query_id":"q","retrieved":["a", "b","c"]}\n',
        b'{"query_id":"q","retrieved":["a";"b"]}\n',
        b'{"query_id":"q","retrieved":["a""b"]}\n',
        b'{"query_id":"q","retrieved":["a",,"b"]}\n',
        b'{"query_id":"q","retrieved":["a",1,"b"]}\n',
        b'{"query_id":"q","retrieved":["a",["b"]]}\n',
        b'{"query_id":"q","retrieved":["a"],"answer":"b"}\n',
        b'{"query_id":"q","retrieved":["a"]} \n',
        b'{"query_id":"q","retrieved":["a"]}\r\n',
        b'{"query_id":"q","retrieved":["a"]}',
        b'{"query_id":"q","retrieved": ["a"]}\n',
        b'{"query_id":"q","supplied":["a"]}\n',
        b'{"query_id":"q"x,"retrieved":["a"]}\n',
        b'{"query_id":"q","retrieved":["a"}]\n',
        b'{"query_id":"q","retrieved":["a]}\n',
        b'["query_id":"q","retrieved":["a"]}\n',
        b'{"query_id":"q","retrieved":["chunk_id":"a"]}\n',
        b"\n",
        b'{"query_id":"q","retrieved":["' + b"x" * 65 + b'"]}\n',
    ],
)
def test_anything_else_is_left_to_the_reader_of_records(line: bytes) -> None:
    regular = b'{"query_id":"r","retrieved":["a"]}\n'
    assert regular_lists([regular, regular]) is not None
    assert regular_lists([line]) is None
    assert regular_lists([regular, line, regular]) is None


@pytest.mark.parametrize(
    "items",
    [
        b'{"chunk_id":"a","score":1},{"chunk_id":"b"}',
        b'{"chunk_id":"a"},{"doc_idx_":"b"}',
        b'{"chunk_id":"a"},"b"',
        b'{"chunk_id":"a"};{"chunk_id":"b"}',
        b'{"chunk_id":"a","doc_id":"b"}',
        b'{"chunk_id":""}',
        b'{"chunk_id":"a"},{"chunk_id":"b","chunk_id":"c"}',
        b'{"chunk_id":"a"}{"chunk_id":"b"}',
    ],
)
def test_objects_that_say_more_are_left_too(items: bytes) -> None:
    regular, other = (
        b'{"query_id":"q","retrieved":[%b]}\n' % listed for listed in (b'{"chunk_id":"r"}', items)
    )
    assert regular_lists([regular]) is not None
    assert regular_lists([other]) is None
    assert regular_lists([regular, other, regular]) is None


def test_two_styles_in_one_block_are_left_to_the_reader_of_records() -> None:
    blocks = [lines_of({"q": ["a"]}, *style) for style in STYLES]
    assert all(regular_lists(block) for block in blocks)
    assert not any(regular_lists(one + other) for one, other in pairwise(blocks))


def test_an_id_that_looks_like_a_separator_is_not_taken_for_one() -> None:
    found = read(lines_of({"q": ["a", "b", ","]}))
    first = found.find(",", 0)
    # The first `","` of the bytes is what stands between a and b.
    assert found.ranks([0], [first]) is None


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@example(lists={"q": ["a", "b", ","], "r": [","]}, style=STYLES[0])
@example(lists={"q": ["a", "b", ", "], "r": ["\x7f"]}, style=STYLES[1])
@example(lists={"q": ["a", "chunk_id"], "r": ["},{"]}, style=STYLES[2])
@given(
    lists=st.dictionaries(IDS, st.lists(IDS, max_size=8), min_size=1, max_size=6),
    style=st.sampled_from(STYLES),
)
def test_a_scan_by_blocks_is_a_scan_by_records(
    tmp_path: Path, lists: dict[str, list[str]], style: tuple[tuple[str, str], bool]
) -> None:
    sound = {
        q: [i for i in ids if not any(c.isspace() or c in "#\x00" for c in i)]
        for q, ids in lists.items()
        if not any(c.isspace() or c == "#" for c in q)
    }
    # Qrels cannot hold ids with white space; the run can.
    judged = {q: dict.fromkeys(ids[::2], 1) for q, ids in sound.items() if ids}
    judged = {q: chunks for q, chunks in judged.items() if chunks and q.isprintable()}
    judged["also"] = {"a": 1}
    gold = read_gold(qrels_file(tmp_path, {q: c for q, c in judged.items() if printable(q, c)}))
    path = tmp_path / "run.jsonl"
    plain = b"".join(lines_of({**lists, "also": ["b", "a"]}, *style))
    path.write_bytes(plain)
    by_blocks = scan_whole(path, gold, ScanRules(allow_extra=True))
    # A field of no consequence, and every block is left to the reader of records.
    path.write_bytes(plain.replace(b"}\n", b' ,"question":null}\n'))
    by_records = scan_whole(path, gold, ScanRules(allow_extra=True))
    for name in ("answered", "lengths", "places", "ranks", "copy_owners", "copy_ranks"):
        assert sorted(getattr(by_blocks, name)) == sorted(getattr(by_records, name)), name
    ranks = (sorted(zip(s.places, s.ranks, strict=True)) for s in (by_blocks, by_records))
    assert next(ranks) == next(ranks)
    assert (by_blocks.duplicates, by_blocks.extra) == (by_records.duplicates, by_records.extra)


def printable(query_id: str, chunks: dict[str, int]) -> bool:
    return all(text.isprintable() and " " not in text for text in (query_id, *chunks))


def test_faults_in_regular_lines_are_named(tmp_path: Path) -> None:
    gold = read_gold(qrels_file(tmp_path, {"q1": {"a": 1}, "q2": {"a": 1}}))
    path = tmp_path / "run.jsonl"
    lists = {"q1": ["a", "b", "a"], "x": ["a"], "q2": ["a"]}
    path.write_bytes(b"".join([*lines_of(lists), *lines_of({"q2": ["b"]})]))
    with pytest.raises(InputError) as refusal:
        scan_whole(path, gold, ScanRules(strict=True))
    message = str(refusal.value)
    assert "line 1: retrieved: duplicate_chunk_id: found 'a'" in message
    assert "line 2: query_id: unknown_query_id: found 'x'" in message
    assert "line 4: query_id: repeated_query_id: found 'q2'" in message
