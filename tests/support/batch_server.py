"""The batch API of an endpoint, to be the `default` of an `LLMServer`."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.support.llm_server import Answer, Body, Chat, Seen, Status, completion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Line = tuple[int, dict[str, Any]]
"""The status of one call of a batch, and the body of its response."""


def good_line(body: dict[str, Any]) -> Line:
    return 200, json.loads(completion('{"rationale": "clear", "rating": 4}', usage=(70, 9)))


def refused_line(message: str, status: int = 400, **error: str) -> Line:
    return status, {"error": {"message": message, **error}}


@dataclass
class BatchEndpoint:
    """Takes files and batches; a batch ends at its third look, as `endings` say in turn."""

    endings: Iterable[str] = ()
    """`completed`, `expired` (half of it answered), `failed: CODE`, `cancelled`; then completed."""
    line: Callable[[dict[str, Any]], Line] = good_line
    page: int = 100
    """Batches on one page of the list."""
    files: dict[str, bytes] = field(default_factory=dict)
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)
    sent: Counter[str] = field(default_factory=Counter)
    """How often each call came in a batch."""
    _looks: Counter[str] = field(default_factory=Counter)
    _endings: Iterator[str] = field(init=False)

    def __post_init__(self) -> None:
        self._endings = iter(self.endings)

    def __call__(self, seen: Seen) -> Answer:
        path, _, query = seen.path.removeprefix("/v1").partition("?")
        answer: Answer = Status(404, f"no such thing: {seen.path}")
        match seen.method, *path.strip("/").split("/"):
            case "POST", "files":
                answer = self._answer(self._upload(seen))
            case "POST", "batches":
                answer = self._answer(self._create(seen.body))
            case "GET", "batches":
                answer = self._answer(self._list(query))
            case "GET", "batches", batch_id if batch_id in self.batches:
                answer = self._answer(self._look(batch_id))
            case "GET", "files", file_id, "content":
                answer = Body(self.files[file_id])
            case "POST", "chat", "completions":
                answer = Chat()
        return answer

    @staticmethod
    def _answer(values: dict[str, Any]) -> Answer:
        return Body(json.dumps(values).encode())

    def _upload(self, seen: Seen) -> dict[str, Any]:
        boundary = seen.headers["content-type"].partition("boundary=")[2].encode()
        parts = seen.content.split(b"--" + boundary)
        (part,) = (p for p in parts if b'name="file"' in p)
        return self._file(part.partition(b"\r\n\r\n")[2].removesuffix(b"\r\n"))

    def _file(self, content: bytes) -> dict[str, Any]:
        file_id = f"file-{len(self.files) + 1}"
        self.files[file_id] = content
        return {"id": file_id, "object": "file", "bytes": len(content), "purpose": "batch"}

    def _create(self, body: dict[str, Any]) -> dict[str, Any]:
        batch = {
            "id": f"batch-{len(self.batches) + 1}",
            "object": "batch",
            "status": "validating",
            "input_file_id": body["input_file_id"],
            "metadata": body["metadata"],
        }
        lines = self.files[body["input_file_id"]].splitlines()
        self.sent.update(json.loads(line)["custom_id"] for line in lines)
        self.batches[batch["id"]] = batch
        return batch

    def _list(self, query: str) -> dict[str, Any]:
        after = dict(pair.split("=") for pair in query.split("&")).get("after")
        newest_first = list(self.batches.values())[::-1]
        ids = [batch["id"] for batch in newest_first]
        start = ids.index(after) + 1 if after else 0
        page = newest_first[start : start + self.page]
        more = start + self.page < len(newest_first)
        return {"object": "list", "data": page, "has_more": more}

    def _look(self, batch_id: str) -> dict[str, Any]:
        batch = self.batches[batch_id]
        self._looks[batch_id] += 1
        if self._looks[batch_id] == 3:
            self._end(batch, next(self._endings, "completed"))
        return batch

    def _end(self, batch: dict[str, Any], ending: str) -> None:
        batch["status"], _, code = ending.partition(": ")
        if batch["status"] == "failed":
            batch["errors"] = {"data": [{"code": code, "message": "scripted failure"}]}
            return
        asked = [json.loads(line) for line in self.files[batch["input_file_id"]].splitlines()]
        answered = asked if ending == "completed" else asked[: len(asked) // 2]
        done: list[dict[str, Any]] = []
        failed: list[dict[str, Any]] = []
        for item in answered[::-1]:  # the order of results is not promised
            status, body = self.line(item["body"])
            response = {"status_code": status, "body": body}
            line = {"custom_id": item["custom_id"], "response": response, "error": None}
            (done if status == 200 else failed).append(line)
        for item in asked[len(answered) :]:
            error = {"code": f"batch_{ending}", "message": "not processed"}
            failed.append({"custom_id": item["custom_id"], "response": None, "error": error})
        for name, lines in (("output_file_id", done), ("error_file_id", failed)):
            if lines:
                content = b"".join(json.dumps(line).encode() + b"\n" for line in lines)
                batch[name] = self._file(content)["id"]
