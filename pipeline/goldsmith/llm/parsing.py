"""From the raw text of a reply to the typed output of a task, or the reason why not.

The last object that fits is the verdict: a model that corrects itself means its last word.
Three things keep that rule honest:

- an object inside a string is text, not an offer;
- an object that stands word for word in the prompt is a quotation (of the source document, or of
  the prompt's own example), not an offer, so a verdict planted in a document changes nothing;
- a reply that breaks off inside its last object has no last word.

What one field accepts is the table in `fitting`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from pydantic import BaseModel

from goldsmith.llm.fitting import UnfitError, fit
from goldsmith.llm.refusals import reads_as_refusal
from goldsmith.llm.scanning import Json, Offer, offers

if TYPE_CHECKING:
    from collections.abc import Iterable

T = TypeVar("T", bound=BaseModel)

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Parsed(Generic[T]):
    """Exactly one of `value` and `failure` is set."""

    value: T | None = None
    failure: str | None = None
    """`empty`, `refused`, `truncated`, `unparseable` (no object) or `unfit` (not the type)."""
    detail: str = ""
    """Why it failed; or that further objects of the reply were passed over."""


def parse_reply(text: str, output: type[T], *, prompt: Iterable[str] = ()) -> Parsed[T]:
    """Read `text` as an `output`; `prompt` is what the model was shown, whose objects are data."""
    found = list(offers(text))
    own = _not_quoted(found, prompt)
    fitting, complaints = _fitting(own, output)
    if fitting and not own[-1].unfinished:
        passed_over = len(set(map(repr, fitting))) - 1 if len(fitting) > 1 else 0
        detail = f"the last of {passed_over + 1} different objects that fit" if passed_over else ""
        return Parsed(value=fitting[-1], detail=detail)
    if own and own[-1].unfinished:
        return Parsed(failure="truncated", detail="the reply ends in the middle of an object")
    if complaints:
        return Parsed(failure="unfit", detail=complaints[-1])
    return _without_object(text, own, quoted=len(found) > len(own))


def _without_object(text: str, own: list[Offer], *, quoted: bool) -> Parsed[T]:
    if not text.strip():
        return Parsed(failure="empty", detail="the reply is empty")
    if own:
        detail = f"the reply holds no usable object: {own[-1].complaint}"
        return Parsed(failure="unparseable", detail=detail)
    if quoted:
        detail = "the reply only repeats an object of its prompt"
        return Parsed(failure="unparseable", detail=detail)
    if reads_as_refusal(text):
        return Parsed(failure="refused", detail="the model declined to answer")
    return Parsed(failure="unparseable", detail="the reply holds no JSON object")


def _not_quoted(found: list[Offer], prompt: Iterable[str]) -> list[Offer]:
    """Without the objects that stand in the prompt, whatever white space they have there."""
    shown = "\n".join(prompt) if found else ""
    return [item for item in found if not _stands_in(item.text, shown)]


def _stands_in(text: str, shown: str) -> bool:
    # Hardly any offer is a quotation, and squeezing a long prompt costs more than reading a reply:
    # the first word that the prompt does not have settles it.
    if any(word.group() not in shown for word in _WORD.finditer(text)):
        return False
    return _squeezed(text) in _squeezed(shown)


def _squeezed(text: str) -> str:
    return "".join(text.split())


def _fitting(own: list[Offer], output: type[T]) -> tuple[list[T], list[str]]:
    fitting: list[T] = []
    complaints: list[str] = []
    for offer in own:
        if offer.value is None:
            continue
        try:
            fitting.append(fit(_unwrapped(offer.value, output), output))
        except UnfitError as error:
            complaints.append(str(error))
    return fitting, complaints


def _unwrapped(value: dict[str, Json], output: type[BaseModel]) -> dict[str, Json]:
    """`{"result": {...}}` is its only content, unless the key is one that was asked for."""
    if len(value) == 1:
        key, inner = next(iter(value.items()))
        if isinstance(inner, dict) and key.casefold() not in output.model_fields:
            return inner
    return value
