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
    r"|(?:is|are|can|does|do|did|was|were|should|must|will|has|have)\b).*\?\s*$",
    re.IGNORECASE | re.DOTALL,
)
_BOILERPLATE = re.compile(
    r"\b(?:this|the|that|which|what) (?:page|chapter|handbook|tutorial|guide|article|screenshot"
    r"|paragraph|appendix|example|list|table)\b|\b(?:see also|read more|click here|copyright)\b",
    re.IGNORECASE,
)
_CODE = re.compile(r"[=<>{}\\|]|\w\(\w|::|\b\w+\.\w+\.\w+\b")
_TOO_LONG, _LONG = 45, 32


def rate_relevance(variables: RelevanceVariables, _: Library) -> RatingReply:
    """1: no question; 2: about the page, or empty; 3: unreadable or too long; 4, 5: asked."""
    question = variables.question
    count, content = len(question.split()), len(stems(question))
    if not _ASKS.match(question):
        rating = 1
    elif content == 0 or _BOILERPLATE.search(question):
        rating = 2
    elif count > _TOO_LONG or len(_CODE.findall(question)) > 1:
        rating = 3
    else:
        rating = 4 if count > _LONG or content == 1 else 5
    return RatingReply(rationale=f"{count} words, {content} of content", rating=rating)
