"""A question about the state as of a version or year that the corpus does not cover."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from goldsmith.ids import uniform_hash
from goldsmith.llm.tasks import OutdatedReply, ProbeVariables
from goldsmith.offline.library import Declined

if TYPE_CHECKING:
    from goldsmith.offline.lexicon import Lexicon
    from goldsmith.offline.library import Library

_TIMELESS = re.compile(
    r"\bversion\b|\brelease\b|\b(?:19|20)\d\d\b|^What (?:is|are) (?!the default)|^Wh(?:en|y)\b"
)
"""Asks about a time itself, or what no version changes: a definition, a reason."""
_SERIES = 3


def write_outdated(variables: ProbeVariables, library: Library) -> OutdatedReply | Declined:
    """The twin's question, asked of a version that the corpus does not know."""
    twin = variables.twin_question.removesuffix("?")
    if _TIMELESS.search(twin):
        return Declined("timeless_twin", "the twin asks about a time, or what no time changes")
    versions = _unknown_versions(library.lexicon)
    if not versions:
        return Declined("no_time_outside", "the corpus names no series of versions")
    as_of = versions[uniform_hash(1, twin) % len(versions)]
    return OutdatedReply(
        reasoning=f"the passage states one time's answer; the corpus says nothing of {as_of}",
        as_of=as_of,
        question=f"{twin} in {as_of}?",
    )


def _unknown_versions(lexicon: Lexicon) -> list[str]:
    """Versions to come of the product whose versions the corpus names most."""
    known = {name: seen for name, seen in lexicon.versions.items() if len(seen) >= _SERIES}
    if not known:
        return []
    product = max(sorted(known), key=lambda name: (name[0].isupper(), len(known[name])))
    major, minor = max(tuple(map(int, version.split("."))) for version in known[product])
    return [f"{product} {major}.{minor + 2}", f"{product} {major + 1}.1"]
