"""Words of a text: for search, for overlap, for telling two wordings apart.

One definition serves every stage, so that "the question's content words" means the same in
sampling, critique, difficulty and search.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING

import snowballstemmer

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Scripts that write no spaces are taken character by character; numbers keep their inner
# separators ("v5.6", "10,000", "02:00"), words their apostrophes and hyphens stay apart.
_UNSPACED = "\u0e00-\u0e7f\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(
    r"[a-z]++(?!\w)"  # what most words are: read first, for speed alone
    rf"|[{_UNSPACED}]"
    r"|\d+(?:[.,:]\d+)*"
    rf"|(?:(?![{_UNSPACED}])[^\W\d_])[^\W_{_UNSPACED}]*(?:(?<=\d)\.\d+)*"
)
_NUMBER = re.compile(r"[\d.,:]+")

_LANGUAGES: dict[str, tuple[str, str]] = {
    "da": ("danish", "STOPWORDS_DANISH"),
    "de": ("german", "STOPWORDS_GERMAN"),
    "en": ("english", "STOPWORDS_EN_PLUS"),
    "es": ("spanish", "STOPWORDS_SPANISH"),
    "fr": ("french", "STOPWORDS_FRENCH"),
    "it": ("italian", "STOPWORDS_ITALIAN"),
    "nl": ("dutch", "STOPWORDS_DUTCH"),
    "no": ("norwegian", "STOPWORDS_NORWEGIAN"),
    "pt": ("portuguese", "STOPWORDS_PORTUGUESE"),
    "ru": ("russian", "STOPWORDS_RUSSIAN"),
    "sv": ("swedish", "STOPWORDS_SWEDISH"),
    "tr": ("turkish", "STOPWORDS_TURKISH"),
}
"""ISO 639-1 code: Snowball algorithm and list of stop words. Other languages go unstemmed."""

# Comparing two wordings, these carry meaning that a list of stop words would throw away.
_MEANINGFUL = frozenset({"not", "no", "never", "without", "least", "most", "before", "after"})


def words(text: str) -> list[str]:
    """Case-folded words, numbers and single characters of unspaced scripts, in order."""
    return _WORD.findall(text.casefold())


@cache
def _stemmer(language: str) -> snowballstemmer.stemmer | None:
    return snowballstemmer.stemmer(_LANGUAGES[language][0]) if language in _LANGUAGES else None


@lru_cache(maxsize=200_000)
def stem(word: str, language: str) -> str:
    """The word without its inflection, where the language has a Snowball stemmer."""
    stemmer = _stemmer(language)
    # A number has no inflection, and a large corpus has many.
    return word if stemmer is None or _NUMBER.fullmatch(word) else str(stemmer.stemWord(word))


@cache
def stop_words(language: str) -> frozenset[str]:
    """Words that say nothing about the topic."""
    if language not in _LANGUAGES:
        return frozenset()
    # It brings scipy along, and numba where there is one: seconds, for those who search only.
    from bm25s import stopwords  # noqa: PLC0415 - see above

    return frozenset(getattr(stopwords, _LANGUAGES[language][1])) - _MEANINGFUL


def content_words(text: str, language: str = "en") -> list[str]:
    """Stems of the words that carry content, in order, with repeats."""
    return content_of(words(text), language)


def content_of(found: Iterable[str], language: str = "en") -> list[str]:
    """`content_words` of a text that is in words already."""
    stops = stop_words(language)
    return [stem(word, language) for word in found if word not in stops]


def overlap(question: str, passage: str, language: str = "en") -> float:
    """Share of the question's content words that the passage contains; 0 for none at all."""
    return share_held(content_words(question, language), content_words(passage, language))


def share_held(asked: Iterable[str], held: Iterable[str]) -> float:
    """Share of the different words of `asked` that are in `held`; 0 for none at all."""
    wanted = set(asked)
    return len(wanted.intersection(held)) / len(wanted) if wanted else 0.0


def longest_copied_run(copy: Sequence[str], original: Sequence[str]) -> int:
    """Words in the longest run of `copy` that stands in `original` too."""
    places: dict[str, list[int]] = {}
    for place, word in enumerate(original):
        places.setdefault(word, []).append(place)
    best = 0
    # How long the run is that ends at a place of the original with the word before this one.
    ending: dict[int, int] = {}
    for word in copy:
        ending = {place: ending.get(place - 1, 0) + 1 for place in places.get(word, ())}
        best = max(best, *ending.values(), 0)
    return best
