"""Is an answer absent? The search for probes, on questions that people wrote (`docs/labels.md`).

    python -m benchmarks.absence                                  # 500 + 500, the offline judge
    python -m benchmarks.absence --model openai --base-url URL --model-name NAME --rows 20

SQuAD 2.0's development set in `../shared/data` (or `--data`): half of the rows drawn are questions
that people made unanswerable from their paragraph, half have an answer. Each is searched for over
all paragraphs, as a probe is; it is called absent when no passage answers it, even partly.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from rich.console import Console
from rich.table import Table

from benchmarks.asked import ask, opened
from goldsmith.corpus.pooling import pooled
from goldsmith.corpus.search import Index
from goldsmith.corpus.statements import as_statement
from goldsmith.corpus.words import content_words
from goldsmith.engine.local import LocalEngine
from goldsmith.ids import content_id, uniform_hash
from goldsmith.llm.sources import as_source
from goldsmith.llm.tasks import ABSENCE, AbsenceVariables
from goldsmith.offline.model import OfflineModel
from goldsmith.records import Answering, Chunk

if TYPE_CHECKING:
    from collections.abc import Iterable

    from goldsmith.llm.task import Model

ROOT = Path(__file__).resolve().parents[1]
SEED = 7
DEPTHS = (5, 10, 20)


class Asked(NamedTuple):
    question: str
    is_absent: bool


class Looked(NamedTuple):
    """The verdicts on a question's pool, with the best rank of each passage; None: no verdict."""

    asked: Asked
    verdicts: list[tuple[int, Answering | None]]

    def at(self, depth: int) -> list[Answering | None]:
        return [verdict for rank, verdict in self.verdicts if rank <= depth]


def read(folder: Path, rows: int) -> tuple[list[Chunk], list[Asked]]:
    """Every paragraph as a chunk, and `rows` questions of either sort, drawn by hash."""
    articles = json.loads((folder / "dev-v2.0.json").read_text("utf-8"))["data"]
    chunks: dict[str, Chunk] = {}
    asked: dict[bool, list[Asked]] = {True: [], False: []}
    for article in articles:
        for paragraph in article["paragraphs"]:
            text = paragraph["context"]
            chunk = _chunk(article["title"], text)
            chunks[chunk.chunk_id] = chunk
            for row in paragraph["qas"]:
                asked[row["is_impossible"]].append(Asked(row["question"], row["is_impossible"]))
    drawn = [
        one
        for sort in asked.values()
        for one in sorted(sort, key=lambda a: uniform_hash(SEED, a.question))[:rows]
    ]
    return list(chunks.values()), drawn


def _chunk(title: str, text: str) -> Chunk:
    return Chunk(
        chunk_id=content_id("p", title, text),
        doc_id=title,
        title=title.replace("_", " "),
        section="",
        text=text,
        start=0,
        end=len(text),
        duplicate_group=content_id("g", text),
    )


async def look(chunks: list[Chunk], asked: list[Asked], model: Model) -> list[Looked]:
    """Every passage of every pool is judged: nothing ends at the first that answers."""
    by_id = {chunk.chunk_id: chunk for chunk in chunks}
    queries = [
        (a.question, as_statement(a.question), " ".join(dict.fromkeys(content_words(a.question))))
        for a in asked
    ]
    pools = await pooled([Index(chunks)], queries, max(DEPTHS))

    async def one(place: int) -> Looked:
        verdicts: list[tuple[int, Answering | None]] = []
        for found in pools[place]:
            variables = AbsenceVariables(
                question=asked[place].question, source=as_source(by_id[found.chunk_id])
            )
            reply = (await model.run(ABSENCE, variables)).value
            verdicts.append((found.rank, reply.verdict if reply else None))
        return Looked(asked[place], verdicts)

    return await LocalEngine(8).map(one, range(len(asked)))


def table_of(looked: list[Looked]) -> Table:
    table = Table(title="BM25; absent: every passage to this depth is judged `no`")
    for column in ("depth", "called absent", "precision", "recall", "false alarms", "unjudged"):
        table.add_column(column, justify="right")
    for depth in DEPTHS:
        judged = [(one.asked.is_absent, one.at(depth)) for one in looked]
        known = [(truth, found) for truth, found in judged if None not in found]
        called = [truth for truth, found in known if set(found) <= {Answering.NO}]
        absent, present = (sum(t is truth for t, _ in known) for truth in (True, False))
        table.add_row(
            str(depth),
            f"{len(called)} of {len(known)}",
            _share(sum(called), len(called)),
            _share(sum(called), absent),
            _share(len(called) - sum(called), present),
            str(len(judged) - len(known)),
        )
    return table


def answered(looked: Iterable[Looked], depth: int) -> tuple[int, int]:
    """(unanswerable, answerable) questions for which some passage is said to answer."""
    found = [one.asked.is_absent for one in looked if Answering.ANSWERS in one.at(depth)]
    return sum(found), len(found) - sum(found)


def _share(part: int, whole: int) -> str:
    return f"{part}/{whole} = {part / whole:.3f}" if whole else "—"


async def measure(arguments: argparse.Namespace) -> None:
    chunks, asked = read(arguments.data, arguments.rows)
    async with opened(arguments, lambda: OfflineModel(chunks)) as model:
        looked = await look(chunks, asked, model)
    Console(width=140).print(table_of(looked))
    for depth in DEPTHS:
        absent, present = answered(looked, depth)
        print(f"depth {depth}: a passage is said to answer {absent} absent, {present} present ones")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    data = ROOT.parent / "shared" / "data" / "qa" / "squad2_dev"
    parser.add_argument("--data", type=Path, default=data)
    parser.add_argument("--rows", type=int, default=500, help="of either sort")
    return ask(parser, measure)


if __name__ == "__main__":
    sys.exit(main())
