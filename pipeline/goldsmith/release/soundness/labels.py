"""Labels: evidence that stands in the documents, members that carry it, ids that exist."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldsmith.corpus.quotes import locate
from goldsmith.records import JUDGED_BY_SPAN, Answering, Kind
from goldsmith.release.layout import JUDGEMENTS, relevant_chunks
from goldsmith.release.soundness.corpus import repeated, shown
from goldsmith.release.soundness.fault import Fault
from goldsmith.release.soundness.questions import fault_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from goldsmith.records import Chunk, Evidence, Query
    from goldsmith.release.contents import Contents
    from goldsmith.release.soundness.corpus import Shelf


def label_faults(contents: Contents, shelf: Shelf) -> Iterator[Fault]:
    """Evidence, statements, citations and judgements that contradict the corpus or each other."""
    accepted = _accepted_without_quote(contents, shelf, {Answering.ANSWERS})
    # A passage that says the same in other words can be cut: each part was accepted as a part.
    parts = _accepted_without_quote(contents, shelf, {Answering.ANSWERS, Answering.PARTLY})
    for query in contents.queries:
        if query.kind is not Kind.UNANSWERABLE:
            yield from _statement_faults(query)
        for number, found in enumerate(query.evidence):
            column = f"evidence[{number}]"
            yield from _span_faults(query, found, column, shelf)
            yield from _member_faults(query, found, column, shelf, accepted, parts)
        yield from _citation_faults(query)
        yield from _id_faults(query, shelf)
    yield from _judgement_faults(contents, shelf)


def _accepted_without_quote(
    contents: Contents, shelf: Shelf, verdicts: set[Answering]
) -> set[tuple[str, str]]:
    """(query, duplicate group) of passages that say the same in other words.

    A judge accepted them, or a question that was merged into this one was written from them.
    """
    sources = {query.query_id: query.source_chunk_ids for query in contents.queries}
    return {
        (row.query_id, shelf.chunks[row.chunk_id].duplicate_group)
        for row in contents.judgements
        if row.verdict in verdicts
        and row.judge != JUDGED_BY_SPAN
        and row.chunk_id in shelf.chunks
        and row.chunk_id not in sources.get(row.query_id, ())
    }


def _statement_faults(query: Query) -> Iterator[Fault]:
    if not query.evidence:
        yield fault_in(query, "no_evidence", "evidence", "an answerable question needs evidence")
    if not query.statements:
        yield fault_in(query, "no_statement", "statements", "the answer states nothing")
    for number, statement in enumerate(query.statements):
        column = f"statements[{number}]"
        if not statement.text.strip():
            yield fault_in(query, "empty_statement", f"{column}.text", "found an empty text")
        if not statement.evidence:
            yield fault_in(
                query, "statement_without_evidence", f"{column}.evidence", "names no evidence"
            )
        for index in statement.evidence:
            if not 0 <= index < len(query.evidence):
                detail = f"found {index}, there are {len(query.evidence)} evidences"
                yield fault_in(query, "unknown_evidence", f"{column}.evidence", detail)


def _span_faults(query: Query, found: Evidence, column: str, shelf: Shelf) -> Iterator[Fault]:
    document = shelf.documents.get(found.doc_id)
    if document is None:
        detail = f"document {found.doc_id!r} is not in the release"
        yield fault_in(query, "unknown_document", f"{column}.doc_id", detail)
    elif not found.quote.strip() or document.text[found.start : found.end] != found.quote:
        spanned = shown(document.text[found.start : found.end])
        detail = (
            f"found {shown(found.quote)}, but {found.doc_id}[{found.start}:{found.end}] is "
            f"{spanned}"
        )
        yield fault_in(query, "quote_not_its_span", f"{column}.quote", detail)


def _member_faults(
    query: Query,
    found: Evidence,
    column: str,
    shelf: Shelf,
    accepted: set[tuple[str, str]],
    accepted_parts: set[tuple[str, str]],
) -> Iterator[Fault]:
    if not found.all_chunk_ids:
        yield fault_in(query, "no_member", f"{column}.chunk_ids", "no chunk carries the evidence")
    for chunk_id in found.all_chunk_ids:
        if chunk_id not in shelf.chunks:
            detail = f"gold chunk {chunk_id!r} is not in the corpus"
            yield fault_in(query, "gold_not_in_corpus", f"{column}.chunk_ids", detail)
    for chunk in (shelf.chunks[c] for c in found.chunk_ids if c in shelf.chunks):
        is_accepted = (query.query_id, chunk.duplicate_group) in accepted
        if not is_accepted and locate(found.quote, chunk.text) is None:
            detail = f"{chunk.chunk_id!r} does not hold the quote {shown(found.quote)}"
            yield fault_in(query, "quote_not_in_member", f"{column}.chunk_ids", detail)
    for member in found.joint_members:
        parts = [shelf.chunks[chunk_id] for chunk_id in member if chunk_id in shelf.chunks]
        if len(parts) < len(member) or _covers(parts, found) or _read_on(parts, found):
            continue
        if not all((query.query_id, part.duplicate_group) in accepted_parts for part in parts):
            detail = f"{list(member)} do not cover the quote {shown(found.quote)} together"
            yield fault_in(query, "quote_not_in_member", f"{column}.joint_members", detail)


def _covers(parts: Sequence[Chunk], found: Evidence) -> bool:
    """The chunks hold every character of the quote but white space, which splitters strip."""
    if len(parts) < 2:  # noqa: PLR2004 - one chunk is no joint member
        return False
    covered = [False] * len(found.quote)
    for chunk in parts:
        if chunk.doc_id == found.doc_id:
            start, end = max(chunk.start, found.start), min(chunk.end, found.end)
            covered[start - found.start : end - found.start] = [True] * max(end - start, 0)
    return all(
        is_covered or character.isspace()
        for is_covered, character in zip(covered, found.quote, strict=True)
    )


def _read_on(parts: Sequence[Chunk], found: Evidence) -> bool:
    """The chunks, read one after the other without what they share, hold a copy of the quote."""
    if len(parts) < 2 or len({chunk.doc_id for chunk in parts}) > 1:  # noqa: PLR2004 - likewise
        return False
    text, reached = "", parts[0].start
    for chunk in sorted(parts, key=lambda chunk: chunk.start):
        # Between two chunks a splitter may have stripped white space, and nothing else.
        text += "\n" * (chunk.start > reached) + chunk.text[max(reached - chunk.start, 0) :]
        reached = max(reached, chunk.end)
    return locate(found.quote, text) is not None


def _citation_faults(query: Query) -> Iterator[Fault]:
    members = relevant_chunks(query)
    if sorted(query.gold_citations) != members:
        detail = f"found {sorted(query.gold_citations)}, the members of its evidence are {members}"
        yield fault_in(query, "citations_not_members", "gold_citations", detail)


def _id_faults(query: Query, shelf: Shelf) -> Iterator[Fault]:
    named = {"trap_chunk_ids": query.trap_chunk_ids, "source_chunk_ids": query.source_chunk_ids}
    if query.proof is not None:
        named["proof.nearest"] = tuple(near.chunk_id for near in query.proof.nearest)
    for column, chunk_ids in named.items():
        for chunk_id in dict.fromkeys(chunk_ids):
            if chunk_id not in shelf.chunks:
                detail = f"chunk {chunk_id!r} is not in the corpus"
                yield fault_in(query, "chunk_not_in_corpus", column, detail)


def _judgement_faults(contents: Contents, shelf: Shelf) -> Iterator[Fault]:
    query_ids = {query.query_id for query in contents.queries}
    names = [f"{row.query_id} / {row.chunk_id} / {row.judge}" for row in contents.judgements]
    yield from repeated(JUDGEMENTS.name, "judge", names)
    for name, row in zip(names, contents.judgements, strict=True):
        if row.query_id not in query_ids:
            detail = f"query {row.query_id!r} is not in the release"
            yield Fault(JUDGEMENTS.name, name, "unknown_query", "query_id", detail)
        if row.chunk_id not in shelf.chunks:
            detail = f"chunk {row.chunk_id!r} is not in the corpus"
            yield Fault(JUDGEMENTS.name, name, "chunk_not_in_corpus", "chunk_id", detail)
