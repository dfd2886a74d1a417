"""What a release says of itself in numbers: the shapes. `measuring` computes them."""

from __future__ import annotations

from goldsmith.records import Record
from goldsmith.release.shares import Rate, Share, Spread


class CostFigures(Record):
    """Figure 1: what a kept question cost, rejected and failed drafts included."""

    drafts: int
    """Questions tried: source sets given to `generate`, probes given to `probe`."""
    calls: Rate
    tokens_in: Rate
    tokens_out: Rate
    money: Rate | None
    """None: no price list was given."""
    money_by_stage: dict[str, float] | None = None
    """Of the stages that asked a model; what they asked stands in the manifest's `usage`."""
    calls_saved: int = 0
    """Calls that critics were spared by `critique.stop_below`."""


class Missing(Record):
    """An estimate of the members that no search has found."""

    method: str
    """`audit` or `recapture`; see `completeness`."""
    evidences: int
    """That it rests on: those searched deeper, or all that were searched."""
    share: Share
    """Of the members of an evidence that was searched at the usual depth: missing / all."""
    members: float
    """Expected number over the evidences that were not audited, with its 95% interval."""
    low: float
    high: float


class Completeness(Record):
    """Figure 2: how far the labels go beyond the passage that a question was written from."""

    searched: Share
    """Evidences of queries for which a judge looked at further passages."""
    evidences_with_more: Share
    """Evidences that have a member besides the chunks the question was written from."""
    found_by_span: int
    """Further members that hold the quote itself: overlapping windows, copies, joint members."""
    found_by_merging: int
    """Further members that a merged question was written from."""
    found_by_search: int
    """Further members that a judge accepted."""
    passages_judged: int = 0
    """Verdicts of a judge, negatives too."""
    still_missing: Share | None
    """The share of `missing`; None: neither an audit nor a second retriever."""
    missing: Missing | None = None


LEAKS_ABOVE = 0.65
"""Area from which probes are told by their words so well that refusing could be learned."""


class Separability(Record):
    """How well a bag-of-words classifier tells probes from their twins."""

    probes: int
    twins: int
    auc: float | None
    """Area under the ROC curve, cross-validated; 1/2 is chance. None: nothing to learn from."""
    low: float | None
    high: float | None

    @property
    def warning(self) -> str | None:
        """A sentence, where the surface gives probes away."""
        if self.auc is None or self.auc <= LEAKS_ABOVE:
            return None
        return (
            f"probes can be told from their twins by their words (AUC {self.auc:.2f}, above "
            f"{LEAKS_ABOVE}): a system could learn from the surface when to refuse"
        )


class ProbeProof(Record):
    """Figure 4: the absence of an answer was searched, not assumed."""

    proven: Share
    retrievers: tuple[str, ...]
    least_depth: int | None
    passages_judged: int
    twins_told_apart: Separability


class Difficulties(Record):
    """How far the question's own words lead to the gold chunk."""

    bm25_hit_at_1: Share
    question_overlap: Spread
    longest_copied_ngram: Spread
    closed_book: Share
    """Of the queries tried without any source: answered as the gold answer does."""


class Instruction(Record):
    """A passage that speaks to a language model, as `corpus.instructions` finds it."""

    chunk_id: str
    words: str
    """The first of them, on one line."""
    questions: tuple[str, ...]
    """Ids of those in the release that were written from it."""


class Figures(Record):
    cost: CostFigures
    completeness: Completeness
    multi_source_proof: Share
    """Figure 3: multi-source questions whose need for every source was executed."""
    probe_proof: ProbeProof
    difficulty: Difficulties
    difficulty_by_kind: dict[str, Difficulties]
    instructions: tuple[Instruction, ...] = ()
    """Passages to look at: their text was data to every critic, and somebody may have meant it."""
