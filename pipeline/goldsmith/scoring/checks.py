"""Deterministic checks behind a judge's `supports`: does what can be checked exactly agree?

Each number, unit, version and negation of the claim is looked for in the passages
(`corpus.agreement`, the same rules as in the build); dates are compared as dates, so that
"3 May 2024" and "2024-05-03" agree. The checks are one-sided: they catch a claim that the passages
do not state, they never prove one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.corpus.agreement import Aspect, disagreements

if TYPE_CHECKING:
    from collections.abc import Iterator

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar j\u00e4nner enero janvier",
            "february feb februar febrero f\u00e9vrier",
            "march mar m\u00e4rz marzo mars",
            "april apr abril avril",
            "may mai mayo",
            "june jun juni junio juin",
            "july jul juli julio juillet",
            "august aug agosto ao\u00fbt",
            "september sep sept septiembre septembre",
            "october oct oktober okt octubre octobre",
            "november nov noviembre novembre",
            "december dec dezember dez diciembre d\u00e9cembre",
        ),
        start=1,
    )
    for name in names.split()
}
_MONTH = rf"(?P<month>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\.?"
_ISO = re.compile(r"(?<!\d)(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})(?!\d)")
_DAY_FIRST = re.compile(
    rf"(?<!\d)(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?\s+(?:of\s+|de\s+)?{_MONTH},?\s+(?:de\s+)?(?P<year>\d{{4}})\b",
    re.IGNORECASE,
)
_MONTH_FIRST = re.compile(
    rf"\b{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?,?\s+(?P<year>\d{{4}})\b", re.IGNORECASE
)
_EAST_ASIAN = re.compile(
    r"(?P<year>\d{4})\s*\u5e74\s*(?P<month>\d{1,2})\s*\u6708\s*(?P<day>\d{1,2})\s*\u65e5"
)


@dataclass(frozen=True, slots=True)
class Unstated:
    """What a claim says that its passages do not."""

    facts: tuple[str, ...]
    """Numbers, units, dates, versions, negation: `number 90`, `date 2024-05-03`, `negation`."""
    names: tuple[str, ...]
    """Left to the judge: a passage may well call a thing by another name."""


def unstated(claim: str, passages: str, language: str = "en") -> Unstated:
    """Look everything that can be looked up exactly up in the passages."""
    said = list(_dates(claim))
    stated = {date for _, date in _dates(passages)} if said else set()
    facts = [f"date {date}" for _, date in said if date not in stated]
    # The parts of a date are no numbers of their own: 05 in one is May in the other.
    rest = claim
    for (start, end), _ in said:
        rest = rest[:start] + " " * (end - start) + rest[end:]
    found = disagreements(rest, passages, language)
    facts += [
        f"{one.aspect.value} {one.said}" if one.aspect is not Aspect.NEGATION else "negation"
        for one in found
        if one.aspect is not Aspect.NAME
    ]
    names = (one.said for one in found if one.aspect is Aspect.NAME)
    return Unstated(tuple(dict.fromkeys(facts)), tuple(names))


def failed_checks(claim: str, passages: str, language: str = "en") -> tuple[str, ...]:
    """The facts of the claim that the passages do not state; empty when all checks pass."""
    return unstated(claim, passages, language).facts


def _dates(text: str) -> Iterator[tuple[tuple[int, int], str]]:
    """Full dates (day, month and year) in ISO form, with where they stand."""
    for pattern in (_ISO, _DAY_FIRST, _MONTH_FIRST, _EAST_ASIAN):
        for match in pattern.finditer(text):
            named = match["month"].casefold()
            month = _MONTHS[named] if named in _MONTHS else int(named)
            yield match.span(), f"{match['year']}-{month:02d}-{int(match['day']):02d}"
