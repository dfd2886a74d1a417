"""What changed between two releases, each change made alone and found alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from goldsmith.ids import text_digest
from goldsmith.records import Answering, Judgement
from goldsmith.release.diff import Changed, ReleaseDiff, Setting, diff_releases
from goldsmith.release.diff_view import diff_markdown, diff_view
from goldsmith.release.measuring import describe
from goldsmith.release.reading import Release
from tests.support.releases import DAYS, evidence, small_contents, small_origin, with_query

if TYPE_CHECKING:
    from goldsmith.release.contents import Contents


def release(contents: Contents | None = None, version: str = "1.0.0", **made: object) -> Release:
    contents = contents or small_contents()
    return Release(
        describe(contents, small_origin(version).model_copy(update=made), None), contents
    )


def diff(contents: Contents | None = None, **made: object) -> ReleaseDiff:
    return diff_releases(release(), release(contents, "1.1.0", **made))


def without(query_id: str) -> Contents:
    contents = small_contents()
    return replace(contents, queries=tuple(q for q in contents.queries if q.query_id != query_id))


def test_two_releases_of_the_same_rows_differ_in_version_only() -> None:
    same = diff()
    assert same.is_empty
    assert not (same.added)
    assert not (same.removed)
    assert not (same.changed)
    assert not (same.relabelled)
    assert not (same.prompts)
    assert [setting.key for setting in same.settings] == ["release.version"]
    assert "the same content" in diff_markdown(same)


def test_questions_added_and_removed() -> None:
    forward = diff(without("q-page"))
    assert [q.query_id for q in forward.removed] == ["q-page"]
    assert not forward.added
    backward = diff_releases(release(without("q-page")), release())
    assert [(q.query_id, q.kind) for q in backward.added] == [("q-page", "unanswerable")]


def test_a_changed_question_names_its_columns() -> None:
    changed = diff(with_query(small_contents(), "q-days", answer="ninety days", language="de"))
    assert changed.changed == (
        Changed(
            query_id="q-days",
            before_id="q-days",
            question="How long do Business plans keep audit records?",
            columns=("answer", "language"),
        ),
    )
    assert not changed.relabelled


def test_a_question_whose_id_went_another_way_is_the_same_question() -> None:
    contents = small_contents()
    renamed = tuple(
        q.model_copy(update={"query_id": "q-renamed"}) if q.query_id == "q-days" else q
        for q in contents.queries
    )
    found = diff(replace(contents, queries=renamed))
    assert not found.added
    assert not found.removed
    assert [(c.before_id, c.query_id, c.columns) for c in found.changed] == [
        ("q-days", "q-renamed", ("query_id",))
    ]


def test_how_a_question_was_made_is_no_change_of_it() -> None:
    query = small_contents().queries[0]
    made = query.provenance.model_copy(update={"requests": ("other",)})
    assert not diff(with_query(small_contents(), query.query_id, provenance=made)).changed


def test_labels_that_came_and_went_are_listed() -> None:
    days = evidence("d-plans", DAYS, "p-plans-1", "p-dash-2")
    found = diff(
        with_query(small_contents(), "q-days", evidence=(days,), gold_citations=days.chunk_ids)
    )
    (relabelled,) = found.relabelled
    assert relabelled.query_id == "q-days"
    assert (relabelled.chunks_added, relabelled.chunks_removed) == (("p-dash-2",), ("p-plans-2",))
    assert relabelled.columns == ("evidence", "gold_citations")


def test_judgements_are_counted() -> None:
    contents = small_contents()
    first, *rest = contents.judgements
    extra = Judgement(query_id="q-days", chunk_id="p-dash-2", verdict=Answering.NO, judge="m")
    turned = first.model_copy(update={"verdict": Answering.NO})
    found = diff(replace(contents, judgements=(turned, *rest[1:], extra))).judgements
    assert (found.added, found.removed, found.changed) == (1, 1, 1)


def test_documents_are_followed_by_their_path() -> None:
    """Their ids are of their content: another text is another id, and the same page."""
    contents = small_contents()
    copy, *others = contents.documents
    assert copy.source == "copy.md"
    edited = copy.model_copy(
        update={"doc_id": "d-new", "text": "New.", "sha256": text_digest("New.")}
    )
    moved = others[0].model_copy(update={"source": "moved.md"})
    fewer = contents.chunks[1:]
    found = diff(replace(contents, documents=(edited, moved, *others[1:]), chunks=fewer)).corpus
    assert found.documents_changed == ("copy.md",)
    assert found.documents_added == ("moved.md",)
    assert found.documents_removed == (others[0].source,)
    assert found.chunks_removed == (contents.chunks[0].chunk_id,)
    assert not found.chunks_added


def test_settings_prompts_and_models_are_compared_key_by_key() -> None:
    before = small_origin()
    settings = {**before.settings, "select": {"min_rating": 5, "near_duplicate": 0.9}}
    found = diff(
        settings=settings, prompts={"generate/factoid": "new", "probe/missing": "x"}, models=("m",)
    )
    assert Setting(key="select.min_rating", before="4", after="5") in found.settings
    assert [(p.key, p.after) for p in found.prompts] == [
        ("generate/factoid", "new"),
        ("probe/missing", "x"),
    ]
    assert found.prompts[1].before is None
    assert found.made_with == (Setting(key="models", before="hand", after="m"),)


@pytest.fixture
def everything() -> ReleaseDiff:
    contents = with_query(without("q-page"), "q-days", answer="x | y\nz", gold_citations=("p-z",))
    return diff(contents, prompts={})


def test_markdown_has_a_section_for_each_change(everything: ReleaseDiff) -> None:
    text = diff_markdown(everything)
    assert text.startswith("# handbook 1.0.0 → handbook 1.1.0\n")
    assert "## Questions removed (1)" in text
    assert "## Questions changed (1)" in text
    assert "| q-days | — | — | gold_citations |" in text
    assert "## Prompts changed (1)" in text
    assert "## Questions added" not in text
    assert text.endswith("\n")


def test_the_terminal_shows_the_same(everything: ReleaseDiff) -> None:
    console = Console(width=120, record=True, file=None, quiet=True)
    with console.capture() as capture:
        console.quiet = False
        console.print(diff_view(everything))
    for words in ("Questions removed (1)", "q-page", "Prompts changed (1)", "Settings changed"):
        assert words in capture.get()


def test_long_sections_are_cut_and_counted() -> None:
    contents = small_contents()
    probe = contents.queries[-1]
    many = tuple(probe.model_copy(update={"query_id": f"q-{n:03}"}) for n in range(60))
    assert "… and 10 more." in diff_markdown(
        diff(replace(contents, queries=contents.queries + many))
    )
