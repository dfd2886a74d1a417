"""Is a release sound? All faults of all rows, each with the row that it is in.

The rules are pure functions over records. `stages.freeze` holds new rows to them, `verify` holds a
release to them again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from goldsmith.errors import UnsoundReleaseError
from goldsmith.release.soundness.accounts import account_faults
from goldsmith.release.soundness.corpus import Shelf, corpus_faults
from goldsmith.release.soundness.fault import Fault
from goldsmith.release.soundness.labels import label_faults
from goldsmith.release.soundness.probes import probe_faults
from goldsmith.release.soundness.questions import question_faults

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goldsmith.funnel import FunnelRow
    from goldsmith.release.contents import Contents
    from goldsmith.release.manifest import Rules

__all__ = ["Fault", "faults_of", "refuse_unsound"]


def faults_of(contents: Contents, funnel: Sequence[FunnelRow], rules: Rules) -> list[Fault]:
    """Every fault, in the order documents, chunks, questions, judgements, funnel."""
    shelf = Shelf.of(contents)
    return [
        *corpus_faults(contents, shelf),
        *question_faults(contents, rules),
        *label_faults(contents, shelf),
        *probe_faults(contents),
        *account_faults(contents, funnel, rules),
    ]


def refuse_unsound(contents: Contents, funnel: Sequence[FunnelRow], rules: Rules) -> None:
    """Raise `UnsoundReleaseError` listing every fault, one a line."""
    faults = faults_of(contents, funnel, rules)
    if faults:
        listed = "\n".join(f"  {fault}" for fault in faults)
        raise UnsoundReleaseError(
            f"the release does not freeze, {len(faults)} fault{'s' * (len(faults) > 1)}:\n{listed}"
        )
