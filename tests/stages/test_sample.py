from __future__ import annotations

import random
from collections import Counter

from goldsmith.records import Chunk, Kind, LinkType, SourceSet
from goldsmith.settings import SampleSettings
from goldsmith.stages import sample
from tests.support.corpora import make_chunks

SUBJECTS = "buffer window ledger token shelf lane mask board gate report".split()  # noqa: SIM905


def sentence(topic: str, number: int) -> str:
    """A prose chunk of its own: no two share a run of five words."""
    return (
        " ".join(f"{topic} fact {number} word{number}x{i} of {topic}{i}" for i in range(10)) + "."
    )


def corpus(documents: int, chunks_each: int) -> list[Chunk]:
    return [
        chunk
        for d in range(documents)
        for chunk in make_chunks(
            f"{d}.md", *(sentence(SUBJECTS[d % 10], 100 * d + n) for n in range(chunks_each))
        )
    ]


def factoids(result: sample.Sampled) -> list[SourceSet]:
    return [s for s in result.sets if s.kind is Kind.FACTOID]


def settings(factoid: int = 25, multi_source: int = 0, seed: int = 7) -> SampleSettings:
    return SampleSettings(seed=seed, factoid=factoid, multi_source=multi_source, min_words=10)


def test_documents_take_turns() -> None:
    chunks = corpus(10, 10)
    drawn = factoids(sample.run(chunks, settings(25)))
    home = {chunk.chunk_id: chunk.doc_id for chunk in chunks}
    per_document = Counter(home[s.chunk_ids[0]] for s in drawn)
    assert len(drawn) == 25
    # 25 over 10 documents: 2 or 3 each.
    assert set(per_document.values()) == {2, 3}


def test_a_long_page_is_asked_about_over_its_whole_length() -> None:
    chunks = corpus(1, 200)
    drawn = factoids(sample.run(chunks, settings(40)))
    position = {chunk.chunk_id: n for n, chunk in enumerate(chunks)}
    quarters = Counter(position[s.chunk_ids[0]] // 50 for s in drawn)
    assert set(quarters) == {0, 1, 2, 3}


def test_the_same_draw_whatever_the_order_of_files() -> None:
    chunks = corpus(5, 5)
    shuffled = chunks.copy()
    random.Random(1).shuffle(shuffled)
    assert sample.run(shuffled, settings(8)) == sample.run(chunks, settings(8))
    assert sample.run(chunks, settings(8, seed=8)).sets != sample.run(chunks, settings(8)).sets


def test_a_small_corpus_gives_what_it_can_and_says_the_rest() -> None:
    result = sample.run(corpus(1, 2), settings(factoid=5, multi_source=10))
    rows = {row.kind: row for row in result.funnel}
    assert (rows["factoid"].kept, rows["factoid"].failed) == (2, {"corpus_too_small": 3})
    assert (rows["multi_source"].kept, rows["multi_source"].failed) == (0, {"no_linked_chunks": 10})


def test_an_empty_corpus_is_accounted_for() -> None:
    rows = {row.kind: row for row in sample.run([], settings(3)).funnel}
    assert rows["chunk"].requested == 0
    assert rows["factoid"].failed == {"corpus_too_small": 3}


def passed_over(text: str) -> str:
    result = sample.run(make_chunks("page.md", text), settings(1))
    chunk_rows = [item for item in result.dropped if item.kind == "chunk"]
    return chunk_rows[0].reason if chunk_rows else "asked"


def test_text_that_cannot_carry_a_fact_is_passed_over_by_reason() -> None:
    loops = "{% for item in items %}\n{{ item }}\n{% endfor %}\n" * 6
    includes = "{* ./docs_src/first_steps/tutorial001.py hl[1] *}\n" * 6
    code = "```python\n" + "value = compute(1, 2, 3)\n" * 8 + "```"
    links = "\n".join(f"- [Page {n} of the handbook](page-{n}.md)" for n in range(9))
    assert passed_over("Too short.") == "too_short"
    assert passed_over(loops) == "template_code"
    assert passed_over(includes) == "template_code"
    assert passed_over(code) == "mostly_code"
    assert passed_over(links) == "navigation"
    assert passed_over(sentence("buffer", 1)) == "asked"


def test_furniture_that_repeats_over_pages_is_passed_over() -> None:
    notice = "This page is licensed under the terms of the common licence, see the last page."
    chunks = [c for n in range(6) for c in make_chunks(f"{n}.md", notice, sentence("lane", n))]
    result = sample.run(chunks, settings(20))
    assert result.funnel[0].rejected == {"boilerplate": 6}
    assert len(factoids(result)) == 6


def test_a_near_duplicate_of_a_drawn_chunk_is_passed_over() -> None:
    first = sentence("shelf", 1)
    chunks = make_chunks("a.md", first) + make_chunks("b.md", first + " Indeed.")
    result = sample.run(chunks, settings(2))
    assert len(factoids(result)) == 1
    assert "near_duplicate" in {item.reason for item in result.dropped}


LINKED = [
    *make_chunks("a.md", "Our storage grows. The Relay Buffer holds events " + sentence("lane", 1)),
    *make_chunks("b.md", "Plans differ. The Relay Buffer is for events " + sentence("mask", 2)),
    *make_chunks("c.md", "Nothing linked stands here. " + sentence("gate", 3)),
    *make_chunks("d.md", "Another page without a link. " + sentence("board", 4)),
    *make_chunks("e.md", "Yet another page without. " + sentence("report", 5)),
    *make_chunks("f.md", "The last page without. " + sentence("token", 6)),
    *make_chunks("g.md", "Really the last page. " + sentence("ledger", 7)),
    *make_chunks("h.md", "After the last page. " + sentence("window", 8)),
]


def test_a_multi_source_set_is_linked_by_a_rare_term_of_different_documents() -> None:
    result = sample.run(LINKED, settings(factoid=0, multi_source=1))
    (linked,) = result.sets
    assert linked.term == "Relay Buffer"
    assert set(linked.chunk_ids) == {LINKED[0].chunk_id, LINKED[1].chunk_id}
    assert linked.link is LinkType.CONJUNCTION


def test_the_subject_of_one_chunk_that_another_mentions_is_a_bridge() -> None:
    titled = [
        c.model_copy(update={"section": "Relay Buffer"}) if n == 0 else c
        for n, c in enumerate(LINKED)
    ]
    (linked,) = sample.run(titled, settings(factoid=0, multi_source=1)).sets
    assert linked.link is LinkType.BRIDGE
