"""Generate: source sets to drafts. Every quote is located, every answer held against its quotes.

Nothing here is rated: a draft that leaves this stage is well-formed, quotes its sources word for
word, and says nothing that its quotes do not. That costs no call beyond the one that wrote it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from goldsmith.corpus.agreement import Aspect, content_coverage, disagreements
from goldsmith.corpus.quotes import locate
from goldsmith.corpus.wellformed import Fault, question_fault
from goldsmith.funnel import FunnelRow, account
from goldsmith.ids import content_id
from goldsmith.llm.sources import as_source, labelled
from goldsmith.llm.task import provenance_of
from goldsmith.llm.tasks import (
    FACTOID,
    MULTI_SOURCE,
    FactoidReply,
    FactoidVariables,
    MultiSourceReply,
    MultiSourceVariables,
)
from goldsmith.records import (
    Chunk,
    Draft,
    Dropped,
    Evidence,
    Kind,
    LinkType,
    Loss,
    SourceSet,
    Statement,
    Usage,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from goldsmith.engine.local import Engine
    from goldsmith.llm.task import Model, Outcome
    from goldsmith.settings import GenerateSettings

STAGE = "generate"
_MIN_COVERAGE = 0.5
"""An answer is asked for in the words of its quotes; one in other words names something else."""


@dataclass(frozen=True, slots=True)
class Generated:
    """Both sides of the stage for one kind."""

    drafts: list[Draft]
    dropped: list[Dropped]
    funnel: FunnelRow
    usage: Usage


@dataclass(frozen=True, slots=True)
class _Proposal:
    """A reply of either kind in one shape: statements with a quote and the chunk it is from."""

    question: str
    answer: str
    statements: list[tuple[str, str, Chunk]]


async def run(
    sets: Sequence[SourceSet],
    chunks: Mapping[str, Chunk],
    languages: Mapping[str, str],
    kind: Kind,
    settings: GenerateSettings,
    model: Model,
    engine: Engine,
) -> Generated:
    """Write one draft for each source set of `kind`.

    `chunks` by chunk id; `languages` by document id. Requested = the sets; each becomes a draft or
    a `Dropped` with its reason.
    """
    wanted = [source_set for source_set in sets if source_set.kind is kind]

    async def write(source_set: SourceSet) -> tuple[Draft | Dropped, Usage]:
        sources = [chunks[chunk_id] for chunk_id in source_set.chunk_ids]
        language = _language(sources[0], languages, settings)
        outcome, proposal = await _ask(source_set, sources, language, settings, model)
        if proposal is None:
            return _failed(source_set, outcome), outcome.usage
        return _examine(source_set, proposal, language, outcome), outcome.usage

    results = await engine.map(write, wanted)
    drafts, dropped = _without_repeats([item for item, _ in results])
    funnel = account(STAGE, kind.value, requested=len(wanted), kept=len(drafts), dropped=dropped)
    usage = sum((usage for _, usage in results), Usage())
    return Generated(drafts, dropped, funnel, usage)


def _language(chunk: Chunk, languages: Mapping[str, str], settings: GenerateSettings) -> str:
    return languages[chunk.doc_id] if settings.language == "source" else settings.language


async def _ask(
    source_set: SourceSet,
    sources: Sequence[Chunk],
    language: str,
    settings: GenerateSettings,
    model: Model,
) -> tuple[Outcome[Any], _Proposal | None]:
    if source_set.kind is Kind.FACTOID:
        factoid = await model.run(
            FACTOID,
            FactoidVariables(
                source=as_source(sources[0]), audience=settings.audience, language=language
            ),
        )
        return factoid, _from_factoid(factoid.value, sources[0]) if factoid.value else None
    joined = await model.run(
        MULTI_SOURCE,
        MultiSourceVariables(
            sources=labelled(sources),
            link=source_set.link or LinkType.CONJUNCTION,
            term=source_set.term or "",
            audience=settings.audience,
            language=language,
        ),
    )
    return joined, _from_multi_source(joined.value, sources) if joined.value else None


def _from_factoid(reply: FactoidReply, chunk: Chunk) -> _Proposal:
    statements = [(reply.answer, quote, chunk) for quote in reply.quotes]
    return _Proposal(reply.question.strip(), reply.answer.strip(), statements)


def _from_multi_source(reply: MultiSourceReply, sources: Sequence[Chunk]) -> _Proposal:
    by_label = {
        source.label: chunk for source, chunk in zip(labelled(sources), sources, strict=True)
    }
    statements = [
        (statement.text, statement.quote, by_label[label])
        for statement in reply.statements
        if (label := statement.source.strip().upper().removeprefix("PASSAGE").strip()) in by_label
    ]
    return _Proposal(reply.question.strip(), reply.answer.strip(), statements)


def _examine(
    source_set: SourceSet,
    proposal: _Proposal,
    language: str,
    outcome: Outcome[Any],
) -> Draft | Dropped:
    """The gates that cost nothing, in order; the first that fails is the reason."""
    fault = question_fault(proposal.question, proposal.answer, language)
    if fault is not None:
        return _rejected(source_set, proposal, fault, outcome)
    evidence: list[Evidence] = []
    statements: list[Statement] = []
    for text, quote, chunk in proposal.statements:
        span = locate(quote, chunk.text)
        if span is None:
            missing = Fault("quote_not_found", f"{quote!r} does not stand in {chunk.chunk_id}")
            return _rejected(source_set, proposal, missing, outcome)
        found = Evidence(
            doc_id=chunk.doc_id,
            start=chunk.start + span.start,
            end=chunk.start + span.end,
            quote=chunk.text[span.start : span.end],
            chunk_ids=(chunk.chunk_id,),
        )
        if found not in evidence:
            evidence.append(found)
        statements.append(Statement(text=text, evidence=(evidence.index(found),)))
    fault = _evidence_fault(source_set, proposal, evidence, language)
    if fault is not None:
        return _rejected(source_set, proposal, fault, outcome)
    if source_set.kind is Kind.FACTOID:
        # Several quotes of one passage prove its one statement together.
        whole = tuple(range(len(evidence)))
        statements = [Statement(text=proposal.answer, evidence=whole)]
    return _draft(source_set, proposal, statements, evidence, language, outcome)


def _evidence_fault(
    source_set: SourceSet, proposal: _Proposal, evidence: Sequence[Evidence], language: str
) -> Fault | None:
    cited = {chunk_id for found in evidence for chunk_id in found.chunk_ids}
    if source_set.kind is Kind.MULTI_SOURCE and len(cited) < 2:  # noqa: PLR2004 - the word says it
        return Fault("sources<2", f"the reply cites only {sorted(cited)}")
    quoted = "\n".join(found.quote for found in evidence)
    # Names may come from the question; numbers and negation may not.
    wrong = [
        *(d for d in disagreements(proposal.answer, quoted, language) if d.aspect != Aspect.NAME),
        *disagreements(proposal.answer, f"{quoted}\n{proposal.question}", language),
    ]
    if wrong:
        said = ", ".join(dict.fromkeys(f"{item.aspect} {item.said!r}" for item in wrong))
        return Fault("answer_not_in_evidence", f"the quotes do not state {said}")
    covered = content_coverage(proposal.answer, quoted, language)
    if covered < _MIN_COVERAGE:
        detail = f"the quotes hold {covered:.0%} of the answer's words"
        return Fault("answer_not_in_evidence", detail)
    return None


def _draft(
    source_set: SourceSet,
    proposal: _Proposal,
    statements: Sequence[Statement],
    evidence: Sequence[Evidence],
    language: str,
    outcome: Outcome[Any],
) -> Draft:
    spans = (f"{found.doc_id}:{found.start}:{found.end}" for found in evidence)
    return Draft(
        draft_id=content_id("q", proposal.question, proposal.answer, *spans),
        kind=source_set.kind,
        set_id=source_set.set_id,
        question=proposal.question,
        answer=proposal.answer,
        statements=tuple(statements),
        evidence=tuple(evidence),
        language=language,
        link=source_set.link,
        term=source_set.term,
        provenance=provenance_of([outcome], outcome.model),
    )


def _failed(source_set: SourceSet, outcome: Outcome[Any]) -> Dropped:
    return Dropped(
        stage=STAGE,
        kind=source_set.kind.value,
        item_id=source_set.set_id,
        loss=Loss.FAILED,
        reason=outcome.failure or "",
        detail=outcome.detail,
        raw=outcome.raw,
    )


def _rejected(
    source_set: SourceSet,
    proposal: _Proposal,
    fault: Fault,
    outcome: Outcome[Any],
) -> Dropped:
    return Dropped(
        stage=STAGE,
        kind=source_set.kind.value,
        item_id=source_set.set_id,
        loss=Loss.REJECTED,
        reason=fault.reason,
        detail=fault.detail,
        question=proposal.question,
        answer=proposal.answer,
        raw=outcome.raw,
    )


def _without_repeats(items: Iterable[Draft | Dropped]) -> tuple[list[Draft], list[Dropped]]:
    """A model that writes the same draft again has written one."""
    drafts: dict[str, Draft] = {}
    dropped: list[Dropped] = []
    for item in items:
        if isinstance(item, Dropped):
            dropped.append(item)
        elif item.draft_id in drafts:
            dropped.append(
                Dropped(
                    stage=STAGE,
                    kind=item.kind.value,
                    item_id=item.set_id,
                    loss=Loss.REJECTED,
                    reason="repeated",
                    detail=f"the same draft as {item.draft_id}",
                    question=item.question,
                    answer=item.answer,
                )
            )
        else:
            drafts[item.draft_id] = item
    return list(drafts.values()), dropped
