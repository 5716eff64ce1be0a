"""Saves and loads around an incident that other parties' logs tell, as far as they show them.

A rule for their sessions' log shows that there was one; a rule for sessions does where it shows
them in full, as docs/sharing.md says of saves. Of which session it was nobody reads here.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from apps.incidents.models import IncidentSession
from apps.incidents.projection.shared.shared_access import SharedAccess
from apps.incidents.projection.shared_values import SharedAs, SharedCheckpoint
from apps.sharing.grant_values import Grant, SharedThing
from apps.sharing.terms import SESSIONS, Level
from apps.telemetry.facade.logged_checkpoints import LoggedCheckpoint, told_checkpoints

LOG: Final = "logs:session"
MINUTE: Final = timedelta(minutes=1)
MOST: Final = 400  # of one holder, the last ones


def shared_checkpoints(
    access: SharedAccess, *, span: tuple[datetime, datetime]
) -> tuple[SharedCheckpoint, ...]:
    """Return what others show of saves and loads of sessions that were hit, by time.

    Needs the reader's scope.
    """
    found: list[SharedCheckpoint] = []
    for grant in access.grants:
        if grant.may_show(LOG, SESSIONS):
            with access.held_by(grant):
                found += _of_holder(access, grant, span)
    return tuple(sorted(found, key=lambda each: (each.starts_at, each.ends_at, each.kind)))


def _of_holder(
    access: SharedAccess, grant: Grant, span: tuple[datetime, datetime]
) -> Iterator[SharedCheckpoint]:
    own = IncidentSession.objects.for_organization(grant.holder.id)
    rows = own.filter(incident=access.incident)
    hit = {
        (session_id, number): attempt_id
        for session_id, number, attempt_id in rows.values_list(
            "session_id", "attempt__number", "attempt_id"
        )
    }
    if not hit:
        return
    told = told_checkpoints(
        organization_id=grant.holder.id,
        session_ids={session_id for session_id, _ in hit},
        # A minute more: of a signal its minutes are shown, and asked for.
        since=span[0] - MINUTE,
        until=span[1] + MINUTE,
    )
    for each in told[-MOST:]:
        attempt_id = hit.get((each.session_id, each.attempt))
        shown = _shown(access, grant, each, attempt_id) if attempt_id is not None else None
        checkpoint = _as_shown(each, shown[1]) if shown is not None else None
        if shown is not None and checkpoint is not None and _is_asked(checkpoint, span):
            told_of_it = (checkpoint.kind, checkpoint.starts_at, checkpoint.ends_at)
            access.handed_out.add(shown[1], shown[0], *told_of_it)
            yield checkpoint


def _shown(
    access: SharedAccess, grant: Grant, each: LoggedCheckpoint, attempt_id: int
) -> tuple[str, SharedAs] | None:
    """Return by which class of data it is shown, and how: by the one that shows more."""
    at = each.starts_at
    ran = access.shown(grant, SharedThing(data=SESSIONS, at=at, attempt_id=attempt_id))
    if ran is not None and ran.level is Level.FULL:
        return SESSIONS, ran
    line = SharedThing(data=LOG, at=at, attempt_id=attempt_id, stream="session")
    printed = access.shown(grant, line)
    return (LOG, printed) if printed is not None else None


def _as_shown(each: LoggedCheckpoint, shown: SharedAs) -> SharedCheckpoint:
    is_signal = shown.level is Level.SIGNAL
    return SharedCheckpoint(
        shared=shown,
        kind=each.kind,
        starts_at=_minute(each.starts_at) if is_signal else each.starts_at,
        ends_at=_minute(each.ends_at) + MINUTE if is_signal else each.ends_at,
        is_complete=each.is_complete,
    )


def _is_asked(shown: SharedCheckpoint, span: tuple[datetime, datetime]) -> bool:
    """Say whether it lies in the span by what is shown of it: a span tells no second of it."""
    return shown.starts_at < span[1] and shown.ends_at >= span[0]


def _minute(at: datetime) -> datetime:
    return at.replace(second=0, microsecond=0)
