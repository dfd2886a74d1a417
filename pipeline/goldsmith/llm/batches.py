"""The batch API of an endpoint: what goes into its files, what comes out, and its four verbs."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from goldsmith.errors import ModelError
from goldsmith.llm.completion import completion_of
from goldsmith.llm.faults import CallError, TransientError
from goldsmith.llm.request import Reply
from goldsmith.llm.statuses import Refusal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from goldsmith.llm.connection import Connection
    from goldsmith.llm.dialect import Dialect
    from goldsmith.llm.request import Request

_log = logging.getLogger(__name__)

LABEL = "goldsmith"
"""The metadata key under which a batch carries our name for it."""
_FILE_SECONDS = 1800.0
_PAGE = 100
_OVER = frozenset({"completed", "expired", "failed", "cancelled"})


@dataclass(frozen=True, slots=True)
class Batch:
    """A batch as the endpoint describes it."""

    batch_id: str
    status: str
    label: str | None
    files: tuple[str, ...]
    """Ids of the output file and of the error file, as far as they exist."""
    complaint: str = ""

    @property
    def is_too_large(self) -> bool:
        """More tokens than the account may have under way: smaller batches, one after the other."""
        return "token_limit_exceeded" in self.complaint

    @property
    def is_over(self) -> bool:
        return self.status in _OVER


Result = Reply | CallError | ModelError
"""What became of one call."""

Results = dict[str, Result]
"""By request key."""


class BatchApi:
    """Upload, create, look, list and read; errors as `Connection` raises them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def upload(self, label: str, content: bytes) -> str:
        name = f"{label}.jsonl"
        file = await self._connection.upload("/files", name, content, _FILE_SECONDS)
        return str(_object(file).get("id"))

    async def create(self, file_id: str, label: str) -> Batch:
        body = {
            "input_file_id": file_id,
            "endpoint": "/v1/chat/completions",
            "completion_window": "24h",
            "metadata": {LABEL: label},
        }
        return _batch(await self._connection.post("/batches", body))

    async def look(self, batch_id: str) -> Batch:
        return _batch(await self._connection.get(f"/batches/{batch_id}"))

    async def find(self, label: str) -> Batch | None:
        """The batch that carries `label`, if one was ever created."""
        after = ""
        while True:
            content = await self._connection.get(f"/batches?limit={_PAGE}{after}")
            page = _object(content)
            listed = page.get("data")
            batches = [_read_batch(item) for item in listed] if isinstance(listed, list) else []
            for batch in batches:
                if batch.label == label:
                    return batch
            if not page.get("has_more") or not batches:
                return None
            after = f"&after={batches[-1].batch_id}"

    async def read(self, file_id: str) -> bytes:
        return await self._connection.download(f"/files/{file_id}/content", _FILE_SECONDS)


def input_file(requests: Iterable[Request], dialect: Dialect) -> bytes:
    """One line a request, under its key: the order of results is not promised."""
    return b"".join(
        orjson.dumps(
            {
                "custom_id": request.key,
                "method": "POST",
                "url": "/v1/chat/completions",
                "body": dialect.body(request),
            },
            option=orjson.OPT_APPEND_NEWLINE,
        )
        for request in requests
    )


def results_of(content: bytes, model: str, where: str) -> Iterator[tuple[str, Result]]:
    """Key and result of every line of an output or error file.

    A line that cannot be read has no key: it is logged, and its call counts as unfinished.
    """
    for line in content.splitlines():
        try:
            item: dict[str, Any] = orjson.loads(line)
            key = item["custom_id"]
        except (orjson.JSONDecodeError, KeyError, TypeError):
            _log.warning("a batch holds a line that is no result: %r", line[:120])
            continue
        yield str(key), _result(item, model, where)


def _result(item: dict[str, Any], model: str, where: str) -> Result:
    response = item.get("response")
    if not isinstance(response, dict):
        said = item.get("error")
        return TransientError(f"the batch has no response, but {str(said)[:200]!r}")
    status, body = response.get("status_code"), response.get("body")
    if status == 200:  # noqa: PLR2004 - HTTP
        try:
            return completion_of(body, prompt_characters=0)
        except CallError as failure:
            return failure
    refusal = Refusal.of(status if isinstance(status, int) else 500, body)
    return refusal.as_error(model, where, wall=0.0)


def _batch(content: bytes) -> Batch:
    return _read_batch(_object(content))


def _read_batch(values: dict[str, Any]) -> Batch:
    errors = (values.get("errors") or {}).get("data") or []
    files = (values.get("output_file_id"), values.get("error_file_id"))
    return Batch(
        batch_id=str(values.get("id")),
        status=str(values.get("status")),
        label=(values.get("metadata") or {}).get(LABEL),
        files=tuple(file for file in files if file),
        complaint="; ".join(
            f"{error.get('code')}: {error.get('message')}"
            for error in errors[:3]
            if isinstance(error, dict)
        ),
    )


def _object(content: bytes) -> dict[str, Any]:
    try:
        values = orjson.loads(content)
    except orjson.JSONDecodeError:
        values = None
    if not isinstance(values, dict):
        raise TransientError(f"the batch API sent {content[:120]!r}, no object")
    return values
