"""Fit a decoded JSON value to the type that was asked for: a written table, not good will.

| wanted | accepted                                          | unfit: unscored, or failed        |
|--------|---------------------------------------------------|-----------------------------------|
| int    | 4, 4.0, "4", "4.0", "four", "Rating: 4",          | 4.5, "4.5", "4 or 5", "8/10", "", |
|        | "4/5" and "4 out of 5" where 5 is the largest     | null, true, [4]; 0 or 6 of 1 to 5 |
| bool   | true, "true", "yes", "1", 1 and their opposites   | "maybe", "", null, 2              |
| label  | "answers", "Answers.", " ANSWERS "                | any other word, a sentence, null  |
| text   | a string; a whole number, as its digits           | a list, an object, null, 1.50     |
| list   | a list; one text where texts are wanted           | an object, null, a number         |
| object | known keys in any case; further keys are left out | a key missing: no defaults        |

4.5 is no rating: to round it either way would be our judgement and not the critic's.
"""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache
from types import UnionType
from typing import TYPE_CHECKING, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from goldsmith.llm.scanning import Json

T = TypeVar("T", bound=BaseModel)

_WORDS = {
    word: number
    for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    )
}
_INTEGER = re.compile(
    rf"""\s*
    (?:[^\W\d][\w\s]{{0,30}}:\s*)?            # a label: "Total rating:"
    (?P<number>[+-]?\d{{1,9}}(?:\.0+)?|{"|".join(_WORDS)})
    (?:\s*(?:/|out\s+of)\s*(?P<scale>\d{{1,9}}))?
    \s*\.?\s*""",
    re.VERBOSE | re.IGNORECASE,
)
_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


class UnfitError(ValueError):
    """The value is not of the type that was asked for; the message says where and why."""


def fit(value: Mapping[str, Json], output: type[T]) -> T:
    """`value` as an `output`, or `UnfitError` with the first reason."""
    fitted = _object(value, output, "the reply")
    try:
        return output.model_validate(fitted)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"]) or "the reply"
        raise UnfitError(f"{where}: {first['msg']}, found {_shown(first['input'])}") from None


def _object(value: object, output: type[BaseModel], where: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise UnfitError(f"{where}: expected an object, found {_shown(value)}")
    found: dict[str, object] = {}
    for key, item in value.items():
        name = key.strip().casefold().replace(" ", "_").replace("-", "_")
        if name in found and name in output.model_fields:
            raise UnfitError(f"{where}: the key {name!r} stands twice")
        found[name] = item
    if missing := [name for name in output.model_fields if name not in found]:
        raise UnfitError(f"{where}: the keys {missing} are missing")
    return {
        name: _value(found[name], wanted, bound, name)
        for name, (wanted, bound) in _fields(output).items()
    }


@cache
def _fields(output: type[BaseModel]) -> dict[str, tuple[Any, int | None]]:
    """Field names with their type and, for a scale, its largest number."""
    fields: dict[str, tuple[Any, int | None]] = {}
    for name, field in output.model_fields.items():
        bounds = [getattr(item, "le", None) for item in field.metadata]
        fields[name] = (field.annotation, next((b for b in bounds if isinstance(b, int)), None))
    return fields


def _value(value: object, wanted: Any, bound: int | None, where: str) -> object:  # noqa: ANN401, PLR0911 - a type; one return a row of the table
    origin = get_origin(wanted)
    if origin in {Union, UnionType}:
        if value is None and type(None) in get_args(wanted):
            return None
        wanted = next(item for item in get_args(wanted) if item is not type(None))
        return _value(value, wanted, bound, where)
    if origin in {tuple, list}:
        return _items(value, get_args(wanted)[0], where)
    if hasattr(wanted, "__metadata__"):  # Annotated[X, ...] inside a list
        return _value(value, origin, bound, where)
    if not isinstance(wanted, type):
        return value
    if issubclass(wanted, BaseModel):
        return _object(value, wanted, where)
    if issubclass(wanted, StrEnum):
        return _label(value, wanted, where)
    if wanted in _SCALARS:
        return _SCALARS[wanted](value, bound, where)
    return value


def _items(value: object, wanted: Any, where: str) -> tuple[object, ...]:  # noqa: ANN401 - a type
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        raise UnfitError(f"{where}: expected a list, found {_shown(value)}")
    return tuple(_value(item, wanted, None, f"{where}.{index}") for index, item in enumerate(value))


def _label(value: object, wanted: type[StrEnum], where: str) -> StrEnum:
    if isinstance(value, str):
        word = value.strip().rstrip(".").casefold().replace(" ", "_")
        for label in wanted:
            if label.value == word:
                return label
    known = ", ".join(label.value for label in wanted)
    raise UnfitError(f"{where}: expected one of {known}, found {_shown(value)}")


def _integer(value: object, bound: int | None, where: str) -> int:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    match = _INTEGER.fullmatch(value) if isinstance(value, str) else None
    if match is None or (match["scale"] and int(match["scale"]) != bound):
        raise UnfitError(f"{where}: expected a whole number, found {_shown(value)}")
    number = match["number"].casefold()
    return _WORDS[number] if number in _WORDS else int(number.partition(".")[0])


def _truth(value: object, _: int | None, where: str) -> bool:
    word = str(value).strip().rstrip(".").casefold()
    if isinstance(value, bool | int | str) and word in _TRUTHS:
        return _TRUTHS[word]
    raise UnfitError(f"{where}: expected true or false, found {_shown(value)}")


def _text(value: object, _: int | None, where: str) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise UnfitError(f"{where}: expected a text, found {_shown(value)}")
    # White space alone is no text: where one is required, the empty string is refused.
    return value if value.strip() else ""


_SCALARS = {int: _integer, bool: _truth, str: _text}


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."  # noqa: PLR2004 - a line for a reader
