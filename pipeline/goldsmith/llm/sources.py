"""Chunks as prompts show them."""

from __future__ import annotations

from string import ascii_uppercase
from typing import TYPE_CHECKING

from goldsmith.llm.tasks import Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goldsmith.records import Chunk


def as_source(chunk: Chunk, label: str = "A") -> Source:
    return Source(label=label, title=chunk.title, section=chunk.section, text=chunk.text)


def labelled(chunks: Sequence[Chunk]) -> tuple[Source, ...]:
    """Sources labelled A, B, ... in order."""
    return tuple(
        as_source(chunk, label) for label, chunk in zip(ascii_uppercase, chunks, strict=False)
    )
