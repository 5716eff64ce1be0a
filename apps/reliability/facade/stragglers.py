"""Stragglers of sessions, as an organization's own traces tell. Needs the actor's scope."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final

from apps.diagnosis.input_values import storable
from apps.fleet.access import access_clusters, access_sessions
from apps.fleet.facade.placements import AttemptPlace, attempt_places
from apps.fleet.facade.sessions import attempts_of, open_session
from apps.fleet.values import AttemptView, SessionView, session_view
from apps.reliability.stragglers import findings as rows
from apps.reliability.stragglers.fleet_months import fleet_of, job_rows, months_of
from apps.reliability.stragglers.slow_members import slow_members
from apps.reliability.stragglers.trace_uploads import trace_files
from apps.reliability.stragglers.values import FindingView, StragglerFleetView
from apps.telemetry.models import StragglerFinding
from apps.tenancy.access import Actor, NotFound, Right

MOST_FINDINGS: Final = 10_000


def add_trace(
    *,
    actor: Actor,
    session: str,
    attempt: int | None,
    files: Iterable[tuple[str, bytes]],
    now: datetime,
) -> FindingView:
    """Keep what a step trace says of an attempt, of the newest where none is named.

    Raises NotFound, UnusableInput.
    """
    actor.require(Right.ACT)
    found = open_session(actor=actor, public_id=session)
    number = _number(attempts_of(actor=actor, sessions=[found])[found.id], attempt)
    return rows.keep_trace(
        actor=actor, session=found, attempt=number, files=trace_files(files), now=now
    )


def named_session(*, actor: Actor, cluster: str, name: str) -> SessionView:
    """Return the session of a cluster that a sender names as its scheduler does; raise NotFound."""
    known = access_sessions(actor=actor, cluster=cluster)
    wanted = storable(name)
    found = known.filter(name=wanted).first() or known.filter(aliases__contains=[wanted]).first()
    if found is None or not wanted:
        raise NotFound
    return session_view(found)


def straggler_findings(
    *, actor: Actor, session: SessionView, attempts: Sequence[AttemptView]
) -> tuple[FindingView, ...]:
    """Return what one's own traces say of a session's attempts, the newest first."""
    return rows.findings_of(actor=actor, session=session, attempts=attempts)


def straggler_fleet(*, actor: Actor, since: datetime, now: datetime) -> StragglerFleetView:
    """Return stragglers over all attempts that ran since then and that one has traces of."""
    actor.require(Right.READ)
    places = _places(actor, since, now)
    own = StragglerFinding.objects.for_organization(actor.organization)
    told = own.filter(session__in={key[0] for key in places}).defer("body", "digest")
    jobs = job_rows(findings=told.order_by("-pk")[:MOST_FINDINGS], places=places, now=now)
    fleet, unknown = fleet_of(jobs)
    return StragglerFleetView(
        since=since,
        until=now,
        fleet=fleet,
        unknown_hours_count=unknown,
        untraced_count=len(places) - len(jobs),
        months=months_of(jobs),
        jobs=jobs,
        is_simulated=actor.organization.is_simulated,
    )


def _places(actor: Actor, since: datetime, now: datetime) -> dict[tuple[int, int], AttemptPlace]:
    return {
        (each.session_id, each.number): each
        for cluster in access_clusters(actor=actor)
        for each in attempt_places(actor=actor, cluster=cluster.slug, since=since, until=now)
    }


def _number(attempts: Sequence[AttemptView], asked: int | None) -> int:
    numbers = [each.number for each in attempts]
    if not numbers or (asked is not None and asked not in numbers):
        raise NotFound
    return max(numbers) if asked is None else asked


__all__ = [
    "add_trace",
    "named_session",
    "slow_members",
    "straggler_findings",
    "straggler_fleet",
]
