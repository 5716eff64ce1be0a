"""Rows → what the diagnosis knows of places. Missing links stay missing, never guessed."""

from collections.abc import Iterable

from apps.diagnosis import model
from apps.fleet import hosts
from apps.fleet.models import Attempt, Device, Mount, Node


def topology_of(*, attempt: Attempt) -> model.Topology:
    """Return where an attempt ran. Needs the scope of its cluster's parties."""
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
        devices=_devices(nodes),
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


def _devices(nodes: Iterable[Node]) -> tuple[model.Device, ...]:
    names = {node.pk: node.name for node in nodes}
    rows = Device.objects.filter(node__in=names, replaced_at=None)
    return tuple(
        model.Device(
            kind=row.kind,
            host=names[row.node_id],
            index=row.index,
            uuid=row.uuid or None,
            pci=row.pci or None,
            name=row.name or None,
        )
        for row in rows.order_by("node__name", "kind", "index", "name", "uuid", "id")
    )


def _mounts(*, cluster_id: int, names: tuple[str, ...]) -> dict[str, str]:
    rows = Mount.objects.filter(cluster=cluster_id).order_by("path", "id")
    return {row.path: row.server for row in rows if not row.hosts or set(row.hosts) & set(names)}
