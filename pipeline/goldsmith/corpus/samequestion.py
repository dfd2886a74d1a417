"""When do two questions ask the same? Words alone mislead: "2021" and "2022" are two questions."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.corpus.agreement import is_negated, numbers
from goldsmith.corpus.words import content_words, words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goldsmith.records import Query

# What tells questions apart though nearly every other word is shared.
_DECISIVE = frozenset(
    {"least", "most", "minimum", "maximum", "before", "after", "more", "less", "fewer", "first"}
    | {"last", "oldest", "newest", "highest", "lowest", "longest", "shortest", "enable", "disable"}
    | {"default", "without", "with", "from", "to", "start", "stop", "add", "remove"}
)
# Asking words that paraphrases exchange freely.
_ASKING = frozenset({"how", "what", "which", "who", "when", "where", "why", "many", "much", "long"})


@dataclass(frozen=True, slots=True)
class _Key:
    """Must be equal in two questions that ask the same."""

    kind: str
    language: str
    numbers: frozenset[str]
    negated: bool
    decisive: frozenset[str]
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class SameQuestion:
    """Groups questions whose content words are at least `threshold` alike (Jaccard)."""

    threshold: float

    def groups(self, queries: Sequence[Query]) -> list[list[Query]]:
        """Every query in exactly one group, in order; the first of a group stands for it.

        A query joins a group by likeness to its first member, so that likeness never drifts along
        a chain.
        """
        buckets: defaultdict[_Key, list[list[Query]]] = defaultdict(list)
        groups: list[list[Query]] = []
        for query in queries:
            asked = _asked(query)
            bucket = buckets[_key(query)]
            home = next(
                (group for group in bucket if _jaccard(asked, _asked(group[0])) >= self.threshold),
                None,
            )
            if home is None:
                home = []
                bucket.append(home)
                groups.append(home)
            home.append(query)
        return groups


def _asked(query: Query) -> frozenset[str]:
    return frozenset(content_words(query.question, query.language)) - _ASKING


def _key(query: Query) -> _Key:
    question = query.question
    said = set(words(question))
    capitalised = [word for word in question.split()[1:] if word[:1].isupper()]
    return _Key(
        kind=query.kind.value,
        language=query.language,
        numbers=numbers(question),
        negated=is_negated(question, query.language),
        decisive=frozenset(said & _DECISIVE),
        names=frozenset(word for name in capitalised for word in words(name)),
    )


def _jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    return len(left & right) / len(left | right) if left | right else 1.0
