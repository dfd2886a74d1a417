"""A question about the state as of a version or date that the corpus does not cover."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from goldsmith.ids import uniform_hash
from goldsmith.llm.tasks import OutdatedReply, ProbeVariables
from goldsmith.offline.reply import Declined

if TYPE_CHECKING:
    from collections.abc import Iterator

    from goldsmith.offline.library import Library

_DATED = re.compile(
    r"\bversion\b|\b(?:19|20)\d\d\b|\bin [A-Z]\w+ \d|\brelease\b|^When\b|^Why\b", re.IGNORECASE
)
_AUXILIARY = re.compile(r"\b(is|are|does|do|can|has|have)\b(?= )")
_PAST = {
    "is": "was",
    "are": "were",
    "does": "did",
    "do": "did",
    "can": "could",
    "has": "had",
    "have": "had",
}
_SERIES = 3
_MONTHS = ("January", "March", "May", "July", "September", "November")


def write_outdated(variables: ProbeVariables, library: Library) -> OutdatedReply | Declined:
    """The twin's question at a time of which the corpus does not speak."""
    twin = variables.twin_question.removesuffix("?")
    if variables.language != "en":
        return Declined(
            "unsupported_language", f"rules for English only, not {variables.language!r}"
        )
    if _DATED.search(twin):
        return Declined("dated_twin", "the twin asks about a time itself")
    draw = uniform_hash(1, twin)
    past = _AUXILIARY.sub(lambda found: _PAST[found[1]], twin, count=1)
    moments = [*_versions(library), *_dates(library, draw)]
    if past == twin:
        moments = [moment for moment in moments if not moment[1]]
    if not moments:
        return Declined("no_time_outside", "neither a version nor a date lies outside the corpus")
    as_of, is_past = moments[draw % len(moments)]
    return OutdatedReply(
        reasoning=f"the passage states one time's answer; the corpus says nothing of {as_of}",
        as_of=as_of,
        question=f"{past if is_past else twin} in {as_of}?",
    )


def _versions(library: Library) -> Iterator[tuple[str, bool]]:
    """Versions of the product that the corpus names most, before and after those that it knows."""
    known = library.lexicon.versions
    series = [name for name in known if len(known[name]) >= _SERIES]
    named = [name for name in series if name[0].isupper()] or series
    if not named:
        return
    product = max(sorted(named), key=lambda name: known[name].total())
    numbers = [tuple(map(int, version.split("."))) for version in known[product].elements()]
    major = max(sorted(set(numbers)), key=lambda n: sum(other[0] == n[0] for other in numbers))[0]
    last = max(minor for n, minor in numbers if n == major)
    everywhere = {version for versions in known.values() for version in versions}
    first = min(numbers)[0]
    for version, past in ((f"{major}.{last + 2}", False), (f"{first - 1}.4", True)):
        if first > 1 and version not in everywhere:
            yield f"{product} {version}", past


def _dates(library: Library, draw: int) -> Iterator[tuple[str, bool]]:
    """A month before the first, and after the last, year of which the corpus speaks."""
    years = library.lexicon.years
    if years:
        month = _MONTHS[draw // 7 % len(_MONTHS)]
        yield f"{month} {min(years) - 1 - draw % 3}", True
        yield f"{month} {max(years) + 1}", False
