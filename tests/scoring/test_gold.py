from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from goldsmith.errors import InputError
from goldsmith.records import Expected, Kind, ProbeKind
from goldsmith.scoring.gold import GoldEvidence, GoldQuery
from goldsmith.scoring.gold_readers import read_gold
from goldsmith.scoring.gold_release import difficulty_band, strata_of
from goldsmith.scoring.slices import described_slices
from tests.support.releases import freeze_small

if TYPE_CHECKING:
    from pathlib import Path

    from goldsmith.scoring.gold import Gold


def qrels(folder: Path, text: str) -> Path:
    path = folder / "gold.qrels"
    path.write_text(text, "utf-8")
    return path


def beir(folder: Path, rows: str, queries: str = '{"_id": "q 1", "text": "why?"}\n') -> Path:
    (folder / "qrels").mkdir()
    (folder / "qrels" / "test.tsv").write_text(rows, "utf-8")
    (folder / "queries.jsonl").write_text(queries, "utf-8")
    (folder / "corpus.jsonl").write_text(
        '{"_id": "a b", "title": "T", "text": "one"}\n{"_id": "c", "text": "two"}\n', "utf-8"
    )
    return folder


def judged(gold: Gold, query_id: str) -> dict[str, int]:
    number = gold.numbers[query_id]
    places = range(int(gold.offsets[number]), int(gold.offsets[number + 1]))
    return {gold.chunk_ids[place]: int(gold.relevance[place]) for place in places}


# -- TREC ----------------------------------------------------------------------------------------


def test_qrels_in_any_order(tmp_path: Path) -> None:
    gold = read_gold(qrels(tmp_path, "q1 0 a 2\nq2 0 b 1\n# said later\n\nq1 0 c 0\n"))
    assert gold.query_ids == ["q1", "q2"]
    assert judged(gold, "q1") == {"a": 2, "c": 0}
    assert gold.query("q1").evidences == (GoldEvidence((("a",),), gain=2),)
    assert gold.query("q1").kind is None
    assert gold.answerable.tolist() == [True, True]
    with pytest.raises(InputError, match="has no query 'q3'"):
        gold.query("q3")


def test_trec_evals_own_files(shared_data: Path) -> None:
    folder = shared_data / "trec" / "trec_eval_test"
    gold = read_gold(folder / "qrels.test")
    commented = read_gold(folder / "qrels.test.with-comments")
    assert gold.query_ids == commented.query_ids == ["301", "302", "303"]
    # num_rel 561 in trec_eval's own output.
    assert int((gold.relevance > 0).sum()) == 561
    # A `#` inside an id is part of the id.
    assert "CR#93E-1860" in commented.chunk_ids
    assert gold.digest != commented.digest


def test_every_fault_of_a_file_is_named(tmp_path: Path) -> None:
    path = qrels(tmp_path, "q 0 a 0.6\nq 0 b 1\nq 0 c -1\nq 0 b 0\nq 0 d\nq 0 e yes\n")
    with pytest.raises(InputError) as refusal:
        read_gold(path)
    message = str(refusal.value)
    assert f"{path}: 5 faults" in message
    assert "line 1: relevance: fractional_relevance: found '0.6'" in message
    assert "line 3: relevance: negative_relevance: found '-1'" in message
    assert "line 4: row: duplicate_row: found ('q', 'b')" in message
    assert "the first is on line 2" in message
    assert "line 5: line: fields: found 'q 0 d'" in message
    assert "line 6: relevance: not_a_number: found 'yes'" in message


def test_the_first_twenty_faults_are_listed_and_the_rest_counted(tmp_path: Path) -> None:
    path = qrels(tmp_path, "".join(f"q 0 d{n} -1\n" for n in range(25)))
    with pytest.raises(InputError, match="25 faults") as refusal:
        read_gold(path)
    assert str(refusal.value).count("negative_relevance") == 20
    assert "and 5 more" in str(refusal.value)


@pytest.mark.parametrize("written", ["nan", "inf", "1e400", "9" * 30])
def test_a_relevance_is_a_small_whole_number(tmp_path: Path, written: str) -> None:
    with pytest.raises(InputError, match="relevance"):
        read_gold(qrels(tmp_path, f"q 0 a {written}\n"))


def test_nothing_judged_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no judgement"):
        read_gold(qrels(tmp_path, "# nothing\n"))
    with pytest.raises(InputError, match="does not exist"):
        read_gold(tmp_path / "absent")


def test_bytes_that_are_no_utf8_are_named(tmp_path: Path) -> None:
    path = tmp_path / "gold.qrels"
    path.write_bytes(b"q 0 a 1\nq 0 \xff 1\n")
    with pytest.raises(InputError, match="line 2: line: encoding"):
        read_gold(path)


# -- BEIR ----------------------------------------------------------------------------------------


def test_a_beir_folder_with_spaced_ids(tmp_path: Path) -> None:
    rows = "query-id\tcorpus-id\tscore\nq 1\ta b\t1\nq 1\tc\t0\n"
    gold = read_gold(beir(tmp_path, rows))
    assert judged(gold, "q 1") == {"a b": 1, "c": 0}
    assert gold.load_corpus is not None
    corpus = gold.load_corpus()
    assert corpus.texts == {"a b": "T\none", "c": "two"}
    assert gold.load_questions is not None
    assert gold.load_questions() == {"q 1": "why?"}


def test_a_beir_query_that_is_not_in_its_folder(tmp_path: Path) -> None:
    folder = beir(tmp_path, "query-id\tcorpus-id\tscore\nq 2\tc\t1\n")
    with pytest.raises(InputError, match=r"1 of 1 judged queries are not in queries\.jsonl.*'q 2'"):
        read_gold(folder)


def test_one_of_several_splits(tmp_path: Path) -> None:
    folder = beir(tmp_path, "q 1\tc\t1\n")
    (folder / "qrels" / "dev.tsv").write_text("q 1\ta b\t1\n", "utf-8")
    assert judged(read_gold(folder), "q 1") == {"c": 1}
    assert judged(read_gold(folder, split="dev"), "q 1") == {"a b": 1}
    with pytest.raises(InputError, match="no split 'train': found dev, test"):
        read_gold(folder, split="train")


def test_a_folder_of_something_else(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("hello", "utf-8")
    with pytest.raises(InputError, match=r"neither a release .* found notes\.txt"):
        read_gold(tmp_path)


# -- release -------------------------------------------------------------------------------------


def test_a_release(tmp_path: Path) -> None:
    written = freeze_small(tmp_path)
    gold = read_gold(written.folder)
    assert gold.digest == written.manifest.digest
    assert gold.version == "1.0.0"
    both = gold.query("q-both")
    assert both.kind is Kind.MULTI_SOURCE
    assert both.band == "easy"
    assert both.evidences[1].members == (("p-deals-all",), ("p-deals-1", "p-deals-2"))
    assert not both.plain
    assert [s.evidence for s in both.statements] == [(0,), (1,)]
    assert judged(gold, "q-both") == dict.fromkeys(both.gold_ids, 1)
    page = gold.query("q-page")
    assert page.probe_kind is ProbeKind.FALSE_PREMISE
    assert page.expected is Expected.CORRECT_THE_PREMISE
    assert page.trap_chunk_ids == ("p-dash-1",)
    assert {q for q, ok in zip(gold.query_ids, gold.answerable, strict=True) if ok} == {
        "q-days",
        "q-change",
        "q-both",
    }
    assert gold.load_corpus is not None
    corpus = gold.load_corpus()
    assert corpus.documents["plans.md"] == corpus.documents["d-plans"] == "d-plans"
    assert corpus.texts["p-dash-2"] == "Ask."


def test_an_edited_release_does_not_score_under_its_digest(tmp_path: Path) -> None:
    folder = freeze_small(tmp_path).folder
    table = pq.read_table(folder / "qrels.parquet")
    pq.write_table(table.slice(1), folder / "qrels.parquet")
    with pytest.raises(
        InputError, match=r"qrels\.parquet is not the file that manifest\.json names"
    ):
        read_gold(folder)


def test_a_release_without_one_of_its_files(tmp_path: Path) -> None:
    folder = freeze_small(tmp_path).folder
    (folder / "qrels.parquet").unlink()
    with pytest.raises(InputError, match=r"qrels\.parquet does not exist"):
        read_gold(folder)


def test_fractional_scores_of_a_released_table_are_refused(tmp_path: Path) -> None:
    folder = freeze_small(tmp_path).folder
    manifest = folder / "manifest.json"
    manifest.write_text('{"digest": "d"}', "utf-8")
    rows = {"query-id": ["q-days"], "corpus-id": ["p-plans-1"], "score": [0.5]}
    pq.write_table(pa.table(rows), folder / "qrels.parquet")
    with pytest.raises(InputError, match=r"line 1: relevance: fractional_relevance: found 0\.5"):
        read_gold(folder)


@pytest.mark.parametrize(
    ("rank", "band"), [(1, "easy"), (2, "medium"), (10, "medium"), (11, "hard"), (None, "hard")]
)
def test_bands_of_difficulty(rank: int | None, band: str) -> None:
    assert difficulty_band({"bm25_rank": rank}) == band
    assert difficulty_band(None) is None


@pytest.mark.parametrize(
    ("rank", "copied", "overlap", "closed_book", "expected"),
    [
        (1, 5, 0.8, True, {"1", "long", "high", "true"}),
        (2, 4, 0.79, False, {"2-10", "short", "low", "false"}),
        (11, 0, 0.0, None, {"11+", "short", "low"}),
        (None, 9, 1.0, None, {"none", "long", "high"}),
    ],
)
def test_strata_of_difficulty(
    rank: int | None, copied: int, overlap: float, closed_book: bool | None, expected: set[str]
) -> None:
    measured = {"bm25_rank": rank, "longest_copied_ngram": copied, "question_overlap": overlap}
    assert set(strata_of(measured, closed_book).values()) == expected
    assert strata_of(None, None) == {}


def test_a_release_is_sliced_by_its_strata(tmp_path: Path) -> None:
    gold = read_gold(freeze_small(tmp_path).folder)
    slices = {name: int(mask.sum()) for name, mask in described_slices(gold).items()}
    # q-days and q-both have rank 1, q-change rank 2; copied runs of 5, 4 and 4 words; overlaps of
    # 0.8, 0.6 and 1.0; one closed-book attempt was made. Probes are measured by none of these.
    assert {n: c for n, c in slices.items() if not n.startswith(("kind=", "probe="))} == {
        "band=easy": 2, "band=medium": 1,
        "bm25_rank=1": 2, "bm25_rank=2-10": 1,
        "closed_book=false": 1,
        "copied=long": 1, "copied=short": 2,
        "overlap=high": 2, "overlap=low": 1,
    }  # fmt: skip


def test_shared_or_alternative_chunks_are_not_plain() -> None:
    def query(*members: tuple[tuple[str, ...], ...]) -> GoldQuery:
        return GoldQuery("q", tuple(GoldEvidence(m) for m in members))

    assert query((("a",),), (("b",),)).plain
    assert not query((("a",), ("b",))).plain
    assert not query((("a", "b"),)).plain
    assert not query((("a",),), (("a",),)).plain
