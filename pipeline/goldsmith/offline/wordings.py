"""From a statement to a question: a few patterns, each certain of its grammar.

Every pattern yields `Wording`s: a question, and the part of the statement that answers it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.offline.grammar import Clause, before_aside, clause_of, head_of, tag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from goldsmith.offline.lexicon import Lexicon


@dataclass(frozen=True, slots=True)
class Wording:
    """A question and its answer, verbatim words of the statement but for markup."""

    question: str
    answer: str
    pattern: str


def joined(*parts: str) -> str:
    """The words of a question in a row, without the empty ones."""
    return " ".join(part for part in parts if part)


# -- how to ------------------------------------------------------------------------------------

_TO_DO = re.compile(r"To ((?!be\b)[a-z][^,:]+)(?::|,? (?:follow|do|use|take|complete) [^:]*:?)$")
_GERUND = re.compile(r"[A-Z][a-z]+ing (?:up |out |off )?(?:an?|the|your|[a-z]+s|[A-Z])\b.*")


def first_step(text: str, lead: str) -> Iterator[Wording]:
    """The first item of a numbered list under "To create a lane:" or "Creating a lane"."""
    last = re.split(r"(?<=[.!?])\s+", lead)[-1]
    if found := _TO_DO.match(last):
        yield Wording(f"What is the first step to {found[1]}?", text, "first_step")
    elif _GERUND.fullmatch(lead):
        process = lead[0].lower() + lead[1:]
        yield Wording(f"What is the first step in {process}?", text, "first_step")


_INSTRUCTION = re.compile(r"To ((?!be\b)[a-z]+ [^,]+), ([a-z].+)")


def instruction(text: str, _: Lexicon) -> Iterator[Wording]:
    """As in: "To restore a document, select it": "How do you restore a document?"."""
    found = _INSTRUCTION.fullmatch(text)
    if found and (_is_imperative(found[2]) or _addresses_you(found[2])):
        yield Wording(f"How do you {found[1]}?", found[2], "instruction")


def _is_imperative(text: str) -> bool:
    return text[0].islower() and tag(text)[0].tag in {"VVB", "VVI"}


def _addresses_you(text: str) -> bool:
    clause = clause_of(before_aside(text))
    return clause is not None and clause.words(clause.subject).lower() == "you"


# -- when, why, who ----------------------------------------------------------------------------

_CONDITION = re.compile(r"(When|If|Once|As soon as|After) ([^,]+), (?:then )?(.+)")


def condition(text: str, lexicon: Lexicon) -> Iterator[Wording]:
    """As in: "When C, M": "What happens when C?"."""
    found = _CONDITION.fullmatch(text)
    clause = clause_of(found[2]) if found else None
    if not found or clause is None or _is_bare(clause):
        return
    when = f"{found[1].lower()} {lexicon.sentence_inner(found[2])}"
    result = clause_of(before_aside(found[3]))
    if _is_imperative(found[3]):
        yield Wording(f"What should you do {when}?", found[3], "condition")
    elif result is None:
        return
    elif _addresses_you(found[3]):
        if result.auxiliary in {"can", "should", "must"}:
            yield Wording(f"What {result.auxiliary} you do {when}?", found[3], "condition")
    elif not result.words(result.subject).lower().startswith("you"):
        yield Wording(f"What happens {when}?", found[3], "condition")


def _is_bare(clause: Clause) -> bool:
    """As in: "value is 3": a small word without an article is the variable of an example."""
    first = clause.subject[0]
    return len(clause.subject) == 1 and first.tag in {"NN1", "NP0"} and first.text.islower()


_SUBORDINATE = re.compile(
    r"(?P<main>.+?)(?:(?P<reason>, since |,? because (?!of )|,? so that )"
    r"|(?P<time> (?:only )?(?:when|if|as soon as|once) ))(?P<rest>.+)"
)


def subordinate(text: str, lexicon: Lexicon) -> Iterator[Wording]:
    """As in: "M, because C": "Why M?"; "M when C": "When M?"."""
    found = _SUBORDINATE.fullmatch(text)
    clause = clause_of(found["main"]) if found else None
    if not found or clause is None or before_aside(found["main"]) != found["main"]:
        return
    consequence = before_aside(found["rest"])
    head = head_of(clause.subject)
    vague = head is not None and _VAGUE_SUBJECT.fullmatch(head.text) is not None
    verbs = {clause.verb, *(token.lemma.lower() for token in clause.rest)}
    whether = found["time"] is not None and not verbs.isdisjoint(_WHETHER)
    unclear = clause.has_inner_clause() or clause.coordinates_verbs() or vague or whether
    if unclear or (found["time"] and clause_of(consequence) is None):
        return
    asked, pattern = ("Why", "reason") if found["reason"] else ("When", "occasion")
    rest = re.sub(r"\bonly (?=\w)", "", clause.words(clause.rest))
    words = joined(asked, clause.core(lexicon), rest, clause.lead)
    linking = (found["reason"] or found["time"]).strip(", ")
    answer = consequence if linking in {"because", "since"} else f"{linking} {consequence}"
    yield Wording(f"{words}?", answer, pattern)


_WHETHER = frozenset({"determine", "check", "decide", "know", "see", "test", "verify", "indicate"}
                     | {"ask", "control", "specify", "tell", "detect"})  # fmt: skip
"""Verbs after which "if" and "when" name what is found out, and do not say when."""
_PERSONS = re.compile(
    r"(?:member|owner|admin|administrator|user|guest|customer|reviewer|maintainer|developer|manager"
    r"|author|steward|keeper|warden|engineer|approver|auditor|contributor|operator|editor)s?",
    re.IGNORECASE,
)
_MAY = re.compile(r"(Only )?((?:An?|The|an?|the) .+|[\w -]+s) (can|may|must) ([a-z][^\d]+)")


def person(text: str, _: Lexicon) -> Iterator[Wording]:
    """As in: "Only a member can ...": "Who can ...?"."""
    found = _MAY.fullmatch(before_aside(text))
    clause = clause_of(f"{found[2]} {found[3]} {found[4]}") if found else None
    head = head_of(clause.subject) if clause else None
    if not found or clause is None or head is None or not _PERSONS.fullmatch(head.text):
        return
    if clause.words(clause.subject) == found[2] and clause.rest[0].tag != "XX0":
        answer = f"{found[1] or ''}{found[2]}"
        yield Wording(f"Who {found[3]} {found[4]}?", answer, "person")


# -- what, where -------------------------------------------------------------------------------

_VAGUE_SUBJECT = re.compile(
    r"\b(?:goal|purpose|reason|result|example|problem|thing|way|step|idea|difference|next|first"
    r"|second|other|one|cause|exception|note|advantage|solution|alternative|point|rest|each|every"
    r"|your|our|any|some|all|many)s?\b",
    re.IGNORECASE,
)
_VAGUE_COMPLEMENT = frozenset({"same", "only", "first", "default", "most", "best", "lot", "few"}
                                | {"part", "kind", "result"})  # fmt: skip
_DEFINING = frozenset({"PRF", "PRP", "CJT", "DTQ", "PNQ", "TO0", "VVN", "AVQ"})
_MIN_DEFINITION, _MAX_DEFINED = 4, 5


def definition(clause: Clause, lexicon: Lexicon) -> Iterator[Wording]:
    """As in: "A lane is a sequence of steps": "What is a lane?"."""
    rest, subject = clause.rest, clause.subject
    present = clause.is_copula and clause.auxiliary in {"is", "are"} and not clause.lead
    if not present or len(rest) < _MIN_DEFINITION or len(subject) > _MAX_DEFINED:
        return
    name = lexicon.sentence_inner(clause.words(subject))
    thin = len(name) < 3 or (len(subject) == 1 and name.islower() and clause.auxiliary == "is")  # noqa: PLR2004 - "P4"
    known = len(subject) == 2 and name.startswith("the ") and name.islower()  # noqa: PLR2004 - "the key"
    opens = rest[0].tag == "AT0" or (clause.auxiliary == "are" and rest[0].is_noun)
    vague = rest[1].text.lower() in _VAGUE_COMPLEMENT or _VAGUE_SUBJECT.search(name)
    # "A saved search is a query" is too thin to define anything.
    if opens and not (thin or known or vague) and any(t.tag in _DEFINING for t in rest):
        yield Wording(f"What {clause.auxiliary} {name}?", clause.words(rest), "definition")


def meaning(clause: Clause, lexicon: Lexicon) -> Iterator[Wording]:
    """As in: "X means that ...", "the current version of X is 1.8"."""
    rest = clause.words(clause.rest)
    if clause.verb == "mean" and rest.startswith("that "):
        yield Wording(f"What {clause.core(lexicon)}?", rest, "meaning")
    subject = lexicon.sentence_inner(clause.words(clause.subject))
    short = 0 < len(clause.rest) <= 4 and clause.rest[0].tag in {"NP0", "CRD"}  # noqa: PLR2004
    specific = subject.startswith("the ") and len(clause.subject) > 2  # noqa: PLR2004
    if clause.is_copula and short and specific:
        yield Wording(f"What {clause.auxiliary} {subject}?", rest, "value")


_LIST = re.compile(r"[^,;:]+(?:, [^,;:]+)+,? (?:and|or) [^,;:]+")
_MAX_LISTED, _MAX_OBJECT = 5, 8
_MODALS = frozenset({"can", "may", "must", "should", "will"})
_TAKING_ONE = frozenset({"need", "require", "replace", "return", "produce", "create"})


def objects(clause: Clause, lexicon: Lexicon) -> Iterator[Wording]:
    """As in: "X supports A, B and C", "X needs a token": "What does X support?"."""
    modal = clause.auxiliary in _MODALS and clause.rest[:1] and clause.rest[0].tag == "VVI"
    verb, taken = (clause.rest[0].text, clause.rest[1:]) if modal else (clause.verb, clause.rest)
    nominal = bool(taken) and (taken[0].is_noun or taken[0].tag == "AT0")
    if not verb or not nominal or clause.has_inner_clause(taken):
        return
    listed = clause.words(taken)
    items = re.split(r", (?:and |or )?| and | or ", listed)
    is_list = _LIST.fullmatch(listed) and all(len(item.split()) <= _MAX_LISTED for item in items)
    is_one = verb in _TAKING_ONE and len(taken) <= _MAX_OBJECT and "," not in listed
    if is_list or is_one:
        words = joined("What", clause.core(lexicon), verb if modal else "")
        yield Wording(f"{words}?", listed, "object")


_STATES = (
    "consist",
    "contain",
    "include",
    "have",
    "need",
    "belong",
    "come",
    "mean",
    "depend",
    "not",
)


def function(clause: Clause, lexicon: Lexicon) -> Iterator[Wording]:
    """What a page says first of its own subject: "The Board shows ...": "What does the Board do?".

    Asked only of the introduction of a page, see `facts`.
    """
    subject = lexicon.sentence_inner(clause.words(clause.subject))
    numbered = any(c.isdigit() for c in subject)
    acts = clause.auxiliary in {"does", "do"} and clause.verb not in {"", *_STATES}
    if acts and not numbered and not clause.lead and len(clause.rest) >= _MIN_DEFINITION:
        predicate = clause.text[clause.subject[-1].end :].strip()
        yield Wording(f"What {clause.auxiliary} {subject} do?", predicate, "function")


_MONTH = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
_ENTRY = r"[A-Z][\w-]*(?: (?!(?:by|and|or|to|for|with|of)\b)[\w-]+)*"
_PLACES = (
    ("Where", re.compile(rf"(.+?) ((?:under|in|at) {_ENTRY}(?: > {_ENTRY})+)")),
    (
        "When",
        re.compile(
            rf"(.+?) ((?:on|in) (?:\d{{1,2}} )?{_MONTH}(?: \d{{1,2}},)?(?: \d{{4}})?"
            r"|(?:at|by) the (?:end|start|beginning) of [\w ]+"
            r"|on the (?:first|last|next) (?:business )?(?:day|week|month|year|quarter)[\w ]*)"
        ),
    ),
)


def place(clause: Clause, lexicon: Lexicon) -> Iterator[Wording]:
    """A menu or a date at the end: "Where ...?", "When ...?"."""
    for asked, pattern in _PLACES:
        found = pattern.fullmatch(clause.words(clause.rest))
        if found and "," not in found[1]:
            words = joined(asked, clause.core(lexicon), found[1], clause.lead)
            yield Wording(f"{words}?", found[2], "place")


OF_SENTENCES: tuple[Callable[[str, Lexicon], Iterator[Wording]], ...] = (
    condition,
    instruction,
    subordinate,
    person,
)
OF_CLAUSES: tuple[Callable[[Clause, Lexicon], Iterator[Wording]], ...] = (
    definition,
    meaning,
    objects,
    place,
)
