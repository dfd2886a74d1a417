"""A diff for readers: Markdown for a pull request, tables for a terminal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import RenderableType

    from goldsmith.release.diff import ReleaseDiff, Setting

_SHOWN = 50
"""Rows of a section that are printed; the rest is counted."""
_DIGEST = 12


@dataclass(frozen=True, slots=True)
class _Section:
    """A heading, the names of its columns, and its rows as text."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    @property
    def heading(self) -> str:
        return f"{self.title} ({len(self.rows)})"


def diff_markdown(diff: ReleaseDiff) -> str:
    """The whole diff as Markdown, ending in a newline."""
    lines = [f"# {_title(diff)}", "", _summary(diff), ""]
    for section in _sections(diff):
        lines += [
            f"## {section.heading}",
            "",
            _row(section.columns),
            _row("---" for _ in section.columns),
        ]
        lines += [_row(cells) for cells in section.rows[:_SHOWN]]
        if len(section.rows) > _SHOWN:
            lines += ["", f"… and {len(section.rows) - _SHOWN} more."]
        lines.append("")
    return "\n".join(lines)


def diff_view(diff: ReleaseDiff) -> RenderableType:
    """The whole diff for a terminal."""
    parts: list[RenderableType] = [Text(_title(diff), style="bold"), Text(_summary(diff))]
    for section in _sections(diff):
        table = Table(title=section.heading, title_justify="left", title_style="bold")
        for column in section.columns:
            table.add_column(column, overflow="fold")
        for cells in section.rows[:_SHOWN]:
            table.add_row(*map(Text, cells))
        if len(section.rows) > _SHOWN:
            table.caption = f"… and {len(section.rows) - _SHOWN} more"
        parts.append(table)
    return Group(*parts)


def _title(diff: ReleaseDiff) -> str:
    before, after = diff.before, diff.after
    return f"{before.name} {before.version} → {after.name} {after.version}"


def _summary(diff: ReleaseDiff) -> str:
    digests = f"Digest {diff.before.digest[:_DIGEST]} → {diff.after.digest[:_DIGEST]}"
    if diff.is_empty:
        return f"{digests}: the same content."
    corpus, verdicts = diff.corpus, diff.judgements
    return (
        f"{digests}. Questions: {len(diff.added)} added, {len(diff.removed)} removed, "
        f"{len(diff.changed)} changed, {len(diff.relabelled)} with other labels. Judgements: "
        f"{verdicts.added} added, {verdicts.removed} removed, {verdicts.changed} changed. Chunks: "
        f"{len(corpus.chunks_added)} added, {len(corpus.chunks_removed)} removed."
    )


def _sections(diff: ReleaseDiff) -> Iterator[_Section]:
    """Those that have rows."""
    question = ("query", "kind", "question")
    corpus = diff.corpus
    sections = (
        _Section(
            "Questions added", question, tuple((q.query_id, q.kind, q.question) for q in diff.added)
        ),
        _Section(
            "Questions removed",
            question,
            tuple((q.query_id, q.kind, q.question) for q in diff.removed),
        ),
        _Section(
            "Questions changed",
            ("query", "question", "columns"),
            tuple((q.query_id, q.question, ", ".join(q.columns)) for q in diff.changed),
        ),
        _Section(
            "Labels changed",
            ("query", "chunks added", "chunks removed", "columns"),
            tuple(
                (q.query_id, _listed(q.chunks_added), _listed(q.chunks_removed), _listed(q.columns))
                for q in diff.relabelled
            ),
        ),
        _Section(
            "Documents changed",
            ("document", "change"),
            tuple(
                (source, change)
                for change, sources in (
                    ("added", corpus.documents_added),
                    ("removed", corpus.documents_removed),
                    ("text changed", corpus.documents_changed),
                )
                for source in sources
            ),
        ),
        _settings("Settings changed", "setting", diff.settings),
        _settings("Prompts changed", "prompt", diff.prompts),
        _settings("Made with", "what", diff.made_with),
    )
    return (section for section in sections if section.rows)


def _settings(title: str, name: str, changed: Sequence[Setting]) -> _Section:
    rows = tuple((s.key, _or_none(s.before), _or_none(s.after)) for s in changed)
    return _Section(title, (name, "before", "after"), rows)


def _or_none(value: str | None) -> str:
    return "—" if value is None else value


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "—"


def _row(cells: Iterable[str]) -> str:
    escaped = (cell.replace("|", "\\|").replace("\n", " ") for cell in cells)
    return f"| {' | '.join(escaped)} |"
