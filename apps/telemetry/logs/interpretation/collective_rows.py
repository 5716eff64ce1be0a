"""Collectives that logs of sessions tell: the latest of each rank, a row a log."""

from collections.abc import Sequence
from datetime import datetime

from apps.telemetry.logs.interpretation.stream_update import Work
from apps.telemetry.models import CollectiveTail
from apps.telemetry.step_traces.collective_tails import latest, packed, unpacked
from apps.tenancy.database.bulk_rows import insert_or_update_rows


def write_collectives(works: Sequence[Work], *, now: datetime) -> None:
    """Add what was told to what is kept; the same again changes nothing. Needs the owner's scope.

    A log that no session is known of has no ranks to speak of.
    """
    telling = [work for work in works if work.collectives and work.stream.session_id]
    if not telling:
        return
    stored = CollectiveTail.objects.filter(stream__in=[work.stream for work in telling])
    known = {row.stream_id: unpacked(row.body) for row in stored}
    rows = []
    for work in telling:
        before = known.get(work.stream.pk, ())
        after = latest([*before, *work.collectives])
        session_id = work.stream.session_id
        if after != before and session_id is not None:
            rows.append(
                CollectiveTail(
                    organization_id=work.stream.organization_id,
                    stream=work.stream,
                    session_id=session_id,
                    due_at=now,
                    told_at=work.received_at,
                    body=packed(after),
                )
            )
    insert_or_update_rows(
        rows=rows,
        key=["organization", "stream"],
        fields=["session", "due_at", "told_at", "body"],
    )
