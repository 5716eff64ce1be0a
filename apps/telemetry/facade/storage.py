"""The storage path as an organization's own metrics tell it. Needs the actor's scope."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any, Final

import numpy as np

from apps.telemetry.models import StoragePhase, StorageSlot
from apps.telemetry.storage_path import slot_bodies
from apps.telemetry.storage_path.slot_samples import HOST, SLOT_SECONDS, Floats
from apps.tenancy.access import Actor, NotFound, Right

MOST_PHASES: Final = 3000
MOST_SLOTS: Final = 1500
SIDES: Final = {"save": "write", "load": "read"}


@dataclass(frozen=True, slots=True, kw_only=True)
class HostTraffic:
    """What one host did with a mount in one direction: sums, and the most slots in use at once."""

    host: str
    seconds: float
    moved_bytes: float
    requests: float
    queue_seconds: float
    response_seconds: float
    request_seconds: float
    slots: float
    backlog: float  # summed over sends
    sends: float


COLUMNS: Final = tuple(each.name for each in fields(HostTraffic))[1:]
MOVED: Final = COLUMNS.index("moved_bytes")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class HostTable:
    """The same of many hosts: `cells` has a row a host, columns as `HostTraffic` after its host."""

    hosts: tuple[str, ...]
    cells: Floats

    def sums(self) -> HostTraffic:
        """Return all hosts as one; of slots the most."""
        told = self.cells.sum(axis=0) if len(self.hosts) else np.zeros(len(COLUMNS))
        found = HostTraffic(host="", **dict(zip(COLUMNS, told.tolist(), strict=True)))
        most = float(self.cells[:, COLUMNS.index("slots")].max(initial=0.0))
        return replace(found, slots=most)

    def moved_by(self, hosts: Collection[str]) -> float:
        """Return the bytes that these hosts moved."""
        places = [place for place, host in enumerate(self.hosts) if host in hosts]
        return float(self.cells[places, MOVED].sum())

    @property
    def moved_bytes(self) -> float:
        """Return the bytes of all hosts."""
        return float(self.cells[:, MOVED].sum())

    def only(self, hosts: Collection[str]) -> "HostTable":
        """Return the table of these hosts alone."""
        places = [place for place, host in enumerate(self.hosts) if host in hosts]
        names = tuple(self.hosts[place] for place in places)
        return HostTable(hosts=names, cells=self.cells[places])

    def renamed(self, names: Mapping[str, str]) -> "HostTable":
        """Return it with other names, in their order: places must not tell what is hidden."""
        order = sorted(range(len(self.hosts)), key=lambda place: names[self.hosts[place]])
        return HostTable(
            hosts=tuple(names[self.hosts[place]] for place in order), cells=self.cells[order]
        )

    def rows(self) -> tuple[HostTraffic, ...]:
        """Return the hosts one by one."""
        told: Sequence[Sequence[float]] = self.cells.tolist()
        return tuple(
            HostTraffic(host=host, **dict(zip(COLUMNS, each, strict=True)))
            for host, each in zip(self.hosts, told, strict=True)
        )


NO_HOSTS: Final = HostTable(hosts=(), cells=np.empty((0, len(COLUMNS))))


@dataclass(frozen=True, slots=True, kw_only=True)
class StoragePhaseView:
    """One save or load as metrics show it. What is not known or not shown is None."""

    id: int
    holder_id: int
    mount: str
    kind: str  # save load
    starts_at: datetime
    ends_at: datetime
    is_simulated: bool
    moved_bytes: float | None
    peak_bytes_per_second: float | None
    requests: float | None
    queue_seconds: float | None
    response_seconds: float | None
    request_seconds: float | None
    backlog: float | None
    sends: float | None
    slots: float | None
    host_count: int | None
    utilization: float | None
    quiet_response_seconds: float | None  # of one request, while little was asked
    # Of a node's busiest adapter in the direction of the bytes: mean of the nodes, most of one.
    adapter_bytes_per_second: float | None
    adapter_most_bytes_per_second: float | None
    hosts: HostTable

    @property
    def seconds(self) -> float:
        """Return how long it lasted."""
        return (self.ends_at - self.starts_at).total_seconds()

    @property
    def bytes_per_second(self) -> float | None:
        """Return the mean rate of all hosts together."""
        return self.moved_bytes / self.seconds if self.moved_bytes and self.seconds > 0 else None

    @property
    def queue_share(self) -> float | None:
        """Return which share of its requests' time was queueing in the clients."""
        if self.queue_seconds is None or not self.request_seconds:
            return None
        return self.queue_seconds / self.request_seconds


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SlotTraffic:
    """Five minutes in which hosts used a mount: `cells` has a row a host, columns as in HOST."""

    mount: str
    starts_at: datetime
    hosts: tuple[str, ...]
    cells: Floats


def list_phases(
    *, actor: Actor, cluster_id: int, since: datetime, until: datetime, with_hosts: bool = True
) -> tuple[StoragePhaseView, ...]:
    """Return the saves and loads that the organization's own sources show in a span, by time."""
    actor.require(Right.READ)
    own = StoragePhase.objects.for_organization(actor.organization).filter(cluster=cluster_id)
    inside = own.filter(starts_at__lt=until, ends_at__gte=since).select_related("source")
    newest = inside.order_by("-starts_at", "-id")[:MOST_PHASES]
    if not with_hosts:
        newest = newest.defer("hosts")
    return tuple(phase_view(row, with_hosts=with_hosts) for row in reversed(newest))


def open_phase(*, actor: Actor, number: int) -> StoragePhaseView:
    """Return one of these with its hosts; raise NotFound."""
    actor.require(Right.READ)
    own = StoragePhase.objects.for_organization(actor.organization)
    row = own.filter(pk=number).select_related("source").first()
    if row is None:
        raise NotFound
    return phase_view(row)


def active_slots(
    *, actor: Actor, cluster_id: int, since: datetime, until: datetime
) -> Iterator[SlotTraffic]:
    """Yield the slots in which a host did more than it does at rest, the newest first, bounded."""
    actor.require(Right.READ)
    own = StorageSlot.objects.for_organization(actor.organization).filter(cluster=cluster_id)
    inside = own.filter(is_active=True, starts_at__gte=since, starts_at__lt=until)
    columns = ("mount", "starts_at", "hosts")
    for mount, starts_at, body in inside.order_by("-starts_at").values_list(*columns)[:MOST_SLOTS]:
        hosts, cells = slot_bodies.hosts_of(body)
        yield SlotTraffic(mount=mount, starts_at=starts_at, hosts=hosts, cells=cells)


def phase_view(row: StoragePhase, *, with_hosts: bool = True) -> StoragePhaseView:
    """Return a phase that was read with its source."""
    told = row.figures
    return StoragePhaseView(
        id=row.pk,
        holder_id=row.organization_id,
        mount=row.mount,
        kind=row.kind,
        starts_at=row.starts_at,
        ends_at=row.ends_at,
        is_simulated=row.source.is_simulated,
        moved_bytes=row.moved_bytes,
        peak_bytes_per_second=row.peak_bytes_per_second,
        requests=told.get("requests") or None,
        queue_seconds=_measured(told, "queue"),
        response_seconds=_measured(told, "response"),
        request_seconds=_measured(told, "request"),
        backlog=told.get("backlog") if told.get("sends") else None,
        sends=told.get("sends") or None,
        slots=told.get("slots") or None,
        host_count=told.get("host_count"),
        utilization=told.get("utilization"),
        quiet_response_seconds=told.get("quiet_response"),
        adapter_bytes_per_second=told.get("adapter"),
        adapter_most_bytes_per_second=told.get("adapter_most"),
        hosts=_traffic(row) if with_hosts else NO_HOSTS,
    )


def _measured(told: dict[str, Any], name: str) -> float | None:
    """Return a sum of seconds; an exporter that tells no requests tells none of their times."""
    return told.get(name) if told.get("requests") else None


def _traffic(row: StoragePhase) -> HostTable:
    hosts, cells = slot_bodies.hosts_of(row.hosts)
    return HostTable(hosts=hosts, cells=cells[:, PLACES[row.kind]])


def _places(side: str) -> list[int]:
    """Return which columns of a slot's body are those of `HostTraffic` in a direction."""
    names = ("bytes", "requests", "queue", "response", "request")
    places = [HOST.index("seconds"), *(HOST.index(f"{side}_{name}") for name in names)]
    return places + [HOST.index(name) for name in ("slots", "backlog", "sends")]


PLACES: Final = {kind: _places(side) for kind, side in SIDES.items()}


__all__ = [
    "NO_HOSTS",
    "SLOT_SECONDS",
    "HostTable",
    "HostTraffic",
    "SlotTraffic",
    "StoragePhaseView",
    "active_slots",
    "list_phases",
    "open_phase",
    "phase_view",
]
