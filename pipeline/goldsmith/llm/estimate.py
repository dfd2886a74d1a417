"""What a build will cost, before it is paid: calls, tokens and money by stage, likely and at most.

Nothing is sent. The structure of the calls is that of the stages; what cannot be known beforehand
is assumed, and every row says what it assumes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.llm.completion import CHARACTERS_A_TOKEN
from goldsmith.llm.costs import money_for
from goldsmith.llm.tasks import (
    ABSENCE,
    ANSWER,
    CARRIES,
    FACTOID,
    GROUNDEDNESS,
    MISSING,
    MULTI_SOURCE,
    RELEVANCE,
    STANDALONE,
)
from goldsmith.prompts import load_prompt
from goldsmith.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

    from goldsmith.llm.task import Task
    from goldsmith.settings import BuildSettings, Price

_KEPT = 0.5
"""Share of drafts that are kept, of which the number of probes follows."""
_ATTEMPTS = 2
"""Probes tried for each one that is kept."""
_POOL = 1.5
"""Passages that the three queries of an absence search find together, by its depth; 3 at most."""
_QUERIES = 3
_QUESTION_CHARACTERS = 300
"""Of a question, an answer and the description of the audience in a prompt."""
_REPLY_TOKENS = {
    FACTOID.name: 200,
    MULTI_SOURCE.name: 350,
    GROUNDEDNESS.name: 100,
    RELEVANCE.name: 80,
    STANDALONE.name: 80,
    ANSWER.name: 100,
    MISSING.name: 150,
    CARRIES.name: 60,
    ABSENCE.name: 60,
}


class EstimateRow(Record):
    """One stage. Without re-asks and without the cache: what is there already costs nothing."""

    stage: str
    calls: int
    tokens_in: int
    tokens_out: int
    money: float | None
    """None: the model has no price."""
    most_calls: int
    most_money: float | None
    assumption: str


class Corpus(Record):
    """What an estimate needs to know of the corpus."""

    chunks: int
    mean_characters: float
    """Of a chunk."""


@dataclass(frozen=True, slots=True)
class _Demand:
    """Calls of one task, and the passages that each of its prompts shows."""

    task: Task[Any, Any]
    likely: float
    most: float
    passages: float


def estimate(
    settings: BuildSettings, prompts_folder: Path, corpus: Corpus, price: Price | None
) -> tuple[EstimateRow, ...]:
    """One row a stage and, last, their `total`. Raises `SettingsError` for an unusable prompt."""
    probes = (
        f"{_KEPT:.0%} of drafts are kept, and a probe takes {_ATTEMPTS} attempts; "
        f"at most all are kept, and it takes {settings.probe.attempts}"
    )
    stages = [
        ("generate", _generate, "one call a source set"),
        ("critique", _critique, "no draft is rejected before its critics"),
        ("complete", _complete, f"{_KEPT:.0%} of drafts are kept, with one evidence a source"),
        ("probe", _probe, probes),
    ]
    rows = [
        _row(stage, list(demands(settings, corpus)), assumption, prompts_folder, corpus, price)
        for stage, demands, assumption in stages
    ]
    return (*rows, _total(rows))


def _generate(settings: BuildSettings, corpus: Corpus) -> Iterator[_Demand]:
    factoid, multi_source = _drafts(settings, corpus)
    yield _Demand(FACTOID, factoid, factoid, 1)
    yield _Demand(MULTI_SOURCE, multi_source, multi_source, settings.sample.max_sources)


def _critique(settings: BuildSettings, corpus: Corpus) -> Iterator[_Demand]:
    factoid, multi_source = _drafts(settings, corpus)
    drafts, sources = factoid + multi_source, settings.sample.max_sources
    shown = (factoid + multi_source * sources) / max(1, drafts)
    yield _Demand(STANDALONE, drafts, drafts, 0)
    yield _Demand(RELEVANCE, drafts, drafts, 0)
    yield _Demand(GROUNDEDNESS, drafts, drafts, shown)
    if settings.critique.necessity:
        # From all sources, from each set with one left out, and from none.
        trials = multi_source * (sources + 2)
        passages = (sources + sources * (sources - 1)) / (sources + 2)
        yield _Demand(ANSWER, trials, trials, passages)


def _complete(settings: BuildSettings, corpus: Corpus) -> Iterator[_Demand]:
    factoid, multi_source = _drafts(settings, corpus)
    most, complete = factoid + multi_source * settings.sample.max_sources, settings.complete
    audited = complete.audit_share * max(0, complete.audit_depth - complete.depth)
    passages = min(corpus.chunks, complete.depth + audited) if complete.depth else 0
    yield _Demand(CARRIES, _KEPT * most * passages, most * passages, 1)


def _probe(settings: BuildSettings, corpus: Corpus) -> Iterator[_Demand]:
    drafts, probe = sum(_drafts(settings, corpus)), settings.probe
    most = drafts * probe.share / (1 - probe.share)
    likely = most * _KEPT
    attempts = min(_ATTEMPTS, probe.attempts)
    # The kinds are written alike; `missing` stands for all of them.
    yield _Demand(MISSING, likely * attempts, most * probe.attempts, 1)
    for critic in (STANDALONE, RELEVANCE):
        yield _Demand(critic, likely * attempts, most * probe.attempts, 0)
    searched = min(corpus.chunks, probe.depth * _POOL), min(corpus.chunks, probe.depth * _QUERIES)
    yield _Demand(ABSENCE, likely * attempts * searched[0], most * probe.attempts * searched[1], 1)


def _drafts(settings: BuildSettings, corpus: Corpus) -> tuple[int, int]:
    """Factoid and multi-source drafts: those wanted, as far as the corpus has chunks for them."""
    return (
        min(settings.sample.factoid, corpus.chunks),
        min(settings.sample.multi_source, corpus.chunks // settings.sample.max_sources),
    )


def _row(
    stage: str,
    demands: list[_Demand],
    assumption: str,
    prompts_folder: Path,
    corpus: Corpus,
    price: Price | None,
) -> EstimateRow:
    tokens_in = tokens_out = most_in = most_out = 0.0
    for demand in demands:
        prompt = _prompt_tokens(demand, prompts_folder, corpus)
        reply = _REPLY_TOKENS[demand.task.name]
        tokens_in += demand.likely * prompt
        tokens_out += demand.likely * reply
        most_in += demand.most * prompt
        most_out += demand.most * reply
    return EstimateRow(
        stage=stage,
        calls=round(sum(demand.likely for demand in demands)),
        tokens_in=round(tokens_in),
        tokens_out=round(tokens_out),
        money=money_for(price, round(tokens_in), round(tokens_out)),
        most_calls=round(sum(demand.most for demand in demands)),
        most_money=money_for(price, round(most_in), round(most_out)),
        assumption=assumption,
    )


def _prompt_tokens(demand: _Demand, prompts_folder: Path, corpus: Corpus) -> float:
    prompt = load_prompt(prompts_folder, demand.task.name, demand.task.variables.model_fields)
    text = len(prompt.system) + len(prompt.user) + _QUESTION_CHARACTERS
    return (text + demand.passages * corpus.mean_characters) / CHARACTERS_A_TOKEN


def _total(rows: list[EstimateRow]) -> EstimateRow:
    priced = all(row.money is not None for row in rows)
    return EstimateRow(
        stage="total",
        calls=sum(row.calls for row in rows),
        tokens_in=sum(row.tokens_in for row in rows),
        tokens_out=sum(row.tokens_out for row in rows),
        money=sum(row.money or 0.0 for row in rows) if priced else None,
        most_calls=sum(row.most_calls for row in rows),
        most_money=sum(row.most_money or 0.0 for row in rows) if priced else None,
        assumption="no re-asks, and nothing in the cache",
    )
