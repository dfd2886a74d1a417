"""Every record that crosses a file. Stages meet here, and only here.

Offsets are Unicode code points in the normalised text of a document; `start` is inclusive and
`end` exclusive. Tuples are used for lists, so that a record can be hashed and never changes.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Self

from pydantic import BaseModel, ConfigDict, Field, model_validator


class Record(BaseModel):
    """A frozen row: unknown fields are errors, not surprises."""

    model_config = ConfigDict(frozen=True, extra="forbid")


# -- words of the house -------------------------------------------------------------------------


class Kind(StrEnum):
    """What a question needs: one passage, several passages, or an honest refusal."""

    FACTOID = "factoid"
    MULTI_SOURCE = "multi_source"
    UNANSWERABLE = "unanswerable"


class ProbeKind(StrEnum):
    """Why an unanswerable probe has no answer in the corpus."""

    MISSING = "missing"
    OUTDATED = "outdated"
    FALSE_PREMISE = "false_premise"


class LinkType(StrEnum):
    """How the chunks of a multi-source set belong together."""

    BRIDGE = "bridge"
    COMPARISON = "comparison"
    CONJUNCTION = "conjunction"
    TEMPORAL = "temporal"


class Critic(StrEnum):
    """The three agents that rate every draft, each in a call of its own."""

    GROUNDEDNESS = "groundedness"
    RELEVANCE = "relevance"
    STANDALONE = "standalone"


class Expected(StrEnum):
    """The right response of a system to a query."""

    ANSWER = "answer"
    ABSTAIN = "abstain"
    CORRECT_THE_PREMISE = "correct_the_premise"


class Answering(StrEnum):
    """Does a passage alone answer a question? The verdict of an absence search."""

    ANSWERS = "answers"
    PARTLY = "partly"
    NO = "no"

    @property
    def strength(self) -> int:
        """The more a passage was found to say, the higher."""
        return (Answering.NO, Answering.PARTLY, Answering.ANSWERS).index(self)


class Loss(StrEnum):
    """The two ways in which an item does not reach the next stage."""

    REJECTED = "rejected"
    """It was judged, and found wanting."""
    FAILED = "failed"
    """It could not be judged or made: an unparseable reply, a refusal, a dead endpoint."""


# -- corpus -------------------------------------------------------------------------------------


class Heading(Record):
    """A heading at `start`; `level` 1 is the outermost."""

    start: int = Field(ge=0)
    level: int = Field(ge=1)
    title: str


class BlockKind(StrEnum):
    """What is read as a whole or not at all."""

    TABLE = "table"
    CODE = "code"


class Block(Record):
    """A table or a block of code, `text[start:end]` of its document."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    kind: BlockKind


class Document(Record):
    """A source unit with its text, normalised once; all offsets count in `text`."""

    doc_id: str
    source: str
    """Path below the corpus folder, with forward slashes."""
    title: str
    text: str
    sha256: str
    """Of `text` in UTF-8."""
    format: str = "text"
    encoding: str = "utf-8"
    language: str = "en"
    """ISO 639-1 code, detected or set."""
    metadata: str = "{}"
    """Front matter as JSON: kept beside the text, never in it."""
    headings: tuple[Heading, ...] = ()
    blocks: tuple[Block, ...] = ()


class Chunk(Record):
    """An indexed unit: `document.text[start:end] == text`."""

    chunk_id: str
    doc_id: str
    title: str
    section: str
    """Titles of the headings above the chunk, joined by ' > '."""
    text: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    duplicate_group: str
    """Shared by chunks whose text is the same but for white space."""


# -- questions ----------------------------------------------------------------------------------


class SourceSet(Record):
    """The chunk or chunks that a question is written from."""

    set_id: str
    kind: Kind
    chunk_ids: tuple[str, ...]
    link: LinkType | None = None
    term: str | None = None
    """The rare term that links the chunks."""


class Evidence(Record):
    """One fact that an answer needs: a verbatim quote, and the chunks that carry it.

    `chunk_ids` are alternatives: any of them will do. A member of `joint_members` is a group of
    chunks that carry the quote only together (it was cut by a chunk border).
    """

    doc_id: str
    start: int = Field(ge=0)
    end: int = Field(ge=0)
    quote: str
    chunk_ids: tuple[str, ...] = ()
    joint_members: tuple[tuple[str, ...], ...] = ()

    @property
    def all_chunk_ids(self) -> tuple[str, ...]:
        """Every chunk of every member, without repeats, in order."""
        joint = (chunk for member in self.joint_members for chunk in member)
        return tuple(dict.fromkeys((*self.chunk_ids, *joint)))


class Statement(Record):
    """A part of the gold answer and the evidences (by index) that prove it."""

    text: str
    evidence: tuple[int, ...]


class Provenance(Record):
    """Who wrote a row: enough to find the calls again in the cache."""

    model: str
    prompts: tuple[str, ...] = ()
    """`task@digest` of each prompt that had a part in the row."""
    requests: tuple[str, ...] = ()
    """Cache keys of the calls."""


class Draft(Record):
    """A question before critique."""

    draft_id: str
    kind: Kind
    set_id: str
    question: str
    answer: str
    statements: tuple[Statement, ...]
    evidence: tuple[Evidence, ...]
    language: str
    link: LinkType | None = None
    term: str | None = None
    provenance: Provenance

    @property
    def source_chunk_ids(self) -> tuple[str, ...]:
        """The chunks that the evidences were quoted from."""
        return tuple(dict.fromkeys(c for e in self.evidence for c in e.chunk_ids))


class Usage(Record):
    """What answering cost. Tokens are those billed when the reply was first made: a reply from the
    cache counts as it did then, so that a rebuild reports the same cost.
    """

    calls: int = 0
    """Replies used, corrective re-asks included."""
    reasks: int = 0
    failed: int = 0
    """Tasks that ended without an output."""
    tokens_in: int = 0
    tokens_out: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            calls=self.calls + other.calls,
            reasks=self.reasks + other.reasks,
            failed=self.failed + other.failed,
            tokens_in=self.tokens_in + other.tokens_in,
            tokens_out=self.tokens_out + other.tokens_out,
        )


SKIPPED_AFTER_STANDALONE = "skipped_after_standalone"
"""Failure of a rating that was not asked for: standalone had settled it (`critique.stop_below`)."""


class Rating(Record):
    """One critic's verdict on one draft. `rating` is None when it could not be read: unscored."""

    draft_id: str
    critic: Critic
    rating: int | None = Field(ge=1, le=5)
    rationale: str = ""
    text_digest: str
    """Of the wording that was rated: `rated_digest` of question and answer."""
    failure: str | None = None
    raw: str | None = None
    provenance: Provenance

    @model_validator(mode="after")
    def _scored_or_said_why(self) -> Self:
        if (self.rating is None) == (self.failure is None):
            raise ValueError("a rating has a value or a failure, never both and never neither")
        return self


class Trial(Record):
    """An attempt to answer a question from a subset of its sources."""

    chunk_ids: tuple[str, ...]
    """Empty: closed book."""
    answer: str | None
    """None: the answerer abstained."""
    matches_gold: bool
    failure: str | None = None
    raw: str | None = None


class Necessity(Record):
    """Executed proof that a multi-source draft needs each of its sources."""

    draft_id: str
    text_digest: str
    trials: tuple[Trial, ...]
    provenance: Provenance


class CriticScore(Record):
    """A critic's word as published with a question."""

    rating: int = Field(ge=1, le=5)
    normalised: float = Field(ge=0, le=1)
    """(rating - 1) / 4."""
    rationale: str
    text_digest: str


class Critics(Record):
    groundedness: CriticScore | None
    """None for a probe: there is nothing for it to be grounded in."""
    relevance: CriticScore
    standalone: CriticScore


class Difficulty(Record):
    """How easy the gold chunk is to find by the question's own words."""

    question_overlap: float = Field(ge=0, le=1)
    """Share of the question's content words that its source chunks contain."""
    longest_copied_ngram: int = Field(ge=0)
    """Words of the longest run that the question copies from a source chunk."""
    bm25_rank: int | None = Field(ge=1)
    """Best rank of a gold chunk for the question; None beyond the depth searched."""


class Nearest(Record):
    """A passage that an absence search looked at."""

    chunk_id: str
    rank: int = Field(ge=1)
    score: float
    verdict: Answering
    rationale: str = ""


class Proof(Record):
    """What was searched before a probe was called unanswerable."""

    retrievers: tuple[str, ...]
    queries: tuple[str, ...]
    depth: int = Field(ge=1)
    chunks_searched: int = Field(ge=0)
    nearest: tuple[Nearest, ...]


class Query(Record):
    """A question that was kept: what a system receives, and all that it is scored against."""

    query_id: str
    kind: Kind
    probe_kind: ProbeKind | None = None
    question: str
    answer: str
    statements: tuple[Statement, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    gold_citations: tuple[str, ...] = ()
    trap_chunk_ids: tuple[str, ...] = ()
    expected_response: Expected = Expected.ANSWER
    closed_book: bool | None = None
    difficulty: Difficulty | None = None
    critics: Critics | None = None
    twin_id: str | None = None
    language: str
    link: LinkType | None = None
    term: str | None = None
    necessity: tuple[Trial, ...] = ()
    proof: Proof | None = None
    source_chunk_ids: tuple[str, ...] = ()
    """The chunks that the question was written from."""
    provenance: Provenance


class Judgement(Record):
    """Whether a chunk alone carries a query's evidence; negatives are published too."""

    query_id: str
    chunk_id: str
    verdict: Answering
    judge: str
    """Who says so: a model's name, or one of `WITHOUT_A_JUDGE`."""
    rationale: str = ""
    evidence: tuple[int, ...] = ()
    """The query's evidences (by index) for which a judge read it; `verdict` is the best of them."""
    audit: tuple[int, ...] = ()
    """Those of them for which only the deeper audit of a sample came upon it."""
    found_by: tuple[str, ...] = ()
    """The retrievers that found it."""


JUDGED_BY_SOURCE = "source"
"""The question, or one that was merged into it, was written from this chunk."""
JUDGED_BY_SPAN = "overlap_or_duplicate"
"""The chunk holds the quote itself, or is a copy of one that does."""
WITHOUT_A_JUDGE = frozenset({JUDGED_BY_SOURCE, JUDGED_BY_SPAN})
"""Judgements that follow from the spans: no further passage was searched for them."""


# -- both sides of a stage ----------------------------------------------------------------------


class Dropped(Record):
    """An item that did not reach the next stage, and why. Nothing is lost in silence."""

    stage: str
    kind: str
    """`Kind` of the item, or the word for what it is (`document`, `chunk`)."""
    item_id: str
    loss: Loss
    reason: str
    """A snake_case word: one column of the funnel."""
    detail: str = ""
    """A sentence for a reader."""
    question: str | None = None
    answer: str | None = None
    raw: str | None = None
    """The model's reply as it came, when that is what failed."""
