"""Migration beside the chunking that it follows: 10,000 evidences onto another cut.

Both run in one process, in processor time. The chunking of the same documents is work that a new
cut costs anyway; migrating adds an index, the members of every evidence, and every verdict.
"""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING

from benchmarks.rows import Row
from goldsmith.corpus.chunking import Chunker
from goldsmith.corpus.search import Index
from goldsmith.engine.local import LocalEngine, run_async
from goldsmith.ids import content_id, rated_digest, text_digest
from goldsmith.records import (
    Critics,
    CriticScore,
    Difficulty,
    Document,
    Evidence,
    Kind,
    Provenance,
    Query,
    Statement,
)
from goldsmith.release.contents import Contents
from goldsmith.release.manifest import Code, Origin
from goldsmith.release.measuring import describe
from goldsmith.release.migration import migrate
from goldsmith.release.reading import Release
from goldsmith.settings import BuildSettings, ChunkSettings, Splitter

if TYPE_CHECKING:
    from collections.abc import Iterator

    from goldsmith.records import Chunk

EVIDENCES = 10_000
MOST_SECONDS = 10.0
SENTENCES = 40
"""Of a document; one in four is a quote."""
WORDS = 5000
"""Of the whole corpus."""
SEED = 7


def run(evidences: int = EVIDENCES) -> list[Row]:
    words = _words()
    pages = [_page(number, words) for number in range(evidences * 4 // SENTENCES)]
    old = _cut(pages, ChunkSettings(splitter=Splitter.RECURSIVE, chunk_size=1200))
    release = _release(pages, old)
    start = time.process_time()
    new = _cut(pages, ChunkSettings(splitter=Splitter.RECURSIVE, chunk_size=400))
    chunking = time.process_time() - start
    start = time.process_time()
    migrated = run_async(migrate(release, pages, new, Index(new), None, LocalEngine()))
    seconds = time.process_time() - start
    carried = migrated.report.evidence.carried
    name = f"gold.migrate_{evidences}_evidences"
    return [
        Row(
            name=f"{name}_carried", value=carried, unit="evidences", target=f"= {evidences}",
            ok=carried == evidences,
        ),
        Row(
            name=f"{name}_seconds", value=seconds, unit="s", target=f"< {MOST_SECONDS:g}",
            ok=seconds < MOST_SECONDS,
        ),
        Row(
            name=f"{name}_beside_chunking", value=seconds / chunking, unit="ratio", target="",
            ok=None,
        ),
    ]  # fmt: skip


def _words() -> list[str]:
    draw = random.Random(SEED)
    return ["".join(draw.choices("abcdefghijklmnop", k=draw.randint(2, 9))) for _ in range(WORDS)]


def _page(number: int, words: list[str]) -> Document:
    draw = random.Random(SEED + number)
    text = "\n\n".join(
        f"{number}.{line} {' '.join(draw.choices(words, k=15))}." for line in range(SENTENCES)
    )
    source = f"{number:05d}.md"
    return Document(
        doc_id=content_id("d", source, text),
        source=source,
        title=source,
        text=text,
        sha256=text_digest(text),
    )


def _cut(pages: list[Document], settings: ChunkSettings) -> list[Chunk]:
    chunker = Chunker(settings)
    return [chunk for page in pages for chunk in chunker.chunks(page)]


def _release(pages: list[Document], chunks: list[Chunk]) -> Release:
    by_document: dict[str, list[Chunk]] = {}
    for chunk in chunks:
        by_document.setdefault(chunk.doc_id, []).append(chunk)
    queries = [query for page in pages for query in _queries(page, by_document[page.doc_id])]
    contents = Contents.of(queries=queries, chunks=chunks, documents=pages)
    origin = Origin.of(
        BuildSettings(),
        prompts={},
        models=["bench"],
        code=Code(version="0", digest="0"),
        funnel=[],
        usage={},
    )
    return Release(describe(contents, origin, None), contents)


def _queries(page: Document, chunks: list[Chunk]) -> Iterator[Query]:
    """A question about every fourth sentence that one chunk holds whole, else the joint member."""
    start = 0
    for number, sentence in enumerate(page.text.split("\n\n")):
        end = start + len(sentence)
        if number % 4 == 0:
            holding = tuple(c.chunk_id for c in chunks if c.start <= start and end <= c.end)
            source = next(c.chunk_id for c in chunks if c.end > start)
            found = Evidence(
                doc_id=page.doc_id, start=start, end=end, quote=sentence, chunk_ids=holding
            )
            yield _query(f"q-{page.source}-{number}", sentence, found, source)
        start = end + 2


def _query(query_id: str, sentence: str, found: Evidence, source: str) -> Query:
    question = f"What is said of {' '.join(sentence.split()[1:7])}?"
    score = CriticScore(
        rating=5, normalised=1, rationale="", text_digest=rated_digest(question, sentence)
    )
    return Query(
        query_id=query_id,
        kind=Kind.FACTOID,
        question=question,
        answer=sentence,
        statements=(Statement(text=sentence, evidence=(0,)),),
        evidence=(found,),
        gold_citations=found.chunk_ids,
        critics=Critics(groundedness=score, relevance=score, standalone=score),
        difficulty=Difficulty(question_overlap=1, longest_copied_ngram=6, bm25_rank=1),
        language="en",
        source_chunk_ids=(source,),
        provenance=Provenance(model="bench"),
    )
