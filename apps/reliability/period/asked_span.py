"""Which days and whose sessions a period is of, as an actor asks for it."""

from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from apps.fleet.access import access_cluster
from apps.fleet.values import ClusterName, cluster_name
from apps.reliability.period.scopes import Audience, PeriodScope
from apps.tenancy.access import Actor, Right
from apps.tenancy.values import name_of

MOST_DAYS: Final = 400
DAY: Final = timedelta(days=1)


class BadPeriod(Exception):
    """The days that were asked for are none, or too many; or of which cluster is not said."""

    def __init__(self, message: str, *, field: str = "last_day") -> None:
        super().__init__(message)
        self.field = field  # of the request, that has to change


def scope_of(
    *,
    actor: Actor,
    audience: Audience = Audience.OWN,
    cluster: str | ClusterName | None = None,
    first_day: date,
    last_day: date,
) -> PeriodScope:
    """Return of whom a period is counted, over whole days of UTC, both of them in it.

    Raises BadPeriod, and NotFound for a cluster in which the actor's organization has no part; one
    by its value came through a door before.
    """
    actor.require(Right.READ)
    starts_at = datetime.combine(first_day, time(), tzinfo=UTC)
    ends_at = datetime.combine(last_day, time(), tzinfo=UTC) + DAY
    if not DAY <= ends_at - starts_at <= MOST_DAYS * DAY:
        raise BadPeriod(f"a period has 1 to {MOST_DAYS} days, the last not before the first")
    if cluster is None and audience is not Audience.OWN:
        raise BadPeriod("name the cluster of which all is to be counted", field="cluster")
    if isinstance(cluster, str):
        cluster = cluster_name(access_cluster(actor=actor, slug=cluster)) if cluster else None
    return PeriodScope(
        audience=audience,
        organization=name_of(actor.organization),
        cluster=cluster,
        starts_at=starts_at,
        ends_at=ends_at,
        with_simulated=actor.organization.is_simulated,
    )
