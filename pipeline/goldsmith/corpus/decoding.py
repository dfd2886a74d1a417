"""Bytes to text: which encoding a file is in, and how sure that is.

In this order: a byte order mark; strict UTF-8 (text in another encoding practically never passes
for it); the encoding that the file name or the HTML head names, when every byte fits; what chardet
finds. A file with a few damaged bytes is read with U+FFFD in their place, and says how many.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

import chardet

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_META = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?([\w.:-]+)""", re.IGNORECASE)
_HEAD_BYTES = 4096
_SURE = 0.02
"""chardet's confidence is a share among many encodings; below this it is a guess among equals."""
_DAMAGED_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text and the encoding that it was read with."""

    text: str
    encoding: str


def decode(content: bytes, name: str) -> Decoded | None:
    """The text of a file called `name`, or None when no encoding fits (a binary file)."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _strict(content[len(mark) :], encoding)
    if decoded := _strict(content, "utf-8"):
        return decoded
    if b"\0" in content:
        return None
    hints = _hints(content, name)
    for hint in hints:
        if decoded := _strict(content, hint):
            return decoded
    found = chardet.detect(content)
    if found["encoding"] and (found["confidence"] or 0) >= _SURE:
        hints.append(found["encoding"])
        if decoded := _strict(content, found["encoding"]):
            return decoded
    return next((d for hint in ("utf-8", *hints) if (d := _damaged(content, hint))), None)


def _strict(content: bytes, encoding: str) -> Decoded | None:
    try:
        return Decoded(content.decode(encoding), codecs.lookup(encoding).name)
    except (UnicodeDecodeError, LookupError):
        return None


def _damaged(content: bytes, encoding: str) -> Decoded | None:
    text = content.decode(encoding, "replace")
    lost = text.count("\ufffd")
    if lost > _DAMAGED_SHARE * len(text):
        return None
    return Decoded(text, f"{codecs.lookup(encoding).name}, {lost} characters damaged")


def _hints(content: bytes, name: str) -> list[str]:
    """Encodings named by the last part of the file name (`tutor.ja.sjis`) and by the HTML head."""
    named = [name.rpartition(".")[2]]
    if declared := _META.search(content[:_HEAD_BYTES]):
        named.append(declared.group(1).decode("ascii"))
    return [encoding for encoding in named if _is_text_encoding(encoding)]


def _is_text_encoding(name: str) -> bool:
    try:
        return codecs.lookup(name)._is_text_encoding  # noqa: SLF001 - the only way to leave out zip, hex, ...
    except LookupError:
        return False
