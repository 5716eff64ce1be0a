"""The saves and loads that logs of sessions tell, ready to be joined with metrics.

What a session's logs tell is worked out when they told more, not when somebody looks.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from django.db.models import Q

from apps.diagnosis.model import ProgressPoint
from apps.telemetry.facade.progress import StreamProgress, progress_of
from apps.telemetry.models import LoggedCheckpoints
from apps.tenancy.access import Actor, Right
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from apps.training.runs.checkpoints import CheckpointSpan
from apps.training.runs.story import counted_log, run_story

# A session that prints on is looked at this often at most.
SETTLES: Final = timedelta(seconds=30)
TRIED_AGAIN: Final = timedelta(hours=1)  # after a failure
SESSIONS_AT_ONCE: Final = 20
MOST_KEPT: Final = 4000  # of a session; of more the last ones
MOST_SESSIONS: Final = 2000


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedCheckpoint:
    """One save or load of an attempt; of one that only begins or ends the other is the same."""

    session_id: int
    attempt: int
    kind: str  # save load
    starts_at: datetime
    ends_at: datetime
    step: int | None
    is_background: bool
    is_complete: bool  # begin and end were told


def due_sessions(*, organization_id: int, now: datetime) -> list[int]:
    """Return sessions whose logs told more, those that wait longest first. Opens the scope.

    They wait an hour from then on, unless they are worked out or told more: what fails each time
    stands in nobody's way.
    """
    with organization_scope(organization_id):
        due = LoggedCheckpoints.objects.for_organization(organization_id)
        rows = due.filter(due_at__lte=now - SETTLES).order_by("due_at", "id")
        taken = list(rows.select_for_update(skip_locked=True)[:SESSIONS_AT_ONCE])
        due.filter(pk__in=[row.pk for row in taken]).update(due_at=now + TRIED_AGAIN)
        return [row.session_id for row in taken]


def work_out(*, organization_id: int, session_id: int) -> None:
    """Work out what the logs of a session tell. Opens the scope. Repeatable."""
    with organization_scope(organization_id):
        owner = Organization.objects.get(pk=organization_id)
        rows = LoggedCheckpoints.objects.for_organization(owner)
        row = rows.select_for_update().filter(session=session_id).first()
        if row is not None:
            _work_out(row, Actor(organization=owner, rights=frozenset({Right.READ})))


def logged_checkpoints(
    *, actor: Actor, session_ids: Collection[int], since: datetime, until: datetime
) -> tuple[LoggedCheckpoint, ...]:
    """Return what the organization's own logs tell of these sessions in a span, by time."""
    actor.require(Right.READ)
    return told_checkpoints(
        organization_id=actor.organization.pk, session_ids=session_ids, since=since, until=until
    )


def told_checkpoints(
    *, organization_id: int, session_ids: Collection[int], since: datetime, until: datetime
) -> tuple[LoggedCheckpoint, ...]:
    """Return what an organization's logs tell of these sessions in a span, by time.

    Needs its scope: who reads of it is decided above.
    """
    rows = (
        LoggedCheckpoints.objects.for_organization(organization_id)
        .filter(session__in=list(session_ids)[:MOST_SESSIONS])
        .filter(Q(starts_at__lt=until) & Q(ends_at__gte=since))
    )
    found = [
        each
        for session_id, body in rows.values_list("session_id", "body")
        for told in body
        if (each := _checkpoint(session_id, told)).starts_at < until and each.ends_at >= since
    ]
    return tuple(sorted(found, key=lambda each: (each.starts_at, each.session_id, each.kind)))


def _work_out(row: LoggedCheckpoints, actor: Actor) -> None:
    logs = progress_of(actor=actor, session_id=row.session_id)
    told = [
        _told(number, span) for number, streams in sorted(logs.items()) for span in _spans(streams)
    ][-MOST_KEPT:]
    times = [datetime.fromisoformat(at) for each in told for at in (each[2], each[3])]
    row.body, row.due_at = told, None
    row.starts_at, row.ends_at = min(times, default=None), max(times, default=None)
    row.save()


def _spans(streams: Sequence[StreamProgress]) -> Iterator[CheckpointSpan]:
    points: list[tuple[ProgressPoint, ...]] = [each.points for each in streams]
    chief = counted_log(points)
    others = [point for log in (*points[:chief], *points[chief + 1 :]) for point in log]
    story = run_story(steps=points[chief], others=others)
    # Times in a zone that nobody knows join nothing.
    if not story.is_local:
        yield from story.checkpoints


def _told(attempt: int, span: CheckpointSpan) -> list[Any]:
    starts_at, ends_at = span.starts_at or span.ends_at, span.ends_at or span.starts_at
    assert starts_at is not None and ends_at is not None  # noqa: S101, PT018  it has one of both
    is_complete = span.seconds is not None
    return [
        *(attempt, span.kind, starts_at.isoformat(), ends_at.isoformat()),
        *(span.step, span.is_background, is_complete),
    ]


def _checkpoint(session_id: int, told: Sequence[Any]) -> LoggedCheckpoint:
    attempt, kind, starts_at, ends_at, step, is_background, is_complete = told
    return LoggedCheckpoint(
        session_id=session_id,
        attempt=attempt,
        kind=kind,
        starts_at=datetime.fromisoformat(starts_at),
        ends_at=datetime.fromisoformat(ends_at),
        step=step,
        is_background=is_background,
        is_complete=is_complete,
    )
