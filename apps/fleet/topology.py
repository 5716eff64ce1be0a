"""Rows → what the diagnosis knows of places. Missing links stay missing, never guessed."""

from collections.abc import Collection
from datetime import datetime

from apps.diagnosis import model
from apps.fleet import hosts
from apps.fleet.models import Attempt, Mount, Node
from apps.fleet.stays import roster_of


def topology_of(*, attempt: Attempt, at: datetime | None = None) -> model.Topology:
    """Return where an attempt ran, its parts as they were at that time, without one as it ended.

    Needs the scope of its cluster's parties.
    """
    cluster_id = attempt.session.cluster_id
    if cluster_id is None:
        return model.Topology(hosts=tuple(attempt.hosts), placements=placements(attempt=attempt))
    aliases = hosts.alias_table(cluster_id=cluster_id)
    names = tuple(hosts.resolve(name=each, aliases=aliases) for each in attempt.hosts)
    nodes = list(Node.objects.filter(cluster=cluster_id, name__in=names).order_by("name", "id"))
    return model.Topology(
        hosts=names,
        placements=placements(attempt=attempt, aliases=aliases),
        aliases=aliases,
        devices=_devices(cluster_id, names, at or attempt.ended_at),
        mounts=_mounts(cluster_id=cluster_id, names=names),
        zones={node.name: node.zone for node in nodes if node.zone},
    )


def facts_of(*, attempt: Attempt) -> model.SessionFacts:
    """Return what schedulers and operators said about an attempt."""
    state = model.EndState(attempt.state) if attempt.state in set(model.EndState) else None
    return model.SessionFacts(
        state=None if state is model.EndState.UNKNOWN else state,
        started_at=attempt.started_at,
        ended_at=attempt.ended_at,
        exit_codes={int(k): int(v) for k, v in sorted(attempt.exit_codes.items())},
        world_size=attempt.world_size,
        names=tuple(name for name in (attempt.session.name, attempt.session.job) if name),
    )


def placements(
    *, attempt: Attempt, aliases: dict[str, str] | None = None
) -> tuple[model.Placement, ...]:
    """Return where each rank ran, as far as somebody said so."""
    return tuple(
        model.Placement(
            rank=int(rank),
            host=hosts.resolve(name=str(said["host"]), aliases=aliases or {}),
            gpu=said.get("gpu"),
            pci=said.get("pci") or None,
            uuid=said.get("uuid") or None,
        )
        for rank, said in sorted(attempt.ranks.items(), key=lambda item: int(item[0]))
        if said.get("host")
    )


def _devices(
    cluster_id: int, names: Collection[str], at: datetime | None
) -> tuple[model.Device, ...]:
    roster = roster_of(cluster_id=cluster_id, hosts=names)
    return tuple(found.device for found in roster.parts(at=at, hosts=names))


def _mounts(*, cluster_id: int, names: tuple[str, ...]) -> dict[str, str]:
    rows = Mount.objects.filter(cluster=cluster_id).order_by("path", "id")
    return {row.path: row.server for row in rows if not row.hosts or set(row.hosts) & set(names)}
