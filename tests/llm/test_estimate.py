from __future__ import annotations

from pathlib import Path

import pytest

from goldsmith.llm.estimate import Corpus, estimate
from goldsmith.settings import BuildSettings, Price

PROMPTS = Path(__file__).resolve().parents[2] / "prompts"
SETTINGS = BuildSettings.model_validate(
    {
        "sample": {"factoid": 100, "multi_source": 50, "max_sources": 2},
        "probe": {"share": 0.2, "attempts": 4, "depth": 10},
    }
)
CORPUS = Corpus(chunks=1000, mean_characters=1000)


def test_calls_are_those_of_the_stages() -> None:
    """150 drafts: 150 to write, 3 x 150 to rate, and 50 proofs of 4 trials each.

    Probes: 150 x 0.2 / 0.8 = 37.5 beside all drafts, half of it beside half of them. An attempt is
    a call to write, two critics, and a search over 15 passages (30 at most). Likely
    18.75 x 2 x 18 = 675, and at most 37.5 x 4 x 33 = 4,950.
    Evidences: 100 + 2 x 50 = 200, each with 10 passages and a tenth with 30 more: 200 x 13 = 2,600.
    """
    rows = {row.stage: row for row in estimate(SETTINGS, PROMPTS, CORPUS, None)}
    assert (rows["generate"].calls, rows["generate"].most_calls) == (150, 150)
    assert (rows["critique"].calls, rows["critique"].most_calls) == (650, 650)
    assert (rows["probe"].calls, rows["probe"].most_calls) == (675, 4950)
    assert (rows["complete"].calls, rows["complete"].most_calls) == (1300, 2600)
    assert rows["total"].calls == 150 + 650 + 1300 + 675
    assert rows["total"].most_calls == 150 + 650 + 2600 + 4950
    assert all(row.assumption for row in rows.values())
    assert all(row.money is None for row in rows.values())


def test_money_follows_the_price() -> None:
    row = estimate(SETTINGS, PROMPTS, CORPUS, Price(input=1.0, output=4.0))[0]
    assert row.money == pytest.approx((row.tokens_in + 4 * row.tokens_out) / 1_000_000)
    # 100 factoid replies of 200 tokens and 50 multi-source ones of 350.
    assert row.tokens_out == 100 * 200 + 50 * 350


def test_prompts_grow_with_the_chunks_that_they_show() -> None:
    """A factoid prompt shows one chunk and a multi-source prompt two: 100 + 100 more chunks.

    1,000 characters more a chunk are 250 tokens.
    """
    larger = Corpus(chunks=1000, mean_characters=2000)
    small, large = (estimate(SETTINGS, PROMPTS, c, None)[0].tokens_in for c in (CORPUS, larger))
    assert large - small == 200 * 250


def test_a_small_corpus_has_no_more_drafts_than_chunks() -> None:
    rows = estimate(SETTINGS, PROMPTS, Corpus(chunks=10, mean_characters=500), None)
    assert rows[0].calls == 10 + 5


def test_what_is_switched_off_is_not_counted() -> None:
    settings = SETTINGS.model_copy(
        update={
            "critique": SETTINGS.critique.model_copy(update={"necessity": False}),
            "probe": SETTINGS.probe.model_copy(update={"share": 0.0}),
        }
    )
    rows = {row.stage: row for row in estimate(settings, PROMPTS, CORPUS, None)}
    assert rows["critique"].calls == 450
    assert rows["probe"].most_calls == 0
