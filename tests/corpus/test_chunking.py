from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from goldsmith.corpus.chunking import Chunker, count_tokens
from goldsmith.corpus.documents import read, sources
from goldsmith.corpus.formats import Format
from goldsmith.corpus.outline import blocks, outline
from goldsmith.ids import content_id, text_digest
from goldsmith.records import Chunk, Document
from goldsmith.settings import ChunkSettings, Splitter

if TYPE_CHECKING:
    from pathlib import Path


def page(text: str, source: str = "a.md", text_format: Format = Format.MARKDOWN) -> Document:
    return Document(
        doc_id=content_id("d", source, text),
        source=source,
        title="A",
        text=text,
        sha256=text_digest(text),
        headings=outline(text, text_format),
        blocks=blocks(text),
    )


def cut(document: Document, splitter: Splitter, size: int, overlap: int = 0) -> list[Chunk]:
    chosen = ChunkSettings(splitter=splitter, chunk_size=size, chunk_overlap=overlap)
    return Chunker(chosen).chunks(document)


def markdown(text: str, size: int = 60) -> list[Chunk]:
    return cut(page(text), Splitter.MARKDOWN, size)


def check(document: Document, chunks: list[Chunk], size: int, *, tokens: bool = False) -> None:
    """What must hold of every document, whatever the settings."""
    end = 0
    for chunk in chunks:
        assert document.text[chunk.start : chunk.end] == chunk.text
        assert chunk.text == chunk.text.strip() != ""
        assert document.text[end : chunk.start].strip() == "", "something was left out"
        assert chunk.end > end, "a chunk adds nothing"
        assert (count_tokens(chunk.text) if tokens else len(chunk.text)) <= size
        end = chunk.end
    assert document.text[end:].strip() == ""
    assert len({chunk.chunk_id for chunk in chunks}) == len(chunks)


# -- spans --------------------------------------------------------------------------------------

_PIECES = [
    "a",
    "word ",
    "bb",
    "\n",
    "\n\n",
    "# H\n",
    "## S\n\n",
    "```\n",
    "| a | b |\n",
    "|--|--|\n",
]
_PIECES += ["日本", "é", "x" * 70, "-", "\n---\n", "```\ncode\n\nmore\n```\n", "    "]


@settings(max_examples=150)
@given(
    st.lists(st.sampled_from(_PIECES), max_size=60).map("".join),
    st.sampled_from(Splitter),
    st.integers(50, 90),
    st.sampled_from([0, 0, 7, 30]),
)
def test_every_chunk_stands_where_it_says(
    text: str, splitter: Splitter, size: int, overlap: int
) -> None:
    document = page(text)
    chunks = cut(document, splitter, size, overlap)
    check(document, chunks, size, tokens=splitter is Splitter.TOKEN)


@pytest.mark.parametrize("splitter", Splitter)
@pytest.mark.parametrize("overlap", [0, 20])
def test_repeated_text_has_a_place_for_each_copy(splitter: Splitter, overlap: int) -> None:
    text = "The same line again.\n\n" * 200
    document = page(text)
    chunks = cut(document, splitter, 60, overlap)
    check(document, chunks, 60, tokens=splitter is Splitter.TOKEN)
    assert len({chunk.start for chunk in chunks}) == len(chunks)


def test_an_overlap_is_shared_by_neighbours() -> None:
    words = " ".join(f"w{i:03d}" for i in range(100))
    chunks = cut(page(words), Splitter.RECURSIVE, 50, overlap=10)
    shared = [one.end - two.start for one, two in pairwise(chunks)]
    # Words of 4 letters with a space: two of them, 9 or 10 characters, fit into the overlap.
    assert set(shared) == {9}


# -- ids ----------------------------------------------------------------------------------------


def test_an_inserted_paragraph_leaves_other_ids_alone() -> None:
    sections = [f"## Part {i}\n\n{f'Sentence number {i} says so. ' * 3}" for i in range(6)]
    before = markdown("# Title\n\n" + "\n\n".join(sections), 200)
    after = markdown("# Title\n\nInserted at the top.\n\n" + "\n\n".join(sections), 200)
    old, new = {c.chunk_id for c in before}, {c.chunk_id for c in after}
    assert len(old) == 6
    # Only the first chunk, which holds the title, changed; the paragraph made one more.
    assert len(old & new) == 5
    assert len(new) == 7


def test_copies_in_two_documents_are_two_chunks_of_one_group() -> None:
    (one,) = cut(page("The same text.", "a.md"), Splitter.MARKDOWN, 60)
    (two,) = cut(page("The  same\ntext.", "b.md"), Splitter.MARKDOWN, 60)
    (three,) = cut(page("The same text!", "c.md"), Splitter.MARKDOWN, 60)
    assert one.chunk_id != two.chunk_id
    assert one.duplicate_group == two.duplicate_group != three.duplicate_group


def test_white_space_of_any_script_makes_no_difference_to_a_group() -> None:
    (one,) = cut(page("日本 語。", "a.md"), Splitter.MARKDOWN, 60)
    (two,) = cut(page("日本\u3000語。", "b.md"), Splitter.MARKDOWN, 60)
    assert one.duplicate_group == two.duplicate_group


def test_an_id_is_that_of_source_text_and_number_of_the_copy() -> None:
    part = "## Same\n\nThe same text twice, long enough."
    chunks = markdown(f"{part}\n\n{part}", 50)
    assert [c.chunk_id for c in chunks] == [
        content_id("p", "a.md", part, "1"),
        content_id("p", "a.md", part, "2"),
    ]
    assert chunks[0].duplicate_group == chunks[1].duplicate_group


# -- sections -----------------------------------------------------------------------------------


def test_no_chunk_crosses_a_section() -> None:
    chunks = markdown("# T\n\nIntro.\n\n## A\n\nOne.\n\n## B\n\nTwo.\n\n### C\n\nThree.")
    assert [(c.text, c.section) for c in chunks] == [
        ("# T\n\nIntro.", "T"),
        ("## A\n\nOne.", "T > A"),
        ("## B\n\nTwo.\n\n### C\n\nThree.", "T > B"),
    ]


def test_headings_without_text_stay_with_what_follows() -> None:
    (chunk,) = markdown("# T\n\n## A\n\nText.")
    assert chunk.section == "T > A"
    assert [c.text for c in markdown("## A\n\n## B\n\nText.")] == ["## A", "## B\n\nText."]


def test_a_long_list_keeps_its_heading() -> None:
    items = "\n".join(f"* item number {i} of the list" for i in range(8))
    chunks = markdown(f"## Fixes\n\n{items}")
    assert chunks[0].text.startswith("## Fixes\n\n* item number 0")
    assert {c.section for c in chunks} == {"Fixes"}


def test_a_chunk_within_a_section_is_below_its_headings() -> None:
    body = "\n\n".join(f"Paragraph number {i} of this part." for i in range(6))
    chunks = markdown(f"# T\n\n## A\n\n{body}\n\n### Deep\n\n{body}")
    assert chunks[1].section == "T > A"
    assert chunks[-1].section == "T > A > Deep"


def test_text_above_the_first_heading_has_no_section() -> None:
    assert [c.section for c in markdown("Before.\n\n# T\n\nText.")] == ["", "T"]


def test_rst_sections_count_too() -> None:
    text = "=====\nTitle\n=====\n\nPart\n----\n\nOne.\n\nOther\n-----\n\nTwo."
    chunks = cut(page(text, "a.rst", Format.RST), Splitter.MARKDOWN, 60)
    assert [(c.text.split("\n")[-1], c.section) for c in chunks] == [
        ("One.", "Title > Part"),
        ("Two.", "Title > Other"),
    ]
    assert chunks[0].text.startswith("=====\nTitle")


# -- tables and code ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "block",
    [
        "```python\nx = 1\n\n# y\n\nz = 2\n```",
        "| a | b |\n|---|---|\n| c | d |\n| e | f |",
        "~~~\none\n\ntwo\n~~~",
    ],
)
def test_a_block_that_fits_is_whole(block: str) -> None:
    text = f"## A\n\nSome words that take up a part of it.\n\n{block}\n\nMore words behind it, too."
    holding = [c.text for c in markdown(text) if block[-8:] in c.text]
    assert len(holding) == 1
    assert block in holding[0]


def test_a_block_that_does_not_fit_is_cut_without_loss() -> None:
    code = "```\n" + "\n".join(f"line_{i} = {i}" for i in range(40)) + "\n```"
    document = page(f"## A\n\n{code}\n\nAfter.")
    check(document, cut(document, Splitter.MARKDOWN, 60), 60)


# -- sizes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("one two", 2),
        ("internationalisation", 3),  # 20 letters: 8 + 8 + 4
        ("a_b", 3),
        ("v2.1, ok!", 6),
        ("日本語", 3),
        ("한국어", 3),
    ],
)
def test_what_a_token_is(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


def test_a_word_longer_than_a_chunk_is_cut() -> None:
    assert [len(c.text) for c in cut(page("x" * 130), Splitter.RECURSIVE, 60)] == [60, 60, 10]


@pytest.mark.parametrize("splitter", Splitter)
def test_white_space_has_no_chunks(splitter: Splitter) -> None:
    assert cut(page(" \n\n\t\n"), splitter, 60) == []


def test_a_short_document_is_one_chunk() -> None:
    (chunk,) = markdown("\n\nOk.\n")
    assert (chunk.text, chunk.start, chunk.end) == ("Ok.", 2, 5)


def test_a_long_page_contributes_from_its_whole_length() -> None:
    text = "\n\n".join(f"## Release {i}\n\n{'Fixed a defect. ' * 20}" for i in range(2000))
    document = page(text)
    assert len(text) > 600_000
    chunks = cut(document, Splitter.MARKDOWN, 1200)
    check(document, chunks, 1200)
    assert chunks[-1].section == "Release 1999"
    assert chunks[-1].end == len(text.rstrip())


# -- real pages ---------------------------------------------------------------------------------


@dataclass(slots=True)
class Corpora:
    documents: dict[str, list[Document]] = field(default_factory=dict)


@pytest.fixture(scope="module")
def corpora(shared_data: Path) -> Corpora:
    """A sample of every corpus, read once."""
    found = Corpora()
    for folder in sorted((shared_data / "corpora").iterdir()):
        sample = sources(folder)[::20]
        found.documents[folder.name] = [
            d for d in read(sample, ChunkSettings()) if isinstance(d, Document)
        ]
    return found


@pytest.mark.parametrize("splitter", Splitter)
@pytest.mark.parametrize("overlap", [0, 100])
def test_every_invariant_holds_on_real_pages(
    corpora: Corpora, splitter: Splitter, overlap: int
) -> None:
    for name, documents in corpora.documents.items():
        assert documents, name
        for document in documents:
            chunks = cut(document, splitter, 600, overlap)
            check(document, chunks, 600, tokens=splitter is Splitter.TOKEN)
            assert chunks, document.source


def test_the_order_of_files_changes_no_id(corpora: Corpora) -> None:
    documents = corpora.documents["hf_hub"]
    chunker = Chunker(ChunkSettings())
    forwards = [c.chunk_id for d in documents for c in chunker.chunks(d)]
    backwards = [c.chunk_id for d in reversed(documents) for c in chunker.chunks(d)]
    assert sorted(forwards) == sorted(backwards)
