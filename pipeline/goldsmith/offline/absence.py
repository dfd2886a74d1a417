"""Does one passage alone answer a question? The judge of an absence search."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from goldsmith.corpus.words import words
from goldsmith.llm.tasks import AbsenceReply, AbsenceVariables
from goldsmith.offline.asked import asked_words, stems
from goldsmith.offline.passages import statements
from goldsmith.records import Answering

if TYPE_CHECKING:
    from goldsmith.offline.library import Library

_ABSENT_BELOW, _HARDLY, _ANSWERED_FROM = 0.35, 0.26, 0.85
_NAME = re.compile(r"(?<=\s)[A-Z][\w-]*(?:\s+[A-Z][\w-]*)*")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*(?!\d|st\b|nd\b|rd\b|th\b)")
"""Written in digits; ordinals may be spelled out."""
_KNOWN = 5
"""Mentions in the corpus from which a name of several words is one that writers give in full."""


def judge_absence(variables: AbsenceVariables, library: Library) -> AbsenceReply:
    """`answers`, `partly` or `no`, with what was measured.

    Made for proofs of absence, where a wrong `no` is the worst error: `no` needs a reason (a
    number or name that the passage lacks, or most of the words).
    """
    question, source = variables.question, variables.source
    whole = f"{source.title}\n{source.section}\n{source.text}"
    asked = asked_words(question)
    share = len(asked & stems(whole)) / len(asked) if asked else 0.0
    best = max((one.share(asked) for one in statements(source)), default=0.0)
    rationale = f"the passage holds {share:.0%} of the question's words, one statement {best:.0%}"
    if missing := _unspoken(question, whole, library):
        rationale, verdict = f"the passage does not speak of {missing[0]!r}", Answering.NO
    elif share < _ABSENT_BELOW or best < _HARDLY:
        verdict = Answering.NO
    elif best >= _ANSWERED_FROM or library.fact_for(question, source):
        verdict = Answering.ANSWERS
    else:
        verdict = Answering.PARTLY
    return AbsenceReply(rationale=rationale, verdict=verdict)


def _unspoken(question: str, whole: str, library: Library) -> list[str]:
    """Numbers and names of the question that the passage lacks."""
    said, text = set(_NUMBER.findall(whole.replace(",", ""))), whole.casefold()
    missing = [n for n in _NUMBER.findall(question) if n.replace(",", "") not in said]
    for name in _NAME.findall(question):
        # Any word of a name will do, but abbreviations of one or two letters prove nothing.
        parts = [word for word in words(name) if len(word) > 2]  # noqa: PLR2004 - see above
        in_full = " " in name and library.lexicon.names[name] >= _KNOWN
        lacking = name.casefold() not in text if in_full else not any(p in text for p in parts)
        if parts and lacking:
            missing.append(name)
    return missing
