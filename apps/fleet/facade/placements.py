"""Where attempts ran and when, without their ranks: many at once. Needs the actor's scope."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import Q

from apps.fleet.access import access_sessions
from apps.fleet.models import Attempt, SessionParty
from apps.tenancy.access import Actor

MOST_ATTEMPTS: Final = 5000  # the newest


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptPlace:
    """One start of a session that the actor's organization may know of."""

    id: int
    session_id: int
    session: str  # public id
    session_name: str
    number: int
    started_at: datetime
    ended_at: datetime | None
    hosts: frozenset[str]
    hosts_asserted: bool
    world_size: int | None
    is_own: bool


def attempt_places(
    *, actor: Actor, cluster: str, since: datetime, until: datetime
) -> tuple[AttemptPlace, ...]:
    """Return the attempts that ran in a span of a cluster, by their start.

    Who stopped running the cluster reads none of them here.
    """
    own = SessionParty.objects.for_organization(actor.organization)
    left = own.exclude(left_at=None).values("session_id")
    known = access_sessions(actor=actor, cluster=cluster).exclude(pk__in=left)
    rows = Attempt.objects.filter(session__in=known.order_by().values("pk"), started_at__lt=until)
    inside = rows.filter(Q(ended_at=None) | Q(ended_at__gte=since))
    newest = inside.select_related("session").only(
        *("session__public_id", "session__name", "number", "started_at", "ended_at", "hosts"),
        *("hosts_asserted", "world_size", "organization_id"),
    )
    found = newest.order_by("-started_at", "-pk")[:MOST_ATTEMPTS]
    return tuple(_place(row, actor.organization.pk) for row in reversed(found))


def _place(row: Attempt, reader_id: int) -> AttemptPlace:
    assert row.started_at is not None  # noqa: S101  asked for
    return AttemptPlace(
        id=row.pk,
        session_id=row.session_id,
        session=row.session.public_id,
        session_name=row.session.name,
        number=row.number,
        started_at=row.started_at,
        ended_at=row.ended_at,
        hosts=frozenset(row.hosts),
        hosts_asserted=row.hosts_asserted,
        world_size=row.world_size,
        is_own=row.organization_id == reader_id,
    )
