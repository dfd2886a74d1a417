"""The smallest version that a release may have, by what changed since its parent."""

from __future__ import annotations

import logging
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from goldsmith.errors import CheckError
from goldsmith.release.measuring import describe
from goldsmith.release.reading import Release
from goldsmith.release.versioning import Step, change_between, next_version
from tests.support.releases import freeze_small, small_contents, small_origin, with_query

if TYPE_CHECKING:
    from pathlib import Path

    from goldsmith.release.contents import Contents


def release(contents: Contents | None = None) -> Release:
    contents = contents or small_contents()
    return Release(describe(contents, small_origin(), None), contents)


def fewer() -> Contents:
    """Without the last question."""
    contents = small_contents()
    return replace(contents, queries=contents.queries[:-1])


def other_answer() -> Contents:
    return with_query(small_contents(), "q-page", answer="It cannot be changed there.")


def remarked() -> Contents:
    query = next(q for q in small_contents().queries if q.query_id == "q-days")
    assert query.critics is not None
    longer = query.critics.relevance.model_copy(update={"rationale": "It is very plain."})
    critics = query.critics.model_copy(update={"relevance": longer})
    return with_query(small_contents(), "q-days", critics=critics)


def harder() -> Contents:
    query = next(q for q in small_contents().queries if q.query_id == "q-days")
    assert query.difficulty is not None
    difficulty = query.difficulty.model_copy(update={"bm25_rank": 7})
    return with_query(small_contents(), "q-days", difficulty=difficulty)


def other_section() -> Contents:
    """The same ids and documents, one chunk under another heading."""
    contents = small_contents()
    first, *others = contents.chunks
    return replace(contents, chunks=(first.model_copy(update={"section": "Else"}), *others))


@pytest.mark.parametrize(
    ("before", "after", "step", "reason"),
    [
        (small_contents(), small_contents(), Step.PATCH, "no published row"),
        (fewer(), small_contents(), Step.MINOR, "questions added: 1"),
        (small_contents(), remarked(), Step.MINOR, "only remarks"),
        (small_contents(), fewer(), Step.MAJOR, "questions removed: 1"),
        (small_contents(), other_answer(), Step.MAJOR, "labels changed"),
        (small_contents(), harder(), Step.MAJOR, "labels changed"),
        (small_contents(), other_section(), Step.MAJOR, "another corpus"),
    ],
)
def test_the_step_follows_from_what_changed(
    before: Contents, after: Contents, step: Step, reason: str
) -> None:
    change = change_between(release(before), release(after))
    assert change.step is step
    assert reason in change.reason


def test_numbers_behind_the_raised_one_start_again() -> None:
    raised = [next_version("1.9.3", step) for step in (Step.MAJOR, Step.MINOR, Step.PATCH)]
    assert raised == ["2.0.0", "1.10.0", "1.9.4"]


def test_a_smaller_step_is_refused_with_the_version_to_take(tmp_path: Path) -> None:
    freeze_small(tmp_path)
    for version in ("1.0.1", "1.9.0"):
        with pytest.raises(CheckError, match=r"freeze it as '2\.0\.0'"):
            freeze_small(tmp_path, version, harder())
    assert not (tmp_path / "release" / "1.9.0").exists()
    assert freeze_small(tmp_path, "2.0.0", harder()).is_new
    # What stands in the ledger stays a success, whatever the rule says of it today.
    assert not freeze_small(tmp_path, "2.0.0", harder()).is_new


def test_the_parent_that_is_named_is_the_one_compared_with(tmp_path: Path) -> None:
    freeze_small(tmp_path)
    freeze_small(tmp_path, "2.0.0", harder())
    with pytest.raises(CheckError, match=r"too small a step from '2\.0\.0'.*'3\.0\.0'"):
        freeze_small(tmp_path, "2.0.1")
    assert freeze_small(tmp_path, "2.0.1", parent="1.0.0").is_new


def test_the_refusal_to_overwrite_proposes_a_version(tmp_path: Path) -> None:
    freeze_small(tmp_path)
    with pytest.raises(CheckError, match=r"never overwritten.*to '2\.0\.0' or a later one"):
        freeze_small(tmp_path, contents=harder())


def test_a_parent_that_is_not_at_hand_is_said(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    shutil.rmtree(freeze_small(tmp_path).folder)
    with caplog.at_level(logging.WARNING):
        assert freeze_small(tmp_path, "1.0.1", harder()).is_new
    assert "'1.0.1' is not checked against what changed since '1.0.0'" in caplog.text
