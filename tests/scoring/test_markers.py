from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldsmith.scoring.markers import MarkerGrammar, read_marks


def ids_of(answer: str, *supplied: str) -> list[tuple[str, ...]]:
    return [marker.ids for marker in read_marks(answer, supplied=supplied).markers]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("kept 90 days [p-3310].", [("p-3310",)]),
        ("so [p-1, p-2]", [("p-1", "p-2")]),
        ("so [p-1; p-2]", [("p-1", "p-2")]),
        ("so [p-1][p-2]", [("p-1",), ("p-2",)]),
        ("so [1, 2]", [("a", "b")]),
        ("so [1-3]", [("a", "b", "c")]),
        ("so [1\u20133, p-9]", [("a", "b", "c", "p-9")]),
        ("so [0]", [("0",)]),
        ("so [4]", [("4",)]),
    ],
)
def test_markers_and_their_ids(text: str, ids: list[tuple[str, ...]]) -> None:
    assert ids_of(text, "a", "b", "c") == ids


def test_an_integer_is_an_id_where_the_run_has_integer_ids() -> None:
    assert ids_of("so [1]", "7", "1") == [("1",)]
    assert ids_of("so [2]", "7", "1") == [("2",)]


def test_zero_is_never_the_last_passage() -> None:
    assert ids_of("so [0]", "a", "b") == [("0",)]


def test_ids_of_the_run_are_known_whatever_they_look_like() -> None:
    assert ids_of("so [Doc_12/b]", "Doc_12/b") == [("Doc_12/b",)]
    assert read_marks("so [MED-10]", known={"MED-10"}).markers[0].ids == ("MED-10",)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("so [P-3310]", "not_an_id"),
        ("so [p-1, see below]", "not_all_ids"),
        ("so [source: p-1]", "not_an_id"),
        ("so [3-1]", "bad_range"),
        ("so [1-900]", "bad_range"),
        ("so [^1]", "footnote"),
        (r"so \[p-1]", "escaped"),
        ("so (p-3310)", "other_brackets"),
        ("so \u3010p-1\u3011", "other_brackets"),
        ("so [p-3310 and on", "unclosed"),
        ("so [-1]", "not_an_id"),
    ],
)
def test_what_nearly_matches_is_listed_and_cites_nothing(text: str, reason: str) -> None:
    marks = read_marks(text, supplied=("p-1", "b"))
    assert [near.reason for near in marks.near_misses] == [reason]
    assert marks.markers == ()


def test_other_brackets_are_prose() -> None:
    marks = read_marks("He [sic] wrote list[str] and - [x] done (see above).")
    assert marks.markers == ()
    assert marks.near_misses == ()


def test_links_are_no_markers_and_keep_their_targets() -> None:
    answer = (
        "See [1](https://a.example/x_(y)), ![p-2](i.png), [text][1] "
        "and <https://b.example>.\n\n[1]: c.md"
    )
    marks = read_marks(answer, supplied=("a",))
    assert marks.markers == ()
    assert [link.target for link in marks.links] == [
        "https://a.example/x_(y)",
        "i.png",
        "c.md",
        "https://b.example",
    ]


def test_code_holds_no_marker() -> None:
    answer = "Use `a[1]` [2].\n\n```python\nx = rows[1]\n```\n\nDone [1]."
    assert ids_of(answer, "a", "b") == [("b",), ("a",)]


def test_the_grammar_is_a_setting() -> None:
    grammar = MarkerGrammar(id_pattern=r"doc:\d+", separators="|", integers=False)
    marks = read_marks("so [doc:1|doc:2] and [3]", grammar=grammar)
    assert [marker.ids for marker in marks.markers] == [("doc:1", "doc:2")]
    with pytest.raises(ValueError, match="regular expression"):
        MarkerGrammar(id_pattern="(")


@given(st.text(alphabet="ab1 .,[](){}`\\\n-p!^~:#"))
def test_any_text_is_read_and_offsets_hold(answer: str) -> None:
    marks = read_marks(answer, supplied=("a", "b"))
    for marker in marks.markers:
        assert answer[marker.start] == "["
        assert answer[marker.end - 1] == "]"
    taken = [(m.start, m.end) for m in marks.markers] + [(k.start, k.end) for k in marks.links]
    assert all(a[1] <= b[0] for a, b in zip(sorted(taken), sorted(taken)[1:], strict=False))
