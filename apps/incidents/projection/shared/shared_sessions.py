"""Sessions that an incident hit, as far as their tenants show them to who reads of none."""

from datetime import datetime

from apps.fleet.models import Attempt
from apps.incidents.models import IncidentSession
from apps.incidents.projection.rights import SEES_SESSIONS
from apps.incidents.projection.shared.shared_access import SharedAccess
from apps.incidents.projection.shared_values import SharedAs, SharedSession
from apps.sharing.grant_values import SharedThing
from apps.sharing.redactor import Redactor
from apps.sharing.terms import SESSIONS, Level


def shared_sessions(access: SharedAccess) -> tuple[SharedSession, ...]:
    """Return what others show of their sessions that were hit. Needs the reader's scope.

    A reader whose part in the cluster sees sessions has them in its header already.
    """
    if access.names.parts & SEES_SESSIONS:
        return ()
    found = []
    for grant in access.grants:
        if not grant.speaks_of(SESSIONS):
            continue
        with access.held_by(grant) as redactor:
            own = IncidentSession.objects.for_organization(grant.holder.id)
            rows = own.filter(incident=access.incident).select_related("attempt__session")
            for row in rows.order_by("attempt_id"):
                thing = SharedThing(data=SESSIONS, attempt_id=row.attempt_id)
                shown = access.shown(grant, thing)
                if shown is not None:
                    found.append(_session(row.attempt, shown, redactor))
                    _hand_out(access, found[-1])
    return tuple(found)


def _session(attempt: Attempt, shown: SharedAs, redactor: Redactor) -> SharedSession:
    if shown.level is Level.SIGNAL:
        return SharedSession(
            shared=shown,
            started_at=_minute(attempt.started_at),
            ended_at=_minute(attempt.ended_at),
            host_count=len(attempt.hosts),
            rank_count=attempt.world_size,
        )
    named = redactor.fact({"session_name": attempt.session.name}, shown.level) or {}
    return SharedSession(
        shared=shown,
        started_at=attempt.started_at,
        ended_at=attempt.ended_at,
        name=named["session_name"],
        attempt=attempt.number,
        state=attempt.state,
        # In the order of what is shown: else their places would tell the names that are hidden.
        hosts=tuple(sorted(redactor.host(each, shown.level) for each in attempt.hosts)),
        are_hosts_claimed=bool(attempt.hosts) and not attempt.hosts_asserted,
        host_count=len(attempt.hosts),
        rank_count=attempt.world_size,
    )


def _minute(at: datetime | None) -> datetime | None:
    return at.replace(second=0, microsecond=0) if at else None


def _hand_out(access: SharedAccess, session: SharedSession) -> None:
    told = (session.started_at, session.ended_at, session.host_count, session.rank_count)
    named = (session.name, session.attempt, session.state, session.hosts)
    access.handed_out.add(session.shared, SESSIONS, *told, *named)
