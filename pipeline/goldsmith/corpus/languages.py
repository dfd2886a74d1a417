"""Which language a text is in."""

from __future__ import annotations

from collections import Counter
from functools import cache

from py3langid.langid import MODEL_FILE, LanguageIdentifier

_MIN_LETTERS = 20
_SURE = 0.8
_SAMPLE = 20_000
"""Code points that are looked at: the language of a page does not change the mind after that."""
FALLBACK = "en"

_WRITTEN_AS = {"nb": "no", "nn": "no", "yue": "zh", "wuu": "zh"}
"""One written language to us, several to the identifier, which then is sure of none of them."""


@cache
def _identifier() -> LanguageIdentifier:
    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def detect_language(text: str) -> str:
    """ISO 639-1 code; English for texts too short or too mixed to tell."""
    sample = text[:_SAMPLE]
    if sum(map(str.isalpha, sample)) < _MIN_LETTERS:
        return FALLBACK
    probabilities: Counter[str] = Counter()
    for code, probability in _identifier().rank(sample):
        probabilities[_WRITTEN_AS.get(code, code)] += probability
    ((code, probability),) = probabilities.most_common(1)
    return code if probability >= _SURE and len(code) == len(FALLBACK) else FALLBACK
