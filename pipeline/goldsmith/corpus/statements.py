"""A question turned into the statement that would answer it, with what it asks for left open.

A passage that answers reads like a statement, not like a question: a retriever that compares
meanings finds it more easily by one. The rules are for English; in other languages only the marks
of a question go. Nothing is drawn and no model is asked: the same question, the same statement.
"""

from __future__ import annotations

import re

OPEN = "…"
"""Stands for what is asked."""

_ASKED = re.compile(
    r"(?P<lead>.*?)\b(?:(?P<preposition>in|on|at|for|after|within|to|by|with|from|of|during|until|"
    r"since|under)\s+)?(?P<asking>how\s+(?:many|much|long|often|old|far|large|high|big|fast|soon)|"
    r"how|what|which|who|whom|whose|when|where|why)\b\s*(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_CLAUSE = re.compile(
    r"(?P<clause>(?:when|if|where|after|before|while|once)\b[^,]*),\s*(?P<main>.+)", re.IGNORECASE
)
_SUPPORT = re.compile(
    r"\b(?:do|does|did|can|could|may|might|must|should|will|would|shall)\b\s*", re.IGNORECASE
)
"""Verbs that a question moves before its subject. Where that ends is not known, so they go."""
_MOVED = re.compile(r"(?:do|does|did)\b|(?:is|are|was|were)\s+(?:the|a|an)\b", re.IGNORECASE)
_LINKING = (
    r"is|are|was|were|can|could|may|might|must|should|will|would|shall|has|have|had|"
    r"(?:does|do|did|is|are|was|were|can|could|has|have|had|must|should|will|would)n['’]t"
)
_AUXILIARY = re.compile(rf"(?P<what>.*?)\s*\b(?P<verb>{_LINKING})\b\s*(?P<after>.*)", re.IGNORECASE)
_YES_NO = re.compile(rf"(?:do|does|did|{_LINKING})\s+(?P<after>.+)", re.IGNORECASE)
_OF_NOUN = re.compile(r"^(?:the|a|an|its|their)\b", re.IGNORECASE)
_MARKS = "?？¿؟ \t\n"


def as_statement(question: str, language: str = "en") -> str:
    """The statement, with `…` where the answer would stand.

    "How long does the export take?" becomes "the export take …"; "What is the limit of a lane?"
    becomes "the limit of a lane is …".
    """
    bare = " ".join(question.split()).strip(_MARKS)
    if language != "en":
        return f"{bare} {OPEN}"
    clause = _CLAUSE.fullmatch(bare)
    main = _ASKED.fullmatch(clause["main"]) if clause else None
    if clause and main and not main["lead"]:
        return f"{clause['clause']}, {as_statement(clause['main'])}"
    asked = _ASKED.fullmatch(bare)
    if asked is None:
        yes_no = _YES_NO.fullmatch(bare)
        return f"{yes_no['after']} {OPEN}" if yes_no else f"{bare} {OPEN}"
    lead, place = asked["lead"].strip(" ,"), (asked["preposition"] or "").lower()
    if asked["asking"].lower() == "who" and not _MOVED.match(asked["rest"]):
        stated = f"{place} {OPEN} {asked['rest']}"  # "who can raise it" -> "… can raise it"
    else:
        stated = _stated(asked["rest"], place)
    statement = f"{stated} {lead}"
    return " ".join(statement.split())


def _stated(rest: str, place: str) -> str:
    """What follows the asking word, as a statement; `place` is the preposition before it."""
    support = _SUPPORT.search(rest)
    auxiliary = _AUXILIARY.fullmatch(rest)
    if support and (auxiliary is None or support.start() <= auxiliary.start("verb")):
        what, after = rest[: support.start()], rest[support.end() :]
        # "[how many] events does the buffer hold" -> "the buffer hold … events"
        return f"{after} {place} {OPEN} {what}"
    if auxiliary is None:
        return f"{place} {OPEN} {rest}"  # "[who] raised the ceiling" -> "… raised the ceiling"
    what, verb, after = auxiliary["what"], auxiliary["verb"], auxiliary["after"]
    if not what and _OF_NOUN.match(after):
        return f"{after} {verb} {place} {OPEN}"  # "is the limit of X" -> "the limit of X is …"
    if what:
        return f"{after} {verb} {place} {OPEN} {what}"
    return f"{place} {OPEN} {verb} {after}"  # "[who] can raise it" -> "… can raise it"
