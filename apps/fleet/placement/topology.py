"""Rows → what the diagnosis knows of places. Missing links stay missing, never guessed."""

from collections.abc import Collection
from datetime import datetime

from django.db.models import QuerySet

from apps.diagnosis import model
from apps.fleet.authority.agreed_terms import Authority, authority_of
from apps.fleet.authority.rules import SenderStanding, Subject
from apps.fleet.authority.trusted_rows import rows_of
from apps.fleet.devices.device_lookup import DeviceRoster
from apps.fleet.devices.placement_queries import placements_of
from apps.fleet.hosts import host_names
from apps.fleet.models import Attempt, Mount, Node
from apps.fleet.sessions.report_merging import known_word
from apps.tenancy.database.one_of import one_of


def topology_of(*, attempt: Attempt, at: datetime | None = None) -> model.Topology:
    """Return where an attempt ran, its parts as they were at that time, without one as it ended.

    Needs the scope of its cluster's parties.
    """
    cluster_id = attempt.session.cluster_id
    if cluster_id is None:
        return model.Topology(hosts=tuple(attempt.hosts), placements=placements(attempt=attempt))
    reader_id = attempt.organization_id
    aliases = host_names.aliases_for(attempt=attempt)
    names = tuple(host_names.resolve(name=each, aliases=aliases) for each in attempt.hosts)
    authority = inventory_for(attempt=attempt)
    nodes = Node.objects.filter(
        rows_of(authority, Subject.NODES, began="first_seen_at", reader_id=reader_id),
        one_of("name", names),
        cluster=cluster_id,
    ).order_by("name", "id")
    mounts = rows_of(authority, Subject.MOUNTS, reader_id=reader_id)
    return model.Topology(
        hosts=names,
        placements=placements(attempt=attempt, aliases=aliases),
        aliases=aliases,
        devices=_devices(attempt, names, at or attempt.ended_at),
        mounts=_mounts(Mount.objects.filter(mounts, cluster=cluster_id), names=names),
        zones={node.name: node.zone for node in nodes if node.zone},
    )


def inventory_for(*, attempt: Attempt) -> Authority:
    """Return whose inventory tells of an attempt's hosts: nobody's while they are only claimed."""
    if not attempt.hosts_asserted:
        return Authority(terms=())
    return authority_of(cluster_id=attempt.session.cluster_id)


def facts_of(*, attempt: Attempt) -> model.SessionFacts:
    """Return what schedulers and operators said about an attempt."""
    state = model.EndState(attempt.state) if attempt.state in set(model.EndState) else None
    return model.SessionFacts(
        has_more=True,
        state=None if state is model.EndState.UNKNOWN else state,
        started_at=attempt.started_at,
        ended_at=attempt.ended_at,
        exit_codes={int(k): int(v) for k, v in sorted(attempt.exit_codes.items())},
        world_size=attempt.world_size,
        names=(attempt.session.name,),
    )


def placements(
    *, attempt: Attempt, aliases: dict[str, str] | None = None
) -> tuple[model.Placement, ...]:
    """Return where each rank ran, as far as somebody said so.

    Claimed ranks count on the attempt's own hosts alone: elsewhere they would speak of others'.
    """
    known = known_word(attempt=attempt, field="ranks")
    is_claimed = known is not None and known.standing is SenderStanding.CLAIMED
    here = {host_names.resolve(name=each, aliases=aliases or {}) for each in attempt.hosts}
    found = _placements(attempt, aliases or {})
    return tuple(each for each in found if not is_claimed or each.host in here)


def _placements(attempt: Attempt, aliases: dict[str, str]) -> tuple[model.Placement, ...]:
    return tuple(
        model.Placement(
            rank=int(rank),
            host=host_names.resolve(name=str(said["host"]), aliases=aliases),
            gpu=said.get("gpu"),
            pci=said.get("pci") or None,
            uuid=said.get("uuid") or None,
        )
        for rank, said in sorted(attempt.ranks.items(), key=lambda item: int(item[0]))
        if said.get("host")
    )


def _devices(
    attempt: Attempt, names: Collection[str], at: datetime | None
) -> tuple[model.Device, ...]:
    placements = placements_of(
        cluster_id=attempt.session.cluster_id or 0,
        reader_id=attempt.organization_id,
        hosts=names,
        authority=inventory_for(attempt=attempt),
    )
    roster = DeviceRoster(placements)
    return tuple(found.device for found in roster.parts(at=at, hosts=names))


def _mounts(rows: QuerySet[Mount], *, names: tuple[str, ...]) -> dict[str, str]:
    ordered = rows.order_by("path", "id")
    return {row.path: row.server for row in ordered if not row.hosts or set(row.hosts) & set(names)}
