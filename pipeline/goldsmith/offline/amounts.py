"""Amounts and identifiers in a clause: "How many ...?", "For how long ...?", "On which ...?"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.offline.wordings import Wording, joined

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from goldsmith.offline.grammar import Clause, Token
    from goldsmith.offline.lexicon import Lexicon

_QUANTIFIER = re.compile(
    r"(?:(?:up to|at most|at least|about|around|exactly|only|no more than|more than|less than"
    r"|fewer than|the last|the first|nearly|almost|approximately|a maximum of|a minimum of"
    r"|once every|every|each) )*",
    re.IGNORECASE,
)
_LONGEST_QUANTIFIER = 4
_NUMBER = re.compile(
    r"(?!1$)[$€£]?\d[\d,.]*%?|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve",
    re.IGNORECASE,
)
_MONTH = re.compile(r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*$")
_CODE = re.compile(r"[_()=]")
_TIME = frozenset({"millisecond", "second", "minute", "hour", "day", "week", "month", "year"})
_SIZE = frozenset({"byte", "bytes", "kb", "mb", "gb", "tb", "kib", "mib", "gib"})
_LASTING = frozenset({"take", "last", "wait", "have", "stay", "run", "remain", "live"})
_MEASURES = frozenset({"long", "large", "high", "wide", "deep", "old"})
_FRONTED = frozenset({"after", "within", "in", "for", "by", "to", "with", "over", "on", "from"}
                     | {"at", "under", "through", "into"})  # fmt: skip
_LINKING = frozenset({"PRP", "PRF", "TO0", "AVP", "CJS"})


@dataclass(frozen=True, slots=True)
class _Amount:
    """A quantity in the rest of a clause, as positions of its tokens.

    "up to | 50 parcels per second | of one outlet": `start`, `number`, `end`, `noun_end`.
    """

    start: int
    number: int
    end: int
    noun_end: int
    unit: str
    noun: str


def amount_wordings(clause: Clause, lexicon: Lexicon) -> Iterator[Wording]:
    """The first amount of the clause, an identifier, or a counted subject."""
    yield from _quantity(clause, lexicon)
    yield from _identified(clause, lexicon)
    yield from _counted_subject(clause)


def _first_amount(clause: Clause) -> _Amount | None:
    rest = clause.rest
    for at, token in enumerate(rest):
        following = rest[at + 1].text if at + 1 < len(rest) else ""
        if token.tag != "CRD" or not _NUMBER.fullmatch(token.text) or _MONTH.match(following):
            continue
        end = _noun_phrase_end(rest, at + 1)
        if end == at + 1 and not _is_money_or_share(token):
            continue
        unit = rest[end - 1].lemma.lower() if end > at + 1 else token.text[0]
        while end + 1 < len(rest) and rest[end].text in {"per", "a"} and rest[end + 1].is_noun:
            end += 2
        noun_end = end
        if end < len(rest) and rest[end].tag == "PRF" and unit not in _TIME:
            article = end + 1 < len(rest) and rest[end + 1].tag == "AT0"
            noun_end = _noun_phrase_end(rest, end + 1 + article)
        noun = clause.words(rest[at + 1 : noun_end])
        return _Amount(_quantified_from(clause, at), at, end, noun_end, unit, noun)
    return None


def _is_money_or_share(token: Token) -> bool:
    return token.text[0] in "$€£" or token.text.endswith("%")


def _quantified_from(clause: Clause, number: int) -> int:
    for start in range(max(0, number - _LONGEST_QUANTIFIER), number):
        if _QUANTIFIER.fullmatch(clause.words(clause.rest[start:number]) + " "):
            return start
    return number


def _noun_phrase_end(tokens: Sequence[Token], at: int) -> int:
    end = at
    for index in range(at, len(tokens)):
        if tokens[index].is_noun and not _CODE.search(tokens[index].text):
            end = index + 1
        elif tokens[index].tag not in {"AJ0", "AJC", "VVN"} or end > at:
            break
    return end


def _quantity(clause: Clause, lexicon: Lexicon) -> Iterator[Wording]:
    amount = _first_amount(clause)
    if amount is None:
        return
    before, after = clause.rest[: amount.start], _tail(clause.rest[amount.noun_end :])
    if after is None or clause.has_inner_clause(before) or any(t.text == "," for t in before):
        return
    asked = _measured(clause, amount, lexicon) or _asked(clause, amount, before, after, lexicon)
    if asked:
        # "How long before X does Y ...": what follows the amount stands in front already.
        tail = "" if clause.words(after) in asked else clause.words(after)
        answer = clause.words(clause.rest[amount.start : amount.end])
        yield Wording(f"{joined(asked, tail, clause.lead)}?", answer, "quantity")


def _tail(tokens: Sequence[Token]) -> Sequence[Token] | None:
    """What follows the amount and still belongs to the question; None when it is cut in two."""
    if tokens and tokens[0].tag == "CJC":
        return ()
    for at, token in enumerate(tokens):
        verbs_or_amounts = any(t.is_finite or t.tag == "CRD" for t in tokens[at:])
        if token.text in {",", ";", ":", "("} or (token.tag == "CJC" and verbs_or_amounts):
            return tokens[:at]
        if token.tag == "CJC" and tokens[at + 1 : at + 2] and tokens[at + 1].tag == "NN2":
            return None
        range_of_two = at == 0 and token.text in {"to", "or"} and token.tag != "TO0"
        if token.tag == "CRD" or range_of_two:
            return None
    return tokens


def _measured(clause: Clause, amount: _Amount, lexicon: Lexicon) -> str:
    """As in: "The X of Y is 5 days", "X can be up to 12 hours long"."""
    before = [token.text for token in clause.rest[: amount.start]]
    if before != ([] if clause.is_copula else ["be"]):
        return ""
    subject = lexicon.sentence_inner(clause.words(clause.subject))
    core = joined(clause.auxiliary, subject, *before)
    after = clause.rest[amount.end].text if amount.end < len(clause.rest) else ""
    if after in _MEASURES:
        return f"How {after} {core}"
    informative = subject.startswith("the ") and len(clause.subject) > 2  # noqa: PLR2004
    return f"What {core}" if informative else ""


def _asked(
    clause: Clause,
    amount: _Amount,
    before: Sequence[Token],
    after: Sequence[Token],
    lexicon: Lexicon,
) -> str:
    last = before[-1].text.lower() if before and before[-1].tag in _LINKING else ""
    quantifier = clause.words(clause.rest[amount.start : amount.number]).lower()
    time = amount.unit in _TIME
    inner, core = clause.words(before), clause.core(lexicon)
    if time and re.search(r"\b(?:every|each)\b", quantifier) and not last:
        return joined("How often", core, inner)
    part_of_a_whole = time and re.search(r"\b(?:last|first)\b", quantifier)
    if last in _FRONTED and not part_of_a_whole:
        of = clause.words(after) if after and after[0].tag == "PRF" else ""
        return _fronted(clause, amount, before, joined(of, core))
    particles = sum(token.tag in {"AVP", "AV0"} for token in before)
    direct = len(before) <= particles + (clause.verb == "")
    unclear = last or "than" in quantifier or clause.is_copula or part_of_a_whole
    if unclear or not (direct or time or amount.unit == "time"):
        return ""
    if time and after and after[0].text in {"before", "after"}:
        return joined("How long", clause.words(after), core, inner)
    return joined(_objective(clause, amount), core, inner)


def _fronted(clause: Clause, amount: _Amount, before: Sequence[Token], core: str) -> str:
    preposition, time = before[-1].text.lower(), amount.unit in _TIME
    inner = clause.words(before[:-1])
    if preposition == "with" and not time:
        of_a_noun = len(before) > 1 and before[-2].is_noun
        return "" if of_a_noun else joined(f"How many {amount.noun}", core, inner, "with")
    if time and preposition in {"for", "within"}:
        asked = "For how long" if preposition == "for" else "Within what time"
    elif amount.unit in "$€£":
        asked = f"{preposition} what price"
    elif amount.unit.isdigit():
        asked = f"{preposition} what percentage"
    elif amount.unit in _SIZE:
        asked = f"{preposition} what size"
    else:
        asked = f"{preposition} how many {amount.noun}"
    return joined(asked[0].upper() + asked[1:], core, inner)


def _objective(clause: Clause, amount: _Amount) -> str:
    if amount.unit in "$€£":
        return "How much"
    if amount.unit.isdigit():
        return "What percentage"
    verb = clause.verb or clause.words(clause.rest[:1])
    lasts = amount.unit in _TIME and verb in _LASTING
    return "How long" if lasts else f"How many {amount.noun}"


_NOT_IDENTIFIED = frozenset({"step", "figure", "chapter", "example", "page", "table", "part"}
                            | {"line", "section", "day", "item", "option"})  # fmt: skip


def _identified(clause: Clause, lexicon: Lexicon) -> Iterator[Wording]:
    """As in: "... listens on port 2222": "On which port ...?"."""
    rest = clause.rest
    for at in range(1, len(rest)):
        if not _is_identifier(rest, at):
            continue
        start = at - 1
        while start and rest[start - 1].tag in {"NN1", "AJ0"}:
            start -= 1
        before, tail = rest[:start], _tail(rest[at + 1 :])
        preposition = before[-1].text.lower() if before and before[-1].tag == "PRP" else ""
        direct = not before or preposition in _FRONTED
        if tail is None or not direct or clause.has_inner_clause(before):
            continue
        which = f"{preposition} which {clause.words(rest[start:at])}".strip()
        words = joined(
            which[0].upper() + which[1:],
            clause.core(lexicon),
            clause.words(before[:-1]),
            clause.words(tail),
            clause.lead,
        )
        if "," not in words:
            yield Wording(f"{words}?", clause.words(rest[start : at + 1]), "identified")
        return


def _is_identifier(rest: Sequence[Token], at: int) -> bool:
    noun, name = rest[at - 1], rest[at]
    counts = at + 1 < len(rest) and rest[at + 1].is_noun and name.tag == "CRD"
    coded = any(c.isdigit() for c in name.text) and not name.text.endswith("%") and not counts
    common = noun.tag == "NN1" and noun.text.islower() and noun.text not in _NOT_IDENTIFIED
    return coded and common


_COUNTED = re.compile(r"((?:Up to |At most |At least |About |No more than )?\d[\d,]*) (.+)")


def _counted_subject(clause: Clause) -> Iterator[Wording]:
    """As in: "Up to 500 parcels can be retried": "How many parcels can be retried?"."""
    found = _COUNTED.fullmatch(clause.words(clause.subject))
    if found and not _MONTH.match(found[2].split()[0]):
        predicate = clause.text[clause.subject[-1].end :].strip()
        answer = f"{found[1]} {found[2]}"
        yield Wording(f"How many {found[2]} {predicate}?", answer, "quantity")
