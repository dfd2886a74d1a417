"""Amounts in a clause: "How many ...?", "For how long ...?", "How often ...?"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from goldsmith.offline.clauses import Clause

_AMOUNT = re.compile(
    r"(?P<before>(?:(?!(?:that|which|who|and|or|when|if|than|not)\b)[^\W\d][\w-]*+ )*?)"
    r"(?<![A-Z]{3} )"
    r"(?P<answer>(?:(?:(?:at most )?once (?:every|each)|up to|at most|at least|about|exactly|only"
    r"|no more than|more than|less than|every|each|the last|the first) )?"
    r"(?:\d[\d,.]*|two|three|four|five|six|seven|eight|nine|ten|twelve) "
    r"(?P<noun>(?!more |further )(?:[\w-]+ ){0,2}?[A-Za-z][a-z-]*[^\Ws]s"
    r"|[KMGT]i?B|dpi|second|minute|hour|day|month))"
    r"(?P<measure> long| large| high| wide| deep| old)?"
    r"(?P<after> (?:of|for|per|in|on|from|at|to|with|after|before|by|each) [^,;:(\d]+?)?"
    r"(?:(?:,| and| or| when| if) .+)?"
)
_TIME = re.compile(r"(?:milli)?seconds?|minutes?|hours?|days?|weeks|months?|years")
_LASTING = frozenset({"take", "last", "wait", "stay", "remain", "run"})
_PREPOSITION = re.compile(r"(?:(.*) )?(for|within|after|in|by|at|on|from|with|over)")
_MADE_OF = re.compile(r"((?:\w+ )?)an? ((?!period|maximum|minimum|total)[\w -]+) of")
_DIRECT = re.compile(r"\w*(?: (?:back|up|out|down))?")


def amount_asked(clause: Clause, subject: str) -> tuple[str, str]:
    """As in: "A schema can have 300 fields": "How many fields can a schema have", "300 fields".

    Question (without its mark) and answer, both empty when there is no amount or no sure question.
    """
    found = _AMOUNT.fullmatch(clause.rest)
    if found is None or re.search(r" and | or ", found["after"] or ""):
        return "", ""
    asked, before = _asking(found, clause)
    after, core = (found["after"] or "").strip(), clause.core(subject)
    parts = (asked, after, core, before) if after[:3] == "of " else (asked, core, before, after)
    return (" ".join(filter(None, parts)), found["answer"]) if asked else ("", "")


def _asking(found: re.Match[str], clause: Clause) -> tuple[str, str]:
    """The asking words (none when unsure), and what stays behind the verb."""
    before, noun, time = found["before"].strip(), found["noun"], _TIME.fullmatch(found["noun"])
    if found["measure"]:
        return f"How{found['measure']}", before
    if made := _MADE_OF.fullmatch(before):
        return "" if _PREPOSITION.match(made[1]) else f"What {made[2]}", made[1].strip()
    if (led := _PREPOSITION.fullmatch(before)) and not found["answer"].startswith("the "):
        lasting = {"for": "For how long", "within": "Within what time"} if time else {}
        loose = found["after"] and not time and not found["after"].startswith(" of ")
        counted = "" if loose else f"{led[2].capitalize()} how many {noun}"
        return lasting.get(led[2], counted), led[1] or ""
    if time and re.search(r"\b(?:every|each) ", found["answer"]):
        return "How often", before
    if time and (clause.verb or before) in _LASTING:
        return "How long", before
    # The verb itself stands before the amount, or nothing does.
    modal = clause.auxiliary not in {"is", "are", "was", "were"} and not clause.verb
    direct = _DIRECT.fullmatch(before) if modal else clause.verb and not before
    return f"How many {noun}" if direct else "", before
