"""The baseline's run on a release."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldsmith.release.reading import read_release
from goldsmith.scoring.baseline import DEPTH, baseline, write_run
from goldsmith.scoring.gold_readers import read_gold

if TYPE_CHECKING:
    from pathlib import Path


def run(release: Path, output: Path, depth: int = DEPTH) -> int:
    """Answer every question of the release; return how many records were written."""
    gold = read_gold(release)
    chunks = read_release(release).contents.chunks
    queries = [gold.query(query_id) for query_id in gold.query_ids]
    return write_run(output, baseline(chunks, queries, depth=depth))
