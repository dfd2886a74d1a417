"""English clauses, as far as a question can be made of them with certainty.

No parser: a clause is read only when its subject is made of plain words and its verb is an
auxiliary or one of a closed list. What does not fit is no clause: a question that was not asked
harms nobody, an ungrammatical one does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

_VERBS = (
    "accept add allow appear apply archive arrive assign begin belong block bring carry compare"
    " consist contain cover create define delete deliver depend describe disappear discard earn"
    " enable encrypt expire fail find follow get give grant handle have help hide hold ignore"
    " include inform keep learn lend let listen make mean merge move need notify offer pause pay"
    " prevent produce protect provide publish read receive recognise recommend reduce refuse reject"
    " remain remove repeat replace represent require respond restore return run save scan select"
    " send separate skip start stay stop store support take tell treat try turn use wait work write"
)
_ALSO_NOUNS = (
    "answer call cause change charge check copy cost count end index last limit lock mark open"
    " process record release request set share show sign update"
)
"""Read as verbs only with the ending of a singular subject, or of the past."""
_AUXILIARY_WORDS = "is are was were can could must may might should will"
_LINKING_WORDS = "of in for on with from between at per by to"
_ARTICLE_WORDS = "a an the each every all any no one"
_OTHER_CLOSED_WORDS = (
    "that which who whose where when if and or but not as because than then so it its they them"
    " their this these those there here he she we you your what how why while although since until"
    " only also both either neither such same some now most many other another few several"
    " sometimes unless once"
)


def _inflected(verb: str, ending: str) -> str:
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return f"{verb[:-1]}i{ending}"
    short = verb.endswith("e") if ending == "ed" else not verb.endswith(("s", "sh", "ch", "x", "z"))
    return verb + ending[short:]


_PLURAL = frozenset(_VERBS.split())
_BOTH = f"{_VERBS} {_ALSO_NOUNS}".split()
_SINGULAR = {_inflected(verb, "es"): verb for verb in _BOTH} | {"has": "have"}
_PAST = {_inflected(verb, "ed"): verb for verb in _BOTH}
_AUXILIARIES = frozenset(_AUXILIARY_WORDS.split())
_LINKS = frozenset(_LINKING_WORDS.split())
_ARTICLES = frozenset(_ARTICLE_WORDS.split())
_CLOSED = _ARTICLES | frozenset(_OTHER_CLOSED_WORDS.split())
_OBJECT = re.compile(r"(?:\d[\d,.]*|an?|the)$")
"""What shows that a form in -ed is a verb: "restored 3 copies", not "restored copies"."""
_ASIDE = re.compile(
    r", (?:and|but|so|which|who|where|because|while|although|unless|as)\b|;| [–—] | \("
    r"| under [A-Z][\w ]* > "
)
_MAX_SUBJECT = 9


@dataclass(frozen=True, slots=True)
class Clause:
    """Subject, auxiliary as a question needs it, bare verb (empty after an auxiliary), rest."""

    subject: str
    auxiliary: str
    verb: str
    rest: str

    def core(self, subject: str) -> str:
        """Auxiliary, subject and bare verb, as they follow the asking word."""
        return " ".join(part for part in (self.auxiliary, subject, self.verb) if part)


def main_clause(text: str) -> str:
    """A statement without the clause or aside that a comma or bracket joins to it."""
    return _ASIDE.split(text.rstrip(".!"))[0]


def clause_of(text: str) -> Clause | None:
    """The main clause that a statement opens with, or None when in doubt."""
    words = text.rstrip(".").split()
    for at in range(1, min(len(words) - 1, _MAX_SUBJECT)):
        auxiliary, verb = _finite(words[:at], words[at], words[at + 1])
        if auxiliary:
            clause = Clause(" ".join(words[:at]), auxiliary, verb, " ".join(words[at + 1 :]))
            return clause if _is_subject(words[:at]) else None
    return None


def _finite(subject: list[str], word: str, following: str) -> tuple[str, str]:
    """The auxiliary of a question and the bare verb; both empty where the word is no verb."""
    if word in _AUXILIARIES or following in _AUXILIARIES:
        return (word, "") if word in _AUXILIARIES else ("", "")
    if word in _PAST and _OBJECT.match(following):
        return "did", _PAST[word]
    if _is_plural(subject):
        return ("do", word) if word in _PLURAL else ("", "")
    return ("does", _SINGULAR[word]) if word in _SINGULAR else ("", "")


def _is_subject(words: list[str]) -> bool:
    """An article, a name or a plural, and then nothing but plain words and linking ones."""
    article = words[0].lower() in _ARTICLES
    named = words[0][0].isupper() and words[-1][0].isupper() and not article
    inner = {word for before, word in pairwise(words) if before not in _LINKS}
    return (
        (named or (article and len(words) > 1) or _is_plural(words))
        and (article or words[0].lower() not in _CLOSED | _LINKS)
        and words[-1] not in _LINKS | _CLOSED
        and _CLOSED.isdisjoint(inner)
        and all(re.fullmatch(r"\w+(?:[-'’/.]\w+)*(?:\(\))?", word) for word in words)
        and not words[0].endswith(("ly", "ing"))
    )


def _is_plural(words: list[str]) -> bool:
    """Whether the head, the last word before a linking one, ends like a plural."""
    head = next((a for a, b in pairwise(words) if b in _LINKS), words[-1])
    single = words[0].lower() in {"a", "an", "one", "each", "every"}
    return head.endswith("s") and not head.endswith(("ss", "us", "is")) and not single
