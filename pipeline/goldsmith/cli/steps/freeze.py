from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith import __version__
from goldsmith.errors import CheckError
from goldsmith.ids import digest_of
from goldsmith.llm.tasks import TASKS
from goldsmith.prompts import load_prompt
from goldsmith.records import Dropped, Judgement, Kind, Query, Usage
from goldsmith.release.manifest import Code, Origin, Rules
from goldsmith.release.writing import write_release
from goldsmith.settings import ModelKind
from goldsmith.stages import freeze
from goldsmith.tables import read_table

if TYPE_CHECKING:
    from pathlib import Path

    from goldsmith.cli.context import Context
    from goldsmith.cli.workspace import Workspace
    from goldsmith.funnel import FunnelRow
    from goldsmith.release.contents import Contents

_log = logging.getLogger(__name__)

KINDS = (Kind.FACTOID, Kind.MULTI_SOURCE)
STAGES: tuple[tuple[str, Kind | None], ...] = (
    ("chunk", None),
    ("sample", None),
    *(("generate", kind) for kind in KINDS),
    *(("critique", kind) for kind in KINDS),
    ("select", None),
    ("complete", None),
    ("probe", None),
)
"""In the order of the walk; the ones with a kind keep an account for each."""


@dataclass(frozen=True, slots=True)
class Frozen:
    """What a reader is told of a release that stands."""

    folder: Path
    version: str
    digest: str
    kept: dict[str, int]
    is_new: bool
    offline: bool


def run(context: Context) -> list[FunnelRow]:
    freeze_release(context)
    return _funnel(context.workspace)


def freeze_release(context: Context) -> Frozen:
    """Write the release, or raise `CheckError` with what to change.

    Nothing kept is a failure of the build, said in one sentence, not an empty release.
    """
    workspace = context.workspace
    completed = [row for row in workspace.account("complete").funnel if row.stage == "complete"]
    if not sum(row.kept for row in completed):
        raise CheckError(
            "no question was kept, so there is nothing to freeze: the funnel says where they were "
            "lost; give more or longer documents, ask for more (sample.factoid, "
            "sample.multi_source), or lower select.min_rating"
        )
    contents = _contents(context)
    offline = context.build.model.kind is ModelKind.OFFLINE
    origin = Origin.of(
        context.build,
        prompts={} if offline else _prompt_digests(context.prompts),
        models=[query.provenance.model for query in contents.queries],
        code=Code(version=__version__, digest=_code(workspace)),
        funnel=_funnel(workspace),
        usage=_usage(workspace),
        price=context.runtime.prices.get(context.build.model.name),
    )
    written = write_release(contents, origin, root=workspace.releases, ledger=workspace.ledger)
    figures = written.manifest.figures
    if warning := figures.probe_proof.twins_told_apart.warning:
        _log.warning("%s", warning)
    for found in figures.instructions:
        _log.warning(
            "passage %s speaks to a language model (%r); questions kept from it: %s",
            found.chunk_id,
            found.words,
            ", ".join(found.questions) or "none",
        )
    return Frozen(
        folder=written.folder,
        version=written.manifest.version,
        digest=written.manifest.digest,
        kept=dict(written.manifest.counts.by_kind),
        is_new=written.is_new,
        offline=offline,
    )


def _contents(context: Context) -> Contents:
    workspace = context.workspace
    dropped: list[Dropped] = []
    for stage, kind in STAGES:
        dropped += workspace.dropped(stage, kind)
    return freeze.run(
        queries=read_table(workspace.table("complete", "queries"), Query),
        probes=read_table(workspace.table("probe", "probes"), Query),
        chunks=workspace.chunks(),
        documents=workspace.documents(),
        judgements=read_table(workspace.table("complete", "judgements"), Judgement),
        dropped=dropped,
        funnel=_funnel(workspace),
        rules=Rules.of(context.build),
    )


def _funnel(workspace: Workspace) -> list[FunnelRow]:
    return [row for stage, kind in STAGES for row in workspace.account(stage, kind).funnel]


def _usage(workspace: Workspace) -> dict[str, Usage]:
    """By stage, the kinds together."""
    spent: dict[str, Usage] = {}
    for stage, kind in STAGES:
        spent[stage] = spent.get(stage, Usage()) + workspace.account(stage, kind).usage
    return spent


def _code(workspace: Workspace) -> str:
    """Of the code that every stage says it ran with."""
    return digest_of([workspace.account(stage, kind).code for stage, kind in STAGES])


def _prompt_digests(folder: Path) -> dict[str, str]:
    return {
        task.name: load_prompt(folder, task.name, task.variables.model_fields).digest
        for task in TASKS
    }
