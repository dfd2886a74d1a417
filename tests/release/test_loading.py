"""Others open a release with code of their own: datasets, pandas, and loaders of BEIR's shape."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import ir_measures
import pandas as pd
import pytest

from goldsmith.records import Judgement
from goldsmith.release.layout import CONFIGS, TABLES
from tests.support.releases import freeze_small, small_contents

if TYPE_CHECKING:
    from pathlib import Path

# In a process of its own: the library reads its settings when it is imported.
_LOAD_ALL = """
import json, sys
from datasets import get_dataset_config_names, load_dataset
folder = sys.argv[1]
names = get_dataset_config_names(folder)
default = load_dataset(folder)
print(json.dumps({
    "names": names,
    "splits": list(default),
    "default": default["test"].column_names,
    "rows": {name: load_dataset(folder, name, split="test").to_list() for name in names},
    "streamed": next(iter(load_dataset(folder, "corpus", split="test", streaming=True))),
    "other": load_dataset(sys.argv[2], "judgements", split="test").to_list(),
}))
"""


@pytest.fixture(scope="module")
def frozen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return freeze_small(tmp_path_factory.mktemp("frozen")).folder


@pytest.fixture(scope="module")
def loaded(frozen: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Everything that the datasets library sees, with no code of ours."""
    fewer = replace(small_contents(), judgements=small_contents().judgements[:2])
    other = freeze_small(tmp_path_factory.mktemp("other"), contents=fewer).folder
    home = str(tmp_path_factory.mktemp("home"))
    quiet = {"HF_HOME": home, "HF_HUB_OFFLINE": "1", "HF_DATASETS_DISABLE_PROGRESS_BARS": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", _LOAD_ALL, str(frozen), str(other)],
        env=os.environ | quiet,
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_load_dataset_finds_the_six_configs(loaded: dict[str, Any]) -> None:
    assert loaded["names"] == [table.name for table in CONFIGS]
    assert loaded["splits"] == ["test"]
    assert loaded["default"][:5] == ["query_id", "kind", "probe_kind", "question", "answer"]


def test_load_dataset_gives_every_row_as_it_was_frozen(loaded: dict[str, Any]) -> None:
    contents = small_contents()
    for table in CONFIGS:
        assert loaded["rows"][table.name] == list(table.rows(contents)), table.name
    assert loaded["streamed"]["_id"] == "p-dash-1"


def test_another_release_of_the_same_name_is_not_served_from_the_cache(
    loaded: dict[str, Any],
) -> None:
    """Both folders are called `1.0.0`; this one, loaded second, has two judgements."""
    assert loaded["other"] == loaded["rows"]["judgements"][:2]


def test_a_table_without_rows_is_a_table(tmp_path: Path) -> None:
    unjudged = replace(small_contents(), judgements=())
    frame = pd.read_parquet(freeze_small(tmp_path, contents=unjudged).folder / "judgements.parquet")
    assert list(frame.columns) == list(Judgement.model_fields)
    assert frame.empty


def test_a_question_has_the_columns_of_the_contract(loaded: dict[str, Any]) -> None:
    both = loaded["rows"]["questions"][0]
    assert both["query_id"] == "q-both"
    assert both["statements"][1] == {"text": "up to ten years by agreement", "evidence": [1]}
    assert both["evidence"][1]["chunk_ids"] == ["p-deals-all"]
    assert both["evidence"][1]["joint_members"] == [["p-deals-1", "p-deals-2"]]
    assert both["critics"]["relevance"]["rating"] == 5
    assert both["provenance"]["requests"] == ["key-q-both"]
    probe = next(row for row in loaded["rows"]["questions"] if row["query_id"] == "q-page")
    assert probe["critics"]["groundedness"] is None
    assert probe["difficulty"] is None
    assert probe["trap_chunk_ids"] == ["p-dash-1"]


def test_beir_and_mteb_find_their_columns(loaded: dict[str, Any]) -> None:
    """As those loaders do it: dictionaries by id, and qrels whose ids are all in them."""
    rows = loaded["rows"]
    corpus = {row["_id"]: {"title": row["title"], "text": row["text"]} for row in rows["corpus"]}
    queries = {row["_id"]: row["text"] for row in rows["queries"]}
    qrels: dict[str, dict[str, int]] = {}
    for row in rows["qrels"]:
        qrels.setdefault(row["query-id"], {})[row["corpus-id"]] = row["score"]
    assert corpus["p-plans-1"]["title"] == "Plans"
    assert queries["q-starter"] == "How long do Starter plans keep audit records?"
    assert qrels == {
        "q-both": dict.fromkeys(["p-deals-1", "p-deals-2", "p-deals-all", "p-plans-2"], 1),
        "q-change": dict.fromkeys(["p-dash-1", "p-dash-copy"], 1),
        "q-days": dict.fromkeys(["p-plans-1", "p-plans-2"], 1),
    }
    assert set(qrels) <= set(queries)
    assert all(set(judged) <= set(corpus) for judged in qrels.values())


def test_ir_measures_scores_against_the_qrels(loaded: dict[str, Any]) -> None:
    """Lines of TREC in its own reader; the first hit of each query is gold, the second not.

    Recall@2: 1/4 of `q-both`, 1/2 of `q-change` and of `q-days`; their mean is 5/12.
    """
    lines = [
        f"{row['query-id']} 0 {row['corpus-id']} {row['score']}" for row in loaded["rows"]["qrels"]
    ]
    qrels = list(ir_measures.read_trec_qrels("\n".join(lines)))
    assert len(qrels) == len(lines)
    run = [
        ir_measures.ScoredDoc(query_id, chunk_id, score)
        for query_id, first in (
            ("q-both", "p-deals-all"),
            ("q-change", "p-dash-copy"),
            ("q-days", "p-plans-1"),
        )
        for chunk_id, score in ((first, 2.0), ("p-dash-2", 1.0))
    ]
    recall, first = ir_measures.R @ 2, ir_measures.RR @ 2
    found = ir_measures.calc_aggregate([recall, first], qrels, run)
    assert found == pytest.approx({recall: 5 / 12, first: 1.0})


def test_pandas_reads_every_table(frozen: Path) -> None:
    contents = small_contents()
    for table in TABLES:
        frame = pd.read_parquet(frozen / table.file)
        assert list(frame.columns) == table.schema.names
        assert len(frame) == len(list(table.rows(contents)))
    questions = pd.read_parquet(frozen / "questions.parquet").set_index("query_id")
    assert questions.loc["q-days", "answer"] == "90 days"


def test_reading_and_verifying_wake_no_heavy_library(frozen: Path) -> None:
    """They are seconds to import, and a check in someone's CI runs for less than one."""
    program = (
        "import sys; from pathlib import Path\n"
        "from goldsmith.release.verify import verify\n"
        "verify(Path(sys.argv[1]))\n"
        "heavy = {'pandas', 'scipy', 'bm25s', 'numba', 'datasets', 'openai', 'huggingface_hub'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(frozen)], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
