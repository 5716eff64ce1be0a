"""What became of an inventory or of session events that were sent."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from apps.telemetry.models import BatchState, Submission
from apps.tenancy.access import Actor, NotFound, Right

REJECTED_AT_MOST: Final = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SubmissionOutcome:
    """How far it is."""

    public_id: str
    kind: str
    cluster: str
    received_at: datetime
    state: str  # waiting, done, or failed where a piece was set aside
    accepted: int
    waiting: int  # entries
    failed: int
    rejected: list[dict[str, Any]]


def outcome_of(*, actor: Actor, public_id: str) -> SubmissionOutcome:
    """Return what became of a submission of the actor's organization; raise NotFound."""
    actor.require(Right.READ)
    own = Submission.objects.for_organization(actor.organization).filter(public_id=public_id)
    rows = list(own.defer("body").select_related("cluster").order_by("id"))
    if not rows:
        raise NotFound
    waiting = sum(row.entry_count for row in rows if row.state == BatchState.ACCEPTED)
    failed = sum(row.entry_count for row in rows if row.state == BatchState.DEAD)
    return SubmissionOutcome(
        public_id=public_id,
        kind=rows[0].kind,
        cluster=rows[0].cluster.slug,
        received_at=rows[0].received_at,
        state="waiting" if waiting else "failed" if failed else "done",
        accepted=sum(row.accepted_count for row in rows),
        waiting=waiting,
        failed=failed,
        rejected=[each for row in rows for each in row.rejected][:REJECTED_AT_MOST],
    )
