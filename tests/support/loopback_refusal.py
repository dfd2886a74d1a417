from __future__ import annotations


class Refusal(Exception):  # noqa: N818 - an answer, not a defect
    """An answer that is no success; the client reads `code` first, then the status."""

    def __init__(
        self, status: int, message: str, code: str = "", body: dict[str, object] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.body = body or {"error": message}
