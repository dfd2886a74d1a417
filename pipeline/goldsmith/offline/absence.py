"""Does one passage alone answer a question? The judge of an absence search."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from goldsmith.corpus.words import words
from goldsmith.llm.tasks import AbsenceReply, AbsenceVariables, Source
from goldsmith.offline.asked import asked_words, stems
from goldsmith.offline.passages import read_passage, texts
from goldsmith.records import Answering

if TYPE_CHECKING:
    from goldsmith.offline.library import Library

_ABSENT_BELOW, _ANSWERED_FROM = 0.35, 0.85
_TELLING, _HARDLY = 4, 0.26
_NAME = re.compile(r"(?<=\s)[A-Z][\w-]*(?:\s+[A-Z][\w-]*)*")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*(?!\d|st\b|nd\b|rd\b|th\b)")
"""Written in digits; ordinals may be spelled out."""
_COUNTED = re.compile(r"\bhow many ((?:[\w-]+ )?[\w-]+)", re.IGNORECASE)
_KNOWN = 5
"""Mentions in the corpus from which a name of several words is one that writers give in full."""
_AMOUNTS = (
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|half|once|twice)\b"
)
_COUNTS = (
    r"|\b(?:hundred|thousand|million|dozen|several|many|few|every|each|daily|weekly|yearly|no)\b"
)
_KINDS = (
    (
        re.compile(
            r"\bhow (?:many|much|long|often|old|large|far|high)\b|\bpercentage\b", re.IGNORECASE
        ),
        re.compile(_AMOUNTS + _COUNTS, re.IGNORECASE),
    ),
    (
        re.compile(r"\bwhy\b", re.IGNORECASE),
        re.compile(
            r"\b(?:because|since|so|due|therefore|reason|caus\w+|to|thus|as|for|result\w*|led)\b",
            re.IGNORECASE,
        ),
    ),
)
"""What a question asks for, and the least sign that a passage has something of the sort."""


@dataclass(frozen=True, slots=True)
class _Said:
    """What a passage holds, its headings included."""

    text: str
    stems: frozenset[str]
    numbers: frozenset[str]
    statements: tuple[frozenset[str], ...]

    def best(self, asked: frozenset[str]) -> float:
        """The largest share of the words asked that one statement and its headings hold."""
        shares = (len(asked & statement) / len(asked) for statement in self.statements if asked)
        return max(shares, default=0.0)

    def mentions(self, name: str) -> bool:
        """Any word of the name; abbreviations of one or two letters prove nothing."""
        parts = [word for word in words(name) if len(word) > 2]  # noqa: PLR2004
        return (
            not parts or any(word in self.text for word in parts) or bool(stems(name) & self.stems)
        )


def judge_absence(variables: AbsenceVariables, library: Library) -> AbsenceReply:
    """`answers`, `partly` or `no`, with what was measured.

    Made for proofs of absence, where a wrong `no` is the worst error: `no` needs a reason (a
    number or name that the passage lacks, nothing of the kind asked for, most words missing).
    """
    question, source = variables.question, variables.source
    said = _said(source.title, source.section, source.text)
    if reason := _lacking(question, source, said, library):
        return AbsenceReply(rationale=reason, verdict=Answering.NO)
    if fact := library.fact_for(question, source):
        return AbsenceReply(rationale=f"stated: {fact.statement!r}", verdict=Answering.ANSWERS)
    asked = asked_words(question)
    best = said.best(asked)
    verdict = Answering.ANSWERS if best >= _ANSWERED_FROM else Answering.PARTLY
    rationale = f"one statement holds {best:.0%} of the question's words"
    return AbsenceReply(rationale=rationale, verdict=verdict)


def _lacking(question: str, source: Source, said: _Said, library: Library) -> str:
    """The reason for `no`, or an empty text."""
    return (
        _unnamed(question, said, library)
        or _unspoken(question, said)
        or _nothing_of_the_kind(question, source)
    )


def _unnamed(question: str, said: _Said, library: Library) -> str:
    """A number, name or counted thing that the passage lacks."""
    missing = [n for n in _NUMBER.findall(question) if n.replace(",", "") not in said.numbers]
    for name in _NAME.findall(question):
        given_in_full = " " in name and library.lexicon.names[name] >= _KNOWN
        if (given_in_full and name.casefold() not in said.text) or not said.mentions(name):
            missing.append(name)
    counted = _COUNTED.search(question)
    if counted and not stems(counted[1]) & said.stems:
        missing.append(counted[1])
    return f"the passage does not speak of {missing[0]!r}" if missing else ""


def _unspoken(question: str, said: _Said) -> str:
    """Too few of the words that are asked."""
    asked = asked_words(question)
    share = len(asked & said.stems) / len(asked) if asked else 0.0
    if share < _ABSENT_BELOW:
        return f"the passage holds {share:.0%} of the question's words"
    # A page about the thing is no answer yet when it has hardly a word of what is asked of it.
    attribute = asked.difference(*map(stems, _NAME.findall(question)))
    held = len(attribute & said.stems)
    if len(attribute) >= _TELLING and held / len(attribute) < _HARDLY:
        return f"the passage holds {held} of {len(attribute)} words that are asked of its subject"
    if said.best(asked) < _HARDLY:
        return f"no statement holds more than {said.best(asked):.0%} of the question's words"
    return ""


def _nothing_of_the_kind(question: str, source: Source) -> str:
    for kind, sign in _KINDS:
        if kind.search(question) and not sign.search(source.text):
            return "the passage holds nothing of the kind asked for"
    return ""


@lru_cache(maxsize=20_000)
def _said(title: str, section: str, text: str) -> _Said:
    headings = f"{title}\n{section}"
    whole = f"{headings}\n{text}"
    above = stems(headings)
    return _Said(
        text=whole.casefold(),
        stems=stems(whole),
        numbers=frozenset(_NUMBER.findall(whole.replace(",", ""))),
        statements=tuple(stems(one) | above for one in texts(read_passage(text))),
    )
