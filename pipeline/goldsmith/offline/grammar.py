"""English clauses, as far as a question can be made of them with certainty.

A sentence is tagged by HanTa (part of speech and lemma; its model ships with the package), then
cut into subject, auxiliary and predicate. What does not fit is no clause: a question that was not
asked harms nobody, an ungrammatical one does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from HanTa.HanoverTagger import HanoverTagger

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goldsmith.offline.lexicon import Lexicon


@dataclass(frozen=True, slots=True)
class Token:
    """A word with its place in the sentence, its C5 part of speech and its lemma."""

    text: str
    start: int
    end: int
    tag: str
    lemma: str

    @property
    def is_noun(self) -> bool:
        return self.tag in _NOUNS

    @property
    def is_finite(self) -> bool:
        return self.tag in _FINITE


@dataclass(frozen=True, slots=True)
class Clause:
    """`lead` (an adverbial before the subject), subject, auxiliary as a question needs it, rest.

    `verb` is what the rest begins with once the subject stands between it and the auxiliary: a
    bare verb after "does", nothing after a copula.
    """

    text: str
    lead: str
    subject: tuple[Token, ...]
    auxiliary: str
    verb: str
    rest: tuple[Token, ...]

    def words(self, tokens: Sequence[Token]) -> str:
        """Consecutive tokens as they stand in the sentence."""
        return self.text[tokens[0].start : tokens[-1].end] if tokens else ""

    def core(self, lexicon: Lexicon) -> str:
        """Auxiliary, subject and bare verb, as they follow the asking word."""
        subject = lexicon.sentence_inner(self.words(self.subject))
        return " ".join(part for part in (self.auxiliary, subject, self.verb) if part)

    def has_inner_clause(self, tokens: Sequence[Token] | None = None) -> bool:
        """Whether another clause begins in the rest (or in `tokens` of it)."""
        return any(
            token.is_finite or (token.tag in _JOINING and token.text not in {"and", "or"})
            for token in (self.rest if tokens is None else tokens)
        )

    def coordinates_verbs(self) -> bool:
        """Whether "and" joins a second verb, which a question would leave without its "does"."""
        joins = [at for at, token in enumerate(self.rest) if token.tag == "CJC"]
        return any(t.is_finite for at in joins for t in self.rest[at + 1 : at + 3])

    @property
    def is_copula(self) -> bool:
        return not self.verb and self.auxiliary in {"is", "are", "was", "were"}


_NOUNS = frozenset({"NN0", "NN1", "NN2", "NP0"})
_FINITE = frozenset({"VM0", "VBZ", "VBB", "VBD", "VDZ", "VDB", "VDD", "VHZ", "VHB", "VHD",
                     "VVZ", "VVB", "VVD"})  # fmt: skip
_INVERTING = frozenset({"VM0", "VBZ", "VBB", "VBD"})
_JOINING = frozenset({"CJC", "CJS", "CJT", "PNQ", "DTQ", "AVQ"})
_GOVERNING = frozenset({"TO0", "VM0", "VDZ", "VDB", "VDD"})
_PHRASE_OPENS = frozenset({"AT0", "CRD", "DPS", "DT0", "PRP", "AVP"})
_FOREIGN_TO_SUBJECTS = frozenset({"PNP", "TO0", "CJS", "AVQ"})
_NO_SUBJECT = _FOREIGN_TO_SUBJECTS | {"EX0", "VVG", "PRP", "CJC", "DTQ"}
_PARTICIPLES = frozenset({"VVN", "VBN", "VHN", "VDN"})
_RELATIVE = frozenset({"that", "which", "who", "whose", "where"})
_WORD = re.compile(
    r"[$€£]?\d+(?:[.,:]\d+)*%?|--?[a-z][\w-]*|/[\w./-]+|\w+(?:[-.'’/@+]\w+)*(?:\(\))?|\S"
)
_MAX_SUBJECT = 14


@cache
def _tagger() -> HanoverTagger:
    return HanoverTagger("morphmodel_en.pgz")


@lru_cache(maxsize=20_000)
def tag(text: str) -> tuple[Token, ...]:
    """Tokens of one sentence."""
    found = list(_WORD.finditer(text))
    if not found:
        return ()
    tagged = _tagger().tag_sent([match.group() for match in found])
    tokens = [
        Token(match.group(), match.start(), match.end(), _corrected(match.group(), pos), str(lemma))
        for match, (_, lemma, pos) in zip(found, tagged, strict=True)
    ]
    return tuple(_with_finite_verbs(tokens))


def _with_finite_verbs(tokens: list[Token]) -> list[Token]:
    """Correct what the tagger does to verbs between a noun and what follows.

    "Calls need a token": an infinitive with nothing to depend on is finite. "The service issues
    one invoice": with no other verb, a "plural" between a singular and a new phrase is one.
    """
    for at in range(1, len(tokens)):
        governed = any(t.tag in _GOVERNING for t in tokens[max(0, at - 3) : at])
        if tokens[at].tag == "VVI" and tokens[at - 1].is_noun and not governed:
            tokens[at] = replace(tokens[at], tag="VVB")
    # Before an article it is a verb whatever stands elsewhere: "Tanglewire locks an account".
    finite = next((at for at, token in enumerate(tokens) if token.is_finite), None)
    opening = _PHRASE_OPENS if finite is None else {"AT0", "DPS"}
    for at in range(1, (len(tokens) if finite is None else finite) - 1):
        singular = tokens[at - 1].tag in {"NN1", "NP0"}
        if tokens[at].tag == "NN2" and singular and tokens[at + 1].tag in opening:
            tokens[at] = replace(tokens[at], tag="VVZ")
            break
    return tokens


def _corrected(word: str, pos: str) -> str:
    """What the tagger cannot know: numbers with signs and separators, code words."""
    if re.fullmatch(r"[$€£]?\d+(?:[.,]\d+)*%?", word):
        return "CRD"
    if word == "cannot":
        return "VM0"
    if re.search(r"[\d_/()@]|^-|[a-z][A-Z]", word):
        return "NP0"
    return pos


_ASIDE = re.compile(
    r"(?P<joined>, (?:and|but|so|or) )|, (?:which|who|whose|where|because|since|whereas|while"
    r"|although|though|for example|such as|including|as|together|so that|among)\b|;| [-–—] | \("
)


def before_aside(text: str) -> str:
    """A statement without the clause or apposition that a comma joins to it."""
    for found in _ASIDE.finditer(text):
        if not found["joined"] or any(t.is_finite for t in tag(text) if t.start >= found.end()):
            return text[: found.start()]
    return text


@lru_cache(maxsize=20_000)
def clause_of(text: str) -> Clause | None:
    """The main clause of a sentence without its full stop, or None when in doubt."""
    tokens = tag(text)
    lead, start = _lead(text, tokens)
    at = _main_verb(tokens, start)
    if at is None:
        return None
    subject = tokens[start:at]
    if not _is_subject(subject, tokens[at]):
        return None
    auxiliary, verb, rest = _inverted(tokens, at)
    if verb is None:
        return None
    return Clause(text, lead, subject, auxiliary, verb, rest)


def _lead(text: str, tokens: Sequence[Token]) -> tuple[str, int]:
    """An introducing "On the Team plan, ..." and where the subject begins after it."""
    if not tokens or tokens[0].text.lower() not in {"on", "in", "for", "during", "with", "at"}:
        return "", 0
    comma = next((i for i, token in enumerate(tokens) if token.text == ","), 0)
    if not 2 <= comma <= 7 or any(token.is_finite for token in tokens[:comma]):  # noqa: PLR2004
        return "", 0
    words = text[: tokens[comma].start].strip()
    lead = words[0].lower() + words[1:]
    return "" if _CONNECTING.match(lead) else lead, comma + 1


_CONNECTING = re.compile(
    r"(?:for (?:example|instance|th\w+)"
    r"|in (?:addition|general|particular|fact|contrast|short|other|th\w+)"
    r"|on the (?:one|other)|at (?:first|th\w+|least)|with th\w+|during th\w+)\b"
)
"""Adverbials that join a sentence to the one before and say nothing by themselves."""


def _main_verb(tokens: Sequence[Token], start: int) -> int | None:
    relatives = 0
    for at in range(start, len(tokens)):
        token = tokens[at]
        if token.text in {",", ";", ":", "(", ")"} or at - start > _MAX_SUBJECT:
            return None
        if token.text.lower() in _RELATIVE and at > start:
            relatives += 1
        elif token.is_finite:
            if not relatives:
                return at
            relatives -= 1
    return None


def _is_subject(subject: Sequence[Token], verb: Token) -> bool:
    """A noun phrase that agrees with its verb: the surest sign that the tags are right."""
    if not subject or subject[0].tag in _NO_SUBJECT:
        return subject != () and [t.text.lower() for t in subject] == ["you"]
    head = head_of(subject)
    two_phrases = any(b.tag == "AT0" and a.is_noun for a, b in pairwise(subject))
    dated = subject[0].text[0].isdigit() and subject[1:] and subject[1].tag == "NP0"
    verbal = subject[0].tag in {"VVN", "VVD", "VVI"} and subject[1:2] and not subject[1].is_noun
    if (
        head is None
        or verbal
        or dated
        or two_phrases
        or any(t.tag in _FOREIGN_TO_SUBJECTS and t.text != "than" for t in subject)
    ):
        return False
    plural = head.tag == "NN2" or any(t.text == "and" for t in subject)
    either = head.tag in {"NN0", "NP0"}
    if verb.tag in {"VVZ", "VBZ", "VHZ", "VDZ"} or verb.text == "was":
        return either or not plural
    if verb.tag in {"VVB", "VBB", "VHB", "VDB"} or verb.text == "were":
        return plural
    return True


def head_of(tokens: Sequence[Token]) -> Token | None:
    """The last noun before the first preposition, participle or relative."""
    head = None
    for token in tokens:
        if token.is_noun:
            head = token
        elif head is not None and token.tag not in {"POS", "CRD", "CJC", "AJ0", "AT0"}:
            break
    return head


def _inverted(tokens: Sequence[Token], at: int) -> tuple[str, str | None, tuple[Token, ...]]:
    """Auxiliary, bare verb and rest, as they stand around the subject of a question."""
    finite, rest = tokens[at], tuple(tokens[at + 1 :])
    word = finite.text.lower()
    if word == "cannot":
        return "can", "not", rest
    perfect = finite.tag[:2] == "VH" and any(t.tag in _PARTICIPLES for t in rest[:2])
    negated_do = finite.tag[:2] == "VD" and bool(rest) and rest[0].tag == "XX0"
    if finite.tag in _INVERTING or perfect or negated_do:
        return word, "", rest
    auxiliary = {"Z": "does", "B": "do", "D": "did"}[finite.tag[-1]]
    bare = finite.lemma.lower()
    return auxiliary, bare if bare.isalpha() else None, rest
