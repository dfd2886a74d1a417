"""Where a build keeps the tables of its stages: the only module that knows these paths.

Every stage writes a folder of its own, and its account (funnel and usage) as one small JSON file
beside it, which git can track.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from goldsmith.errors import InputError
from goldsmith.funnel import FunnelRow
from goldsmith.records import Chunk, Document, Dropped, Usage
from goldsmith.tables import read_json, read_table, write_json, write_table

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from goldsmith.records import Kind


@dataclass(frozen=True, slots=True)
class Account:
    """The funnel of a stage and what its calls cost."""

    funnel: tuple[FunnelRow, ...]
    usage: Usage
    code: str
    """Digest of the step's own source when it started."""


@dataclass(frozen=True, slots=True)
class Workspace:
    """Tables below `tables`, accounts below `accounts`, releases below `releases`."""

    tables: Path
    accounts: Path
    releases: Path
    ledger: Path

    @classmethod
    def in_project(cls, root: Path) -> Workspace:
        """The layout that dvc.yaml names."""
        data = root / "data"
        return cls(data / "build", data / "metrics", data / "release", data / "ledger.jsonl")

    @classmethod
    def in_folder(cls, out: Path) -> Workspace:
        """The layout of `goldsmith build --out`."""
        return cls(out / "build", out / "metrics", out / "release", out / "ledger.jsonl")

    def table(self, stage: str, name: str, kind: Kind | None = None) -> Path:
        folder = self.tables / stage / kind.value if kind else self.tables / stage
        return folder / f"{name}.parquet"

    def chunks(self) -> list[Chunk]:
        return read_table(self.table("chunk", "chunks"), Chunk)

    def documents(self) -> list[Document]:
        return read_table(self.table("chunk", "documents"), Document)

    def languages(self) -> dict[str, str]:
        """Language by document id."""
        return {document.doc_id: document.language for document in self.documents()}

    def write_account(
        self, stage: str, account: Account, dropped: Iterable[Dropped], kind: Kind | None = None
    ) -> None:
        """Write what a stage dropped and how its items add up."""
        write_table(self.table(stage, "dropped", kind), Dropped, dropped)
        document = {
            "funnel": [row.model_dump(mode="json") for row in account.funnel],
            "usage": account.usage.model_dump(mode="json"),
            "code": account.code,
        }
        write_json(self._account(stage, kind), document)

    def account(self, stage: str, kind: Kind | None = None) -> Account:
        """Read an account; `InputError` when the stage has not run or the file was edited."""
        path = self._account(stage, kind)
        found = read_json(path)
        try:
            funnel = tuple(FunnelRow.model_validate(row) for row in found["funnel"])
            return Account(funnel, Usage.model_validate(found["usage"]), str(found["code"]))
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{str(path)!r} is not a stage's account: {error}") from error

    def dropped(self, stage: str, kind: Kind | None = None) -> list[Dropped]:
        return read_table(self.table(stage, "dropped", kind), Dropped)

    def _account(self, stage: str, kind: Kind | None) -> Path:
        return (
            self.accounts / f"{stage}-{kind.value}.json"
            if kind
            else self.accounts / f"{stage}.json"
        )
