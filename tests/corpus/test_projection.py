"""The joint members and their minimality as a property; worked cases are in the complete stage."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from goldsmith.corpus.projection import Projection
from goldsmith.records import Chunk

TEXT = "abcdefghijklmnopqrstuvwxyz" * 4


def piece(name: str, start: int, end: int) -> Chunk:
    return Chunk(
        chunk_id=name,
        doc_id="d",
        title="",
        section="",
        text=TEXT[start:end],
        start=start,
        end=end,
        duplicate_group=name,
    )


spans = st.tuples(st.integers(0, 99), st.integers(1, 30)).map(
    lambda pair: (pair[0], min(pair[0] + pair[1], len(TEXT)))
)


@given(st.lists(spans, max_size=12), spans)
def test_members_carry_the_span_and_joint_members_need_each_of_their_chunks(
    cuts: list[tuple[int, int]], span: tuple[int, int]
) -> None:
    chunks = {f"p-{n}": piece(f"p-{n}", *cut) for n, cut in enumerate(cuts)}
    start, end = span
    found = Projection(chunks.values()).carriers("d", start, end, TEXT[start:end])
    wanted = set(range(start, end))

    def covered(names: tuple[str, ...]) -> set[int]:
        return {i for name in names for i in range(chunks[name].start, chunks[name].end)}

    # Single members are exactly the chunks that contain the span.
    assert set(found.single) == {n for n in chunks if wanted <= covered((n,))}
    for member in found.joint:
        assert wanted <= covered(member)
        for left_out in member:
            assert not wanted <= covered(tuple(n for n in member if n != left_out))
    if not found.single and not found.joint:
        assert not wanted <= covered(tuple(chunks))


def test_another_document_carries_nothing() -> None:
    projection = Projection([piece("p-1", 0, 50)])
    assert projection.carriers("d-other", 0, 5, "abcde").single == ()
