"""Does an answer agree with a passage in what a reader would hold it to? No model is asked.

Numbers with their units, versions, dates, names and negation are compared as written. These
checks are deliberately one-sided: they find answers that a passage does not state, they do not
prove that it does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from goldsmith.corpus.words import content_words, stem, words


class Aspect(StrEnum):
    """What two texts can disagree about."""

    NUMBER = "number"
    UNIT = "unit"
    NAME = "name"
    NEGATION = "negation"


@dataclass(frozen=True, slots=True)
class Disagreement:
    """Something the answer says and the passage does not."""

    aspect: Aspect
    said: str


_SAME_COVERAGE = 0.8

_NUMBER_WORDS = {
    "zero": "0",
    "one": "1",
    "two": "2",
    "three": "3",
    "four": "4",
    "five": "5",
    "six": "6",
    "seven": "7",
    "eight": "8",
    "nine": "9",
    "ten": "10",
    "eleven": "11",
    "twelve": "12",
}
_NUMBER = re.compile(r"(?<![\w.])v?\d+(?:[.,:]\d+)*", re.IGNORECASE)
_UNIT = re.compile(
    r"(?P<number>\d+(?:[.,]\d+)*)\s*(?:-\s*)?(?P<unit>%|°C|[€$£¥]|[^\W\d_]+)", re.IGNORECASE
)
_MONEY = re.compile(r"(?P<unit>[€$£¥])\s*(?P<number>\d+(?:[.,]\d+)*)")
_NAME = re.compile(r"(?<![.!?:]\s)(?<!^)\b(?:[A-Z][\w-]*[a-z][\w-]*)(?:\s+[A-Z][\w-]*)*")
_IDENTIFIER = re.compile(r"\b\w+(?:_\w+)+\b|\b[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+\b")
_UNITS = frozenset(
    stem(word, "en")
    for word in (
        *("ms", "millisecond", "second", "minute", "hour", "day", "week", "month", "year"),
        *("bit", "byte", "kb", "mb", "gb", "tb", "kib", "mib", "gib", "percent", "%"),
        *("character", "word", "token", "line", "page", "row", "event", "request", "call"),
        *("user", "seat", "member", "file", "item", "attempt", "time", "retry", "dollar", "euro"),
        *("metre", "meter", "km", "kg"),
    )
)
_NEGATIONS = {
    "en": re.compile(
        r"\b(?:not|no|never|none|cannot|without|neither|nor)\b|n['’]t\b", re.IGNORECASE
    ),
    "de": re.compile(r"\b(?:nicht|kein\w*|nie|niemals|ohne|weder)\b", re.IGNORECASE),
    "fr": re.compile(r"\b(?:ne|n['’]|pas|jamais|sans|aucune?)\b", re.IGNORECASE),
    "es": re.compile(r"\b(?:no|nunca|jamás|sin|ningun[oa]?|ningún)\b", re.IGNORECASE),
}
_YES_NO = re.compile(r"^\s*(?:yes|no|ja|nein|oui|non|sí|はい|いいえ)\b", re.IGNORECASE)


def numbers(text: str) -> frozenset[str]:
    """Numbers, versions, times, as written but for thousands separators and a leading v.

    Small English number words count as digits.
    """
    found = {_plain(match) for match in _NUMBER.findall(text)}
    found.update(_NUMBER_WORDS[word] for word in words(text) if word in _NUMBER_WORDS)
    return frozenset(found)


def quantities(text: str) -> frozenset[tuple[str, str]]:
    """(number, unit) pairs for units that are known by name."""
    found: set[tuple[str, str]] = set()
    spelled = re.sub(
        rf"\b(?:{'|'.join(_NUMBER_WORDS)})\b",
        lambda match: _NUMBER_WORDS[match.group().lower()],
        text,
        flags=re.IGNORECASE,
    )
    for pattern in (_UNIT, _MONEY):
        for match in pattern.finditer(spelled):
            unit = stem(match["unit"].casefold(), "en")
            if unit in _UNITS or unit in "€$£¥":
                found.add((_plain(match["number"]), unit))
    return frozenset(found)


def _plain(number: str) -> str:
    number = number.casefold().removeprefix("v")
    return re.sub(r",(?=\d{3}(?!\d))", "", number)


def is_negated(text: str, language: str = "en") -> bool:
    """Whether the text holds a word of negation (False for languages without a list)."""
    pattern = _NEGATIONS.get(language)
    return bool(pattern and pattern.search(text))


def disagreements(answer: str, passage: str, language: str = "en") -> list[Disagreement]:
    """What the answer says that the passage does not; empty when nothing was found.

    A "yes" or "no" at the start is the answerer's own and not looked for.
    """
    body = _YES_NO.sub("", answer)
    found = [
        Disagreement(Aspect.NUMBER, number) for number in sorted(numbers(body) - numbers(passage))
    ]
    stated = quantities(passage)
    stated_numbers = {number for number, _ in stated}
    found += [
        Disagreement(Aspect.UNIT, f"{number} {unit}")
        for number, unit in sorted(quantities(body) - stated)
        if number in stated_numbers
    ]
    passage_words = set(words(passage))
    found += [
        Disagreement(Aspect.NAME, name)
        for name in dict.fromkeys(_NAME.findall(body) + _IDENTIFIER.findall(body))
        if not set(words(name)) <= passage_words
    ]
    if language in _NEGATIONS and is_negated(body, language) and not is_negated(passage, language):
        found.append(Disagreement(Aspect.NEGATION, answer))
    return found


def content_coverage(answer: str, passage: str, language: str = "en") -> float:
    """Share of the answer's content words that the passage holds; 1 for an answer without any."""
    # Numbers are compared by `numbers`, which knows that 10,000 is 10000.
    said = {word for word in content_words(answer, language) if not word[0].isdigit()}
    return len(said & set(content_words(passage, language))) / len(said) if said else 1.0


def same_answer(gold: str, answer: str, language: str = "en") -> bool:
    """Whether `answer` says what `gold` says, without a model.

    Numbers, units and negation must be equal; of the content words of the gold answer at least
    four in five must be there.
    """
    if numbers(gold) - numbers(answer) or is_negated(gold, language) != is_negated(
        answer, language
    ):
        return False
    known = {number for number, _ in quantities(answer)}
    if any(number in known for number, _ in quantities(gold) - quantities(answer)):
        return False
    return content_coverage(gold, answer, language) >= _SAME_COVERAGE
