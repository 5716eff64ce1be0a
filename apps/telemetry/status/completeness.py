"""What an organization still has to send of a cluster, so that a diagnosis can stand on it.

Counted from rows. Which hosts there are is what an inventory or a scheduler told; of a host that
nobody ever told of nothing is known, and nothing is said.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import F, Func, Q

from apps.diagnosis.input_values import CLOCK_AHEAD
from apps.diagnosis.model import EndState, Stream
from apps.fleet.access import access_nodes, access_sessions, parts_in
from apps.fleet.hosts import host_names
from apps.fleet.models import Attempt, Cluster, ParticipationRole
from apps.fleet.parties.participants import participants
from apps.telemetry.metrics.source_access import access_sources
from apps.telemetry.models import LogStream, VoiceExtent
from apps.telemetry.scheduler.refused_reports import RefusedReports, refused_of
from apps.telemetry.status.arrivals import hosts_heard
from apps.tenancy.access import Actor, Right

LATELY: Final = timedelta(days=14)
# A healthy kernel prints little: a day without a line is no fault, and still worth telling.
QUIET: Final = timedelta(days=1)
MOST_ATTEMPTS: Final = 500
MOST_HOSTS: Final = 20_000
UNREAD: Final = ("hosts", "ranks", "exit_codes", "contradictions")  # of 500 attempts: too much
HELD: Final[Mapping[str, frozenset[str]]] = {
    ParticipationRole.TENANT: frozenset({Stream.SESSION}),
    ParticipationRole.OPERATOR: frozenset({Stream.KERNEL, "metrics", "inventory"}),
    ParticipationRole.PLATFORM: frozenset({"sessions"}),
    ParticipationRole.GPU_VENDOR: frozenset({"metrics"}),
    ParticipationRole.NETWORK_VENDOR: frozenset({Stream.FABRIC}),
    ParticipationRole.STORAGE_VENDOR: frozenset({Stream.STORAGE}),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class HostCompleteness:
    """Of which hosts something is there. `never`: never heard; `quiet`: not for a day."""

    expected: int
    never: tuple[str, ...] = ()
    quiet: tuple[str, ...] = ()

    @property
    def heard(self) -> int:
        """Return of how many expected hosts something came."""
        return self.expected - len(self.never)


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionCompleteness:
    """Of the sessions of the last two weeks: how many there were, and what of them is lacking."""

    count: int = 0
    without_log: tuple[str, ...] = ()  # their names
    without_hosts: int = 0  # a scheduler told of them, and named none
    without_end: int = 0  # a scheduler told of them, they are long quiet, and no end was told
    told: int = 0  # by a scheduler, not only named by a label
    claimed_hosts: int = 0  # only their own tenant says where they run


@dataclass(frozen=True, slots=True, kw_only=True)
class Completeness:
    """What is there and what is lacking of one cluster, by the parts that an organization has."""

    held: frozenset[str]  # kinds that this organization is the one to send
    parts: frozenset[str]  # parts that anybody has in the cluster
    known_hosts: tuple[str, ...]
    kernel: HostCompleteness
    session_hosts: HostCompleteness
    sessions: SessionCompleteness
    heard: frozenset[str]  # kinds of log of which something ever came
    source_count: int
    fresh_source_count: int
    node_count: int
    without_zone: tuple[str, ...]  # hosts whose lines print a time and no zone
    ahead: tuple[str, ...]  # hosts whose clock is minutes ahead
    refused: RefusedReports | None  # of what the organization told of sessions


def completeness_of(*, actor: Actor, cluster: Cluster, now: datetime) -> Completeness:
    """Return what is there and what is lacking. Needs the scope of the actor's organization."""
    actor.require(Right.READ)
    nodes = list(access_nodes(actor=actor, cluster=cluster.slug).values_list("name", "aliases"))
    aliases = host_names.unambiguous(names=nodes)
    attempts = _attempts(actor, cluster, now)
    ran = {host_names.resolve(name=host, aliases=aliases) for host in _hosts_of(actor, attempts)}
    known = sorted({name for name, _ in nodes} | ran)
    heard = {
        kind: _resolved(found, aliases)
        for kind, found in hosts_heard(actor=actor, cluster=cluster).items()
    }
    sources = [s for s in access_sources(actor=actor, cluster=cluster.slug) if s.is_enabled]
    return Completeness(
        held=held_by(actor=actor, cluster=cluster),
        parts=_parts(actor, cluster),
        known_hosts=tuple(known),
        kernel=_hosts(known, heard.get(Stream.KERNEL, {}), now),
        session_hosts=_hosts(sorted(ran), heard.get(Stream.SESSION, {}), now),
        sessions=_sessions(actor, attempts, now),
        heard=frozenset(kind for kind, found in heard.items() if kind and found),
        source_count=len(sources),
        fresh_source_count=sum(source.state == "fresh" for source in sources),
        node_count=len(nodes),
        without_zone=_without_zone(actor, cluster, aliases),
        ahead=_ahead(actor, cluster, aliases),
        refused=refused_of(actor=actor),
    )


def held_by(*, actor: Actor, cluster: Cluster) -> frozenset[str]:
    """Return the kinds that the actor's organization is the one to send. Needs its scope.

    An operator is asked for what belongs to a part that nobody has.
    """
    own = {row.part for row in parts_in(actor=actor, cluster=cluster)}
    if ParticipationRole.OPERATOR in own:
        own |= HELD.keys() - _parts(actor, cluster) - {ParticipationRole.TENANT}
    return frozenset[str]().union(*(HELD[part] for part in own))


def _parts(actor: Actor, cluster: Cluster) -> frozenset[str]:
    parties = participants(actor=actor, cluster=cluster)
    return frozenset(part.value for party in parties for part in party.parts)


def _attempts(actor: Actor, cluster: Cluster, now: datetime) -> list[Attempt]:
    sessions = access_sessions(actor=actor, cluster=cluster.slug).values("id")
    rows = Attempt.objects.filter(session__in=sessions, session__created_at__gte=now - LATELY)
    told = rows.annotate(has_hosts=~Q(hosts=[])).defer(*UNREAD)
    return list(told.select_related("session").order_by("-id")[:MOST_ATTEMPTS])


def _hosts_of(actor: Actor, attempts: Iterable[Attempt]) -> list[str]:
    """Return where these ran: what others alone claim of theirs makes nobody wait for a log."""
    sure = Q(hosts_asserted=True) | Q(organization=actor.organization)
    rows = Attempt.objects.filter(sure, pk__in=[each.pk for each in attempts])
    names = rows.annotate(host=Func(F("hosts"), function="unnest")).values_list("host", flat=True)
    return list(names.order_by("host").distinct()[:MOST_HOSTS])


def _resolved(found: Mapping[str, datetime], aliases: Mapping[str, str]) -> dict[str, datetime]:
    resolved: dict[str, datetime] = {}
    for host, at in found.items():
        name = host_names.resolve(name=host, aliases=aliases) if host else ""
        resolved[name] = max(at, resolved.get(name, at))
    return resolved


def _hosts(known: Iterable[str], heard: Mapping[str, datetime], now: datetime) -> HostCompleteness:
    expected = list(known)
    return HostCompleteness(
        expected=len(expected),
        never=tuple(host for host in expected if host not in heard),
        quiet=tuple(host for host in expected if host in heard and now - heard[host] > QUIET),
    )


def _sessions(actor: Actor, attempts: Iterable[Attempt], now: datetime) -> SessionCompleteness:
    """Tell what is lacking of sessions; of their logs only an owner's own are judged."""
    rows = list(attempts)
    own = {each.session_id for each in rows if each.organization_id == actor.organization.pk}
    logged = set(
        LogStream.objects.for_organization(actor.organization)
        .filter(session__in=own)
        .values_list("session_id", flat=True)
    )
    silent = {each.session.name for each in rows if each.session_id in own - logged}
    return SessionCompleteness(
        count=len({each.session_id for each in rows}),
        without_log=tuple(sorted(silent)),
        without_hosts=sum(
            bool(each.field_sources) and not vars(each)["has_hosts"] for each in rows
        ),
        without_end=sum(_is_left_open(each, now) for each in rows),
        told=sum(bool(each.field_sources) for each in rows),
        claimed_hosts=sum(_has_hosts(each) and not each.hosts_asserted for each in rows),
    )


def _has_hosts(attempt: Attempt) -> bool:
    return bool(vars(attempt)["has_hosts"])


def _is_left_open(attempt: Attempt, now: datetime) -> bool:
    is_open = attempt.ended_at is None and attempt.state in {EndState.UNKNOWN, EndState.RUNNING}
    began = attempt.started_at
    return is_open and bool(attempt.field_sources) and began is not None and now - began > LATELY


def _without_zone(actor: Actor, cluster: Cluster, aliases: Mapping[str, str]) -> tuple[str, ...]:
    local = VoiceExtent.objects.for_organization(actor.organization).filter(
        stream__cluster=cluster,
        stream__zone="",
        stream__is_ordered_by_stamp=False,
        body__first_at=None,
        body__first_local_at__gt="",
    )
    return _names(local.values_list("host", "stream__host").distinct(), aliases)


def _ahead(actor: Actor, cluster: Cluster, aliases: Mapping[str, str]) -> tuple[str, ...]:
    fast = LogStream.objects.for_organization(actor.organization).filter(
        cluster=cluster, last_at__gt=F("last_received_at") + CLOCK_AHEAD
    )
    return _names(fast.values_list("host", "host").distinct(), aliases)


def _names(rows: Iterable[tuple[str, str]], aliases: Mapping[str, str]) -> tuple[str, ...]:
    named = {one or other for one, other in rows}
    return tuple(sorted({host_names.resolve(name=n, aliases=aliases) if n else "" for n in named}))
