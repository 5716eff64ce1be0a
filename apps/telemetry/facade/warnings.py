"""What the metrics of an organization told of early. Needs the actor's scope."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

from django.db.models import Min, Q

from apps.telemetry.metrics import warning_access
from apps.telemetry.metrics.source_access import access_sources
from apps.telemetry.models import PushedState
from apps.telemetry.values import EpisodeView, episode_view
from apps.tenancy.access import Actor
from apps.tenancy.values import ValueList

MOST: Final = 20_000  # the newest


class EpisodeState(StrEnum):
    """How a warning or signal stands."""

    ON = "on"
    OVER = "over"
    WITHDRAWN = "withdrawn"


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeFilter:
    """What lists of warnings are narrowed by beside kind, layer, cluster and time."""

    public_id: str = ""
    cause: str = ""
    host: str = ""
    state: str = ""  # an EpisodeState

    @property
    def condition(self) -> Q:
        """Return the same for rows."""
        asked = Q(public_id=self.public_id) if self.public_id else Q()
        if self.cause:
            asked &= Q(causes__contains=[self.cause])
        if self.host:
            asked &= Q(host__iexact=self.host) | Q(hosts__contains=[self.host.lower()])
        return asked & _in_state(self.state)

    def holds(self, episode: EpisodeView) -> bool:
        """Say the same of one that is shown, by what is shown of it."""
        names = {each.lower() for each in (episode.host, *episode.hosts)}
        return (
            self.public_id in {"", episode.public_id}
            and (not self.cause or self.cause in episode.causes)
            and (not self.host or self.host.lower() in names)
            and self.state in {"", state_of(episode)}
        )


def state_of(episode: EpisodeView) -> EpisodeState:
    """Return how a warning or signal stands."""
    if episode.withdrawn_at:
        return EpisodeState.WITHDRAWN
    return EpisodeState.OVER if episode.ends_at else EpisodeState.ON


def _in_state(state: str) -> Q:
    return (
        {
            EpisodeState.WITHDRAWN: Q(withdrawn_at__isnull=False),
            EpisodeState.OVER: Q(withdrawn_at=None, ends_at__isnull=False),
            EpisodeState.ON: Q(withdrawn_at=None, ends_at=None),
        }.get(EpisodeState(state), Q())
        if state
        else Q()
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedCheck:
    """What a warning or signal says, without the numbers behind it."""

    check: str  # the cause it speaks for most; of one that speaks for none, its layer
    hosts: frozenset[str]
    is_page: bool
    starts_at: datetime
    raised_at: datetime
    ends_at: datetime | None  # None: goes on


def failed_checks(
    *, actor: Actor, cluster: str, since: datetime, until: datetime
) -> tuple[FailedCheck, ...]:
    """Return what warnings and signals of a span said, the newest first; withdrawn ones too, since
    they were raised.
    """
    rows = warning_access.access_episodes(actor=actor, cluster=cluster, since=since, until=until)
    values = rows.values_list(
        *("causes", "layer", "host", "hosts", "is_page", "starts_at", "raised_at", "ends_at")
    )
    return tuple(
        FailedCheck(
            check=causes[0] if causes else layer,
            hosts=frozenset(filter(None, (host, *hosts))),
            is_page=is_page,
            starts_at=starts_at,
            raised_at=raised_at,
            ends_at=ends_at,
        )
        for causes, layer, host, hosts, is_page, starts_at, raised_at, ends_at in values[:MOST]
    )


def measured_since(*, actor: Actor, cluster: str) -> datetime | None:
    """Return since when the organization has metrics of a cluster read; None: it has none."""
    sent = PushedState.objects.for_organization(actor.organization).exclude(last_body_at=None)
    was_heard = Q(last_success_at__isnull=False) | Q(pk__in=sent.values("source_id"))
    sources = access_sources(actor=actor, cluster=cluster).filter(was_heard).order_by()
    at: datetime | None = sources.aggregate(at=Min("created_at"))["at"]
    return at


def list_episodes(  # noqa: PLR0913  what a list is narrowed by
    *,
    actor: Actor,
    cluster: str | None = None,
    layer: str | None = None,
    is_page: bool | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    wanted: EpisodeFilter | None = None,
) -> ValueList[EpisodeView]:
    """Return the episodes of the actor's organization, withdrawn ones too, the newest first."""
    rows = warning_access.access_episodes(
        actor=actor, cluster=cluster, layer=layer, is_page=is_page, since=since, until=until
    )
    if wanted is not None:
        rows = rows.filter(wanted.condition)
    return ValueList(rows=rows, project=lambda found: [episode_view(each) for each in found])


def open_episode(*, actor: Actor, public_id: str) -> EpisodeView:
    """Return one of these episodes; raise NotFound."""
    return episode_view(warning_access.access_episode(actor=actor, public_id=public_id))


def warnings_before(
    *, actor: Actor, cluster_id: int, parts: Iterable[Mapping[str, Any]], failed_at: datetime
) -> tuple[EpisodeView, ...]:
    """Return the warnings on parts (or their hosts) that were raised before an instant, oldest
    first; `parts` are culprits in the published form.
    """
    found = warning_access.warnings_before(
        actor=actor, cluster_id=cluster_id, parts=parts, failed_at=failed_at
    )
    return tuple(map(episode_view, found))
