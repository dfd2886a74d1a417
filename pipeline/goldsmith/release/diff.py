"""What changed between two releases: questions, labels, corpus, settings, prompts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldsmith.records import Record
from goldsmith.release.layout import relevant_chunks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from goldsmith.records import Document, Judgement, Query
    from goldsmith.release.manifest import Manifest
    from goldsmith.release.reading import Release

_LABELS = frozenset(
    {"evidence", "gold_citations", "trap_chunk_ids", "expected_response", "statements"}
)
"""Columns of `questions` that a score depends on, besides question and answer."""
_HOW_IT_WAS_MADE = frozenset({"provenance"})
"""Columns that say nothing of the question itself."""


class Side(Record):
    """One of the two releases."""

    name: str
    version: str
    digest: str


class Question(Record):
    """A question that only one of the releases has."""

    query_id: str
    kind: str
    question: str


class Changed(Record):
    """A question that both have, with other content."""

    query_id: str
    before_id: str
    """Another than `query_id` when the same wording got another id."""
    question: str
    columns: tuple[str, ...]


class Relabelled(Record):
    """A question whose labels differ."""

    query_id: str
    question: str
    chunks_added: tuple[str, ...]
    chunks_removed: tuple[str, ...]
    columns: tuple[str, ...]


class CorpusDiff(Record):
    """Documents by their source path, chunks by id."""

    documents_added: tuple[str, ...]
    documents_removed: tuple[str, ...]
    documents_changed: tuple[str, ...]
    chunks_added: tuple[str, ...]
    chunks_removed: tuple[str, ...]


class JudgementDiff(Record):
    """Verdicts by query, chunk and judge."""

    added: int
    removed: int
    changed: int


class Setting(Record):
    """A value of the manifest that differs; None where one side lacks it."""

    key: str
    before: str | None
    after: str | None


class ReleaseDiff(Record):
    """Everything that differs, going from `before` to `after`."""

    before: Side
    after: Side
    added: tuple[Question, ...]
    removed: tuple[Question, ...]
    changed: tuple[Changed, ...]
    relabelled: tuple[Relabelled, ...]
    judgements: JudgementDiff
    corpus: CorpusDiff
    settings: tuple[Setting, ...]
    prompts: tuple[Setting, ...]
    made_with: tuple[Setting, ...]
    """Models, code, licence."""

    @property
    def is_empty(self) -> bool:
        """Nothing that a score depends on differs: the digests are the same."""
        return self.before.digest == self.after.digest


def diff_releases(before: Release, after: Release) -> ReleaseDiff:
    """Compare two releases that were read; verify them first when their files may be damaged."""
    pairs = _pairs(before.contents.queries, after.contents.queries)
    old_ids = {old.query_id for old, _ in pairs}
    new_ids = {new.query_id for _, new in pairs}
    return ReleaseDiff(
        before=_side(before.manifest),
        after=_side(after.manifest),
        added=tuple(_question(q) for q in after.contents.queries if q.query_id not in new_ids),
        removed=tuple(_question(q) for q in before.contents.queries if q.query_id not in old_ids),
        changed=tuple(_changed(*pair) for pair in pairs if _columns(*pair)),
        relabelled=tuple(_relabelled(*pair) for pair in pairs if _label_columns(*pair)),
        judgements=_judgements(before.contents.judgements, after.contents.judgements),
        corpus=_corpus(before, after),
        settings=_settings(before.manifest.settings, after.manifest.settings),
        prompts=_settings(before.manifest.prompts, after.manifest.prompts),
        made_with=_settings(_made_with(before.manifest), _made_with(after.manifest)),
    )


def _side(manifest: Manifest) -> Side:
    return Side(name=manifest.name, version=manifest.version, digest=manifest.digest)


def _question(query: Query) -> Question:
    return Question(query_id=query.query_id, kind=query.kind.value, question=query.question)


def _pairs(before: Sequence[Query], after: Sequence[Query]) -> list[tuple[Query, Query]]:
    """The same question in both: by id, and where ids went another way, by its wording."""
    old = {query.query_id: query for query in before}
    pairs = [(old.pop(query.query_id), query) for query in after if query.query_id in old]
    paired = {new.query_id for _, new in pairs}
    by_wording = {query.question: query for query in old.values()}
    unpaired = [query for query in after if query.query_id not in paired]
    pairs += [(by_wording.pop(q.question), q) for q in unpaired if q.question in by_wording]
    return sorted(pairs, key=lambda pair: pair[1].query_id)


def _columns(old: Query, new: Query) -> tuple[str, ...]:
    return tuple(
        name
        for name in type(new).model_fields
        if name not in _HOW_IT_WAS_MADE and getattr(old, name) != getattr(new, name)
    )


def _label_columns(old: Query, new: Query) -> tuple[str, ...]:
    return tuple(name for name in _columns(old, new) if name in _LABELS)


def _changed(old: Query, new: Query) -> Changed:
    return Changed(
        query_id=new.query_id,
        before_id=old.query_id,
        question=new.question,
        columns=_columns(old, new),
    )


def _relabelled(old: Query, new: Query) -> Relabelled:
    chunks_before, chunks_after = set(_labelled(old)), set(_labelled(new))
    return Relabelled(
        query_id=new.query_id,
        question=new.question,
        chunks_added=tuple(sorted(chunks_after - chunks_before)),
        chunks_removed=tuple(sorted(chunks_before - chunks_after)),
        columns=_label_columns(old, new),
    )


def _labelled(query: Query) -> Iterator[str]:
    yield from relevant_chunks(query)
    yield from query.trap_chunk_ids


def _judgements(before: Sequence[Judgement], after: Sequence[Judgement]) -> JudgementDiff:
    old = {(row.query_id, row.chunk_id, row.judge): row.verdict for row in before}
    new = {(row.query_id, row.chunk_id, row.judge): row.verdict for row in after}
    return JudgementDiff(
        added=len(new.keys() - old.keys()),
        removed=len(old.keys() - new.keys()),
        changed=sum(old[key] is not new[key] for key in old.keys() & new.keys()),
    )


def _corpus(before: Release, after: Release) -> CorpusDiff:
    old, new = _by_source(before.contents.documents), _by_source(after.contents.documents)
    old_chunks = {chunk.chunk_id for chunk in before.contents.chunks}
    new_chunks = {chunk.chunk_id for chunk in after.contents.chunks}
    return CorpusDiff(
        documents_added=tuple(sorted(new.keys() - old.keys())),
        documents_removed=tuple(sorted(old.keys() - new.keys())),
        documents_changed=tuple(
            sorted(source for source in old.keys() & new.keys() if old[source] != new[source])
        ),
        chunks_added=tuple(sorted(new_chunks - old_chunks)),
        chunks_removed=tuple(sorted(old_chunks - new_chunks)),
    )


def _by_source(documents: Sequence[Document]) -> dict[str, str]:
    return {document.source: document.sha256 for document in documents}


def _made_with(manifest: Manifest) -> dict[str, object]:
    return {
        "models": ", ".join(manifest.models),
        "code.version": manifest.code.version,
        "code.digest": manifest.code.digest,
        "licence": manifest.licence,
        "min_rating": manifest.rules.min_rating,
    }


def _settings(before: Mapping[str, object], after: Mapping[str, object]) -> tuple[Setting, ...]:
    """Values that differ, by dotted key."""
    old, new = dict(_flat(before)), dict(_flat(after))
    return tuple(
        Setting(key=key, before=old.get(key), after=new.get(key))
        for key in sorted({*old, *new})
        if old.get(key) != new.get(key)
    )


def _flat(values: Mapping[str, object], path: str = "") -> Iterator[tuple[str, str]]:
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{path}{key}.")
        else:
            yield f"{path}{key}", str(value)
