from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldsmith.llm.scripted import Failure, ScriptedModel
from goldsmith.scoring.answers import read_answer
from goldsmith.scoring.claims import (
    PromptedDecomposer,
    SentenceDecomposer,
    claim_answer,
    decompose_answer,
)
from goldsmith.scoring.judge_tasks import DECOMPOSE, DecomposeReply
from goldsmith.scoring.records import AnswerOutcome
from goldsmith.scoring.run_records import RecordedClaim, RunRecord


def read(answer: str, *supplied: str, language: str = "en") -> list[tuple[str, tuple[str, ...]]]:
    record = RunRecord("q", list(supplied), answer=answer)
    claimed = claim_answer(record, language=language)
    return [(claim.text, claim.cited_ids) for claim in claimed.claims]


def test_a_marker_behind_the_full_stop_belongs_to_the_sentence_before() -> None:
    assert read("F1 is so. [1] F2 is so. [2]", "1", "2") == [
        ("F1 is so.", ("1",)),
        ("F2 is so.", ("2",)),
    ]
    assert read("F1 is so.\n[1] F2 is so.\n[2]", "1", "2") == [
        ("F1 is so.", ("1",)),
        ("F2 is so.", ("2",)),
    ]


def test_a_marker_before_the_full_stop_ends_its_sentence() -> None:
    assert read("ok [p1]. bad [p9].") == [("ok.", ("p1",)), ("bad.", ("p9",))]


@pytest.mark.parametrize(
    "sentence",
    [
        "The job runs at 02:00 a.m. UTC every day.",
        "Use a cache, e.g. Redis or a file.",
        "It came with v2.1 of the client.",
        "See https://a.example/b.html?x=1.5 for more.",
        "Prof. Li et al. wrote it in Fig. 2 of the paper.",
    ],
)
def test_what_ends_no_sentence(sentence: str) -> None:
    assert [text for text, _ in read(f"{sentence} [p-1] Next one. [p-2]")] == [
        sentence,
        "Next one.",
    ]


def test_list_items_are_claims_of_their_own_and_do_not_split_behind_their_number() -> None:
    answer = (
        "It depends:\n\n1. Business keeps 90 days. [p-1]\n"
        "2. Enterprise keeps 365 [p-2]\n- more [p-3]"
    )
    assert read(answer) == [
        ("It depends:", ()),
        ("Business keeps 90 days.", ("p-1",)),
        ("Enterprise keeps 365", ("p-2",)),
        ("more", ("p-3",)),
    ]


def test_a_leading_marker_binds_to_nothing_and_is_listed() -> None:
    claimed = claim_answer(RunRecord("q", [], answer="First. [p-1]\n\n- [p-2] Second."))
    assert [claim.cited_ids for claim in claimed.claims] == [("p-1",), ()]
    assert claimed.near_markers == ("[p-2] (no_sentence_before)",)


def test_headings_code_table_heads_and_source_lists_claim_nothing() -> None:
    answer = (
        "## Retention\n\nKept 90 days. [p-1]\n\n```\nkeep(90)\n```\n\n"
        "| plan | days |\n|---|---|\n| Business | 90 [p-1] |\n\nSources:\n[p-1] Plans"
    )
    assert read(answer) == [("Kept 90 days.", ("p-1",)), ("Business | 90", ("p-1",))]


def test_links_and_emphasis_are_cleaned_after_markers_were_read() -> None:
    claimed = claim_answer(
        RunRecord("q", [], answer="**Kept** [for long](https://a.example/x) on __Business__. [p-1]")
    )
    assert claimed.claims[0].text == "Kept for long on Business."
    assert claimed.claims[0].cited_ids == ("p-1",)
    assert claimed.links == ("https://a.example/x",)


def test_dunder_names_in_code_survive() -> None:
    assert read("Call `__init__` first. [p-1]") == [("Call `__init__` first.", ("p-1",))]


def test_japanese_and_german() -> None:
    assert read("これは文です。[p-1]次の文です[p-2]。") == [
        ("これは文です。", ("p-1",)),
        ("次の文です。", ("p-2",)),
    ]
    german = "Das gilt z. B. ab dem 3. Mai. [p-1] Danach nicht mehr [p-2]."
    assert read(german, language="de") == [
        ("Das gilt z. B. ab dem 3. Mai.", ("p-1",)),
        ("Danach nicht mehr.", ("p-2",)),
    ]


def test_the_same_id_twice_counts_once() -> None:
    claim = claim_answer(RunRecord("q", [], answer="So it is [p-1] [p-1, p-2].")).claims[0]
    assert (claim.cited_ids, claim.duplicate_markers) == (("p-1", "p-2"), 1)
    assert claim.sentence == "So it is [p-1] [p-1, p-2]."


def test_recorded_claims_are_taken_as_they_are() -> None:
    record = RunRecord(
        "q", [], answer="other text [p-9]", claims=(RecordedClaim("A. B.", ("x", "y", "x")),)
    )
    (claim,) = claim_answer(record).claims
    assert (claim.text, claim.cited_ids, claim.duplicate_markers) == ("A. B.", ("x", "y"), 1)


@pytest.mark.parametrize(
    ("record", "outcome"),
    [
        (RunRecord("q", []), AnswerOutcome.EMPTY_OUTPUT),
        (RunRecord("q", [], answer=" \n"), AnswerOutcome.EMPTY_OUTPUT),
        (RunRecord("q", [], claims=()), AnswerOutcome.EMPTY_OUTPUT),
        (RunRecord("q", [], answer="[p-1] [p-2]"), AnswerOutcome.EXTRACTION_FAILED),
        (RunRecord("q", [], answer="```\nx\n```"), AnswerOutcome.EXTRACTION_FAILED),
    ],
)
def test_outcomes_of_their_own(record: RunRecord, outcome: AnswerOutcome) -> None:
    claimed = claim_answer(record)
    assert claimed.outcome is outcome
    assert claimed.claims == ()
    assert claimed.detail


def test_decomposition_passes_the_ids_on() -> None:
    model = ScriptedModel(
        {
            DECOMPOSE.name: [
                DecomposeReply(reasoning="", claims=("X holds.", "Y holds.")),
                DecomposeReply(reasoning="", claims=()),
            ]
        }
    )
    claimed = claim_answer(RunRecord("q", [], answer="X and Y hold. [p-1] Glad to help!"))
    made = asyncio.run(decompose_answer(claimed, "Which?", PromptedDecomposer(model)))
    assert [(c.text, c.cited_ids) for c in made.claims] == [
        ("X holds.", ("p-1",)),
        ("Y holds.", ("p-1",)),
    ]
    assert [v.before for v in model.calls_of(DECOMPOSE)] == ["", "X and Y hold."]


def test_one_sentence_that_fails_fails_the_answer() -> None:
    model = ScriptedModel(
        {DECOMPOSE.name: [DecomposeReply(reasoning="", claims=("X.",)), Failure("unparseable")]}
    )
    claimed = claim_answer(RunRecord("q", [], answer="It holds. So does that."))
    made = asyncio.run(decompose_answer(claimed, "Which?", PromptedDecomposer(model)))
    assert made.outcome is AnswerOutcome.EXTRACTION_FAILED
    assert made.claims == ()
    assert "unparseable" in made.detail


def test_without_a_model_the_sentence_is_the_claim() -> None:
    claimed = claim_answer(RunRecord("q", [], answer="X and Y hold. [p-1]"))
    assert asyncio.run(decompose_answer(claimed, "Which?", SentenceDecomposer())) == claimed


@given(st.text(alphabet="ab .!?\n-[]p1|`*#()\u3002\u3042"))
def test_every_sentence_stands_where_it_says(answer: str) -> None:
    read_one = read_answer(answer, supplied=("p1",))
    last = 0
    for sentence in read_one.sentences:
        assert last <= sentence.start < sentence.end <= len(answer)
        letters = [c for c in sentence.text if c.isalpha()]
        original = answer[sentence.start : sentence.end]
        assert all(letter in original for letter in letters)
        last = sentence.start
    bound = sum(len(s.ids) + s.duplicate_markers for s in read_one.sentences)
    cited = [
        m for m in read_one.marks.markers if m.start < len(answer) - len(read_one.sources_section)
    ]
    loose = {(n.start, n.end) for n in read_one.unbound}
    assert bound == sum(len(m.ids) for m in cited if (m.start, m.end) not in loose)
