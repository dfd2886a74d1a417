"""Settings: `build.yaml` is identity (every value changes an output byte), `runtime.yaml` is not.

Every known key does what its comment says; an unknown key is an error, not a surprise.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, Self, TypeVar, get_args

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from goldsmith.errors import SettingsError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Splitter(StrEnum):
    RECURSIVE = "recursive"
    MARKDOWN = "markdown"
    TOKEN = "token"  # noqa: S105 - a splitter, not a password


class ChunkSettings(Settings):
    splitter: Splitter = Splitter.MARKDOWN
    chunk_size: int = Field(default=1200, ge=50)
    """Characters; tokens for the token splitter."""
    chunk_overlap: int = Field(default=0, ge=0)
    max_document_bytes: int = Field(default=20_000_000, ge=1)
    language: str = Field(default="auto", pattern="^(auto|[a-z]{2})$")

    @model_validator(mode="after")
    def _overlaps_less_than_a_chunk(self) -> Self:
        if self.chunk_overlap >= self.chunk_size:
            raise ValueError("chunk_overlap must be smaller than chunk_size")
        return self


class SampleSettings(Settings):
    seed: int = 7
    factoid: int = Field(default=120, ge=0)
    multi_source: int = Field(default=60, ge=0)
    min_words: int = Field(default=25, ge=1)
    max_sources: int = Field(default=2, ge=2, le=4)


class ModelKind(StrEnum):
    OFFLINE = "offline"
    OPENAI = "openai"


class ModelSettings(Settings):
    kind: ModelKind = ModelKind.OFFLINE
    name: str = "offline"
    """Of the model at the endpoint."""
    seed: int | None = 7
    """Sent where the endpoint takes it."""


class GenerateSettings(Settings):
    audience: str = "people who use the product and read its documentation"
    language: str = "source"
    """`source`: that of the chunk; or an ISO 639-1 code."""


class CritiqueSettings(Settings):
    necessity: bool = True
    """Execute the leave-one-out proof of multi-source drafts."""
    stop_below: int | None = Field(default=None, ge=1, le=5)
    """Early stop: ask the other critics only when standalone, the cheapest, rates at least this."""


class SelectSettings(Settings):
    min_rating: int = Field(default=4, ge=1, le=5)
    near_duplicate: float = Field(default=0.9, gt=0, le=1)


class SearchSettings(Settings):
    embeddings: str | None = None
    """Model name at the endpoint, a second retriever beside BM25; None: BM25 alone."""


class CompleteSettings(Settings):
    seed: int = 7
    depth: int = Field(default=10, ge=0)
    """Passages judged for each evidence; 0: members by spans alone."""
    audit_share: float = Field(default=0.1, ge=0, le=1)
    """Of the evidences that are searched deeper, to estimate what the others miss."""
    audit_depth: int = Field(default=40, ge=1)

    @model_validator(mode="after")
    def _audits_deeper_than_it_searches(self) -> Self:
        if self.audit_share and self.audit_depth <= self.depth:
            raise ValueError("audit_depth must be larger than depth, or audit_share 0")
        return self


class ProbeSettings(Settings):
    seed: int = 7
    share: float = Field(default=0.2, ge=0, lt=1)
    """Of the release that the probes make up."""
    attempts: int = Field(default=4, ge=1)
    """Probes tried for each one wanted."""
    depth: int = Field(default=10, ge=1)
    """Passages looked at for each query of an absence search."""


class ReleaseSettings(Settings):
    version: str = Field(default="1.0.0", pattern=r"^\d+\.\d+\.\d+$")
    name: str = "gold"
    licence: str = "apache-2.0"
    parent: str | None = None


class BuildSettings(Settings):
    """Everything in `configs/build.yaml`."""

    chunk: ChunkSettings = ChunkSettings()
    sample: SampleSettings = SampleSettings()
    model: ModelSettings = ModelSettings()
    generate: GenerateSettings = GenerateSettings()
    critique: CritiqueSettings = CritiqueSettings()
    select: SelectSettings = SelectSettings()
    search: SearchSettings = SearchSettings()
    complete: CompleteSettings = CompleteSettings()
    probe: ProbeSettings = ProbeSettings()
    release: ReleaseSettings = ReleaseSettings()


class Price(Settings):
    """Money for a million tokens, in the currency of the price list."""

    input: float = Field(ge=0)
    output: float = Field(ge=0)


class CallMode(StrEnum):
    ONLINE = "online"
    BATCH = "batch"


class RuntimeSettings(Settings):
    """Everything in `configs/runtime.yaml`: changes no output byte, so DVC does not watch it."""

    base_url: str | None = None
    """None: as the openai client reads it from the environment."""
    mode: CallMode = CallMode.ONLINE
    """`batch`: through the endpoint's batch API, cheaper and within a day."""
    concurrency: int = Field(default=8, ge=1)
    """The most calls under way at once; an endpoint that says 429 gets fewer."""
    requests_per_minute: int | None = Field(default=None, ge=1)
    tokens_per_minute: int | None = Field(default=None, ge=1)
    timeout_seconds: float = Field(default=120, gt=0)
    """For one attempt, to the last byte of the reply."""
    retry_seconds: float = Field(default=300, ge=0)
    """For one call with all its attempts, and the longest that an endpoint may be silent."""
    max_reasks: int = Field(default=1, ge=0)
    """Further calls for a reply whose form is at fault."""
    offline_cache: bool = False
    """A call that is not in the response cache is an error: for CI and reviewers."""
    max_calls: int | None = Field(default=None, ge=0)
    """A build stops before it would exceed one of these three; replies from the cache are free."""
    max_tokens: int | None = Field(default=None, ge=0)
    max_cost: float | None = Field(default=None, ge=0)
    """In the currency of `prices`."""
    prices: dict[str, Price] = {}


S = TypeVar("S", bound=Settings)


def load_settings(path: Path, kind: type[S], overrides: Iterable[str] = ()) -> S:
    """Read a YAML settings file; `overrides` are `section.key=value` and win over it.

    Raises `SettingsError` with the file, the key, what was found and what is known.
    """
    try:
        values = yaml.safe_load(path.read_text("utf-8")) or {}
    except FileNotFoundError as error:
        raise SettingsError(
            f"settings file {str(path)!r} does not exist: see `goldsmith init`"
        ) from error
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise SettingsError(f"settings file {str(path)!r} cannot be read: {error}") from error
    if not isinstance(values, dict):
        raise SettingsError(f"settings file {str(path)!r}: expected sections, found {values!r}")
    for override in overrides:
        _apply(values, override)
    try:
        return kind.model_validate(values)
    except ValidationError as error:
        raise SettingsError(f"settings file {str(path)!r}: {_explain(error, kind)}") from error


def _apply(values: dict[str, Any], override: str) -> None:
    key, separator, value = override.partition("=")
    if not separator:
        raise SettingsError(f"--set {override!r}: expected section.key=value")
    *sections, last = key.split(".")
    for section in sections:
        values = values.setdefault(section, {})
        if not isinstance(values, dict):
            raise SettingsError(f"--set {override!r}: {section!r} is no section")
    values[last] = yaml.safe_load(value)


def _explain(error: ValidationError, kind: type[Settings]) -> str:
    return "; ".join(_explain_one(item, kind) for item in error.errors()[:20])


def _explain_one(item: Any, kind: type[Settings]) -> str:  # noqa: ANN401 - pydantic's ErrorDetails
    key = ".".join(str(part) for part in item["loc"])
    if item["type"] != "extra_forbidden":
        return f"{key}: {item['msg']}, found {item['input']!r}"
    section: Any = kind
    for part in item["loc"][:-1]:
        # A number is the place in a tuple of sections.
        is_place = isinstance(part, int)
        section = get_args(section)[0] if is_place else section.model_fields[part].annotation
    return f"unknown key {key!r}; known: {', '.join(section.model_fields)}"
