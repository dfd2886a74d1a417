"""The card is valid for the Hub, and honest about what was not done."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from huggingface_hub import DatasetCard

from goldsmith.records import Kind
from goldsmith.release.card import render_card, stated_by
from goldsmith.release.card_head import yaml_head
from goldsmith.release.measuring import describe
from goldsmith.settings import Price
from tests.support.releases import small_contents, small_origin

if TYPE_CHECKING:
    from goldsmith.release.contents import Contents
    from goldsmith.release.manifest import Manifest


def manifest(contents: Contents | None = None, **changes: object) -> Manifest:
    origin = small_origin().model_copy(update=changes)
    return describe(contents or small_contents(), origin, None)


def head(card: str) -> dict[str, Any]:
    values: dict[str, Any] = yaml.safe_load(card.split("---\n")[1])
    return values


def row(card: str, name: str) -> list[str]:
    """The cells of the row of a table that begins with `name`."""
    (found,) = [line for line in card.splitlines() if line.startswith(f"| {name} |")]
    return [cell.strip() for cell in found.strip("|").split("|")][1:]


def test_the_head_is_what_the_hub_and_its_library_read() -> None:
    card = render_card(manifest())
    assert head(card) == {
        "pretty_name": "handbook 1.0.0",
        "license": "apache-2.0",
        "language": ["en"],
        "size_categories": ["n<1K"],
        "task_categories": ["question-answering", "text-retrieval"],
        "tags": ["rag", "retrieval", "citations", "evaluation", "benchmark", "goldsmith"],
        "annotations_creators": ["machine-generated"],
        "configs": [
            {
                "config_name": name,
                "description": f"handbook 1.0.0, digest {manifest().digest}",
                "data_files": [{"split": "test", "path": f"{name}.parquet"}],
                **({"default": True} if name == "questions" else {}),
            }
            for name in ("questions", "corpus", "documents", "queries", "qrels", "judgements")
        ],
    }
    parsed = DatasetCard(card)
    assert yaml.safe_load(str(parsed.data)) == head(card)
    assert parsed.text.startswith("\n# handbook 1.0.0")


@pytest.mark.parametrize(
    ("licence", "expected"),
    [
        ("CC-BY-4.0", {"license": "cc-by-4.0"}),
        ("house rules", {"license": "other", "license_name": "house rules"}),
        ("no: such\n- thing", {"license": "other", "license_name": "no: such\n- thing"}),
    ],
)
def test_a_licence_that_the_hub_does_not_know_is_other(
    licence: str, expected: dict[str, str]
) -> None:
    values = head(yaml_head(manifest(licence=licence)))
    assert {key: values[key] for key in values if key.startswith("license")} == expected


@pytest.mark.parametrize(
    ("questions", "size"), [(999, "n<1K"), (1000, "1K<n<10K"), (10_000, "10K<n<100K")]
)
def test_the_size_is_that_of_questions(questions: int, size: str) -> None:
    small = manifest()
    rows = small.counts.rows | {"questions": questions}
    grown = small.model_copy(update={"counts": small.counts.model_copy(update={"rows": rows})})
    assert head(yaml_head(grown))["size_categories"] == [size]


def test_the_card_states_version_digests_and_canary() -> None:
    described = manifest()
    assert stated_by(render_card(described)) == {
        "version": "1.0.0",
        "digest": described.digest,
        "corpus digest": described.corpus_digest,
        "canary": described.canary,
    }


def test_a_canary_is_of_one_release() -> None:
    first = manifest().canary
    assert first == manifest().canary
    assert first != manifest(name="other").canary
    fewer = replace(small_contents(), judgements=())
    assert first != manifest(fewer).canary


def test_the_four_figures_have_numerator_denominator_and_interval() -> None:
    card = render_card(manifest())
    assert row(card, "1. calls per kept question") == ["26", "5", "5.20", "[3.77, 10.63]"]
    assert row(card, "1. money per kept question") == ["—"] * 4
    assert row(card, "2. label completeness: evidences with further passages searched") == [
        "0",
        "4",
        "0.0000",
        "[0.0000, 0.4899]",
    ]
    assert row(card, "3. multi-source proof rate") == ["1", "1", "1.0000", "[0.2065, 1.0000]"]
    assert row(card, "4. probe proof") == ["2", "2", "1.0000", "[0.3424, 1.0000]"]
    assert row(card, "BM25 hit@1") == ["2", "3", "0.6667", "[0.2077, 0.9385]"]


def test_large_numbers_are_written_out() -> None:
    origin = small_origin()
    usage = {"generate": origin.usage["generate"].model_copy(update={"tokens_in": 12_345_678})}
    card = render_card(manifest(usage=usage, price=Price(input=1, output=2)))
    assert row(card, "1. input tokens per kept question")[0] == "12,345,678"
    # 12.345678 + 300 * 2 / 1e6
    assert row(card, "1. money per kept question")[:2] == ["12.3463", "5"]


def test_the_funnel_has_every_stage_kind_and_reason() -> None:
    card = render_card(manifest())
    for counted in small_origin().funnel:
        assert (
            f"| {counted.stage} | {counted.kind} | {counted.requested} | {counted.kept} |" in card
        )
    assert "| sample | multi_source | 2 | 1 | 0 | no_linked_chunks 1 |" in card
    assert "- 4 factoid questions were asked for, 2 are here." in card


def test_an_offline_release_says_so_first() -> None:
    card = render_card(manifest())
    assert manifest().notice == "offline baseline, not for release decisions"
    assert "> **Offline baseline, not for release decisions.**" in card
    online = manifest(offline=False)
    assert online.notice is None
    assert "Offline baseline" not in render_card(online)


def test_what_was_not_done_is_said() -> None:
    card = render_card(manifest())
    assert "No\n  further passages were searched for" in card
    assert "How many members are missing has not been estimated." in card
    assert "no price list was given" in card
    assert "was not tested" not in card
    rules = small_origin().rules.model_copy(update={"necessity": False})
    assert "was not tested (`critique.necessity: false`)" in render_card(manifest(rules=rules))
    answerable = tuple(q for q in small_contents().queries if q.kind is not Kind.UNANSWERABLE)
    without = render_card(manifest(replace(small_contents(), queries=answerable)))
    assert "There are no probes in this release." in without
    assert row(without, "4. probe proof") == ["0", "0", "—", "—"]


def test_a_name_cannot_break_a_table() -> None:
    card = render_card(manifest(models=("a|b\nc",)))
    assert "| model | a\\|b c |" in card
