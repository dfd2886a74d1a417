"""Members without a model: what follows from the spans of the chunks, and from their copies."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from goldsmith.corpus.projection import Projection
    from goldsmith.records import Evidence


def with_spans(evidence: Evidence, projection: Projection) -> Evidence:
    """The evidence with the members that need no judge: chunks that hold the quote (overlap),
    copies of those, and groups that hold it together.
    """
    found = projection.carriers(evidence.doc_id, evidence.start, evidence.end, evidence.quote)
    joint = dict.fromkeys((*evidence.joint_members, *found.joint))
    return evidence.model_copy(
        update={
            "chunk_ids": projection.copies((*evidence.chunk_ids, *found.single)),
            "joint_members": tuple(joint),
        }
    )
