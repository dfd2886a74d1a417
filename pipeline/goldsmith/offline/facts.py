"""Facts of a passage: each a question that can be asked by itself, its answer and its quote."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from goldsmith.corpus.agreement import disagreements
from goldsmith.corpus.wellformed import question_fault
from goldsmith.offline.amounts import amount_wordings
from goldsmith.offline.asked import asked_words
from goldsmith.offline.grammar import before_aside, clause_of
from goldsmith.offline.lexicon import NAME
from goldsmith.offline.passages import Passage, Sentence, plain, read_passage
from goldsmith.offline.reference import bare_definite, bare_subject, unresolved
from goldsmith.offline.tabular import cell_statement, table_wordings
from goldsmith.offline.wordings import OF_CLAUSES, OF_SENTENCES, Wording, first_step, function

if TYPE_CHECKING:
    from collections.abc import Iterator

    from goldsmith.llm.tasks import Source
    from goldsmith.offline.lexicon import Lexicon


@dataclass(frozen=True, slots=True)
class Fact:
    """One question with its answer; `statement` is the plain words of the verbatim `quote`."""

    question: str
    answer: str
    quote: str
    statement: str
    pattern: str


_READABLE = re.compile(r"[\w\s.,;:'’()%$€£/+&@#=\"“”?-]+")
_DANGLING = re.compile(
    r", not |\(\w*\?|(?:,|\b(?:and|or|only|the|an?|of|by|also|that|not|to|from|for|even|just|so"
    r"|where|whether|but|except|especially))\?$",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(
    r"^(?:you (?:can|should) )?(?:also )?(?:follow|see|check|refer|read|visit|consult|contact"
    r"|(?:take|have) a look)\b|\b(?:this|these|those|above|below|here|such|as follows"
    r"|following(?! (?:day|month|year|week|business)))\b|[a-z]\. [A-Z]",
    re.IGNORECASE,
)
_NAMING = frozenset({"definition", "meaning", "value", "table", "identified", "person", "function"})
_NEGATIONS = frozenset({"no", "not", "never"})
_MIN_WORDS, _MAX_WORDS, _MAX_ANSWER = 3, 28, 40


class FactFinder:
    """Reads facts out of passages, and remembers what it read."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._lexicon = lexicon
        self._read = lru_cache(maxsize=50_000)(self._facts)

    def facts_of(self, source: Source) -> tuple[Fact, ...]:
        """All facts of the passage, in reading order."""
        return self._read(source.title, source.section, source.text)

    def _facts(self, title: str, section: str, text: str) -> tuple[Fact, ...]:
        passage = read_passage(text)
        headings = [plain(part) for part in (*reversed(section.split(" > ")), title)]
        candidates: list[Fact] = []
        introduced = _introduction(passage, section, title, self._lexicon)
        candidates += introduced
        for sentence in passage.sentences:
            if _READABLE.fullmatch(sentence.text.replace(" > ", " ")):
                candidates += (
                    Fact(w.question, w.answer, sentence.quote, sentence.text, w.pattern)
                    for w in self._wordings(sentence)
                )
        for row in passage.rows:
            candidates += (
                Fact(
                    w.question, w.answer, row.quote, cell_statement(w.question, w.answer), w.pattern
                )
                for w in table_wordings(row, self._lexicon)
            )
        found: dict[str, Fact] = {}
        for candidate in candidates:
            fact = replace(candidate, question=self._completed(candidate.question, headings))
            if self._is_sound(fact):
                found.setdefault(fact.question, fact)
        return tuple(found.values())

    def _wordings(self, sentence: Sentence) -> Iterator[Wording]:
        text = _LABEL.sub("", sentence.text).rstrip(".!").strip()
        text = _FILLERS.sub(" ", text)
        if sentence.lead:
            yield from first_step(text, sentence.lead)
        for of_sentence in OF_SENTENCES:
            yield from of_sentence(text, self._lexicon)
        clause = clause_of(before_aside(text))
        if clause is not None:
            for of_clause in (*OF_CLAUSES, amount_wordings):
                yield from of_clause(clause, self._lexicon)

    def _completed(self, question: str, headings: list[str]) -> str:
        """With the names that the headings give to "the gate", and the version they speak of."""
        for name in (name for heading in headings for name in NAME.findall(heading)):
            noun = name.split()[-1].lower()
            question = re.sub(rf"\b[Tt]he {re.escape(noun)}\b(?= |\?)", f"the {name}", question)
        scope = next((s for heading in headings if (s := self._lexicon.scope_of(heading))), "")
        if scope and scope.split()[-1] not in question and " which version" not in question.lower():
            return f"{question[:-1]} in {scope}?"
        return question

    def _is_sound(self, fact: Fact) -> bool:
        length = len(fact.question.split())
        return (
            _MIN_WORDS <= length <= _MAX_WORDS
            and len(fact.answer.split()) <= _MAX_ANSWER
            and _READABLE.fullmatch(fact.question) is not None
            and not _DANGLING.search(fact.question)
            and not _ELSEWHERE.search(fact.answer)
            and _READABLE.fullmatch(fact.answer.replace(" > ", " ")) is not None
            and _is_specific(fact)
            and question_fault(fact.question, fact.answer, "en") is None
            and not disagreements(fact.answer, fact.quote)
            and not unresolved(fact.question, self._lexicon)
            and not bare_subject(fact.statement, self._lexicon)
        )


_ARTICLE = re.compile(r"^(?:the|an?) ", re.IGNORECASE)
_FILLERS = re.compile(r" (?:also|now) ")
_LABEL = re.compile(r"^(?:Note|Tip|Warning|Important|Caution|Hint):\s+")


def _introduction(passage: Passage, section: str, title: str, lexicon: Lexicon) -> Iterator[Fact]:
    """What a page says first of its subject, before its first section."""
    if " > " in section:
        return
    for sentence in passage.sentences:
        clause = clause_of(before_aside(sentence.text.rstrip(".!")))
        name = clause.words(clause.subject) if clause else ""
        if clause and _ARTICLE.sub("", name).casefold() in title.casefold():
            for w in function(clause, lexicon):
                if bare_definite(w.answer, lexicon):
                    continue
                yield Fact(w.question, w.answer, sentence.quote, sentence.text, w.pattern)
                return


_FEW = {"quantity": 2, "object": 2, "first_step": 2, **dict.fromkeys(_NAMING, 1)}


def _is_specific(fact: Fact) -> bool:
    """Enough words of content for its pattern: three, or two with a name among them."""
    content = len(asked_words(fact.question) - _NEGATIONS)
    few = _FEW.get(fact.pattern, 3)
    return content >= few or (content >= 2 and NAME.search(fact.question) is not None)  # noqa: PLR2004
