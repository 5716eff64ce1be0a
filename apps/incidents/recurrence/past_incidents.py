"""Earlier incidents that resemble one, as its reader may read them.

Two are alike where they name the same device, the same host, or the same established cause. Rows
are found by what they hold, and compared by what the reader is shown of both: a culprit that is
hidden from it resembles nothing.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import IntEnum
from typing import Any, Final

from django.db.models import Q, QuerySet

from apps.fleet.exclusions.exclusion_values import excluded_times
from apps.fleet.facade.exclusions import exclusions_of
from apps.incidents.models import IncidentParty, IncidentSession
from apps.incidents.projection.access import access_incidents
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.projection.headers import read_headers
from apps.incidents.projection.reader_scope import one_of_several_tenants
from apps.incidents.states import IncidentStatus
from apps.tenancy.access import Actor, NotFound

LOOKS_BACK: Final = timedelta(days=90)
COUNTED_DAYS: Final = 28
MOST_SHOWN: Final = 5
# The newest of those that resemble it: a page stays quick whatever a host has behind it.
MOST_OF_PARTS: Final = 50
MOST_OF_CAUSE: Final = 10
MOST_PARTS: Final = 8  # of a fault of more hosts than these the host is not what it is about
UNKNOWN: Final = "unknown"
# By which a device is told from others of its host, the surest first.
IDENTITIES: Final = ("uuid", "pci", "index", "name")


class Likeness(IntEnum):
    """What two incidents have in common, the most telling highest."""

    CAUSE = 1
    HOST = 2
    DEVICE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class PastIncident:
    """An earlier incident, and what it has in common with the one that is looked at."""

    header: IncidentHeader
    likeness: Likeness
    has_same_cause: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PastIncidents:
    """What happened before an incident."""

    incidents: tuple[PastIncident, ...] = ()  # the most alike first, then the newest
    # host → how many earlier incidents blame it in `COUNTED_DAYS` days
    blamed_before: Mapping[str, int] | None = None
    # host → how often it was left out in those days, as far as the reader may know
    left_out_before: Mapping[str, int] | None = None
    is_at_least: bool = False  # there are more of these hosts than were counted


def past_incidents(*, actor: Actor, header: IncidentHeader) -> PastIncidents:
    """Return what happened before an incident that the actor reads. Needs its scope."""
    hosts = _hosts(header)
    of_parts, of_cause = _alike(actor, header, hosts)
    earlier = _headers(actor, of_parts | of_cause)
    alike = [past for each in earlier if (past := _compared(header, each)) is not None]
    alike.sort(key=lambda past: past.header.moment, reverse=True)
    alike.sort(key=lambda past: (past.likeness, past.has_same_cause), reverse=True)
    return PastIncidents(
        incidents=tuple(alike[:MOST_SHOWN]),
        blamed_before=_blamed(header, earlier, hosts),
        left_out_before=_left_out(actor, header, hosts),
        is_at_least=_counted(of_parts, earlier, hosts) == MOST_OF_PARTS,
    )


def _alike(
    actor: Actor, header: IncidentHeader, hosts: frozenset[str]
) -> tuple[frozenset[int], frozenset[int]]:
    """Return the ids of those that blame one of the hosts, and of those of the same cause.

    By one question, for ids alone: of most incidents few are alike. Where there are more than are
    shown, the newest of each kind are asked for by themselves.
    """
    of_parts, of_cause = _of_parts(actor, hosts), _of_cause(header)
    if not (of_parts or of_cause):
        return frozenset(), frozenset()
    before = _before(actor, header)
    found = list(
        before.filter(of_parts | of_cause).values_list("pk", "layer", "cause")[:MOST_OF_PARTS]
    )
    said = header.incident.layer, header.incident.cause
    cause_count = sum((layer, cause) == said for _, layer, cause in found) if of_cause else 0
    if len(found) < MOST_OF_PARTS and cause_count <= MOST_OF_CAUSE:
        return frozenset(pk for pk, _, _ in found), frozenset()
    return _newest(before, of_parts, MOST_OF_PARTS), _newest(before, of_cause, MOST_OF_CAUSE)


def _newest(before: QuerySet[Any], wanted: Q, most: int) -> frozenset[int]:
    return frozenset(before.filter(wanted).values_list("pk", flat=True)[:most] if wanted else ())


def _headers(actor: Actor, ids: Collection[int]) -> list[IncidentHeader]:
    if not ids:
        return []
    return read_headers(actor=actor, incidents=[*access_incidents(actor=actor).filter(pk__in=ids)])


def _of_parts(actor: Actor, hosts: frozenset[str]) -> Q:
    """Return what asks for those that blame one of the hosts; nothing where there is no host."""
    if not hosts:
        return Q()
    # Only where it sees the culprit: else their number would tell whom the others blame.
    parties = IncidentParty.objects.for_organization(actor.organization)
    shown = parties.filter(sees_culprit=True).values("incident_id")
    # Of what hit several tenants each reads whom its own sessions blame, and is counted by that.
    faced = parties.filter(one_of_several_tenants()).values("incident_id")
    own = IncidentSession.objects.for_organization(actor.organization)
    hit = own.filter(_named("conclusion__header__culprits", hosts), incident__in=faced)
    blamed = (_named("culprits", hosts) & ~Q(id__in=faced)) | Q(id__in=hit.values("incident_id"))
    return blamed & Q(id__in=shown)


def _named(field: str, hosts: frozenset[str]) -> Q:
    """Return what asks for culprits of one of some hosts."""
    found = Q()
    for host in sorted(hosts):
        found |= Q(**{f"{field}__contains": [{"host": host}]})
    return found


def _counted(ids: Collection[int], earlier: Iterable[IncidentHeader], hosts: frozenset[str]) -> int:
    """Return how many of these blame the hosts as the reader reads them: not the others."""
    return sum(each.incident.id in ids and bool(_hosts(each) & hosts) for each in earlier)


def _of_cause(header: IncidentHeader) -> Q:
    """Return what asks for those of the same established cause; nothing where there is none."""
    layer, cause = header.incident.layer, header.incident.cause
    return Q() if cause == UNKNOWN else Q(layer=layer, cause=cause)


def _before(actor: Actor, header: IncidentHeader) -> QuerySet[Any]:
    """Return what the actor reads of the same cluster's; of an upload nobody knows which it was."""
    incident = header.incident
    rows = access_incidents(actor=actor, since=header.moment - LOOKS_BACK, until=header.moment)
    if incident.cluster_id is None:
        return rows.none()
    same = rows.filter(cluster=incident.cluster_id, is_simulated=incident.is_simulated)
    return same.exclude(pk=incident.id).exclude(status=IncidentStatus.WITHDRAWN)


def _compared(header: IncidentHeader, other: IncidentHeader) -> PastIncident | None:
    said = [(each.incident.layer, each.incident.cause) for each in (header, other)]
    has_same_cause = said[0] == said[1] and header.incident.cause != UNKNOWN
    if _devices(header) & _devices(other):
        likeness = Likeness.DEVICE
    elif _hosts(header) & _hosts(other):
        likeness = Likeness.HOST
    elif has_same_cause:
        likeness = Likeness.CAUSE
    else:
        return None
    return PastIncident(header=other, likeness=likeness, has_same_cause=has_same_cause)


def _blamed(
    header: IncidentHeader, earlier: Iterable[IncidentHeader], hosts: frozenset[str]
) -> Mapping[str, int]:
    since = header.moment - timedelta(days=COUNTED_DAYS)
    recent = [_hosts(each) for each in earlier if each.moment >= since]
    counts = {host: sum(host in each for each in recent) for host in sorted(hosts)}
    return {host: count for host, count in counts.items() if count}


def _left_out(
    actor: Actor, header: IncidentHeader, hosts: frozenset[str]
) -> Mapping[str, int] | None:
    """Return how often hosts were left out; None where the reader takes no part any more."""
    cluster = header.incident.cluster
    if cluster is None or header.left_at or not hosts:
        return None
    try:
        found = exclusions_of(
            actor=actor,
            cluster=cluster.slug,
            since=header.moment - timedelta(days=COUNTED_DAYS),
            until=header.moment,
            now=header.moment,
            known_hosts=hosts,
        )
    except NotFound:
        return None
    counts = Counter(each.host for each in excluded_times(found))
    counts += Counter(each.host for each in found if each.is_of_job)
    return {host: counts[host] for host in sorted(hosts) if counts[host]}


def _hosts(header: IncidentHeader) -> frozenset[str]:
    """Return the hosts that are blamed; none where they are too many to be the reason."""
    found = frozenset(str(each["host"]) for each in header.culprits or () if each.get("host"))
    return found if len(found) <= MOST_PARTS else frozenset()


def _devices(header: IncidentHeader) -> frozenset[tuple[str, ...]]:
    """Return the devices that are blamed, each by what tells it from others of its host."""
    return frozenset(
        (str(each["host"]), str(each.get("kind")), name, str(each[name]))
        for each in header.culprits or ()
        if each.get("host")
        for name in IDENTITIES
        if each.get(name) not in {None, ""}
    )
