"""The manifest: what a release is, how it came about, and the digests that hold it together.

No time of day and no host name: the same build writes the same bytes.
"""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Self

import orjson
from pydantic import Field, JsonValue, ValidationError

from goldsmith.errors import ConservationError, InputError
from goldsmith.funnel import FunnelRow
from goldsmith.ids import digest_of
from goldsmith.records import Kind, Record, Usage
from goldsmith.release.figures import Figures
from goldsmith.release.layout import MANIFEST
from goldsmith.settings import BuildSettings, ModelKind, Price

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SCHEMA_VERSION = 1
"""Raised when a reader of the old manifest or tables would misread the new ones."""

OFFLINE_NOTICE = "offline baseline, not for release decisions"

_CANARY_SPACE = uuid.uuid5(uuid.NAMESPACE_URL, "goldsmith:canary")


class Rules(Record):
    """What a sound release was held to: part of the manifest, so that `verify` holds it again."""

    min_rating: int = Field(ge=1, le=5)
    necessity: bool
    """Multi-source questions must carry their leave-one-out proof."""
    requested: dict[str, int]
    """Questions asked for, by kind: each must stand in the funnel."""

    @classmethod
    def of(cls, settings: BuildSettings) -> Self:
        sample = settings.sample
        return cls(
            min_rating=settings.select.min_rating,
            necessity=settings.critique.necessity,
            requested={
                Kind.FACTOID.value: sample.factoid,
                Kind.MULTI_SOURCE.value: sample.multi_source,
            },
        )


class Code(Record):
    """Which goldsmith made a release."""

    version: str
    digest: str
    """sha256 over its source files, as the caller computed it."""


class Parent(Record):
    """The release that this one follows."""

    version: str
    digest: str


class Origin(Record):
    """How a release came about: everything in its manifest that cannot be read off its rows."""

    name: str
    version: str
    licence: str
    settings: dict[str, JsonValue]
    """Section by section, as in `configs/build.yaml`."""
    rules: Rules
    prompts: dict[str, str]
    """Task: sha256 of its prompt file."""
    models: tuple[str, ...]
    offline: bool
    code: Code
    funnel: tuple[FunnelRow, ...]
    usage: dict[str, Usage]
    """By stage; a stage that asks no model may be left out."""
    price: Price | None = None
    parent: str | None = None
    """Version; None: the newest earlier one in the ledger."""

    @classmethod
    def of(
        cls,
        settings: BuildSettings,
        *,
        prompts: Mapping[str, str],
        models: Sequence[str],
        code: Code,
        funnel: Sequence[FunnelRow],
        usage: Mapping[str, Usage],
        price: Price | None = None,
    ) -> Self:
        """What a build with `settings` says of itself."""
        return cls(
            name=settings.release.name,
            version=settings.release.version,
            licence=settings.release.licence,
            settings=settings.model_dump(mode="json"),
            rules=Rules.of(settings),
            prompts=dict(prompts),
            models=tuple(dict.fromkeys(models)),
            offline=settings.model.kind is ModelKind.OFFLINE,
            code=code,
            funnel=tuple(funnel),
            usage=dict(usage),
            price=price,
            parent=settings.release.parent,
        )


class FileEntry(Record):
    """A file of the release."""

    sha256: str
    bytes: int


class Counts(Record):
    """Rows of every table, and questions and rejections by what they are."""

    rows: dict[str, int]
    by_kind: dict[str, int]
    by_probe_kind: dict[str, int]
    by_language: dict[str, int]
    by_reason: dict[str, int]
    """Rows of `rejected`, as `stage/kind/loss/reason`."""


class Manifest(Record):
    """`manifest.json`."""

    schema_version: int
    name: str
    version: str
    digest: str
    """sha256 over the digests of the six configs (`layout.release_digest`)."""
    tables: dict[str, str]
    """Of every table: sha256 over its canonical rows, whatever file format they are in."""
    notice: str | None
    """What a reader must know first: that a release is an offline baseline."""
    canary: str
    licence: str
    corpus_digest: str
    files: dict[str, FileEntry]
    """Every file but the manifest itself."""
    counts: Counts
    figures: Figures
    funnel: tuple[FunnelRow, ...]
    settings: dict[str, JsonValue]
    rules: Rules
    prompts: dict[str, str]
    models: tuple[str, ...]
    code: Code
    usage: dict[str, Usage]
    price: Price | None
    parent: Parent | None
    seal: str
    """sha256 over everything else in the manifest."""

    def sealed(self) -> Self:
        """The same manifest with the seal that belongs to it."""
        return self.model_copy(update={"seal": self.expected_seal()})

    def expected_seal(self) -> str:
        return digest_of(self.model_dump(mode="json", exclude={"seal"}))

    def as_bytes(self) -> bytes:
        """The file: sorted keys, indented, ending in a newline."""
        option = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
        return orjson.dumps(self.model_dump(mode="json"), option=option)


class ManifestError(ValueError):
    """A manifest that is damaged or edited; `field` is where, None for the whole file."""

    def __init__(self, field: str | None, found: str, expected: str) -> None:
        super().__init__(f"{MANIFEST}: found {found}, expected {expected}")
        self.field = field
        self.found = found
        self.expected = expected


def parse_manifest(content: bytes, where: str) -> Manifest:
    """Read a manifest; `where` names the release in messages.

    Raises `InputError` for one written by a newer goldsmith, `ManifestError` for a damaged one.
    The seal is not checked here.
    """
    try:
        values = orjson.loads(content)
    except orjson.JSONDecodeError as error:
        raise ManifestError(None, f"no JSON ({error})", "a JSON document") from error
    found = values.get("schema_version") if isinstance(values, dict) else None
    if isinstance(found, int) and found > SCHEMA_VERSION:
        raise InputError(
            f"{where}: its manifest has schema_version {found}, and this goldsmith reads up to "
            f"{SCHEMA_VERSION}: upgrade goldsmith to read it"
        )
    try:
        return Manifest.model_validate_json(content)
    except ConservationError as error:
        raise ManifestError("funnel", str(error), "rows that add up") from error
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise ManifestError(field or None, repr(first["input"]), first["msg"]) from error


def canary_of(name: str, digest: str) -> str:
    """A string that no text contains by chance: a model that completes it has read the release."""
    return f"goldsmith:{name}:canary:{uuid.uuid5(_CANARY_SPACE, f'{name}@{digest}')}"
