"""A release on other chunks, or on changed documents: followed by span, lost with a reason."""

from __future__ import annotations

import asyncio
import csv
import json
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldsmith.corpus.chunking import Chunker, chunks_at
from goldsmith.corpus.cutfile import read_cut
from goldsmith.corpus.projection import Projection
from goldsmith.corpus.quotes import locate
from goldsmith.corpus.search import Index
from goldsmith.corpus.spans import Span
from goldsmith.engine.local import LocalEngine
from goldsmith.errors import CheckError, InputError
from goldsmith.ids import content_id, text_digest
from goldsmith.llm.absence import AbsenceSearch
from goldsmith.llm.scripted import ScriptedModel
from goldsmith.llm.tasks import AbsenceReply, AbsenceVariables
from goldsmith.records import (
    Answering,
    Chunk,
    Document,
    Evidence,
    Judgement,
    Kind,
    Query,
)
from goldsmith.release.contents import Contents
from goldsmith.release.manifest import Code
from goldsmith.release.measuring import describe
from goldsmith.release.migration import Migrated, migrate
from goldsmith.release.migration.freezing import freeze_migrated, next_major
from goldsmith.release.migration.labels import project
from goldsmith.release.migration.places import Place
from goldsmith.release.migration.shelf import Shelf
from goldsmith.release.reading import Release, read_release
from goldsmith.release.soundness import faults_of
from goldsmith.release.verify import verify
from goldsmith.settings import ChunkSettings, Splitter
from goldsmith.stages.complete.spans import with_spans
from tests.support.releases import (
    DASHBOARD,
    DAYS,
    TEXTS,
    document,
    documents,
    freeze_small,
    small_contents,
    small_origin,
    with_query,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

CODE = Code(version="0.1.0", digest="c" * 64)


def small_release(contents: Contents | None = None) -> Release:
    contents = contents or small_contents()
    return Release(describe(contents, small_origin(), None), contents)


def cut(size: int, pages: Sequence[Document], overlap: int = 0) -> list[Chunk]:
    """Every `size` characters, whatever stands there."""
    return [
        chunk
        for page in pages
        for chunk in chunks_at(
            page,
            [
                Span(start, min(start + size, len(page.text)))
                for start in range(0, len(page.text), size - overlap)
            ],
        )
    ]


def moved_to(
    pages: Sequence[Document],
    chunks: Sequence[Chunk],
    release: Release | None = None,
    verdict: Answering = Answering.NO,
) -> Migrated:
    """`verdict` is what the model says of a passage whose text has the word "Starter"."""

    def reply(variables: AbsenceVariables) -> AbsenceReply:
        said = verdict if "Starter" in variables.source.text else Answering.NO
        return AbsenceReply(rationale="by hand", verdict=said)

    model = ScriptedModel({"probe/absence": reply})
    by_id = {chunk.chunk_id: chunk for chunk in chunks}
    index = Index(chunks)
    search = AbsenceSearch([index], by_id, model, 10)
    before = release or small_release()
    return asyncio.run(migrate(before, pages, chunks, index, search, LocalEngine()))


def changed(**texts: str) -> list[Document]:
    """The small corpus with some documents replaced (or added): their ids change with the text."""
    by_id = TEXTS | {f"d-{name}": text for name, text in texts.items()}
    return [
        document(doc_id, text).model_copy(
            update={"doc_id": doc_id if TEXTS.get(doc_id) == text else f"{doc_id}-2"}
        )
        for doc_id, text in by_id.items()
    ]


def query(migrated: Migrated, query_id: str) -> Query:
    return next(one for one in migrated.contents.queries if one.query_id == query_id)


def faults(migrated: Migrated) -> list[str]:
    origin = small_origin()
    found = faults_of(migrated.contents, (*origin.funnel, *migrated.funnel), origin.rules)
    return [str(fault) for fault in found]


# -- another chunking of the same documents -----------------------------------------------------


def test_a_quote_cut_into_four_is_one_joint_member_of_all_four() -> None:
    # DAYS has 46 characters and starts at 9: cut every 12 from 9 on, it needs four chunks.
    page = documents()[0]
    spans = [Span(0, 9), *(Span(start, start + 12) for start in range(9, 57, 12)), Span(57, 106)]
    chunks = [*chunks_at(page, spans), *cut(500, documents()[1:])]
    found = query(moved_to(documents(), chunks), "q-days").evidence[0]
    assert found.quote == DAYS
    assert found.chunk_ids == ()
    assert found.joint_members == (tuple(chunk.chunk_id for chunk in chunks[1:5]),)


def test_overlapping_windows_that_both_hold_the_quote_are_alternatives() -> None:
    page = documents()[0]
    chunks = [*chunks_at(page, [Span(0, 60), Span(5, 106)]), *cut(500, documents()[1:])]
    migrated = moved_to(documents(), chunks)
    assert query(migrated, "q-days").evidence[0].chunk_ids == tuple(c.chunk_id for c in chunks[:2])
    assert faults(migrated) == []


@pytest.mark.parametrize(("size", "overlap"), [(20, 0), (30, 10), (70, 0), (1000, 0)])
def test_every_cut_gives_a_sound_release_and_no_model_is_asked(size: int, overlap: int) -> None:
    migrated = moved_to(documents(), cut(size, documents(), overlap), verdict=Answering.ANSWERS)
    assert faults(migrated) == []
    assert {one.query_id for one in migrated.contents.queries} == {
        "q-days", "q-change", "q-both", "q-starter", "q-page"
    }  # fmt: skip
    assert migrated.report.probes_searched == 0
    assert migrated.usage.calls == 0
    assert migrated.report.evidence.carried == migrated.report.evidence.before == 4


def test_a_copy_in_another_document_carries_the_quote_however_it_is_cut() -> None:
    # In d-copy the dashboard sentence is cut, in d-dash it is whole.
    pages = {page.doc_id: page for page in documents()}
    at = TEXTS["d-copy"].index(DASHBOARD)
    halves = chunks_at(pages["d-copy"], [Span(at, at + 20), Span(at + 20, at + len(DASHBOARD))])
    whole = cut(500, [pages["d-plans"], pages["d-dash"], pages["d-deals"]])
    migrated = moved_to(documents(), [*whole, *halves])
    found = query(migrated, "q-change").evidence[0]
    assert found.chunk_ids == (whole[1].chunk_id,)
    assert found.joint_members == (tuple(chunk.chunk_id for chunk in halves),)
    assert faults(migrated) == []


def in_other_words() -> Release:
    """A judge found that `p-deals-all` says what `q-days` asks, in other words."""
    contents = small_contents()
    days = contents.queries[[q.query_id for q in contents.queries].index("q-days")]
    members = (*days.evidence[0].chunk_ids, "p-deals-all")
    evidence = days.evidence[0].model_copy(update={"chunk_ids": members})
    contents = with_query(contents, "q-days", evidence=(evidence,), gold_citations=members)
    row = Judgement(
        query_id="q-days",
        chunk_id="p-deals-all",
        verdict=Answering.ANSWERS,
        judge="a judge",
        evidence=(0,),
        found_by=("bm25",),
    )
    no = row.model_copy(update={"chunk_id": "p-dash-1", "verdict": Answering.NO})
    return small_release(
        Contents.of(
            queries=contents.queries,
            chunks=contents.chunks,
            documents=contents.documents,
            judgements=[*contents.judgements, row, no],
            dropped=contents.dropped,
        )
    )


def test_a_member_in_other_words_needs_its_whole_passage() -> None:
    # d-deals is 14 + 74 characters; cut at 50 the passage lies in two chunks, at 500 in one.
    release = in_other_words()
    fine = moved_to(documents(), cut(50, documents()), release)
    coarse = moved_to(documents(), cut(500, documents()), release)
    deals = [c.chunk_id for c in fine.contents.chunks if c.doc_id == "d-deals"]
    (joint,) = [m for m in query(fine, "q-days").evidence[0].joint_members if set(m) <= set(deals)]
    assert len(joint) == 2
    said = {(r.query_id, r.chunk_id): r for r in fine.contents.judgements}
    assert [said["q-days", c].verdict for c in joint] == [Answering.PARTLY] * 2
    assert [said["q-days", c].judge for c in joint] == ["a judge"] * 2
    (whole,) = [c.chunk_id for c in coarse.contents.chunks if c.doc_id == "d-deals"]
    assert whole in query(coarse, "q-days").evidence[0].chunk_ids
    assert faults(fine) == faults(coarse) == []


def test_a_no_holds_of_the_parts_of_a_passage_but_not_of_what_contains_it() -> None:
    release = in_other_words()
    fine = moved_to(documents(), cut(20, documents()), release)
    coarse = moved_to(documents(), cut(500, documents()), release)

    def negatives(migrated: Migrated) -> int:
        rows = migrated.contents.judgements
        return sum(r.query_id == "q-days" and r.verdict is Answering.NO for r in rows)

    # p-dash-1 is d-dash[13:71]: chunks [20:40] and [40:60] lie in it whole.
    assert negatives(fine) == 2
    assert negatives(coarse) == 0
    assert coarse.report.judgements_left_behind > 0


def test_two_sources_in_one_chunk_are_no_multi_source_question_any_more() -> None:
    # One document that holds both facts, and one chunk of it.
    contents = small_contents()
    both = next(q for q in contents.queries if q.kind is Kind.MULTI_SOURCE)
    whole = both.evidence[0].quote, both.evidence[1].quote
    page = document("d-all", f"# All\n\n{whole[0]}\n\n{whole[1]}")
    migrated = moved_to([page], cut(1000, [page]))
    assert migrated.report.questions["multi_source"].lost == {"sources<2": 1}
    assert migrated.report.evidence.before == 4


def test_necessity_trials_name_the_chunks_that_stand_for_their_sources() -> None:
    migrated = moved_to(documents(), cut(70, documents()))
    both = query(migrated, "q-both")
    assert len(both.source_chunk_ids) == 2
    assert [len(trial.chunk_ids) for trial in both.necessity] == [2, 1, 1, 0]
    assert set(both.necessity[0].chunk_ids) == set(both.source_chunk_ids)


def test_a_gap_in_the_chunks_loses_the_evidence_and_says_so() -> None:
    # q-days lies in a gap: no chunk holds d-plans[9:40].
    chunks = [*chunks_at(documents()[0], [Span(40, 106)]), *cut(500, documents()[1:])]
    migrated = moved_to(documents(), chunks)
    lost = {move.query_id: move.reason for move in migrated.report.lost if move.evidence is None}
    assert lost == {"q-days": "not_covered", "q-starter": "twin_lost"}
    assert faults(migrated) == []


@settings(max_examples=25, deadline=None)
@given(st.integers(5, 120), st.integers(0, 4), st.integers(0, 60))
def test_nothing_is_lost_in_silence(size: int, overlap: int, shift: int) -> None:
    pages = changed(plans="New first line.\n" * (shift // 20) + TEXTS["d-plans"][: 60 + shift])
    migrated = moved_to(pages, cut(size, pages, overlap))
    report = migrated.report
    for balance in (report.evidence, *report.questions.values()):
        assert balance.before == balance.carried + balance.moved + sum(balance.lost.values())
    assert faults(migrated) == []


# -- changed documents --------------------------------------------------------------------------


def test_a_paragraph_inserted_at_the_top_moves_the_quote() -> None:
    text = TEXTS["d-plans"].replace("# Plans\n\n", "# Plans\n\nRead this first.\n\n")
    pages = changed(plans=text)
    migrated = moved_to(pages, cut(500, pages))
    found = query(migrated, "q-days").evidence[0]
    assert (found.doc_id, found.start) == ("d-plans-2", text.index(DAYS))
    # Two evidences lie in d-plans, two in documents that stayed.
    assert (migrated.report.evidence.moved, migrated.report.evidence.carried) == (2, 2)
    assert faults(migrated) == []


def test_a_quote_in_another_layout_is_found_and_read_as_it_stands_now() -> None:
    text = TEXTS["d-plans"].replace("audit records for 90", "**audit records** for\n90")
    pages = changed(plans=text)
    found = query(moved_to(pages, cut(500, pages)), "q-days").evidence[0]
    assert found.quote == "Business plans keep **audit records** for\n90 days"


def test_a_repeated_quote_is_followed_to_where_its_surroundings_are() -> None:
    text = f"# Plans\n\nOld rules.\n\n{DAYS}\n\nThey are gone.\n\n" + TEXTS["d-plans"]
    pages = changed(plans=text)
    found = query(moved_to(pages, cut(500, pages)), "q-days").evidence[0]
    assert found.start == text.rindex(DAYS)


def test_a_quote_goes_with_its_text_into_another_document() -> None:
    pages = changed(plans="# Plans\n\nSee elsewhere.", limits=TEXTS["d-plans"])
    migrated = moved_to(pages, cut(500, pages))
    assert query(migrated, "q-days").evidence[0].doc_id == "d-limits-2"


def test_a_changed_number_loses_the_question_and_the_probe_beside_it() -> None:
    pages = changed(plans=TEXTS["d-plans"].replace("90 days", "30 days"))
    migrated = moved_to(pages, cut(500, pages))
    lost = {move.query_id: move.reason for move in migrated.report.lost if move.evidence is None}
    assert lost == {"q-days": "quote_not_found", "q-starter": "twin_lost"}
    (row,) = [row for row in migrated.contents.dropped if row.item_id == "q-days"]
    assert (row.stage, row.reason) == ("migrate", "quote_not_found")


def test_a_probe_that_became_answerable_is_dropped_with_the_passage() -> None:
    pages = changed(starter="# Starter\n\nStarter plans keep audit records for 7 days.")
    chunks = cut(500, pages)
    migrated = moved_to(pages, chunks, verdict=Answering.ANSWERS)
    (move,) = [m for m in migrated.report.lost if m.query_id == "q-starter"]
    assert move.reason == "became_answerable"
    new = next(chunk.chunk_id for chunk in chunks if chunk.doc_id == "d-starter-2")
    assert move.detail.startswith(new)
    assert migrated.report.probes_searched == 2
    assert faults(migrated) == []


def test_changed_documents_need_a_search_for_probes() -> None:
    pages = changed(limits="# Limits\n\nNothing of that.")
    chunks = cut(200, pages)
    with pytest.raises(ValueError, match="documents changed"):
        asyncio.run(migrate(small_release(), pages, chunks, Index(chunks), None, LocalEngine()))


# -- the release --------------------------------------------------------------------------------


def test_a_migrated_release_verifies_follows_its_parent_and_migrates_again(tmp_path: Path) -> None:
    release = read_release(freeze_small(tmp_path / "old").folder)
    root, ledger = tmp_path / "new" / "release", tmp_path / "new" / "ledger.jsonl"
    for size in (30, 200):
        migrated = moved_to(documents(), cut(size, documents()), release)
        version = next_major(release.manifest.version)
        written, report = freeze_migrated(
            release.manifest,
            migrated,
            version=version,
            cut={"chunk": {"file": "mine.jsonl"}},
            code=CODE,
            root=root,
            ledger=ledger,
        )
        verified = verify(written.folder)
        assert verified.manifest.parent is not None
        assert verified.manifest.parent.digest == release.manifest.digest
        assert json.loads((root / f"{version}.migration.json").read_bytes()) == json.loads(
            report.model_dump_json()
        )
        release = read_release(written.folder)
    assert release.manifest.version == "3.0.0"


def test_a_corpus_that_shares_nothing_is_an_error_and_leaves_the_report(tmp_path: Path) -> None:
    page = document("d-other", "# Other\n\nNothing of that stands here at all.")
    migrated = moved_to([page], cut(500, [page]))
    with pytest.raises(CheckError, match="none of 5 questions could be carried over"):
        freeze_migrated(
            small_release().manifest,
            migrated,
            version="2.0.0",
            cut={},
            code=CODE,
            root=tmp_path,
            ledger=tmp_path / "ledger.jsonl",
        )
    assert "quote_not_found" in (tmp_path / "2.0.0.migration.md").read_text("utf-8")


# -- a file of chunks ---------------------------------------------------------------------------


def test_chunks_come_from_json_lines_or_parquet(tmp_path: Path) -> None:
    rows = [
        {"doc_id": "plans.md", "start": 9, "end": 55, "chunk_id": "mine-1", "text": DAYS},
        {"doc_id": "d-plans", "start": 57, "end": 106, "chunk_id": None, "text": None},
    ]
    lines = tmp_path / "mine.jsonl"
    lines.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    table = tmp_path / "mine.parquet"
    pq.write_table(pa.Table.from_pylist(rows), table)
    found = read_cut(lines, documents())
    assert found == read_cut(table, documents())
    assert (found[0].chunk_id, found[0].text) == ("mine-1", DAYS)
    assert found[1].text == TEXTS["d-plans"][57:106]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"doc_id": "d-none", "start": 0, "end": 5}, "there is no document 'd-none'"),
        ({"doc_id": "d-plans", "start": 0, "end": 500}, r"\[0:500\] is no span"),
        ({"doc_id": "d-plans", "start": 0, "end": 5, "text": "other"}, "text is 'other'"),
        ({"doc_id": "d-plans", "start": 0}, "end: Field required"),
    ],
)
def test_a_row_that_is_no_chunk_is_named(
    tmp_path: Path, row: dict[str, object], message: str
) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps(row), "utf-8")
    with pytest.raises(InputError, match=f"row 1: .*{message}|row 1: {message}"):
        read_cut(path, documents())


# -- real spans ---------------------------------------------------------------------------------


def test_real_spans_agree_with_spans_computed_directly_on_four_chunkings(
    shared_data: Path,
) -> None:
    folder = shared_data / "qa" / "chunking_evaluation"
    pages = [_page(path) for path in sorted((folder / "corpora").iterdir())]
    asked = _asked(folder / "questions_df.csv", {page.source: page for page in pages})
    before = [c for p in pages for c in Chunker(ChunkSettings(chunk_size=1200)).chunks(p)]
    projection = Projection(before)
    asked = [
        one.model_copy(update={"evidence": tuple(with_spans(e, projection) for e in one.evidence)})
        for one in asked
    ]
    old = Contents.of(queries=asked, chunks=before, documents=pages)
    count = sum(len(query.evidence) for query in asked)
    assert count == 790
    for size, overlap in ((200, 0), (400, 200), (700, 0), (1000, 250)):
        how = ChunkSettings(splitter=Splitter.RECURSIVE, chunk_size=size, chunk_overlap=overlap)
        after = [c for p in pages for c in Chunker(how).chunks(p)]
        shelf = Shelf(old, pages, after)
        agreed = 0
        for query_ in asked:
            for number, found in enumerate(query_.evidence):
                projected = project(query_, number, shelf).evidence
                assert projected is not None
                assert set(projected.chunk_ids) == _holding(found, after)
                assert projected.chunk_ids or projected.joint_members
                agreed += all(_cover(m, found, shelf) for m in projected.joint_members)
        assert agreed == count


def _page(path: Path) -> Document:
    text = path.read_text("utf-8")
    return Document(
        doc_id=content_id("d", path.name, text),
        source=path.stem,
        title=path.stem,
        text=text,
        sha256=text_digest(text),
    )


def _asked(path: Path, pages: dict[str, Document]) -> list[Query]:
    base = small_contents().queries[0]
    with path.open(encoding="utf-8", newline="") as lines:
        return [
            base.model_copy(
                update={
                    "query_id": f"q-{number}",
                    "question": row["question"],
                    "evidence": tuple(
                        _evidence(pages[row["corpus_id"]], one)
                        for one in json.loads(row["references"])
                    ),
                }
            )
            for number, row in enumerate(csv.DictReader(lines))
        ]


def _evidence(page: Document, reference: dict[str, int]) -> Evidence:
    start, end = reference["start_index"], reference["end_index"]
    return Evidence(doc_id=page.doc_id, start=start, end=end, quote=page.text[start:end])


def _holding(found: Evidence, chunks: Sequence[Chunk]) -> set[str]:
    same = [c for c in chunks if c.doc_id == found.doc_id]
    words = found.quote.strip()
    start = found.start + found.quote.index(words)
    end = start + len(words)
    whole = {c.duplicate_group for c in same if c.start <= start and end <= c.end}
    return {c.chunk_id for c in chunks if c.duplicate_group in whole}


def _cover(member: Sequence[str], found: Evidence, shelf: Shelf) -> bool:
    """Read on from the first chunk to the last, the member holds the quote: here, or a copy."""
    parts = [shelf.new[chunk_id] for chunk_id in member]
    first, last = min(c.start for c in parts), max(c.end for c in parts)
    text = shelf.places.text(Place(parts[0].doc_id, first, last))
    held = {i for c in parts for i in range(c.start, c.end)}
    gaps = [text[i - first] for i in range(first, last) if i not in held]
    return locate(found.quote, text) is not None and not "".join(gaps).strip()
