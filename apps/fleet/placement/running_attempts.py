"""Which attempt ran where and when: by hosts and spans, never by what a series says of its job.

A label `pod` or `job` on a series may be stale, the exporter's own, or another's.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q

from apps.diagnosis.model import Device, Placement
from apps.fleet.hosts import host_names
from apps.fleet.models import Attempt
from apps.fleet.placement.topology import placements


@dataclass(frozen=True, slots=True, kw_only=True)
class RunningAttempt:
    """One attempt on a host at an instant."""

    attempt: Attempt
    ranks: tuple[int, ...] = ()  # those on the part that was asked for, where somebody told


def running_at(
    *, cluster_id: int, reader_id: int, host: str, at: datetime, gpu: Device | None = None
) -> list[RunningAttempt]:
    """Return what ran on a host at an instant, of those who use a GPU if one is named.

    Needs the scope of whoever may know of the sessions. Several: nobody can say which it was. Where
    others' sessions ran counts once who runs the cluster said so; the reader's own, as it says.
    """
    aliases = host_names.alias_table(cluster_id=cluster_id, reader_id=reader_id)
    name = host_names.resolve(name=host, aliases=aliases)
    rows = Attempt.objects.filter(session__cluster_id=cluster_id, started_at__lte=at)
    rows = rows.filter(Q(ended_at=None) | Q(ended_at__gte=at)).select_related("session")
    rows = rows.filter(Q(hosts_asserted=True) | Q(organization=reader_id))
    there = [
        row
        for row in rows.order_by("started_at", "id")
        if name in {host_names.resolve(name=each, aliases=aliases) for each in row.hosts}
    ]
    found = [_run(row, name, gpu, aliases) for row in _unrelieved(there)]
    return [run for run in found if run is not None]


def _unrelieved(rows: Sequence[Attempt]) -> list[Attempt]:
    """Leave out attempts whose end nobody told, but on all of whose hosts another began since."""
    return [
        row
        for place, row in enumerate(rows)
        if row.ended_at is not None or not _is_relieved(row, rows[place + 1 :])
    ]


def _is_relieved(row: Attempt, later: Iterable[Attempt]) -> bool:
    return any(not set(row.hosts).isdisjoint(each.hosts) for each in later)


def _run(
    row: Attempt, host: str, gpu: Device | None, aliases: dict[str, str]
) -> RunningAttempt | None:
    """Return an attempt with its ranks on a GPU; nothing where it is told to use only others."""
    told = [each for each in placements(attempt=row, aliases=aliases) if each.host == host]
    if gpu is None or not told:
        return RunningAttempt(attempt=row, ranks=tuple(each.rank for each in told))
    using = [each.rank for each in told if _uses(each, gpu)]
    is_open = any(_is_vague(each, gpu) for each in told)
    return RunningAttempt(attempt=row, ranks=tuple(using)) if using or is_open else None


def _pairs(place: Placement, gpu: Device) -> list[tuple[str | int, str | int]]:
    pairs = ((place.uuid, gpu.uuid), (place.pci, gpu.pci), (place.gpu, gpu.index))
    return [(mine, theirs) for mine, theirs in pairs if mine is not None and theirs is not None]


def _uses(place: Placement, gpu: Device) -> bool:
    """Say whether a rank is on a GPU, by the most lasting name that both have."""
    known = _pairs(place, gpu)
    return bool(known) and known[0][0] == known[0][1]


def _is_vague(place: Placement, gpu: Device) -> bool:
    return not _pairs(place, gpu)
