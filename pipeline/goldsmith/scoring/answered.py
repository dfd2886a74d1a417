"""The answers of a run against gold: citations by labels, and who abstained where."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from goldsmith.scoring.citations_labelled import CitationCounter, Response
from goldsmith.scoring.claims import claim_answer
from goldsmith.scoring.gold import Corpus
from goldsmith.scoring.probes import ProbeCounter, WordReading
from goldsmith.scoring.runs import RunReader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from goldsmith.scoring.gold import Gold
    from goldsmith.scoring.markers import MarkerGrammar
    from goldsmith.scoring.probes import Reading
    from goldsmith.scoring.records import ClaimedAnswer, Column
    from goldsmith.scoring.run_records import RunRecord


@dataclass(frozen=True, slots=True)
class AnswerRules:
    """How answers are read."""

    grammar: MarkerGrammar | None = None
    """Of citation markers; None: the default."""
    reading: Reading | None = None
    """Who says what an answer means; None: words alone."""


@dataclass(frozen=True, slots=True)
class AnswerScore:
    columns: tuple[Column, ...]
    counts: Mapping[str, int]
    claimed: Mapping[str, ClaimedAnswer]
    """By query id."""
    abstained: frozenset[str]
    slices: Mapping[str, NDArray[np.bool_]] = field(default_factory=dict)
    """`timing=during`, `timing=post_hoc`: when the system attached its markers."""


def score_answers(
    gold: Gold, run: Path, rules: AnswerRules | None = None, *, min_overlap: float = 1.0
) -> AnswerScore:
    """Read the answers of a run that was found sound, and count.

    Records that gold does not know, and queries that the run lacks, were counted by the scan.
    """
    rules = rules or AnswerRules()
    corpus = gold.load_corpus() if gold.load_corpus else Corpus(frozenset(gold.chunk_ids))
    citations = CitationCounter(gold, corpus, min_overlap)
    probes = ProbeCounter(gold, rules.reading or WordReading(corpus.texts))
    claimed: dict[str, ClaimedAnswer] = {}
    slices: dict[str, NDArray[np.bool_]] = {}
    for record in _known(gold, run):
        query = gold.query(record.query_id)
        answer = claim_answer(
            record, language=query.language, known=corpus.chunk_ids, grammar=rules.grammar
        )
        claimed[query.query_id] = answer
        response = Response(query, record, answer)
        citations.add(response)
        probes.add(response)
        if record.citation_timing is not None:
            name = f"timing={record.citation_timing}"
            mask = slices.setdefault(name, np.zeros(len(gold), dtype=np.bool_))
            mask[gold.numbers[query.query_id]] = True
    return AnswerScore(
        columns=(*citations.columns(), *probes.columns()),
        counts=citations.counts + probes.counts,
        claimed=claimed,
        abstained=frozenset(probes.abstained),
        slices=slices,
    )


def _known(gold: Gold, run: Path) -> Iterator[RunRecord]:
    for _, record in RunReader(run).records():
        if record.query_id in gold.numbers:
            yield record
