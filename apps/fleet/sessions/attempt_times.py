"""When and where attempts ran, of all sessions at once: what who may know of them reads."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.db.models import F, Q

from apps.fleet.access import access_sessions
from apps.fleet.models import Attempt
from apps.tenancy.access import Actor

# Of a longer list the newest starts are read.
MOST_ATTEMPTS: Final = 20_000
COLUMNS: Final = (
    *("id", "public_id", "organization_id", "slug", "number", "state", "started_at"),
    *("ended_at", "world_size", "hosts", "job", "label", "project"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptTimes:
    """One start of a session as its times, its hosts and its state say."""

    id: int
    session: str  # public id
    owner_id: int
    cluster: str  # slug; empty: an upload
    number: int
    state: str  # diagnosis.model.EndState
    started_at: datetime
    ended_at: datetime | None
    gpus: int | None
    hosts: frozenset[str]
    job: str
    project: str

    @property
    def name(self) -> str:
        """Return what names it among all attempts."""
        return f"{self.session}#{self.number}"


def attempt_times(
    *,
    actor: Actor,
    cluster: str | None = None,
    since: datetime,
    until: datetime,
    with_simulated: bool,
    owners: Collection[int] = (),
) -> list[AttemptTimes]:
    """Return the attempts that ran between two instants, by their starts, of the sessions that the
    actor's organization may know of; of some owners' where they are named. Needs its scope.

    Sessions of which it reads a copy, because it left their cluster, are not among them.
    """
    sessions = access_sessions(actor=actor, cluster=cluster).order_by()
    rows = Attempt.objects.filter(session__in=sessions.values("pk"), started_at__lt=until)
    rows = rows.filter(Q(ended_at=None) | Q(ended_at__gte=since))
    if owners:
        rows = rows.filter(organization__in=owners)
    if not with_simulated:
        rows = rows.filter(session__is_simulated=False)
    found = rows.annotate(
        public_id=F("session__public_id"),
        slug=F("session__cluster__slug"),
        job=F("session__job"),
        label=F("session__name"),
        project=F("session__project"),
    ).order_by("-started_at", "-id")
    told = [_times(row) for row in found.values_list(*COLUMNS)[:MOST_ATTEMPTS]]
    return told[::-1]


def _times(row: tuple[Any, ...]) -> AttemptTimes:
    """Return a row of COLUMNS; taken by place, since periods read hundreds of them."""
    pk, session, owner_id, cluster, number, state, *rest = row
    started_at, ended_at, gpus, hosts, job, label, project = rest
    return AttemptTimes(
        id=pk,
        session=session,
        owner_id=owner_id,
        cluster=cluster or "",
        number=number,
        state=state,
        started_at=started_at,
        ended_at=ended_at,
        gpus=gpus,
        hosts=frozenset(hosts),
        job=job or label,
        project=project,
    )
