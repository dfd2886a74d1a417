"""The JSON schema of an output, in the strict subset that structured outputs accept."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import orjson

if TYPE_CHECKING:
    from pydantic import BaseModel

_LEFT_OUT = frozenset({"title", "default", "minLength", "maxLength", "description"})
"""Words of JSON schema that strict endpoints refuse, or that only cost tokens; parsing checks."""


@cache
def strict_schema(output: type[BaseModel]) -> str:
    """The schema as JSON, properties in the order in which a model should write them.

    Every key is required and no other is allowed: there are no defaults.
    """
    return orjson.dumps(_strict(output.model_json_schema())).decode()


def _strict(node: dict[str, Any]) -> dict[str, Any]:
    """A schema and the schemas inside it; names of properties are never taken for words of it."""
    strict: dict[str, Any] = {}
    for word, value in node.items():
        if word in {"properties", "$defs"}:
            strict[word] = {name: _strict(inner) for name, inner in value.items()}
        elif word in {"anyOf", "prefixItems"}:
            strict[word] = [_strict(inner) for inner in value]
        elif word == "items":
            strict[word] = _strict(value)
        elif word not in _LEFT_OUT:
            strict[word] = value
    if "properties" in strict:
        strict["required"] = list(strict["properties"])
        strict["additionalProperties"] = False
    return strict
