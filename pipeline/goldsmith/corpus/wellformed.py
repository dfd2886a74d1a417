"""Is this a question that can be published, as far as can be told from its wording alone?"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.corpus.words import content_words

if TYPE_CHECKING:
    from collections.abc import Iterator

_MIN_WORDS_TO_LEAK = 2

_QUESTION_MARK = re.compile(r"[?？؟;]\W*$")
_ENUMERATED = re.compile(r"^\s*(?:\d+[.)]|[-*•]|q(?:uestion)?\s*\d*\s*:)", re.IGNORECASE)
_PREAMBLE = re.compile(r"^(?:here (?:is|are)|sure\b|certainly\b|question\s*:)", re.IGNORECASE)
_CHOICE = {
    "en": re.compile(r"\bor\b", re.IGNORECASE),
    "de": re.compile(r"\boder\b", re.IGNORECASE),
    "fr": re.compile(r"\bou\b", re.IGNORECASE),
    "es": re.compile(r"\b[ou]\b", re.IGNORECASE),
    "ja": re.compile(r"または|それとも"),
    "zh": re.compile(r"还是|還是"),
}
"""A question that offers the answers to choose from does not leak the right one."""

_SOURCE_WORDS = (
    r"(?:context|passage|text|excerpt|document(?:ation)?|source|section|paragraph|snippet|page)"
)
_REFERS_TO_SOURCE = re.compile(
    rf"\b(?:according to|based on|in|from|of|by|does|do) (?:the|this|these|both|each)"
    rf"(?: (?:given|provided|above|following|two))? {_SOURCE_WORDS}s?\b"
    rf"|\b(?:the|this) {_SOURCE_WORDS} (?:says?|states?|mentions?|describes?|above|below)\b"
    rf"|\b(?:mentioned|described|stated|listed) (?:above|below|here)\b"
    r"|\bpassages? [A-D]\b|\b(?:im|laut dem|dem) (?:Text|Dokument|Kontext|Abschnitt)\b"
    r"|(?:この|上記の)(?:文章|文書|テキスト|資料)|(?:根据|該|该)(?:上文|文本|文档|文件)",
    re.IGNORECASE,
)

_REFUSALS = re.compile(
    r"\b(?:the )?(?:context|passage|text|document|source|excerpt)s? (?:does|do) not"
    r"|\bnot (?:mentioned|specified|stated|provided|explicitly|given) (?:in|by) the\b"
    r"|\bi (?:cannot|can't|am unable|could not|don't know)\b"
    r"|\bno (?:information|answer) (?:is|was)?\b"
    r"|\bcannot be (?:answered|determined)\b|\b(?:unknown|n/a|not available|not specified)\W*$"
    r"|\b(?:der|im) (?:Kontext|Text)\b.*\bnicht\b|\bkeine (?:Angabe|Information)en?\b"
    r"|\bnicht (?:erwähnt|angegeben|genannt)\b"
    r"|(?:記載|言及|情報)(?:が|は)?(?:ありません|されていません|ない)|わかりません|答えられません"
    r"|没有提(?:到|及)|未提及|無法回答|无法回答",
    re.IGNORECASE | re.DOTALL,
)

_SCRIPTS = {
    "ja": re.compile(r"[\u3040-\u30ff]"),
    "zh": re.compile(r"[\u4e00-\u9fff]"),
    "ko": re.compile(r"[\uac00-\ud7af]"),
    "ru": re.compile(r"[\u0400-\u04ff]"),
    "uk": re.compile(r"[\u0400-\u04ff]"),
    "el": re.compile(r"[\u0370-\u03ff]"),
    "ar": re.compile(r"[\u0600-\u06ff]"),
    "he": re.compile(r"[\u0590-\u05ff]"),
    "th": re.compile(r"[\u0e00-\u0e7f]"),
}
"""A letter that a question in the language must hold."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a draft is rejected: a reason for the funnel, a sentence for a reader."""

    reason: str
    detail: str


def is_refusal(answer: str) -> bool:
    """Whether an "answer" says that there is none, in one of several languages."""
    return bool(_REFUSALS.search(answer))


def refers_to_source(question: str) -> bool:
    """Whether a question speaks of "the passage" that its reader has never seen."""
    return bool(_REFERS_TO_SOURCE.search(question))


def question_fault(question: str, answer: str, language: str) -> Fault | None:
    """The first fault of a question and its answer, or None."""
    return next(_faults(question, answer, language), None)


def _faults(question: str, answer: str, language: str) -> Iterator[Fault]:
    if not question.strip():
        yield Fault("empty_question", "the question is empty")
    if not answer.strip():
        yield Fault("empty_answer", "the answer is empty")
    if _PREAMBLE.match(question) or _ENUMERATED.match(question) or "\n" in question.strip():
        yield Fault("not_a_question", "a preamble or a list in place of a question")
    if not _QUESTION_MARK.search(question):
        yield Fault("not_a_question", "it does not end with a question mark")
    if is_refusal(answer):
        yield Fault("refusal_as_answer", "the answer says that there is none")
    if refers_to_source(question):
        yield Fault("refers_to_source", "the question speaks of the text it was written from")
    if _leaks(question, answer, language):
        yield Fault("leaks_answer", "the question contains its answer")
    if wrong := _wrong_language(question, language):
        yield Fault("wrong_language", wrong)


def _leaks(question: str, answer: str, language: str) -> bool:
    said, asked = set(content_words(answer, language)), set(content_words(question, language))
    choice = _CHOICE.get(language)
    if choice is not None and choice.search(question):
        return False
    return len(said) >= _MIN_WORDS_TO_LEAK and said <= asked


def _wrong_language(question: str, language: str) -> str:
    """Empty when nothing speaks against the language.

    A question is too short for statistics; its script is certain.
    """
    required = _SCRIPTS.get(language)
    if required is not None and not required.search(question):
        return f"expected {language!r}, and the question has no letter of its script"
    foreign = [code for code, script in _SCRIPTS.items() if script.search(question)]
    if required is None and foreign:
        return f"expected {language!r}, and the question is written like {foreign[0]!r}"
    return ""
