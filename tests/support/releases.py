"""A small release written by hand: two factoids, a multi-source question, two probes.

Every rule of soundness holds in it, and each test breaks the one that it is about:

- `p-plans-1` and `p-plans-2` overlap, both hold the quote of `q-days`;
- `p-dash-1` and `p-dash-copy` are the same text in two documents;
- the quote of `q-both` about agreements stands whole in `p-deals-all`, and is cut in two by the
  border between `p-deals-1` and `p-deals-2`: a joint member;
- `q-starter` (missing) and `q-page` (false premise) are probes beside `q-days` and `q-change`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from goldsmith.funnel import FunnelRow, account
from goldsmith.ids import content_id, rated_digest, text_digest
from goldsmith.records import (
    JUDGED_BY_SOURCE,
    JUDGED_BY_SPAN,
    Answering,
    Chunk,
    Critics,
    CriticScore,
    Difficulty,
    Document,
    Dropped,
    Evidence,
    Expected,
    Judgement,
    Kind,
    LinkType,
    Loss,
    Nearest,
    ProbeKind,
    Proof,
    Provenance,
    Query,
    Statement,
    Trial,
    Usage,
)
from goldsmith.release.contents import Contents
from goldsmith.release.manifest import Code, Origin
from goldsmith.release.writing import Written, write_release
from goldsmith.settings import BuildSettings

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

MODEL = "hand"
DAYS = "Business plans keep audit records for 90 days."
YEAR = "Enterprise plans keep audit records for 365 days."
DASHBOARD = "The retention period cannot be changed from the dashboard."
DEALS = "Enterprise agreements may carry custom retention terms of up to ten years."
CUT = DEALS.index(" terms")

TEXTS = {
    "d-plans": f"# Plans\n\n{DAYS}\n\n{YEAR}",
    "d-dash": f"# Dashboard\n\n{DASHBOARD}\n\nAsk.",
    "d-copy": f"# Questions\n\n{DASHBOARD}",
    "d-deals": f"# Agreements\n\n{DEALS}",
}


def document(doc_id: str, text: str) -> Document:
    return Document(
        doc_id=doc_id,
        source=f"{doc_id.removeprefix('d-')}.md",
        title=text.split("\n", 1)[0].removeprefix("# "),
        text=text,
        sha256=text_digest(text),
        format="markdown",
    )


def chunk(chunk_id: str, doc_id: str, text: str) -> Chunk:
    """The first place of `text` in the document."""
    start = TEXTS[doc_id].index(text)
    title = TEXTS[doc_id].split("\n", 1)[0].removeprefix("# ")
    return Chunk(
        chunk_id=chunk_id,
        doc_id=doc_id,
        title=title,
        section=title,
        text=text,
        start=start,
        end=start + len(text),
        duplicate_group=content_id("g", text),
    )


def evidence(doc_id: str, quote: str, *members: str, joint: tuple[str, ...] = ()) -> Evidence:
    start = TEXTS[doc_id].index(quote)
    return Evidence(
        doc_id=doc_id,
        start=start,
        end=start + len(quote),
        quote=quote,
        chunk_ids=members,
        joint_members=(joint,) if joint else (),
    )


def score(question: str, answer: str, rating: int = 5) -> CriticScore:
    return CriticScore(
        rating=rating,
        normalised=(rating - 1) / 4,
        rationale="It is plain.",
        text_digest=rated_digest(question, answer),
    )


def critics(question: str, answer: str, rating: int = 5, *, grounded: bool = True) -> Critics:
    given = score(question, answer, rating)
    return Critics(groundedness=given if grounded else None, relevance=given, standalone=given)


def documents() -> list[Document]:
    return [document(doc_id, text) for doc_id, text in TEXTS.items()]


def chunks() -> list[Chunk]:
    return [
        chunk("p-plans-1", "d-plans", DAYS),
        chunk("p-plans-2", "d-plans", f"{DAYS}\n\n{YEAR}"),
        chunk("p-dash-1", "d-dash", DASHBOARD),
        chunk("p-dash-2", "d-dash", "Ask."),
        chunk("p-dash-copy", "d-copy", DASHBOARD),
        chunk("p-deals-all", "d-deals", DEALS),
        chunk("p-deals-1", "d-deals", DEALS[:CUT]),
        chunk("p-deals-2", "d-deals", DEALS[CUT + 1 :]),
    ]


def _query(query_id: str, kind: Kind, question: str, answer: str, **fields: object) -> Query:
    values: dict[str, object] = {
        "query_id": query_id,
        "kind": kind,
        "question": question,
        "answer": answer,
        "critics": critics(question, answer),
        "language": "en",
        "provenance": Provenance(
            model=MODEL, prompts=("generate/factoid@0123456789ab",), requests=(f"key-{query_id}",)
        ),
    }
    return Query.model_validate(values | fields)


def _factoids() -> list[Query]:
    days = evidence("d-plans", DAYS, "p-plans-1", "p-plans-2")
    change = evidence("d-dash", DASHBOARD, "p-dash-1", "p-dash-copy")
    return [
        _query(
            "q-days",
            Kind.FACTOID,
            "How long do Business plans keep audit records?",
            "90 days",
            statements=(Statement(text="90 days", evidence=(0,)),),
            evidence=(days,),
            gold_citations=days.chunk_ids,
            difficulty=Difficulty(question_overlap=0.8, longest_copied_ngram=5, bm25_rank=1),
            source_chunk_ids=("p-plans-1",),
        ),
        _query(
            "q-change",
            Kind.FACTOID,
            "Can the retention period be changed from the dashboard?",
            "No, it cannot.",
            statements=(Statement(text="No, it cannot.", evidence=(0,)),),
            evidence=(change,),
            gold_citations=change.chunk_ids,
            difficulty=Difficulty(question_overlap=1.0, longest_copied_ngram=4, bm25_rank=2),
            source_chunk_ids=("p-dash-1",),
        ),
    ]


def _multi_source() -> Query:
    answer = "365 days, and up to ten years by agreement"
    year = evidence("d-plans", YEAR, "p-plans-2")
    deals = evidence("d-deals", DEALS, "p-deals-all", joint=("p-deals-1", "p-deals-2"))
    both = ("p-plans-2", "p-deals-all")
    return _query(
        "q-both",
        Kind.MULTI_SOURCE,
        "How long do Enterprise plans keep audit records, and how far can an agreement extend it?",
        answer,
        statements=(
            Statement(text="365 days", evidence=(0,)),
            Statement(text="up to ten years by agreement", evidence=(1,)),
        ),
        evidence=(year, deals),
        gold_citations=("p-plans-2", "p-deals-all", "p-deals-1", "p-deals-2"),
        closed_book=False,
        difficulty=Difficulty(question_overlap=0.6, longest_copied_ngram=4, bm25_rank=1),
        link=LinkType.BRIDGE,
        term="Enterprise",
        necessity=(
            Trial(chunk_ids=both, answer=answer, matches_gold=True),
            Trial(chunk_ids=("p-plans-2",), answer="365 days", matches_gold=False),
            Trial(chunk_ids=("p-deals-all",), answer=None, matches_gold=False),
            Trial(chunk_ids=(), answer=None, matches_gold=False),
        ),
        source_chunk_ids=both,
    )


def proof(question: str, **verdicts: Answering) -> Proof:
    """All chunks of the corpus were looked at; `verdicts` by chunk id with `_` for `-`."""
    return Proof(
        retrievers=("bm25",),
        queries=(question,),
        depth=10,
        chunks_searched=len(chunks()),
        nearest=tuple(
            Nearest(
                chunk_id=one.chunk_id,
                rank=rank,
                score=1 / rank,
                verdict=verdicts.get(one.chunk_id.replace("-", "_"), Answering.NO),
                rationale="It says nothing of that.",
            )
            for rank, one in enumerate(chunks(), start=1)
        ),
    )


def _probes() -> list[Query]:
    starter = "How long do Starter plans keep audit records?"
    page = "On which page of the dashboard is the retention period changed?"
    correction = "The retention period cannot be changed from the dashboard."
    return [
        _query(
            "q-starter",
            Kind.UNANSWERABLE,
            starter,
            "",
            probe_kind=ProbeKind.MISSING,
            expected_response=Expected.ABSTAIN,
            critics=critics(starter, "", grounded=False),
            twin_id="q-days",
            proof=proof(starter),
            source_chunk_ids=("p-plans-1",),
        ),
        _query(
            "q-page",
            Kind.UNANSWERABLE,
            page,
            correction,
            probe_kind=ProbeKind.FALSE_PREMISE,
            expected_response=Expected.CORRECT_THE_PREMISE,
            critics=critics(page, correction, grounded=False),
            trap_chunk_ids=("p-dash-1",),
            twin_id="q-change",
            # A trap half-answers by design.
            proof=proof(page, p_dash_1=Answering.PARTLY),
            source_chunk_ids=("p-dash-1",),
        ),
    ]


def queries() -> list[Query]:
    return [*_factoids(), _multi_source(), *_probes()]


def judgements(asked: Iterable[Query]) -> list[Judgement]:
    """One for each member, as a build without a pooled search gives them."""
    return [
        Judgement(
            query_id=query.query_id,
            chunk_id=chunk_id,
            verdict=Answering.ANSWERS if chunk_id in found.chunk_ids else Answering.PARTLY,
            judge=JUDGED_BY_SOURCE if chunk_id in query.source_chunk_ids else JUDGED_BY_SPAN,
        )
        for query in asked
        for found in query.evidence
        for chunk_id in found.all_chunk_ids
    ]


def _lost(stage: str, kind: str, item_id: str, reason: str, loss: Loss = Loss.REJECTED) -> Dropped:
    return Dropped(stage=stage, kind=kind, item_id=item_id, loss=loss, reason=reason)


def dropped() -> list[Dropped]:
    return [
        _lost("sample", "chunk", "p-dash-2", "too_short"),
        _lost("sample", "multi_source", "multi_source-2", "no_linked_chunks", Loss.FAILED),
        _lost("generate", "factoid", "s-1", "quote_not_found"),
        _lost("select", "factoid", "q-dull", "low_relevance"),
        _lost("probe", "missing", "missing/q-change", "answer_found"),
    ]


def funnel(lost: Iterable[Dropped]) -> tuple[FunnelRow, ...]:
    """Asked for: 4 factoids and 2 multi-source questions; 2 + 1 came of it, and 2 of 3 probes."""
    lost = list(lost)
    counts = [
        ("sample", "chunk", 8, 7),
        ("sample", "factoid", 4, 4),
        ("sample", "multi_source", 2, 1),
        ("generate", "factoid", 4, 3),
        ("generate", "multi_source", 1, 1),
        ("critique", "factoid", 9, 9),
        ("critique", "multi_source", 3, 3),
        ("necessity", "multi_source", 1, 1),
        ("select", "factoid", 3, 2),
        ("select", "multi_source", 1, 1),
        ("complete", "factoid", 2, 2),
        ("complete", "multi_source", 1, 1),
        ("probe", "missing", 2, 1),
        ("probe", "false_premise", 1, 1),
    ]
    return tuple(
        account(
            stage,
            kind,
            requested=requested,
            kept=kept,
            dropped=[item for item in lost if (item.stage, item.kind) == (stage, kind)],
        )
        for stage, kind, requested, kept in counts
    )


def small_contents() -> Contents:
    asked = queries()
    return Contents.of(
        queries=asked,
        chunks=chunks(),
        documents=documents(),
        judgements=judgements(asked),
        dropped=dropped(),
    )


def small_settings(version: str = "1.0.0", **release: object) -> BuildSettings:
    return BuildSettings.model_validate(
        {
            "sample": {"factoid": 4, "multi_source": 2},
            "release": {"version": version, "name": "handbook", **release},
        }
    )


def small_origin(version: str = "1.0.0", **release: object) -> Origin:
    """5 + 12 + 9 = 26 calls for 5 kept questions of 8 that were tried."""
    return Origin.of(
        small_settings(version, **release),
        prompts={"generate/factoid": "0123456789ab" + "0" * 52},
        models=[MODEL],
        code=Code(version="0.1.0", digest="c" * 64),
        funnel=funnel(dropped()),
        usage={
            "generate": Usage(calls=5, tokens_in=1000, tokens_out=300),
            "critique": Usage(calls=12, tokens_in=2400, tokens_out=400),
            "probe": Usage(calls=9, tokens_in=1800, tokens_out=100),
        },
    )


def with_query(contents: Contents, query_id: str, /, **changes: object) -> Contents:
    """The same contents, one question changed."""
    asked = [
        query.model_copy(update=changes) if query.query_id == query_id else query
        for query in contents.queries
    ]
    return replace(contents, queries=tuple(asked))


def freeze_small(
    data: Path, version: str = "1.0.0", contents: Contents | None = None, **release: object
) -> Written:
    """Write the small release (or `contents`) below `data`, with its ledger."""
    return write_release(
        contents or small_contents(),
        small_origin(version, **release),
        root=data / "release",
        ledger=data / "ledger.jsonl",
    )
