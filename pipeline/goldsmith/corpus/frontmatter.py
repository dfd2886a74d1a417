"""The YAML head of a Markdown page: taken out of its text, kept as JSON."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import orjson
import yaml

_BLOCK = re.compile(
    r"\A---[ \t]*\n(?P<yaml>.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL | re.MULTILINE
)
_MOST_DIGITS = 18
"""Of a whole number in JSON; a longer one is kept as a string."""


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a page says about itself, and the text that follows."""

    text: str
    title: str
    metadata: str
    """JSON; `{}` where there is none."""


class _Loader(yaml.SafeLoader):
    """No references: a few lines of them can stand for gigabytes."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("a reference")
        return super().compose_node(parent, index)


def split_front_matter(text: str) -> FrontMatter:
    """Take the front matter off a page.

    A block that is no YAML mapping stays in the text: a page may begin with a rule, and what
    cannot be read must not get lost.
    """
    block = _BLOCK.match(text)
    values = _mapping(block["yaml"]) if block else None
    if block is None or values is None:
        return FrontMatter(text, "", "{}")
    title = " ".join(str(values.get("title") or "").split())
    return FrontMatter(text[block.end() :], title, orjson.dumps(values).decode())


def _mapping(source: str) -> dict[str, object] | None:
    try:
        # The loader is a SafeLoader that refuses more than its parent.
        values = yaml.load(source, Loader=_Loader)  # noqa: S506 - see above
    except (yaml.YAMLError, ValueError, RecursionError):
        return None  # ValueError: a date such as 2026-02-31
    return _plain(values) if isinstance(values, dict) else None


def _plain(value: Any) -> Any:  # noqa: ANN401 - whatever YAML can say
    """The value in terms of JSON; what JSON does not know becomes its wording."""
    if isinstance(value, dict):
        return {str(_plain(key)): _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set):
        return [_plain(inner) for inner in value]
    is_number = isinstance(value, int | float) and len(str(value)) <= _MOST_DIGITS
    if value is None or isinstance(value, bool) or is_number:
        return value
    return str(value).encode("utf-8", "replace").decode()
