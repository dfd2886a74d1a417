from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goldsmith.corpus.sentences import sentences


def texts(text: str, language: str = "en") -> list[str]:
    return [sentence.text for sentence in sentences(text, language)]


@pytest.mark.parametrize(
    "whole",
    [
        "The window opens at 02:00 a.m. UTC on Sundays.",
        "It closes at 5 p.m. (CET) in winter.",
        "Use a queue, e.g. the relay, or i.e. the buffer.",
        "Version v2.1 replaces Python 3.11.",
        "Read https://example.com/a.b?c=d.",
        "See Fig. 3 and Sec. 4.2 of vol. 7 for this.",
        "It costs approx. 3.50 USD per 1.5 GB.",
        "Call `Relay. Open()` before `close.` is called.",
        "Open [the page](https://a.example/x. Y) now.",
        "Dr. Smith of Acme Inc. and Co. Ltd. signed.",
        "The steps are 1. one 2. two and 3. three.",
    ],
)
def test_what_is_one_sentence_stays_one(whole: str) -> None:
    assert texts(whole + " Next one.") == [whole, "Next one."]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "Upgrade from v2.1. Then restart.", ["Upgrade from v2.1.", "Then restart."]),
        ("en", "We close at 9 p.m. The room is open.", ["We close at 9 p.m.", "The room is open."]),
        ("en", "The answer is no. Then stop.", ["The answer is no.", "Then stop."]),
        ("en", "What?! Really... Yes.", ["What?!", "Really...", "Yes."]),
        ("en", "**Bold.** Next.", ["**Bold.**", "Next."]),
        (
            "de",
            "Das gilt z. B. für Schlüssel. Am 3. Mai kam Dr. Müller. Es kostet ca. 3,50 €. Ende.",
            [
                "Das gilt z. B. für Schlüssel.",
                "Am 3. Mai kam Dr. Müller.",
                "Es kostet ca. 3,50 €.",
                "Ende.",
            ],
        ),
        ("de", "Die 2. Version ist da. Gut.", ["Die 2. Version ist da.", "Gut."]),
        ("de", "Er bleibt bis 2021. Dann geht er.", ["Er bleibt bis 2021.", "Dann geht er."]),
        ("fr", "M. Dupont est là. Il p. ex. attend.", ["M. Dupont est là.", "Il p. ex. attend."]),
        (
            "ja",
            "保存期間は90日です。v2.1 で変わりました！「引用。文」です。",
            ["保存期間は90日です。", "v2.1 で変わりました！", "「引用。文」です。"],
        ),
        ("zh", "这是测试。真的吗？是的。", ["这是测试。", "真的吗？", "是的。"]),
        ("xx", "An unknown language. Two.", ["An unknown language.", "Two."]),
    ],
)
def test_languages(language: str, text: str, expected: list[str]) -> None:
    assert texts(text, language) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Done. [p-3310] Next.", ["Done. [p-3310]", "Next."]),
        ("Done.[1] Next.", ["Done.[1]", "Next."]),
        ("F1 is so. [1] F2 is so. [2]", ["F1 is so. [1]", "F2 is so. [2]"]),
        ("One [1, 2]. Two [3].", ["One [1, 2].", "Two [3]."]),
        ("Done. [Page 2](x) says more.", ["Done.", "[Page 2](x) says more."]),
    ],
)
def test_a_marker_stays_with_the_sentence_before_it(text: str, expected: list[str]) -> None:
    assert texts(text) == expected


def test_markup_is_a_boundary() -> None:
    text = (
        "# Limits\nA line\nthat is wrapped. Two.\n- one. More.\n- two\n\n"
        "| Plan | Days |\n|---|---|\n| Pro | 90. Or so. |\n\n```\nx = 1. Y\n```\nAfter."
    )
    assert [(s.kind.value, s.text) for s in sentences(text)] == [
        ("heading", "Limits"),
        ("prose", "A line\nthat is wrapped."),
        ("prose", "Two."),
        ("item", "one."),
        ("item", "More."),
        ("item", "two"),
        ("row", "Plan | Days"),
        ("row", "Pro | 90. Or so."),
        ("code", "```\nx = 1. Y\n```"),
        ("prose", "After."),
    ]


@pytest.mark.parametrize("text", ["", " \n\t", "---", "- ", "```"])
def test_nothing_to_read(text: str) -> None:
    assert "".join(texts(text)).strip("`") == ""


_PIECES = ["- ", "| a | b |", "|---|---|", "```", "\n", "\n\n", "word", "Word. ", "e.g. "]
_PIECES += ["a.m. UTC ", "::", "> ", "====", "# H", "。", "日本", " [p-1] ", "**", "😀", "? ", '"']


@given(
    st.one_of(st.lists(st.sampled_from(_PIECES), max_size=25).map("".join), st.text(max_size=60)),
    st.sampled_from(["en", "de", "ja", "ar", "xx"]),
)
def test_offsets_are_exact_and_in_order(text: str, language: str) -> None:
    end = 0
    for sentence in sentences(text, language):
        assert end <= sentence.start < sentence.end
        assert text[sentence.start : sentence.end] == sentence.text == sentence.text.strip()
        end = sentence.end


@given(st.lists(st.sampled_from(["Word. ", "two three ", "e.g. ", "[p-1] ", "\n", "! ", "。"])))
def test_no_word_of_a_paragraph_is_lost(pieces: list[str]) -> None:
    text = "".join(pieces)
    kept = "".join(texts(text))
    assert [c for c in kept if c.isalnum()] == [c for c in text if c.isalnum()]
