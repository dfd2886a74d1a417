"""What a migration says of itself: nothing goes missing without a reason."""

from __future__ import annotations

from collections import Counter
from enum import StrEnum
from typing import TYPE_CHECKING, Self

from pydantic import model_validator

from goldsmith.errors import ConservationError
from goldsmith.records import Record

if TYPE_CHECKING:
    from collections.abc import Iterable


class Fate(StrEnum):
    """What became of an evidence or a question."""

    CARRIED = "carried"
    """Its span is the same."""
    MOVED = "moved"
    """Its quote stands elsewhere: in a changed document, or in another one."""
    LOST = "lost"


class Move(Record):
    """One evidence, or one question as a whole (`evidence` None)."""

    query_id: str
    evidence: int | None = None
    fate: Fate
    reason: str = ""
    detail: str = ""
    before: str = ""
    """`document[start:end]`."""
    after: str = ""


class Balance(Record):
    """before = carried + moved + lost by reason."""

    before: int
    carried: int
    moved: int
    lost: dict[str, int]

    @model_validator(mode="after")
    def _conserved(self) -> Self:
        if self.before != self.carried + self.moved + sum(self.lost.values()):
            raise ConservationError(
                f"a migration was given {self.before} and accounts for {self.carried} carried, "
                f"{self.moved} moved, {self.lost} lost; a defect of goldsmith, please report it"
            )
        return self

    @classmethod
    def of(cls, before: int, moves: Iterable[Move]) -> Self:
        moves = list(moves)
        fates = Counter(move.fate for move in moves)
        return cls(
            before=before,
            carried=fates[Fate.CARRIED],
            moved=fates[Fate.MOVED],
            lost=dict(sorted(Counter(m.reason for m in moves if m.fate is Fate.LOST).items())),
        )


class MigrationReport(Record):
    """What `goldsmith migrate` prints, and writes beside the release."""

    name: str
    before: str
    """Version and digest of the release that was migrated."""
    after: str = ""
    documents: str
    """`the same`, or how many stayed, came and went."""
    chunks_before: int
    chunks_after: int
    questions: dict[str, Balance]
    """By kind."""
    evidence: Balance
    probes_searched: int
    """Probes whose absence was searched again; 0 where no document changed."""
    members_single: int
    members_joint: int
    """Of all evidences, on the new chunks."""
    members_cut: tuple[str, ...] = ()
    """`query evidence chunk`: members in other words that no new chunks hold whole."""
    judgements_before: int
    judgements_left_behind: int
    """Verdicts that say nothing of any new chunk."""
    moves: tuple[Move, ...]
    """Everything that moved or was lost."""

    @property
    def lost(self) -> list[Move]:
        return [move for move in self.moves if move.fate is Fate.LOST]


def markdown(report: MigrationReport) -> str:
    """The report as a page."""
    lines = [
        f"# {report.name}: {report.before} to {report.after}",
        "",
        (
            f"Documents: {report.documents}. Chunks: {report.chunks_before} before, "
            f"{report.chunks_after} after."
        ),
        "",
        "| | before | carried | moved | lost | reasons |",
        "|---|---|---|---|---|---|",
    ]
    for name, balance in (*report.questions.items(), ("evidence", report.evidence)):
        reasons = ", ".join(f"{reason} {count}" for reason, count in balance.lost.items())
        lines.append(
            f"| {name} | {balance.before} | {balance.carried} | {balance.moved} | "
            f"{sum(balance.lost.values())} | {reasons} |"
        )
    lines += [
        "",
        (
            f"Members: {report.members_single} single, {report.members_joint} joint; "
            f"{len(report.members_cut)} in other words were cut. Verdicts left behind: "
            f"{report.judgements_left_behind} of {report.judgements_before}. Probes searched "
            f"again: {report.probes_searched}."
        ),
    ]
    if report.moves:
        lines += [
            "",
            "| question | evidence | fate | why | before | after |",
            "|---|---|---|---|---|---|",
        ]
    for move in report.moves:
        why = _cell(f"{move.reason}: {move.detail}" if move.reason else "")
        number = "" if move.evidence is None else move.evidence
        lines.append(
            f"| {move.query_id} | {number} | {move.fate} | {why} | {move.before} | {move.after} |"
        )
    return "\n".join(lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
