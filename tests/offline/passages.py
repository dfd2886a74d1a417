"""A small handbook that the tests of the offline model read."""

from __future__ import annotations

from goldsmith.ids import content_id
from goldsmith.llm.sources import as_source
from goldsmith.records import Chunk

GATE = """## Approval Gate

An *Approval Gate* is a step that waits for a human decision. An Approval Gate can have up to
8 reviewers. Reviewers of an Approval Gate receive a reminder after 20 hours.
"""
BUFFER = """## Relay Buffer

The *Relay Buffer* is a waiting area for parcels whose outlet cannot be reached. The Relay Buffer
reports its filling level every 30 seconds. When the Relay Buffer is full, intakes refuse documents.

| Plan | Capacity of the Relay Buffer |
|---|---|
| Team | none |
| Business | 10,000 parcels |
"""
RETENTION = """## Retention

The Relay Buffer keeps a parcel for up to 72 hours. Small documents are never moved, because they
cost more to move than storage saves. The Team plan, the Business plan and the Enterprise plan share
these periods. What the Team plan has, and every Team plan, costs less.
"""
RELEASES = """## Version 5.6

The Handoff Window can be up to 12 hours long. Version 5.5 was current until May 2025, and version
5.4 and version 5.3 until March 2025. The product was first sold in 2024.
"""
UPLOADS = """## Uploads

Sorrelwick accepts uploads on port 2222. Only a Workspace Owner can delete a workspace. To restore a
document from the Cold Shelf, select it in the list. The gate can ask for 3 decisions.
"""


def chunk(text: str, title: str, section: str) -> Chunk:
    doc_id = content_id("d", title)
    return Chunk(
        chunk_id=content_id("p", title, text),
        doc_id=doc_id,
        title=title,
        section=section,
        text=text,
        start=0,
        end=len(text),
        duplicate_group=content_id("g", text),
    )


HANDBOOK = (
    chunk(GATE, "Gates", "Gates > Approval Gate"),
    chunk(BUFFER, "Buffers", "Buffers > Relay Buffer"),
    chunk(RETENTION, "Retention", "Retention"),
    chunk(RELEASES, "Release notes", "Release notes > Version 5.6"),
    chunk(UPLOADS, "Uploads", "Uploads"),
)
SOURCES = {one.title: as_source(one) for one in HANDBOOK}
