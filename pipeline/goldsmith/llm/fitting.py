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
from collections.abc import Callable
from enum import StrEnum
from functools import cache, partial
from types import UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from goldsmith.llm.scanning import Json

T = TypeVar("T", bound=BaseModel)

_Fitter = Callable[[object, str], object]
"""The fitted value of a field; the second argument names it in an `UnfitError`."""

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
    fitters = _fitters(output)
    found = value if value.keys() == fitters.keys() else _renamed(value, fitters, where)
    return {name: fitter(found[name], name) for name, fitter in fitters.items()}


def _renamed(
    value: dict[str, object], fitters: dict[str, _Fitter], where: str
) -> dict[str, object]:
    """Keys as they were asked for, in whatever case they were written."""
    found: dict[str, object] = {}
    for key, item in value.items():
        name = key.strip().casefold().replace(" ", "_").replace("-", "_")
        if name in found and name in fitters:
            raise UnfitError(f"{where}: the key {name!r} stands twice")
        found[name] = item
    if missing := [name for name in fitters if name not in found]:
        raise UnfitError(f"{where}: the keys {missing} are missing")
    return found


@cache
def _fitters(output: type[BaseModel]) -> dict[str, _Fitter]:
    """The row of the table for each field, looked up once for a type."""
    fitters: dict[str, _Fitter] = {}
    for name, info in output.model_fields.items():
        bounds = (getattr(item, "le", None) for item in info.metadata)
        largest = next((bound for bound in bounds if isinstance(bound, int)), None)
        fitters[name] = _fitter(info.annotation, largest)
    return fitters


def _fitter(wanted: Any, largest: int | None) -> _Fitter:  # noqa: ANN401 - a type
    origin, arguments = get_origin(wanted), get_args(wanted)
    if origin is Annotated:
        wanted, origin = arguments[0], None
    if origin in {Union, UnionType}:
        (inner,) = (item for item in arguments if item is not type(None))
        return partial(_optional, _fitter(inner, largest))
    if origin in {tuple, list}:
        return partial(_items, _fitter(arguments[0], None))
    if origin is Literal:
        return partial(_label, arguments)
    if issubclass(wanted, BaseModel):
        return lambda value, where: _object(value, wanted, where)
    if issubclass(wanted, StrEnum):
        return partial(_label, tuple(wanted))
    scalars: dict[Any, _Fitter] = {int: partial(_integer, largest), bool: _truth, str: _text}
    return scalars.get(wanted, _as_it_is)


def _optional(fitter: _Fitter, value: object, where: str) -> object:
    return None if value is None else fitter(value, where)


def _as_it_is(value: object, _: str) -> object:
    return value


def _items(fitter: _Fitter, value: object, where: str) -> tuple[object, ...]:
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list):
        raise UnfitError(f"{where}: expected a list, found {_shown(value)}")
    return tuple(fitter(item, f"{where}.{index}") for index, item in enumerate(value))


def _label(offered: tuple[StrEnum, ...], value: object, where: str) -> StrEnum:
    """The label that `value` names, of those offered: all of a set, or the part in a `Literal`."""
    if isinstance(value, str):
        word = value.strip().rstrip(".").casefold().replace(" ", "_")
        for label in offered:
            if label.value == word:
                return label
    known = ", ".join(label.value for label in offered)
    raise UnfitError(f"{where}: expected one of {known}, found {_shown(value)}")


def _integer(largest: int | None, value: object, where: str) -> int:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    match = _INTEGER.fullmatch(value) if isinstance(value, str) else None
    if match is None or (match["scale"] and int(match["scale"]) != largest):
        raise UnfitError(f"{where}: expected a whole number, found {_shown(value)}")
    number = match["number"].casefold()
    return _WORDS[number] if number in _WORDS else int(number.partition(".")[0])


def _truth(value: object, where: str) -> bool:
    word = str(value).strip().rstrip(".").casefold()
    if isinstance(value, bool | int | str) and word in _TRUTHS:
        return _TRUTHS[word]
    raise UnfitError(f"{where}: expected true or false, found {_shown(value)}")


def _text(value: object, where: str) -> str:
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise UnfitError(f"{where}: expected a text, found {_shown(value)}")
    # White space alone is no text: where one is required, the empty string is refused.
    return value if value.strip() else ""


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."  # noqa: PLR2004 - a line for a reader
