from __future__ import annotations

import tracemalloc
from typing import TYPE_CHECKING

import pytest

from goldsmith.errors import InputError
from goldsmith.funnel import FunnelRow
from goldsmith.ids import content_id, text_digest
from goldsmith.records import Document, Dropped, Loss
from goldsmith.settings import ChunkSettings
from goldsmith.stages import chunk

if TYPE_CHECKING:
    from collections.abc import Iterator


def document(source: str, text: str) -> Document:
    return Document(
        doc_id=content_id("d", source, text),
        source=source,
        title=source,
        text=text,
        sha256=text_digest(text),
    )


def refused(name: str) -> Dropped:
    return Dropped(
        stage="chunk", kind="document", item_id=name, loss=Loss.FAILED, reason="undecodable"
    )


def test_each_document_comes_with_its_chunks_and_all_are_accounted_for() -> None:
    tally = chunk.Tally()
    found: list[Document | Dropped] = [
        document("a.md", "# A\n\nText."),
        refused("b.bin"),
        document("c.md", " \n "),
    ]
    done = list(chunk.run(found, ChunkSettings(), tally))
    assert [(item.document.source, len(item.chunks)) for item in done] == [("a.md", 1)]
    assert [(item.item_id, item.reason) for item in tally.dropped] == [
        ("b.bin", "undecodable"),
        ("c.md", "no_text"),
    ]
    assert (tally.documents, tally.chunks) == (1, 1)
    assert tally.funnel() == [
        FunnelRow(
            stage="chunk",
            kind="document",
            requested=3,
            kept=1,
            rejected={"no_text": 1},
            failed={"undecodable": 1},
        )
    ]


def test_nothing_in_nothing_out() -> None:
    tally = chunk.Tally()
    assert list(chunk.run([], ChunkSettings(), tally)) == []
    assert tally.funnel()[0].requested == 0


def test_the_same_document_twice_is_refused_by_its_id() -> None:
    twice = document("a.md", "Text.")
    with pytest.raises(InputError, match=repr(twice.doc_id)):
        list(chunk.run([twice, twice], ChunkSettings(), chunk.Tally()))


def test_documents_are_taken_one_at_a_time() -> None:
    taken: list[str] = []

    def coming() -> Iterator[Document]:
        for name in ("a.md", "b.md", "c.md"):
            taken.append(name)
            yield document(name, "Text.")

    run = chunk.run(coming(), ChunkSettings(), chunk.Tally())
    next(run)
    assert taken == ["a.md"]


def test_memory_holds_a_few_bytes_a_chunk() -> None:
    """2,000 documents of 20 chunks: 40,000 ids are half a megabyte, their text is 24."""
    text = "\n\n".join(f"{i} {'word ' * 100}" for i in range(20))
    tracemalloc.start()
    try:
        tally = chunk.Tally()
        stream = chunk.run(
            (document(f"{i}.md", text) for i in range(2000)),
            ChunkSettings(chunk_size=600),
            tally,
        )
        for _ in stream:
            pass
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert tally.chunks == 40_000
    assert peak < 5_000_000
