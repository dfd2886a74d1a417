from __future__ import annotations

from goldsmith.records import Chunk, Evidence, Kind, Provenance, Query, Statement
from goldsmith.stages import complete

TEXT = "Alpha one two. The answer is forty two. Omega three four."
ANSWER = "The answer is forty two."
START = TEXT.index(ANSWER)
END = START + len(ANSWER)


def piece(name: str, start: int, end: int, doc_id: str = "d-1", group: str = "") -> Chunk:
    return Chunk(
        chunk_id=name,
        doc_id=doc_id,
        title="",
        section="",
        text=TEXT[start:end],
        start=start,
        end=end,
        duplicate_group=group or f"g-{name}",
    )


def completed(*chunks: Chunk, members: tuple[str, ...] = ()) -> Query:
    evidence = Evidence(doc_id="d-1", start=START, end=END, quote=ANSWER, chunk_ids=members)
    query = Query(
        query_id="q-1",
        kind=Kind.FACTOID,
        question="What is the answer?",
        answer="forty two",
        statements=(Statement(text="forty two", evidence=(0,)),),
        evidence=(evidence,),
        language="en",
        provenance=Provenance(model="scripted"),
    )
    return complete.run([query], chunks).queries[0]


def test_overlapping_windows_that_hold_the_quote_are_all_members() -> None:
    query = completed(
        piece("p-1", 0, END), piece("p-2", START, len(TEXT)), piece("p-3", END, len(TEXT))
    )
    assert query.evidence[0].chunk_ids == ("p-1", "p-2")
    assert query.gold_citations == ("p-1", "p-2")


def test_a_sentence_cut_at_the_border_makes_one_joint_member() -> None:
    middle = START + 10
    query = completed(piece("p-1", 0, middle), piece("p-2", middle, len(TEXT)))
    assert query.evidence[0].chunk_ids == ()
    assert query.evidence[0].joint_members == (("p-1", "p-2"),)
    assert query.gold_citations == ("p-1", "p-2")


def test_a_quote_over_four_chunks_is_one_joint_member_of_four() -> None:
    cuts = [START, START + 6, START + 12, START + 18, END]
    pieces = [piece(f"p-{n}", cuts[n], cuts[n + 1]) for n in range(4)]
    query = completed(*pieces)
    assert query.evidence[0].joint_members == (("p-0", "p-1", "p-2", "p-3"),)


def test_white_space_lost_between_chunks_is_no_gap() -> None:
    space = TEXT.index("is forty")
    query = completed(piece("p-1", 0, space - 1), piece("p-2", space, len(TEXT)))
    assert query.evidence[0].joint_members == (("p-1", "p-2"),)


def test_a_real_gap_is_not_covered() -> None:
    query = completed(piece("p-1", 0, START + 3), piece("p-2", START + 8, len(TEXT)))
    assert query.evidence[0].joint_members == ()


def test_exact_duplicates_of_a_member_are_members() -> None:
    query = completed(
        piece("p-1", START, END, group="g-same"),
        piece("p-2", START, END, doc_id="d-2", group="g-same"),
        members=("p-1",),
    )
    assert query.evidence[0].chunk_ids == ("p-1", "p-2")


def test_added_members_are_judgements_with_their_reason() -> None:
    query = Query(
        query_id="q-1",
        kind=Kind.FACTOID,
        question="?",
        answer="forty two",
        evidence=(Evidence(doc_id="d-1", start=START, end=END, quote=ANSWER, chunk_ids=("p-1",)),),
        language="en",
        provenance=Provenance(model="scripted"),
    )
    result = complete.run([query], [piece("p-1", 0, END), piece("p-2", START, len(TEXT))])
    assert {j.chunk_id: j.judge for j in result.judgements} == {
        "p-1": "source",
        "p-2": "overlap_or_duplicate",
    }
