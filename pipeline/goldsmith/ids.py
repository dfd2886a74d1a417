"""Content ids and digests: the same content has the same name on every machine."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

import orjson

from goldsmith.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_LETTERS = bytes(b"abcdefghijklmnopqrstuvwxyz234567"[byte % 32] for byte in range(256))
"""For each byte of a hash the letter that stands for five of its bits."""
_ID_LENGTH = 12
"""Letters of an id: 60 bits; of a million corpora of 1.5 million ids, one collides."""


SEPARATOR = b"\x1f"
"""Stands between the parts of an id; no normalised text holds it."""


def content_id(prefix: str, *parts: str) -> str:
    """A short id such as `p-3k7q…` of `parts`; ("ab", "c") and ("a", "bc") differ."""
    return bytes_ids(prefix, [SEPARATOR.join(p.encode("utf-8", "surrogatepass") for p in parts)])[0]


def bytes_ids(prefix: str, payloads: Iterable[bytes]) -> list[str]:
    """Short ids of some payloads; see `content_id`, which says the same of one, more slowly."""
    head, letters, length = f"{prefix}-", _LETTERS, _ID_LENGTH
    return [head + sha256(p).digest()[:length].translate(letters).decode() for p in payloads]


def canonical_json(value: object) -> bytes:
    """JSON with sorted keys and no spaces: equal values give equal bytes."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS | orjson.OPT_NON_STR_KEYS)


def digest_of(value: object) -> str:
    """sha256 (hex) of a JSON-like value."""
    return sha256(canonical_json(value)).hexdigest()


def text_digest(text: str) -> str:
    """sha256 (hex) of a text in UTF-8."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def rated_digest(question: str, answer: str) -> str:
    """sha256 (hex) of the wording that a critic rated: a later edit of either is noticed."""
    return digest_of({"answer": answer, "question": question})


def uniform_hash(seed: int, *parts: str) -> int:
    """A 64-bit number drawn by hash of (seed, parts).

    Sorting or thresholding by it samples the same items on every machine, whatever the order in
    which they arrive; `random.sample` promises neither.
    """
    payload = "\x1f".join((str(seed), *parts)).encode("utf-8", "surrogatepass")
    return int.from_bytes(sha256(payload).digest()[:8], "big")


def refuse_collisions(ids: Iterable[str], what: str) -> None:
    """Raise `InputError` when an id occurs twice: short ids are hashes, and hashes can collide."""
    seen: set[str] = set()
    for item in ids:
        if item in seen:
            raise _collision(item, what)
        seen.add(item)


class IdLedger:
    """Content ids of one prefix that went by, some bytes each: a check for long streams."""

    def __init__(self, prefix: str, what: str) -> None:
        self._width, self._what = len(prefix) + 1 + _ID_LENGTH, what
        self._letters = bytearray()

    def add(self, ids: Iterable[str]) -> None:
        self._letters += "".join(ids).encode("ascii")

    def refuse_collisions(self) -> None:
        """Raise `InputError` when an id was added twice; see `refuse_collisions`."""
        import numpy as np  # noqa: PLC0415 - the one use; everything imports this module

        ids = np.sort(np.frombuffer(self._letters, dtype=f"S{self._width}"))
        twice = ids[1:][ids[1:] == ids[:-1]]
        if twice.size:
            raise _collision(twice[0].decode("ascii"), self._what)


def _collision(item: str, what: str) -> InputError:
    return InputError(
        f"two different {what} have the id {item!r}: change one of them by a character, "
        "or leave one out of the corpus"
    )


def rows_digest(tables: Mapping[str, Iterable[Mapping[str, object]]]) -> str:
    """sha256 (hex) over the canonical rows of named tables, independent of any file format.

    Tables are taken in the order of their names; rows in the order given, which is therefore part
    of the content.
    """
    digest = sha256()
    for name in sorted(tables):
        digest.update(canonical_json({"table": name}) + b"\n")
        for row in tables[name]:
            digest.update(canonical_json(row) + b"\n")
    return digest.hexdigest()
