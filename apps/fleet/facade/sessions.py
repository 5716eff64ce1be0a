"""Sessions and their attempts, as whoever may know of them reads them. Needs the actor's scope."""

from collections.abc import Collection, Sequence
from datetime import datetime

from apps.fleet.access import access_session, access_sessions, newest_first
from apps.fleet.placement.running_attempts import running_at
from apps.fleet.sessions import attempt_lists
from apps.fleet.sessions.session_filter import SessionFilter, narrowed
from apps.fleet.values import AttemptView, SessionName, SessionView, session_name, session_view
from apps.tenancy.access import Actor
from apps.tenancy.values import ValueList


def list_sessions(*, actor: Actor, wanted: SessionFilter | None = None) -> ValueList[SessionView]:
    """Return the sessions that the actor's organization owns or may know of, newest first."""
    rows = access_sessions(actor=actor)
    if wanted is not None:
        by_start = newest_first(rows)
        rows = narrowed(by_start, actor=actor, wanted=wanted).order_by("-created_at", "-id")
    return ValueList(rows=rows, project=lambda found: [session_view(each) for each in found])


def sessions_by_start(
    *, actor: Actor, wanted: SessionFilter | None = None
) -> ValueList[SessionView]:
    """Return them by when their last attempt started, the newest first, as pages list them."""
    rows = newest_first(access_sessions(actor=actor))
    if wanted is not None:
        rows = narrowed(rows, actor=actor, wanted=wanted)
    return ValueList(rows=rows, project=lambda found: [session_view(each) for each in found])


def open_session(*, actor: Actor, public_id: str) -> SessionView:
    """Return one of these sessions; raise NotFound."""
    return session_view(access_session(actor=actor, public_id=public_id))


def session_names(*, actor: Actor, ids: Collection[int]) -> dict[int, str]:
    """Return row → public id, of those of these sessions that the actor may know of."""
    rows = access_sessions(actor=actor).filter(pk__in=ids)
    return dict(rows.order_by().values_list("pk", "public_id"))


def attempts_of(
    *, actor: Actor, sessions: Sequence[SessionView]
) -> dict[int, tuple[AttemptView, ...]]:
    """Return session id → its attempts, the first one first; the oldest are cut where there is
    too much of them.
    """
    return attempt_lists.attempts_of(actor=actor, sessions=sessions)


def sessions_on_node(
    *, actor: Actor, cluster_id: int, host: str, at: datetime
) -> tuple[SessionName, ...]:
    """Return what ran on a host at an instant, of what the actor's organization may know."""
    reader_id = actor.organization.pk
    runs = running_at(cluster_id=cluster_id, reader_id=reader_id, host=host, at=at)
    return tuple(session_name(run.attempt.session) for run in runs)


def hosts_of_attempts(*, actor: Actor, ids: Collection[int]) -> frozenset[str]:
    """Return the hosts on which attempts that the actor may know of ran: as who runs the cluster
    said, of its own also as it says itself.
    """
    return attempt_lists.hosts_of(actor=actor, ids=ids)
