from __future__ import annotations

import io
from typing import TYPE_CHECKING

import msgspec
from rich.console import Console

from goldsmith.scoring.baseline import baseline, write_run
from goldsmith.scoring.claims import claim_answer
from goldsmith.scoring.gold import GoldQuery
from goldsmith.scoring.inspect import inspect, inspect_json
from goldsmith.scoring.run_records import RunRecord
from goldsmith.scoring.runs import read_run
from tests.support.corpora import make_chunks
from tests.support.reporting import PLANS, TEXTS, THINGS, fact, passage_id, queries

if TYPE_CHECKING:
    from pathlib import Path

CHUNKS = [chunk for key, text in TEXTS.items() for chunk in make_chunks(key, text)]


def test_a_record_for_every_query_with_quoted_and_cited_sentences() -> None:
    asked = queries()
    run = baseline(CHUNKS, asked)
    assert [record.query_id for record in run] == [query.query_id for query in asked]
    by_id = {chunk.chunk_id: chunk for chunk in CHUNKS}
    for record in run:
        assert record.claims
        assert not record.abstained
        for claim in record.claims:
            (cited,) = claim.cited_ids
            assert claim.text in by_id[cited].text
            assert cited in record.chunk_ids


def test_it_finds_what_word_search_can_find() -> None:
    right = sum(
        record.claims is not None and record.claims[0].text == query.answer
        for query, record in zip(queries(), baseline(CHUNKS, queries()), strict=True)
    )
    assert right >= 20


def test_it_abstains_where_no_sentence_holds_the_words_of_the_question() -> None:
    query = GoldQuery("q", (), question="Who painted the ceiling of the Sistine Chapel in Rome?")
    (record,) = baseline(CHUNKS, [query])
    assert record.abstained
    assert record.answer == "I don't know."
    assert record.claims is None


def test_the_same_run_whatever_the_order_of_the_chunks() -> None:
    assert baseline(CHUNKS, queries()) == baseline(CHUNKS[::-1], queries())


def test_a_run_is_written_as_it_is_read(tmp_path: Path) -> None:
    run = baseline(CHUNKS, queries())
    assert write_run(tmp_path / "run.jsonl", run) == len(run)
    read = read_run(tmp_path / "run.jsonl", strict=True)
    assert [msgspec.to_builtins(r) for r in read] == [msgspec.to_builtins(r) for r in run]
    assert "null" not in (tmp_path / "run.jsonl").read_text("utf-8")


def test_its_inline_answer_reads_like_its_claims() -> None:
    (record,) = baseline(CHUNKS, [queries()[0]])
    plain = RunRecord(record.query_id, record.retrieved, answer=record.answer)
    assert record.claims is not None
    assert [(c.text, c.cited_ids) for c in claim_answer(plain).claims] == [
        (claim.text, claim.cited_ids) for claim in record.claims
    ]


def test_inspect_prints_sentences_claims_and_ids() -> None:
    sentence = fact(PLANS[0], THINGS[0])
    cited = passage_id(PLANS[0], THINGS[0])
    answers = [
        claim_answer(RunRecord("q-1", [], answer=f"{sentence} [{cited}] [P-1] [bold]x[/bold]")),
        claim_answer(RunRecord("q-2", [])),
    ]
    console = Console(file=io.StringIO(), width=140, color_system=None)
    console.print(inspect(answers))
    assert isinstance(console.file, io.StringIO)
    printed = console.file.getvalue()
    for said in ("q-1  claims", cited, "[P-1] (not_an_id)", "[bold]", "q-2  empty_output"):
        assert said in printed, said
    first = inspect_json(answers)[0]["claims"][0]
    assert first["claim"].startswith(sentence)
    assert first["cited_ids"] == [cited]
