"""Would anybody ask it? What can be told from the wording alone."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from goldsmith.llm.tasks import RatingReply, RelevanceVariables
from goldsmith.offline.asked import stems

if TYPE_CHECKING:
    from goldsmith.offline.library import Library

_ASKS = re.compile(
    r"(?:(?:[A-Z]\w+ )?(?:how|what|which|who|whom|whose|when|where|why)\b"
    r"|(?:is|are|can|does|do|did|was|were|should|must|will|has|have)\b)",
    re.IGNORECASE,
)
_ABOUT_THE_PAGE = re.compile(
    r"\b(?:this|the|that|which|what) (?:page|chapter|handbook|tutorial|guide|article|screenshot"
    r"|snippet|paragraph|appendix|example|list|table)\b"
    r"|\b(?:table of contents|see also|read more|click here|copyright|lorem)\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"[=<>{}\\|]|\w\(\w|::|\b\w+\.\w+\.\w+\b")
_TOO_LONG, _LONG = 45, 32


def rate_relevance(variables: RelevanceVariables, _: Library) -> RatingReply:
    """1: no question; 2: about the page, or empty; 3: unreadable or too long; 4, 5: asked."""
    question = variables.question
    count, content = len(question.split()), len(stems(question))
    if not _ASKS.match(question) or not question.rstrip().endswith("?"):
        return RatingReply(rationale="it does not open like a question", rating=1)
    if found := _ABOUT_THE_PAGE.search(question):
        return RatingReply(rationale=f"asks about the text itself: {found.group()!r}", rating=2)
    if content == 0:
        return RatingReply(rationale="no word of content", rating=2)
    if count > _TOO_LONG or len(_CODE.findall(question)) > 1:
        return RatingReply(rationale=f"{count} words, or code that nobody types", rating=3)
    rating = 4 if count > _LONG or content == 1 else 5
    return RatingReply(
        rationale=f"{count} words, {content} of content, no navigation", rating=rating
    )
