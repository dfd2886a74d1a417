"""A release on a terminal: the list of its questions, and one question with all that backs it.

Texts of documents and models are never read as markup: brackets in them are brackets.
"""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING

from rich.console import Group
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from goldsmith.corpus.quotes import locate
from goldsmith.errors import InputError
from goldsmith.records import Critic, Kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from goldsmith.records import Chunk, Evidence, Query, Trial
    from goldsmith.release.manifest import Manifest
    from goldsmith.release.reading import Release

QUOTE_STYLE = "black on yellow"
_LABEL = "bold cyan"
_FAINT = "dim"


def release_view(release: Release, kind: Kind | None = None) -> RenderableType:
    """The head of a release and the list of its questions, all of them or those of `kind`."""
    queries = [q for q in release.contents.queries if kind is None or q.kind is kind]
    return Group(_head(release.manifest), query_table(queries))


def query_table(queries: Sequence[Query]) -> Table:
    """One row a question: id, kind, question, answer, gold chunks, lowest rating."""
    table = Table(title=f"{len(queries)} questions", title_justify="left")
    table.add_column("query", no_wrap=True)
    table.add_column("kind")
    table.add_column("question", overflow="fold", ratio=3)
    table.add_column("answer", overflow="fold", ratio=2)
    table.add_column("gold", justify="right")
    table.add_column("rating", justify="right")
    for query in queries:
        table.add_row(
            Text(query.query_id),
            Text(query.probe_kind or query.kind),
            Text(query.question),
            Text(query.answer or f"({query.expected_response})"),
            Text(str(len(query.gold_citations))),
            Text(_lowest_rating(query)),
        )
    return table


def query_view(release: Release, query_id: str) -> RenderableType:
    """One question with answer, quotes in their passages, critics, necessity trials and proof.

    Raises `InputError` for an id that the release lacks, naming the nearest ones.
    """
    query = _find(release, query_id)
    chunks = {chunk.chunk_id: chunk for chunk in release.contents.chunks}
    parts: list[RenderableType] = [_question(query)]
    parts += _passages(query, chunks)
    parts += [part for part in (_critics(query), _trials(query), _proof(query)) if part is not None]
    return Group(*parts)


def _find(release: Release, query_id: str) -> Query:
    by_id = {query.query_id: query for query in release.contents.queries}
    if query_id not in by_id:
        near = get_close_matches(query_id, by_id, n=3)
        hint = f"the nearest are {', '.join(near)}" if near else "`goldsmith show` lists them all"
        raise InputError(
            f"release {release.manifest.name!r} {release.manifest.version} has no query "
            f"{query_id!r}: {hint}"
        )
    return by_id[query_id]


def _head(manifest: Manifest) -> RenderableType:
    head = Text(f"{manifest.name} {manifest.version}", style="bold")
    head.append(f"  digest {manifest.digest[:12]}  model {', '.join(manifest.models)}", _FAINT)
    if manifest.notice:
        head.append(f"\n{manifest.notice}", "bold yellow")
    return head


def _question(query: Query) -> RenderableType:
    body = Text()
    body.append(query.question, "bold")
    body.append("\n\nanswer  ", _LABEL)
    body.append(query.answer or "(none)")
    body.append(f"\nexpected  {query.expected_response}", _FAINT)
    for statement in query.statements:
        body.append(f"\n  – {statement.text}")
        body.append(f"  evidence {', '.join(str(index) for index in statement.evidence)}", _FAINT)
    kind = query.probe_kind or query.kind
    facts = [f"language {query.language}", f"model {query.provenance.model}"]
    if query.twin_id:
        facts.append(f"twin {query.twin_id}")
    if query.term:
        facts.append(f"linked by {query.term!r} ({query.link})")
    if query.difficulty:
        rank = query.difficulty.bm25_rank or "beyond depth"
        facts.append(f"BM25 rank {rank}, overlap {query.difficulty.question_overlap:.2f}")
    body.append(f"\n\n{' · '.join(facts)}", _FAINT)
    return Panel(body, title=Text(f"{query.query_id} · {kind}"), title_align="left")


def _passages(query: Query, chunks: dict[str, Chunk]) -> Iterator[RenderableType]:
    for number, found in enumerate(query.evidence):
        members = [*((chunk_id,) for chunk_id in found.chunk_ids), *found.joint_members]
        any_of = f"any of {len(members)} members carries it" if len(members) > 1 else "one member"
        yield Text(f"evidence {number}: {any_of}", _LABEL)
        for member in members:
            for chunk_id in member:
                joint = " (together)" if len(member) > 1 else ""
                yield _passage(chunk_id, chunks, found, note=joint)
    for chunk_id in query.trap_chunk_ids:
        yield Text("trap", "bold red")
        yield _passage(chunk_id, chunks, None)


def _passage(
    chunk_id: str, chunks: dict[str, Chunk], found: Evidence | None, note: str = ""
) -> RenderableType:
    chunk = chunks.get(chunk_id)
    if chunk is None:
        return Text(f"  {chunk_id}: not in the corpus", "bold red")
    text = Text(chunk.text)
    if found is not None:
        highlight(text, chunk, found)
    place = f"{chunk.chunk_id}{note} · {chunk.section or chunk.title} · {chunk.doc_id}"
    return Padding(Panel(text, title=Text(place, _FAINT), title_align="left"), (0, 0, 0, 2))


def highlight(text: Text, chunk: Chunk, found: Evidence) -> None:
    """Mark the quote in the chunk: the span where it is the same document, else where it stands."""
    if chunk.doc_id == found.doc_id and chunk.start < found.end and found.start < chunk.end:
        text.stylize(QUOTE_STYLE, max(found.start - chunk.start, 0), found.end - chunk.start)
        return
    span = locate(found.quote, chunk.text)
    if span is not None:
        text.stylize(QUOTE_STYLE, span.start, span.end)


def _critics(query: Query) -> RenderableType | None:
    if query.critics is None:
        return None
    table = Table("critic", "rating", "why", title="critics", title_justify="left")
    for critic in Critic:
        score = getattr(query.critics, critic.value)
        if score is not None:
            table.add_row(critic.value, str(score.rating), Text(score.rationale))
    return table


def _trials(query: Query) -> RenderableType | None:
    if not query.necessity:
        return None
    table = Table("sources", "answer", "as gold", title="necessity", title_justify="left")
    for trial in query.necessity:
        table.add_row(
            Text(", ".join(trial.chunk_ids) or "(closed book)"),
            Text(trial.answer or "(abstained)"),
            Text(_outcome(trial)),
        )
    return table


def _outcome(trial: Trial) -> str:
    if trial.failure is not None:
        return f"unscored: {trial.failure}"
    return "yes" if trial.matches_gold else "no"


def _proof(query: Query) -> RenderableType | None:
    proof = query.proof
    if proof is None:
        return None
    title = (
        f"absence: {proof.chunks_searched} chunks searched by {', '.join(proof.retrievers)} "
        f"to depth {proof.depth}"
    )
    table = Table("rank", "chunk", "verdict", "why", title=Text(title), title_justify="left")
    for near in proof.nearest:
        table.add_row(str(near.rank), Text(near.chunk_id), near.verdict.value, Text(near.rationale))
    asked = Text("searched for: ", _LABEL)
    asked.append(" | ".join(proof.queries))
    return Group(asked, table)


def _lowest_rating(query: Query) -> str:
    if query.critics is None:
        return "—"
    scores = (getattr(query.critics, critic.value) for critic in Critic)
    return str(min(score.rating for score in scores if score is not None))
