from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from goldsmith.corpus.words import content_words, longest_copied_run, overlap, words


def test_numbers_and_versions_stay_whole() -> None:
    assert words("Kept 10,000 events until 02:00, since v5.6.") == [
        "kept",
        "10,000",
        "events",
        "until",
        "02:00",
        "since",
        "v5.6",
    ]


def test_unspaced_scripts_are_taken_by_character() -> None:
    assert words("API の日") == ["api", "の", "日"]


def test_bounds_and_negation_are_content() -> None:
    assert content_words("at least 5") != content_words("at most 5")
    assert content_words("may not be changed") != content_words("may be changed")


def test_overlap_is_the_share_of_the_questions_words() -> None:
    # "How many events?" has the content words {many, event}: one of two is found.
    assert overlap("How many events?", "The buffer holds events.") == 1 / 2
    # {relay, buffer, event}: two of three.
    assert overlap("relay buffer events", "The relay holds events.") == 2 / 3
    assert overlap("the of", "anything") == 0.0


def test_longest_copied_run() -> None:
    # "b c d" stands in both, "a b" and "x" do not extend it.
    assert longest_copied_run(["a", "b", "c", "d", "x"], ["b", "c", "d", "a", "b"]) == 3
    assert longest_copied_run([], ["a"]) == 0


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abc"), max_size=12))
def test_a_run_is_as_long_one_way_as_the_other(left: list[str], right: list[str]) -> None:
    assert longest_copied_run(left, right) == longest_copied_run(right, left)
