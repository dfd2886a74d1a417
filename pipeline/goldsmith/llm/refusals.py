"""Does a reply decline instead of answering? Patterns for the languages of the corpora we test on.

Only replies that hold no object are read by these: a refusal inside a well-formed answer is for
the stages to judge.
"""

from __future__ import annotations

import re

_OPENING = 400
"""Characters in which a refusal shows itself."""

_WILL_NOT = r"\bI (?:can(?:'|\u2019)t|cannot|can not|will not|won(?:'|\u2019)t) "
_PATTERNS = (
    # English
    r"\bI(?:'|\u2019)?m (?:very |so |really )?sorry\b",
    r"^\W*(?:I(?:'|\u2019)?m |I am )?(?:sorry|afraid)\b",
    r"\bI (?:apologi[sz]e|must decline|have to decline|won(?:'|\u2019)t be able to)\b",
    r"\bI(?:'m| am|\u2019m) (?:unable|not able) to\b",
    _WILL_NOT + r"(?:\w+ ){0,2}(?:help|assist|answer|provide|comply)\b",
    _WILL_NOT + r"(?:\w+ ){0,2}(?:rate|create|generate|fulfil+|do|discuss)\b",
    r"\bas an? (?:AI|artificial intelligence|language model)\b",
    # German
    r"\b(?:es )?tut mir (?:sehr )?leid\b",
    r"\bich (?:kann|darf|möchte|werde) .{0,60}\bnicht\b",
    r"\bals (?:KI|Sprachmodell)\b",
    r"\bentschuldigung\b",
    # Japanese
    r"申し訳(?:ありません|ございません|ない)",
    r"(?:お答え|回答|対応|お手伝い|提供)(?:すること(?:が|は))?(?:でき|いたしかね|致しかね)",
    # French, Spanish, Chinese
    r"\bje (?:suis désolée?|ne peux pas)\b",
    r"\b(?:lo siento|no puedo (?:ayudar|responder|proporcionar))\b",
    r"(?:抱歉|对不起|對不起|无法(?:回答|提供|协助)|無法(?:回答|提供|協助))",
)
_REFUSAL = re.compile("|".join(_PATTERNS), re.IGNORECASE | re.DOTALL | re.MULTILINE)


def reads_as_refusal(text: str) -> bool:
    """Whether a reply without an object says that it will not answer."""
    return _REFUSAL.search(text[:_OPENING]) is not None
