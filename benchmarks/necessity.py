"""Does a question need all its sources? The executed proof, on questions that people wrote for two.

    python -m benchmarks.necessity                                # 100 rows, the offline answerer
    python -m benchmarks.necessity --model openai --base-url URL --model-name NAME --rows 30

HotpotQA's rows in `../shared/data` (or `--data`) as drafts, the titles of their supporting facts as
sources. People meant each to need both; the proof calls some answerable from one. Those are printed
for a reader: it takes one to say whether the proof or the row is wrong (`docs/labels.md`).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from benchmarks.asked import ask, opened
from goldsmith.engine.local import LocalEngine
from goldsmith.ids import content_id, uniform_hash
from goldsmith.offline.model import OfflineModel
from goldsmith.records import Chunk, Draft, Evidence, Kind, Necessity, Provenance
from goldsmith.stages.critique import prove
from goldsmith.stages.select import judge_proof

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).resolve().parents[1]
SEED = 7


def read(folder: Path, rows: int | None) -> tuple[list[Draft], dict[str, Chunk]]:
    """`rows` drafts, drawn by hash, and every title of the corpus as a chunk."""
    texts = json.loads((folder / "hotpotqa_train_corpus.json").read_text("utf-8"))
    chunks = {title: _chunk(title, "".join(lines)) for title, lines in texts.items()}
    raw = json.loads((folder / "hotpotqa_train.json").read_text("utf-8"))
    drawn = sorted(raw, key=lambda row: uniform_hash(SEED, row["question"]))[:rows]
    drafts = [
        Draft(
            draft_id=content_id("q", row["question"]),
            kind=Kind.MULTI_SOURCE,
            set_id="",
            question=row["question"],
            answer=row["answer"],
            statements=(),
            evidence=tuple(
                _evidence(chunks[title])
                for title in dict.fromkeys(title for title, _ in row["supporting_facts"])
            ),
            language="en",
            provenance=Provenance(model="people"),
        )
        for row in drawn
    ]
    return drafts, {chunk.chunk_id: chunk for chunk in chunks.values()}


def _chunk(title: str, text: str) -> Chunk:
    name = content_id("p", title, text)
    return Chunk(
        chunk_id=name,
        doc_id=title,
        title=title,
        section="",
        text=text,
        start=0,
        end=len(text),
        duplicate_group=name,
    )


def _evidence(chunk: Chunk) -> Evidence:
    return Evidence(
        doc_id=chunk.doc_id,
        start=0,
        end=chunk.end,
        quote=chunk.text,
        chunk_ids=(chunk.chunk_id,),
    )


def outcome_of(draft: Draft, proof: Necessity) -> str:
    """The word with which `select` would keep or reject the draft."""
    verdict = judge_proof(draft, proof)
    return verdict.reason if verdict else "proved"


def show(draft: Draft, proof: Necessity, chunks: Mapping[str, Chunk], console: Console) -> None:
    console.rule(f"{draft.question} | {draft.answer}", align="left")
    for trial in proof.trials:
        names = " + ".join(chunks[c].title for c in trial.chunk_ids) or "closed book"
        mark = "gold" if trial.matches_gold else "-"
        console.print(f"{mark:>4}  {names}: {trial.answer or trial.failure or '(abstained)'}")


async def measure(arguments: argparse.Namespace) -> None:
    drafts, chunks = read(arguments.data, arguments.rows)
    console = Console(width=140, markup=False, highlight=False)
    async with opened(arguments, lambda: OfflineModel(list(chunks.values()))) as model:
        proved = await LocalEngine(arguments.concurrency).map(
            partial(prove, chunks=chunks, model=model), drafts
        )
    outcomes = Counter(
        outcome_of(draft, proof) for draft, (proof, _) in zip(drafts, proved, strict=True)
    )
    closed = sum(t.matches_gold for proof, _ in proved for t in proof.trials if not t.chunk_ids)
    console.print(f"{len(drafts)} questions: {dict(outcomes)}; {closed} answered closed book")
    for draft, (proof, _) in zip(drafts, proved, strict=True):
        if arguments.all or outcome_of(draft, proof) == "not_all_needed":
            show(draft, proof, chunks, console)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    data = ROOT.parent / "shared" / "data" / "qa" / "hotpotqa_100"
    parser.add_argument("--data", type=Path, default=data)
    parser.add_argument("--rows", type=int, help="all when left out")
    parser.add_argument("--all", action="store_true", help="print every row, not only those called")
    return ask(parser, measure)


if __name__ == "__main__":
    sys.exit(main())
