"""Read the body of a chat completion, whatever a server makes of the format."""

from __future__ import annotations

from typing import Any

import orjson

from goldsmith.llm.faults import TransientError
from goldsmith.llm.request import Finish, Reply

_FINISH = {
    "length": Finish.LENGTH,
    "max_tokens": Finish.LENGTH,
    "content_filter": Finish.FILTERED,
    "refusal": Finish.REFUSED,
}
"""What is not listed is a normal end: servers have many words for it."""

CHARACTERS_A_TOKEN = 4
"""For servers that report no usage: near enough for European languages, to keep a budget by."""


def read_completion(content: bytes, prompt_characters: int) -> Reply:
    """The reply in a response body.

    Raises `TransientError` for a body that holds none: a proxy's page, half an object, no choices.
    """
    try:
        body = orjson.loads(content)
    except orjson.JSONDecodeError:
        raise TransientError(f"the endpoint sent no JSON but {_shown(content)}") from None
    return completion_of(body, prompt_characters)


def completion_of(body: Any, prompt_characters: int) -> Reply:  # noqa: ANN401 - decoded JSON
    """The reply in a decoded body; see `read_completion`."""
    if not isinstance(body, dict):
        raise TransientError(f"the endpoint sent {_shown(orjson.dumps(body))}, no completion")
    choices = body.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise TransientError(f"the endpoint sent no choices: {_shown(orjson.dumps(body))}")
    message = choices[0].get("message")
    if not isinstance(message, dict):
        raise TransientError(f"the endpoint sent no message: {_shown(orjson.dumps(body))}")
    text = _text_of(message.get("content"))
    finish = _FINISH.get(str(choices[0].get("finish_reason")), Finish.STOP)
    if isinstance(refusal := message.get("refusal"), str) and refusal:
        text, finish = text or refusal, Finish.REFUSED
    tokens_in, tokens_out = _usage(body.get("usage"), prompt_characters, len(text))
    return Reply(
        text=text,
        finish=finish,
        tokens_in=tokens_in,
        tokens_out=tokens_out,
        model=str(body.get("model") or ""),
    )


def _text_of(content: object) -> str:
    """A string, or the text parts of a list; nothing for a reply that is all tool calls."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = (part.get("text") for part in content if isinstance(part, dict))
    return "".join(part for part in parts if isinstance(part, str))


def _usage(usage: object, prompt_characters: int, reply_characters: int) -> tuple[int, int]:
    if isinstance(usage, dict):
        counts = usage.get("prompt_tokens"), usage.get("completion_tokens")
        if isinstance(counts[0], int) and isinstance(counts[1], int):
            return counts[0], counts[1]
    return (
        -(-prompt_characters // CHARACTERS_A_TOKEN),
        -(-reply_characters // CHARACTERS_A_TOKEN),
    )


def _shown(content: bytes) -> str:
    text = content[:120].decode("utf-8", "replace")
    return repr(text if len(content) <= 120 else f"{text}...")  # noqa: PLR2004 - a line for a reader
