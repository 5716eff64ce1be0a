"""The last attempts of a session's job, as they were measured. Needs its owner's scope."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import F, Q

from apps.fleet.models import Session
from apps.reliability.models import AttemptMeasure
from apps.reliability.sessions.attempt_facts import end_state
from apps.training.retries.attempt_runs import AttemptRun
from apps.training.retries.lineages import lineages

# A job that was submitted anew is a session of its own; what is older is another story.
REACH: Final = timedelta(days=7)
MOST_ATTEMPTS: Final = 500
SECOND_MS: Final = 1000


def lineage_of(*, session: Session, now: datetime) -> Sequence[AttemptRun]:
    """Return the starts in a row whose last is the newest of the session; empty without any."""
    own = AttemptMeasure.objects.for_organization(session.organization_id)
    # Of a job without a name of its own the session's name stands for it.
    named = Q(session__job=session.job) if session.job else Q(session=session)
    rows = own.filter(
        named,
        session__cluster=session.cluster_id,
        session__project=session.project,
        attempt__started_at__gte=now - REACH,
    ).annotate(
        public_id=F("session__public_id"),
        number=F("attempt__number"),
        began=F("attempt__started_at"),
        ended=F("attempt__ended_at"),
        state=F("attempt__state"),
        hosts=F("attempt__hosts"),
    )
    columns = (
        *("public_id", "number", "began", "ended", "state", "hosts", "gpus"),
        *("last_step", "saved_step", "stepping_ms"),
    )
    newest = rows.order_by("-attempt__started_at", "-attempt").values(*columns)
    runs = [_run(session, row) for row in newest[:MOST_ATTEMPTS]]
    lines = [line for line in lineages(runs) if line[-1].session == session.public_id]
    return lines[-1] if lines else ()


def _run(session: Session, row: dict[str, Any]) -> AttemptRun:
    stepped = row["stepping_ms"]
    told: dict[str, Any] = {
        "name": f"{row['public_id']}#{row['number']}",
        "job": session.job or session.name,
        "project": session.project,
        "session": row["public_id"],
        "number": row["number"],
        "starts_at": row["began"],
        "ends_at": row["ended"],
        "end": end_state(str(row["state"])),
        "hosts": frozenset(row["hosts"]),
        "gpus": row["gpus"] or 0,
        "last_step": row["last_step"],
        "checkpoint_step": row["saved_step"],
        "stepping_seconds": None if stepped is None else stepped / SECOND_MS,
    }
    return AttemptRun(**told)
