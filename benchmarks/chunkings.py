"""One gold, several chunkings: which way of cutting lets word search find the exact spans?

    python -m benchmarks.chunkings

The questions and their exact spans are those of chunking_evaluation (472 questions, 790 spans over
five texts; MIT), in `../shared/data/qa/chunking_evaluation` (or `--data`). Gold knows spans only:
each run brings its own chunks with offsets, and an item carries a span when it holds all of it.
Figures in `docs/qrels.md`.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from goldsmith.corpus.chunking import Chunker
from goldsmith.corpus.search import Index
from goldsmith.ids import digest_of, text_digest
from goldsmith.records import Document, Kind
from goldsmith.scoring.baseline import write_run
from goldsmith.scoring.gold import Gold, GoldEvidence, GoldQuery, Span
from goldsmith.scoring.labelled import score
from goldsmith.scoring.run_records import Retrieved, RunRecord
from goldsmith.settings import ChunkSettings, Splitter

if TYPE_CHECKING:
    from goldsmith.records import Chunk

ROOT = Path(__file__).resolve().parents[1]
DEPTH = 20
SHOWN = ("recall@1", "recall@5", "recall@10", "recall@20", "all_hit@10", "ndcg@10", "mrr")


class Cut(NamedTuple):
    """A way of cutting."""

    name: str
    settings: ChunkSettings


CUTS = (
    Cut("recursive, 400", ChunkSettings(splitter=Splitter.RECURSIVE, chunk_size=400)),
    Cut(
        "recursive, 400, overlap 200",
        ChunkSettings(splitter=Splitter.RECURSIVE, chunk_size=400, chunk_overlap=200),
    ),
    Cut("recursive, 1200", ChunkSettings(splitter=Splitter.RECURSIVE, chunk_size=1200)),
    Cut(
        "recursive, 1200, overlap 400",
        ChunkSettings(splitter=Splitter.RECURSIVE, chunk_size=1200, chunk_overlap=400),
    ),
)


def read_documents(folder: Path) -> list[Document]:
    """The texts as they are: the spans count in them."""
    found = []
    for path in sorted((folder / "corpora").glob("*.md")):
        text = path.read_bytes().decode("utf-8")
        found.append(
            Document(
                doc_id=path.stem,
                source=path.name,
                title=path.stem,
                text=text,
                sha256=text_digest(text),
            )
        )
    return found


def read_gold(folder: Path, documents: list[Document]) -> Gold:
    """A query a question, an evidence a span; refuses a span that is not where it says."""
    texts = {document.doc_id: document.text for document in documents}
    queries = []
    with (folder / "questions_df.csv").open(encoding="utf-8", newline="") as file:
        for number, row in enumerate(csv.DictReader(file)):
            spans = json.loads(row["references"])
            for span in spans:
                held = texts[row["corpus_id"]][span["start_index"] : span["end_index"]]
                if held != span["content"]:
                    raise SystemExit(f"question {number}: a span is not where it says")
            evidences = tuple(
                GoldEvidence(
                    # Of no chunking: a name of its own, which no run retrieves.
                    ((f"span-{number}-{place}",),),
                    span=Span(row["corpus_id"], span["start_index"], span["end_index"]),
                    quote=span["content"],
                )
                for place, span in enumerate(spans)
            )
            kind = Kind.FACTOID if len(spans) == 1 else Kind.MULTI_SOURCE
            queries.append(GoldQuery(f"q-{number:03}", evidences, row["question"], kind))
    return Gold(
        source="chunking_evaluation",
        digest=digest_of([[q.question, [e.quote for e in q.evidences]] for q in queries]),
        numbers={query.query_id: i for i, query in enumerate(queries)},
        offsets=np.zeros(len(queries) + 1, dtype=np.int64),
        chunk_ids=(),
        relevance=np.zeros(0, dtype=np.int64),
        details=dict(enumerate(queries)),
    )


def records(gold: Gold, chunks: list[Chunk]) -> list[RunRecord]:
    """The first `DEPTH` chunks of a word search for each question, with their offsets."""
    index, by_id = Index(chunks), {chunk.chunk_id: chunk for chunk in chunks}
    found = []
    for query_id in gold.query_ids:
        hits = index.search(gold.query(query_id).question, DEPTH)
        items = [(by_id[hit.chunk_id], hit.score) for hit in hits]
        retrieved: list[str | Retrieved] = [
            Retrieved(c.chunk_id, s, doc_id=c.doc_id, start=c.start, end=c.end) for c, s in items
        ]
        found.append(RunRecord(query_id, retrieved))
    return found


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chunkings")
    default = ROOT.parent / "shared" / "data" / "qa" / "chunking_evaluation"
    parser.add_argument("--data", type=Path, default=default)
    folder = parser.parse_args(arguments).data
    documents = read_documents(folder)
    gold = read_gold(folder, documents)
    table = Table("chunks", "how many", "mean length", *SHOWN, title=f"{len(gold)} questions")
    with tempfile.TemporaryDirectory() as scratch:
        for cut in CUTS:
            chunker = Chunker(cut.settings)
            chunks = [chunk for document in documents for chunk in chunker.chunks(document)]
            run = Path(scratch) / "run.jsonl"
            write_run(run, records(gold, chunks))
            found = {m.name: m for m in score(gold, run).metrics if m.slice == "all"}
            mean = sum(chunk.end - chunk.start for chunk in chunks) / len(chunks)
            figures = (f"{found[name].value:.3f}" for name in SHOWN)
            table.add_row(cut.name, str(len(chunks)), f"{mean:.0f}", *figures)
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
