"""Did the system abstain? Its own flag decides; without one, the way its answer begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.corpus.sentences import sentences
from goldsmith.scoring.abstention_phrases import PHRASES

if TYPE_CHECKING:
    from goldsmith.scoring.run_records import RunRecord


@dataclass(frozen=True, slots=True)
class Abstention:
    """`inferred`: the record said nothing, so the answer's words were read."""

    abstained: bool
    inferred: bool


def abstention_of(record: RunRecord, language: str = "en") -> Abstention:
    """The flag wins over everything, markers included. A record with no flag and no words at all
    did not abstain: that is an empty output.
    """
    if record.abstained is not None:
        return Abstention(record.abstained, inferred=False)
    said = record.answer
    if said is None and record.claims is not None:
        said = record.claims[0].text if record.claims else ""
    return Abstention(bool(said) and abstains(said or "", language), inferred=True)


def abstains(answer: str, language: str = "en") -> bool:
    """Whether the first sentence says that there is no answer.

    Only the first: "Business plans keep records for 90 days. The handbook does not mention Starter
    plans." answers. Systems abstain in English whatever the question's language, so English is
    always tried.
    """
    found = sentences(answer, language)
    if not found:
        return False
    first = found[0].text.replace("\u2019", "'")
    return any(
        PHRASES[code].search(first) for code in dict.fromkeys((language, "en")) if code in PHRASES
    )
