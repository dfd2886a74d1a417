"""A file scanned in parts, by several processes, gives the very scan of the whole."""

from __future__ import annotations

import json
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

import pytest

from goldsmith.errors import InputError
from goldsmith.scoring.gold_readers import read_gold
from goldsmith.scoring.lines import line_blocks
from goldsmith.scoring.scan import ScanRules
from goldsmith.scoring.scan_parts import part_bounds, scan_in_parts, scan_run
from tests.support.gold import answerable, evidence, gold_of, qrels_file, trec_file

if TYPE_CHECKING:
    from pathlib import Path

    from goldsmith.scoring.gold import Gold
    from goldsmith.scoring.scan import Scan


def drawn(folder: Path, queries: int = 40) -> tuple[Gold, dict[str, list[str]]]:
    rng = Random(5)
    chunks = [f"c{n}" for n in range(30)]
    lists = {f"q{n}": rng.sample(chunks, 20) for n in range(queries)}
    judged = {q: {rng.choice(ids): 1, "c0": 0} for q, ids in lists.items()}
    return read_gold(qrels_file(folder, judged)), lists


def json_run(folder: Path, lists: dict[str, list[str]]) -> Path:
    path = folder / "run.jsonl"
    rows = (json.dumps({"query_id": q, "retrieved": ids}) for q, ids in lists.items())
    path.write_text("\n".join(rows), "utf-8")
    return path


def contents(scan: Scan) -> dict[str, object]:
    ranks = sorted(zip(scan.places, scan.ranks, scan.tie_starts or scan.ranks, strict=True))
    return {
        "answered": bytes(scan.answered),
        "lengths": list(scan.lengths),
        "ranks": ranks,
        "copies": sorted(zip(scan.copy_owners, scan.copy_ranks, strict=True)),
        "counts": (scan.duplicates, scan.extra, scan.with_answers),
    }


@pytest.mark.parametrize("parts", [1, 2, 3, 7, 50, 500])
def test_a_file_in_parts_has_every_line_once(tmp_path: Path, parts: int) -> None:
    path = tmp_path / "lines.jsonl"
    lines = [b'{"a": 1}\n', b"\n", b'{"long": "' + b"x" * 90 + b'"}\n', "{é\n".encode(), b"[last"]
    path.write_bytes(b"".join(lines))
    found = []
    for start, end in pairwise(part_bounds(path, parts)):
        with path.open("rb") as file:
            for _, block in line_blocks(file, start, end, 20):
                found += block
    assert found == lines


@pytest.mark.parametrize("parts", [2, 3, 9, 400])
def test_a_trec_run_is_cut_between_queries(tmp_path: Path, parts: int) -> None:
    lists = {f"q{n}": {f"c{m}": float(-m) for m in range(n % 7 + 1)} for n in range(25)}
    path = trec_file(tmp_path, lists)
    first_lines = []
    for start, end in pairwise(part_bounds(path, parts)):
        rows = path.read_bytes()[start:end].decode().splitlines()
        first_lines.append((rows[0].split()[0], rows[0].split()[2]))
    assert all(chunk == "c0" for _, chunk in first_lines)
    assert len({query for query, _ in first_lines}) == len(first_lines)


@pytest.mark.parametrize("kind", ["json lines", "trec"])
def test_several_processes_find_what_one_finds(tmp_path: Path, kind: str) -> None:
    gold, lists = drawn(tmp_path)
    lists["q3"][5] = lists["q3"][0]
    lists["extra"] = ["c1"]
    if kind == "trec":
        scores = {q: {c: float(n // 3) for n, c in enumerate(ids)} for q, ids in lists.items()}
        path = trec_file(tmp_path, scores)
    else:
        path = json_run(tmp_path, lists)
    rules = ScanRules(allow_extra=True)
    in_parts = scan_in_parts(path, gold, rules, workers=2)
    assert in_parts is not None
    alone = scan_run(path, gold, rules, workers=1)
    assert contents(in_parts) == contents(alone)
    assert in_parts.extra == 1


def test_what_is_not_in_order_is_named_as_ever(tmp_path: Path) -> None:
    gold, lists = drawn(tmp_path)
    path = json_run(tmp_path, lists)
    path.write_text(path.read_text("utf-8").replace('"q37"', '"q2"'), "utf-8")
    assert scan_in_parts(path, gold, ScanRules(), workers=2) is None
    with pytest.raises(InputError, match="line 38: query_id: repeated_query_id: found 'q2'"):
        scan_run(path, gold, workers=2)


def test_small_files_and_releases_are_left_in_one_piece(tmp_path: Path) -> None:
    gold, lists = drawn(tmp_path)
    path = json_run(tmp_path, lists)
    assert scan_in_parts(path, gold, ScanRules()) is None
    release = gold_of(tmp_path, answerable("q1", evidence("c1")))
    assert scan_in_parts(path, release, ScanRules(), workers=2) is None
