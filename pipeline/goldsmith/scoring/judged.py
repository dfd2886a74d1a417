"""Claims put before the judge: interpretability, then support by what each claim names.

Three questions are asked of an interpretable claim: do the passages that it names support it
(jointly, and one by one where it names several)? Do the supplied passages together? And of a claim
that fails: which other supplied passage does? All claims of a run go through together, gate by
gate, so that a judge always has a full batch.

A marker is *resolved* when it names a passage that was supplied: what never entered the prompt
cannot be what the claim rests on.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from goldsmith.scoring.judge import Asked, Judge, Ruling, Understood
from goldsmith.scoring.records import FailureKind, Verdict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from goldsmith.scoring.records import Claim, ClaimedAnswer


@dataclass(frozen=True, slots=True)
class Passage:
    """A supplied passage; `doc_id`, `start`, `end` where the run or the corpus gives them."""

    chunk_id: str
    text: str
    doc_id: str | None = None
    start: int | None = None
    end: int | None = None

    def overlaps(self, other: Passage) -> bool:
        """Do both carry a common span of one document, or the same words?"""
        if " ".join(self.text.split()) == " ".join(other.text.split()):
            return True
        if self.doc_id is None or self.doc_id != other.doc_id:
            return False
        if self.start is None or self.end is None or other.start is None or other.end is None:
            return False
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class AnswerOnTrial:
    """An answer taken apart, with the question and the passages that were supplied."""

    question: str
    claimed: ClaimedAnswer
    supplied: tuple[Passage, ...]
    """In the order of the prompt, without repeats."""

    @property
    def texts(self) -> Mapping[str, str]:
        return {passage.chunk_id: passage.text for passage in self.supplied}


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A claim with everything that the judge said about it."""

    claim: Claim
    understood: Understood
    resolved: tuple[str, ...] = ()
    """Cited ids that name a supplied passage, in the order of the prompt."""
    joint: Ruling | None = None
    """By the named passages together; None: not asked (no ids, or not interpretable)."""
    singly: Mapping[str, Ruling] = field(default_factory=dict)
    """By each named passage alone, where there are several; after a failure by the others too."""
    together: Ruling | None = None
    """By all supplied passages together."""
    one_citation: bool = False
    """The claim names one passage, or overlapping ones that each support it: the same citation."""

    @property
    def verdict(self) -> Verdict | None:
        """The word on the citation; None: nothing to judge, or no readable verdict."""
        if self.understood.interpretable is False:
            return Verdict.UNTESTED
        return self.joint.verdict if self.joint else None

    @property
    def faithful(self) -> bool | None:
        """Supported by what was supplied; None: not interpretable, or no readable verdict.

        Whatever is supported by a part of the supplied passages is supported by all of them: a
        judge that loses the sentence in the longer text is corrected by its own word.
        """
        return self._faithful({Verdict.SUPPORTS})

    @property
    def faithful_leniently(self) -> bool | None:
        return self._faithful({Verdict.SUPPORTS, Verdict.PARTIALLY_SUPPORTS})

    def _faithful(self, passing: set[Verdict]) -> bool | None:
        if not self.understood.interpretable:
            return None
        rulings = [r for r in (self.joint, self.together, *self.singly.values()) if r is not None]
        if any(ruling.verdict in passing for ruling in rulings):
            return True
        return None if self.together is None or self.together.verdict is None else False

    @property
    def supported_by(self) -> tuple[str, ...]:
        """Passages that support the claim alone, in the order of the prompt."""
        return tuple(i for i, r in self.singly.items() if r.verdict is Verdict.SUPPORTS)

    @property
    def needs_several(self) -> bool:
        """Supported by its passages together and by none of them alone."""
        return (
            len(self.resolved) > 1
            and self.joint is not None
            and self.joint.verdict is Verdict.SUPPORTS
            and not self.supported_by
        )

    @property
    def failure(self) -> FailureKind | None:
        """Why the citation fails (partial support is a failure); None: it does not, or no word."""
        if not self.understood.interpretable or self.joint is None or self.joint.verdict is None:
            return None
        if self.joint.verdict is Verdict.SUPPORTS:
            return None
        if not self.resolved:
            return FailureKind.UNRESOLVED_MARKER
        if self.joint.verdict is Verdict.CONTRADICTS:
            return FailureKind.CONTRADICTED
        if self.faithful:
            return FailureKind.MISATTRIBUTED
        return FailureKind.HALLUCINATED


@dataclass(frozen=True, slots=True)
class JudgedAnswer:
    trial: AnswerOnTrial
    claims: tuple[JudgedClaim, ...]


@dataclass(slots=True)
class _Case:
    """One claim on its way through the gates."""

    trial: AnswerOnTrial
    judged: JudgedClaim

    def asked(self, ids: Iterable[str]) -> Asked:
        """The claim against passages, always in the order of the prompt: a claim that cites all
        supplied passages is then the very question that faithfulness asks.
        """
        wanted = set(ids)
        texts = tuple(p.text for p in self.trial.supplied if p.chunk_id in wanted)
        return Asked(self.judged.claim.text, texts)


async def judge_answers(trials: Sequence[AnswerOnTrial], judge: Judge) -> list[JudgedAnswer]:
    """Put every claim through both gates. Answers keep their order, claims theirs."""
    cases = await _understand(trials, judge)
    interpretable = [case for case in cases if case.judged.understood.interpretable]
    await _together(interpretable, judge)
    await _named(interpretable, judge)
    await _each_named(interpretable, judge)
    await _elsewhere(interpretable, judge)
    queue = iter(cases)
    return [
        JudgedAnswer(trial, tuple(next(queue).judged for _ in trial.claimed.claims))
        for trial in trials
    ]


async def _understand(trials: Sequence[AnswerOnTrial], judge: Judge) -> list[_Case]:
    pairs = [(trial, claim) for trial in trials for claim in trial.claimed.claims]
    understood = await judge.understand([(trial.question, claim.text) for trial, claim in pairs])
    cases = []
    for (trial, claim), word in zip(pairs, understood, strict=True):
        cited = set(claim.cited_ids)
        resolved = tuple(p.chunk_id for p in trial.supplied if p.chunk_id in cited)
        cases.append(_Case(trial, JudgedClaim(claim, word, resolved)))
    return cases


async def _together(cases: Sequence[_Case], judge: Judge) -> None:
    rulings = await judge.support([case.asked(case.trial.texts) for case in cases])
    for case, ruling in zip(cases, rulings, strict=True):
        case.judged = replace(case.judged, together=ruling)


async def _named(cases: Sequence[_Case], judge: Judge) -> None:
    cited = [case for case in cases if case.judged.claim.cited_ids]
    rulings = await judge.support([case.asked(case.judged.resolved) for case in cited])
    for case, ruling in zip(cited, rulings, strict=True):
        case.judged = replace(
            case.judged, joint=ruling, one_citation=len(case.judged.claim.cited_ids) == 1
        )


async def _each_named(cases: Sequence[_Case], judge: Judge) -> None:
    several = [case for case in cases if len(case.judged.resolved) > 1]
    await _singly(several, [case.judged.resolved for case in several], judge)
    for case in several:
        if len(case.judged.resolved) == len(case.judged.claim.cited_ids):
            case.judged = replace(case.judged, one_citation=_same_citation(case))


def _same_citation(case: _Case) -> bool:
    passages = [p for p in case.trial.supplied if p.chunk_id in case.judged.resolved]
    return set(case.judged.supported_by) == set(case.judged.resolved) and all(
        passages[0].overlaps(other) for other in passages[1:]
    )


async def _elsewhere(cases: Sequence[_Case], judge: Judge) -> None:
    """For claims that fail though a passage was named: who supports them, one by one?"""
    failed = [
        case
        for case in cases
        if case.judged.failure in {FailureKind.MISATTRIBUTED, FailureKind.HALLUCINATED}
    ]
    others = [
        [p.chunk_id for p in case.trial.supplied if p.chunk_id not in case.judged.resolved]
        for case in failed
    ]
    await _singly(failed, others, judge)


async def _singly(cases: Sequence[_Case], ids: Sequence[Sequence[str]], judge: Judge) -> None:
    pairs = [(case, i) for case, wanted in zip(cases, ids, strict=True) for i in wanted]
    rulings = await judge.support([case.asked([i]) for case, i in pairs])
    found: dict[int, dict[str, Ruling]] = {}
    for (case, i), ruling in zip(pairs, rulings, strict=True):
        found.setdefault(id(case), {})[i] = ruling
    for case in cases:
        merged = {**case.judged.singly, **found.get(id(case), {})}
        ordered = {i: merged[i] for i in case.trial.texts if i in merged}
        case.judged = replace(case.judged, singly=ordered)
