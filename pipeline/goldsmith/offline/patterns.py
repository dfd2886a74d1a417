"""From a statement to a question: a few patterns, each certain of its grammar."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.offline.amounts import amount_asked
from goldsmith.offline.clauses import clause_of, main_clause

if TYPE_CHECKING:
    from collections.abc import Iterator

    from goldsmith.offline.lexicon import Lexicon


@dataclass(frozen=True, slots=True)
class Wording:
    """A question and its answer, verbatim words of the statement but for markup."""

    pattern: str
    question: str
    answer: str


_LEAD = re.compile(
    r"((?:On|In|During|For) (?:the|an?) [\w -]+?),? (?=(?:the|an?|every|[A-Z]\w+) )(.+)"
)
_INSTRUCTION = re.compile(
    r"To ((?!be\b|do\b)[a-z]+ [^,:]+), ((?:add|call|choose|click|create|declare|define|enter"
    r"|import|install|open|pass|press|put|run|select|send|set|specify|type|use|write"
    r"|you (?:can|must|should|need to|have to))\b.+)"
)
_CIRCUMSTANCE = re.compile(
    r"([^,;:]+?(?<! so)(?<! that)(?<! cases)),?(?: only)? (because|when|while|if|as soon as|after)"
    r" (?!of )((?:\S+ ){2}.+?)(?:(?: and (?:is|are|should|must|can|will|then)\b|, whereas ).+)?"
)
_UNFIT = re.compile(r"\|(?:an?|the) |.* and (?:\w+s|is|can|has|\w+ (?:an?|the)) ")
"""After a copula a noun, or a second verb: a question would leave it hanging."""
_PART = re.compile(
    r"(The [\w.()-]*(?:[A-Z]|_|\.|\(\)|--)[\w.()-]* (?:attribute|class|clause|command|decorator"
    r"|field|filter|function|header|interface|keyword|method|middleware|module|operator|option"
    r"|parameter|pragma|routine|setting|statement|tag)) ((?!(?:is|was|has|does|exists|works|takes"
    r"|accepts|needs|requires|defaults|fails|receives|consumes|makes)\b)[a-z]+s [^;:]+)"
)
_PERSON = re.compile(
    r"(?:Only )?(An? [\w -]*(?:keeper|member|owner|steward|warden)) (can|may|must) "
    r"((?!be |\w+ (?:up to )?\d)[^,]+)",
    re.IGNORECASE,
)
_USED = re.compile(r"(be )?used ((?:to|for) [^;:]+)")
_DEFINED = re.compile(r"(?:the|an?)(?: [\w-]+){1,4}|[A-Z]\w\w+(?: [\w-]+){0,3}")
_DEFINING = re.compile(
    r"(?:an?|the) (?!same|only|first|default|most|best|great|good|lot|few|part|kind|result)"
    r"(?:\S+ ){1,4}(?:that|which|who|of|for|with|where|in|to|used)\b(?:(?! and is )[^(])+"
)
_VALUE = re.compile(r"(?:(?:at most|at least|up to|about) )?[^\s,]*\d\S*(?: \S+){0,2}|[A-Z_]+|\w+")


def wordings(text: str, lexicon: Lexicon) -> Iterator[Wording]:
    """Every question that the plain words of a statement answer."""
    text = text.rstrip(".!").replace(" also ", " ")
    if found := _INSTRUCTION.fullmatch(text):
        yield Wording("instruction", f"How do you {found[1]}?", found[2])
    if found := _PART.fullmatch(text):
        yield Wording("function", f"What does {lexicon.inner(found[1])} do?", found[2])
    if found := _PERSON.fullmatch(main_clause(text)):
        yield Wording("person", f"Who {found[2]} {found[3]}?", found[1])
    found = _CIRCUMSTANCE.fullmatch(text)
    clause = clause_of(found[1]) if found else None
    if found and clause and not _UNFIT.match(f"{clause.verb}|{clause.rest}"):
        asked, joint = ("Why", "") if found[2] == "because" else ("When", f"{found[2]} ")
        question = f"{asked} {clause.core(lexicon.inner(clause.subject))} {clause.rest}?"
        if found[2] != "after" or clause_of(found[3]):
            yield Wording("circumstance", question, joint + main_clause(found[3]))
    lead, text = (found[1], found[2]) if (found := _LEAD.fullmatch(text)) else ("", text)
    if clause := clause_of(main_clause(text)):
        question, answer = amount_asked(clause, lexicon.inner(clause.subject))
        question = f"{question} {lead[:1].lower()}{lead[1:]}".strip()
        yield Wording("amount", f"{question}?", answer)
    if (clause := clause_of(text)) and not clause.verb:
        yield from _property(clause.auxiliary, lexicon.inner(clause.subject), clause.rest)


def _property(auxiliary: str, name: str, rest: str) -> Iterator[Wording]:
    """As in: "A lane is a sequence of steps", "The default size is 5", "X can be used to Y"."""
    if found := _USED.fullmatch(rest):
        yield Wording("purpose", f"What {auxiliary} {name} {found[1] or ''}used for?", found[2])
    if auxiliary in {"is", "are"} and _DEFINED.fullmatch(name) and _DEFINING.fullmatch(rest):
        yield Wording("definition", f"What {auxiliary} {name}?", rest)
    counted = " of " in name and any(map(str.isdigit, rest))
    if auxiliary == "is" and (counted or "default" in name) and _VALUE.fullmatch(rest):
        yield Wording("value", f"What is {name}?", rest)
