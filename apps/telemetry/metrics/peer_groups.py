"""What rows of the fleet say about a span of metrics: who worked together, and known moves."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Q

from apps.diagnosis.model import Band, BandKind, PeerGroup, Scene, Topology
from apps.fleet.models import Attempt, Link, Mount, SessionParty

# While a session starts and stops its members differ from each other and from themselves.
STARTING: Final = timedelta(minutes=5)
STOPPING: Final = timedelta(minutes=5)
STOP_BEFORE: Final = timedelta(minutes=1)


def scene_between(
    *, organization_id: int, cluster_id: int, starts_at: datetime, ends_at: datetime
) -> Scene:
    """Return groups and bands of a span, as far as an organization may know. Needs its scope."""
    groups = groups_between(
        organization_id=organization_id,
        cluster_id=cluster_id,
        starts_at=starts_at,
        ends_at=ends_at,
    )
    return Scene(groups=groups, bands=tuple(band for group in groups for band in _bands(group)))


def groups_between(
    *, organization_id: int, cluster_id: int, starts_at: datetime, ends_at: datetime
) -> tuple[PeerGroup, ...]:
    """Return the attempts that ran in a span, as peers of each other. Needs the scope."""
    known = SessionParty.objects.for_organization(organization_id).values("session_id")
    attempts = (
        Attempt.objects.filter(session__cluster_id=cluster_id, session_id__in=known)
        .filter(started_at__lt=ends_at)
        .filter(Q(ended_at=None) | Q(ended_at__gt=starts_at))
        # Where others only claim to run, their starts and stops would mute what is seen there.
        .filter(Q(hosts_asserted=True) | Q(organization=organization_id))
        .order_by("started_at", "id")
    )
    groups = [
        PeerGroup(
            name=f"attempt {attempt.pk}",
            hosts=tuple(attempt.hosts),
            starts_at=attempt.started_at,
            ends_at=attempt.ended_at,
        )
        for attempt in attempts
        if attempt.started_at and attempt.hosts
    ]
    return tuple(until_relieved(group=group, groups=groups) for group in groups)


def until_relieved(*, group: PeerGroup, groups: Sequence[PeerGroup]) -> PeerGroup:
    """Return a group whose end nobody told with the start of the next one on its hosts as end."""
    hosts = set(group.hosts)
    later = [
        other.starts_at
        for other in groups
        if other.starts_at > group.starts_at and not hosts.isdisjoint(other.hosts)
    ]
    return replace(group, ends_at=min(later)) if later and group.ends_at is None else group


def shared_parts(*, cluster_id: int) -> Topology:
    """Return what hosts of a cluster share: file servers and switches. Needs the scope."""
    switches: dict[str, str] = {}
    adapters: defaultdict[str, set[str]] = defaultdict(set)
    for link in Link.objects.filter(cluster=cluster_id).order_by("host", "device", "id"):
        switches[f"{link.host}/{link.device}"] = link.switch
        adapters[link.host].add(link.device)
    mounts = Mount.objects.filter(cluster=cluster_id).order_by("path", "id")
    return Topology(
        hosts=tuple(sorted(adapters)),
        mounts={mount.path: mount.server for mount in mounts},
        switches=switches,
    )


def _bands(group: PeerGroup) -> list[Band]:
    start = Band(
        kind=BandKind.START,
        starts_at=group.starts_at,
        ends_at=group.starts_at + STARTING,
        hosts=group.hosts,
    )
    if group.ends_at is None:
        return [start]
    stop = Band(
        kind=BandKind.STOP,
        starts_at=group.ends_at - STOP_BEFORE,
        ends_at=group.ends_at + STOPPING,
        hosts=group.hosts,
    )
    return [start, stop]
