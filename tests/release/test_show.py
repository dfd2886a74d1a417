"""What a reader sees of a release on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from rich.console import Console
from rich.text import Text

from goldsmith.errors import InputError
from goldsmith.records import Kind
from goldsmith.release.measuring import describe
from goldsmith.release.reading import Release
from goldsmith.release.show import QUOTE_STYLE, highlight, query_view, release_view
from tests.support.releases import (
    DASHBOARD,
    DAYS,
    DEALS,
    YEAR,
    chunks,
    evidence,
    small_contents,
    small_origin,
    with_query,
)

if TYPE_CHECKING:
    from rich.console import RenderableType

    from goldsmith.release.contents import Contents


def release(contents: Contents | None = None) -> Release:
    contents = contents or small_contents()
    return Release(describe(contents, small_origin(), None), contents)


def shown(view: RenderableType, width: int = 160) -> str:
    console = Console(width=width)
    with console.capture() as capture:
        console.print(view)
    return capture.get()


def test_the_list_has_every_question_and_says_what_the_release_is() -> None:
    text = shown(release_view(release()))
    assert "handbook 1.0.0" in text
    assert "offline baseline, not for release decisions" in text
    for query in small_contents().queries:
        assert query.query_id in text
    assert "5 questions" in text
    probes = shown(release_view(release(), Kind.UNANSWERABLE))
    assert "q-page" in probes
    assert "q-days" not in probes


def test_a_question_is_shown_with_everything_that_backs_it() -> None:
    text = shown(query_view(release(), "q-both"))
    for words in (
        "how far can an agreement extend it?",
        "365 days, and up to ten years by agreement",
        YEAR,
        DEALS,
        "p-deals-1 (together)",
        "evidence 1: any of 2 members carries it",
        "It is plain.",
        "(closed book)",
        "linked by 'Enterprise' (bridge)",
        "BM25 rank 1",
    ):
        assert words in text


def test_a_probe_is_shown_with_its_trap_and_its_search() -> None:
    text = shown(query_view(release(), "q-page"))
    assert "expected  correct_the_premise" in text
    assert "trap" in text
    assert "absence: 8 chunks searched by bm25 to depth 10" in text
    assert "searched for: On which page of the dashboard" in text
    assert "partly" in text


@pytest.mark.parametrize(
    ("chunk_id", "doc_id", "quote", "marked"),
    [
        ("p-plans-2", "d-plans", YEAR, YEAR),
        ("p-plans-1", "d-plans", DAYS, DAYS),
        ("p-deals-1", "d-deals", DEALS, DEALS[: DEALS.index(" terms")]),
        ("p-deals-2", "d-deals", DEALS, DEALS[DEALS.index("terms") :]),
        ("p-dash-copy", "d-dash", DASHBOARD, DASHBOARD),
        ("p-dash-2", "d-plans", DAYS, ""),
    ],
)
def test_the_quote_is_marked_in_its_passage(
    chunk_id: str, doc_id: str, quote: str, marked: str
) -> None:
    chunk = next(one for one in chunks() if one.chunk_id == chunk_id)
    text = Text(chunk.text)
    highlight(text, chunk, evidence(doc_id, quote, chunk_id))
    spans = [text.plain[s.start : s.end] for s in text.spans if s.style == QUOTE_STYLE]
    assert "".join(spans) == marked


def test_brackets_of_a_text_are_no_markup() -> None:
    odd = with_query(small_contents(), "q-days", answer="[bold]90[/bold] days [p-1]")
    assert "[bold]90[/bold] days [p-1]" in shown(query_view(release(odd), "q-days"))
    assert "[bold]90[/bold]" in shown(release_view(release(odd)))


def test_an_unknown_id_is_answered_with_the_nearest() -> None:
    with pytest.raises(InputError, match=r"no query 'q-dasy': the nearest are q-days"):
        query_view(release(), "q-dasy")
    with pytest.raises(InputError, match="`goldsmith show` lists them all"):
        query_view(release(), "zzzz")


def test_what_was_not_done_is_left_out() -> None:
    bare = with_query(small_contents(), "q-both", critics=None, necessity=(), difficulty=None)
    text = shown(query_view(release(bare), "q-both"))
    assert "critics" not in text
    assert "necessity" not in text
    assert "BM25" not in text
