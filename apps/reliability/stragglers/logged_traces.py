"""Step traces that logs tell: collectives of the NCCL Inspector, worked out when more were told."""

import hashlib
from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from apps.fleet.models import Attempt
from apps.reliability.stragglers.findings import ROOM, finding_row
from apps.telemetry.models import CollectiveTail
from apps.telemetry.step_traces.collective_tails import unpacked
from apps.telemetry.step_traces.trace_jobs import job_of_collectives
from apps.tenancy.database.bulk_rows import insert_or_update_rows
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from apps.training.stragglers.importers.inspector import CollectiveTiming

SETTLES: Final = timedelta(seconds=30)
TRIED_AGAIN: Final = timedelta(hours=1)  # after a failure
SESSIONS_AT_ONCE: Final = 10
MOST_LOGS: Final = 2048  # of a session; of more those that spoke last
MOST_COLLECTIVES: Final = 200_000
TOLD_BY: Final = "logs"
# One finding an attempt: what logs tell later takes its place.
DIGEST: Final = hashlib.sha256(b"collectives of logs").digest()


def due_sessions(*, organization_id: int, now: datetime) -> list[int]:
    """Return sessions whose logs told more collectives, the longest waiting first.

    Opens the scope. They wait an hour from then on, unless they are worked out or told more.
    """
    with organization_scope(organization_id):
        own = CollectiveTail.objects.for_organization(organization_id)
        due = own.filter(due_at__lte=now - SETTLES).order_by("due_at", "id")
        rows = list(due.select_for_update(skip_locked=True).only("id", "session_id")[:MOST_LOGS])
        sessions = list(dict.fromkeys(row.session_id for row in rows))[:SESSIONS_AT_ONCE]
        own.filter(session__in=sessions, due_at__isnull=False).update(due_at=now + TRIED_AGAIN)
        return sessions


def work_out(*, organization_id: int, session_id: int, now: datetime) -> None:
    """Work out what the collectives of a session's logs say. Opens the scope. Repeatable.

    `now` is when the session was found due: what is told meanwhile makes it due again.
    """
    with organization_scope(organization_id):
        owner = Organization.objects.get(pk=organization_id)
        own = CollectiveTail.objects.for_organization(owner).filter(session=session_id)
        for number, timings in _by_attempt(owner, session_id).items():
            job = job_of_collectives(timings, name=TOLD_BY, room=ROOM)
            row = finding_row(
                owner=owner,
                session_id=session_id,
                attempt=number,
                job=job,
                told_by=TOLD_BY,
                now=now,
            )
            row.digest, row.form = DIGEST, "inspector"
            insert_or_update_rows(
                rows=[row],
                key=["organization", "session", "attempt_number", "digest"],
                fields=["added_at", "cause", "slowdown", "discrepancy", "body"],
            )
        own.filter(due_at=now + TRIED_AGAIN).update(due_at=None)


def _by_attempt(owner: Organization, session_id: int) -> Mapping[int, list[CollectiveTiming]]:
    """Return attempt number → its collectives; a log of no attempt is of the newest."""
    numbers = Attempt.objects.filter(session=session_id).order_by("-number")
    newest = numbers.values_list("number", flat=True).first()
    own = CollectiveTail.objects.for_organization(owner).filter(session=session_id)
    found: dict[int, list[CollectiveTiming]] = defaultdict(list)
    columns = own.order_by("-told_at", "-id").values_list("stream__attempt__number", "body")
    for told, body in columns[:MOST_LOGS]:
        number = told or newest
        if number is not None and len(found[number]) < MOST_COLLECTIVES:
            found[number] += unpacked(body)
    return found
