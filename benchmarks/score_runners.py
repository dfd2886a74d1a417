"""One scorer in a process of its own, so that its time and peak memory are its own.

    python -m benchmarks.score_runners RUNNER QRELS RUN [WORKERS]

Prints one JSON object: seconds from files to figures (imports are not counted), and the means.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

if TYPE_CHECKING:
    from collections.abc import Callable

CUTOFFS = (1, 5, 10)


def run_goldsmith(qrels: Path, run: Path, workers: int | None) -> Callable[[], dict[str, float]]:
    from goldsmith.scoring.gold_readers import read_gold  # noqa: PLC0415 - timed apart
    from goldsmith.scoring.labelled import ScoreSetup, score  # noqa: PLC0415 - likewise

    def work() -> dict[str, float]:
        # Every metric, with its bootstrap interval: more than the peers are asked for.
        result = score(read_gold(qrels), run, ScoreSetup(cutoffs=CUTOFFS, workers=workers))
        found = {m.name: m.value for m in result.metrics if m.slice == "all"}
        return {
            "recall@10": found["recall_strict@10"] or 0.0,
            "ndcg@10": found["ndcg_strict@10"] or 0.0,
            "mrr": found["mrr_strict"] or 0.0,
        }

    return work


def run_pytrec_eval(qrels: Path, run: Path, _: int | None) -> Callable[[], dict[str, float]]:
    import pytrec_eval  # noqa: PLC0415 - likewise

    names = {"recall_10": "recall@10", "ndcg_cut_10": "ndcg@10", "recip_rank": "mrr"}
    cuts = ",".join(map(str, CUTOFFS))
    measures = {f"{name}.{cuts}" for name in ("recall", "success", "P", "ndcg_cut")}

    def work() -> dict[str, float]:
        with qrels.open() as judged, run.open() as ranked:
            gold, lists = pytrec_eval.parse_qrel(judged), pytrec_eval.parse_run(ranked)
        evaluator = pytrec_eval.RelevanceEvaluator(gold, measures | {"recip_rank"})
        found = evaluator.evaluate(lists)
        return {
            ours: sum(row[t] for row in found.values()) / len(gold) for t, ours in names.items()
        }

    return work


def run_ir_measures(qrels: Path, run: Path, _: int | None) -> Callable[[], dict[str, float]]:
    import ir_measures  # noqa: PLC0415 - likewise

    names = {"R@10": "recall@10", "nDCG@10": "ndcg@10", "RR": "mrr"}
    measures = [
        ir_measures.parse_measure(f"{name}@{k}")
        for name in ("R", "Success", "P", "nDCG")
        for k in CUTOFFS
    ]

    def work() -> dict[str, float]:
        found = ir_measures.calc_aggregate(
            [*measures, ir_measures.RR],
            ir_measures.read_trec_qrels(str(qrels)),
            ir_measures.read_trec_run(str(run)),
        )
        return {names[str(m)]: float(v) for m, v in found.items() if str(m) in names}

    return work


def run_ranx(qrels: Path, run: Path, _: int | None) -> Callable[[], dict[str, float]]:
    import ranx  # noqa: PLC0415 - likewise

    names = [f"{name}@{k}" for name in ("recall", "hit_rate", "precision", "ndcg") for k in CUTOFFS]

    def work() -> dict[str, float]:
        found = ranx.evaluate(
            ranx.Qrels.from_file(str(qrels), kind="trec"),
            ranx.Run.from_file(str(run), kind="trec"),
            [*names, "mrr"],
            make_comparable=True,
        )
        return {name: float(found[name]) for name in ("recall@10", "ndcg@10", "mrr")}

    return work


def run_permutation(_: Path, __: Path, ___: int | None) -> Callable[[], dict[str, float]]:
    import numpy as np  # noqa: PLC0415 - likewise

    from goldsmith.scoring.comparisons import paired_permutation  # noqa: PLC0415 - likewise

    rng = np.random.default_rng(1)
    ours, theirs = (np.column_stack([rng.random(100_000), np.ones(100_000)]) for _ in range(2))
    return lambda: {"p": paired_permutation(ours, theirs, seed=7)}


RUNNERS = {
    "goldsmith": run_goldsmith,
    "pytrec_eval": run_pytrec_eval,
    "ir_measures": run_ir_measures,
    "ranx": run_ranx,
    "permutation": run_permutation,
}


def main(name: str, qrels: str, run: str, workers: str = "") -> None:
    work = RUNNERS[name](Path(qrels), Path(run), int(workers) if workers else None)
    start = time.perf_counter()
    means = work()
    seconds = time.perf_counter() - start
    print(orjson.dumps({"seconds": seconds, "means": means}).decode())


if __name__ == "__main__":
    main(*sys.argv[1:])
