"""Chunking beside the bare splitter, and the memory that a large corpus takes.

The splitter alone turns texts into strings. goldsmith turns the same texts, already read on both
sides, into records with exact spans, content ids, sections and duplicate groups. Both run in one
process by turns, in processor time, which other work on the machine does not change; the best of
many turns counts.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

from benchmarks.rows import Row
from goldsmith.corpus.documents import read, sources
from goldsmith.ids import content_id, text_digest
from goldsmith.records import Chunk, Document
from goldsmith.settings import ChunkSettings, Splitter
from goldsmith.stages import chunk
from goldsmith.tables import table_writer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).resolve().parents[1]
CORPUS = ROOT.parent / "shared" / "data" / "corpora" / "django_rst"
BUNDLED = ROOT / "data" / "corpus"
"""Used where the real corpus is absent."""

TURNS = 15
DOCUMENTS = 200_000
SEED = 7
MOST_MEGABYTES = 600
LEAST_RATIO = 0.5


def run(documents: int = DOCUMENTS, turns: int = TURNS) -> list[Row]:
    """All rows; the memory figure writes both tables, two gigabytes for a while."""
    found = read(sources(CORPUS if CORPUS.is_dir() else BUNDLED), ChunkSettings())
    pages = [item for item in found if isinstance(item, Document)]
    return [*_beside_the_splitter(pages, turns), *_memory(documents)]


def _beside_the_splitter(pages: list[Document], turns: int) -> Iterator[Row]:
    megabytes = sum(len(page.text.encode()) for page in pages) / 1e6
    for kind in (Splitter.RECURSIVE, Splitter.MARKDOWN):
        settings = ChunkSettings(splitter=kind)
        splitter = _bare(settings)

        def bare(splitter: RecursiveCharacterTextSplitter = splitter) -> None:
            for page in pages:
                splitter.split_text(page.text)

        def ours(settings: ChunkSettings = settings) -> None:
            for _ in chunk.run(pages, settings, chunk.Tally()):
                pass

        bare_seconds, our_seconds = _best_of(turns, bare, ours)
        name = f"chunk.{kind.value}"
        yield _plain(f"{name}_splitter_alone", megabytes / bare_seconds, "MB/s")
        yield _plain(f"{name}_goldsmith", megabytes / our_seconds, "MB/s")
        ratio = bare_seconds / our_seconds
        # The Markdown splitter also keeps sections apart and blocks whole, which the bare one
        # does not: there is nothing like it to compare with, so it has no target.
        target = LEAST_RATIO if kind is Splitter.RECURSIVE else None
        yield Row(
            name=f"{name}_throughput_beside_splitter",
            value=ratio,
            unit="ratio",
            target=f">= {target}" if target else "",
            ok=ratio >= target if target else None,
        )


def _bare(settings: ChunkSettings) -> RecursiveCharacterTextSplitter:
    separators, is_regex = None, False
    if settings.splitter is Splitter.MARKDOWN:
        separators = RecursiveCharacterTextSplitter.get_separators_for_language(Language.MARKDOWN)
        is_regex = True
    return RecursiveCharacterTextSplitter(
        separators,
        is_separator_regex=is_regex,
        chunk_size=settings.chunk_size,
        chunk_overlap=settings.chunk_overlap,
    )


def _best_of(turns: int, *functions: Callable[[], None]) -> list[float]:
    """Seconds of processor time of each function, the least of `turns`, taken in rotation."""
    best = [float("inf")] * len(functions)
    for _ in range(turns):
        for index, function in enumerate(functions):
            start = time.process_time()
            function()
            best[index] = min(best[index], time.process_time() - start)
    return best


def _memory(documents: int) -> Iterator[Row]:
    """Peak memory of a process that chunks a generated corpus and writes both tables."""
    command = [sys.executable, "-m", "benchmarks.bench_chunk", str(documents)]
    out = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    megabytes, corpus_megabytes, chunks, seconds = map(float, out.split())
    yield _plain(f"chunk.corpus_of_{documents}_megabytes", corpus_megabytes, "MB")
    yield _plain(f"chunk.corpus_of_{documents}_chunks", chunks, "chunks")
    yield _plain(f"chunk.corpus_of_{documents}_seconds", seconds, "s")
    yield Row(
        name=f"chunk.corpus_of_{documents}_peak_memory",
        value=megabytes,
        unit="MB",
        target=f"< {MOST_MEGABYTES}",
        ok=megabytes < MOST_MEGABYTES,
    )


def _plain(name: str, value: float, unit: str) -> Row:
    return Row(name=name, value=value, unit=unit, target="", ok=None)


def _generated(documents: int) -> Iterator[Document]:
    """Pages of about five kilobytes, each of its own paragraphs, some of them common to many."""
    draw = random.Random(SEED)
    words = ["".join(draw.choices("abcdefghijklmnop", k=draw.randint(2, 9))) for _ in range(5000)]
    paragraphs = [" ".join(draw.choices(words, k=90)) for _ in range(5000)]
    for number in range(documents):
        body = "\n\n".join(f"{number}. {text}" for text in draw.sample(paragraphs, 8))
        text = f"# Page {number}\n\n{body}\n\n{draw.choice(paragraphs)}\n"
        source = f"pages/{number:06d}.md"
        yield Document(
            doc_id=content_id("d", source, text),
            source=source,
            title=f"Page {number}",
            text=text,
            sha256=text_digest(text),
        )


def _chunk_generated(documents: int) -> None:
    """The whole stage; prints peak memory and corpus in megabytes, chunks, and seconds."""
    import resource  # noqa: PLC0415 - not on every system, and needed by this process alone

    characters, tally, start = 0, chunk.Tally(), time.perf_counter()
    with (
        tempfile.TemporaryDirectory(prefix="goldsmith-bench-") as folder,
        table_writer(Path(folder, "documents.parquet"), Document) as document_table,
        table_writer(Path(folder, "chunks.parquet"), Chunk) as chunk_table,
    ):
        for item in chunk.run(_generated(documents), ChunkSettings(), tally):
            document_table.write(item.document)
            for one in item.chunks:
                chunk_table.write(one)
            characters += len(item.document.text)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(peak, characters / 1e6, tally.chunks, time.perf_counter() - start)


if __name__ == "__main__":
    _chunk_generated(int(sys.argv[1]))
