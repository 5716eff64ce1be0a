"""What a node is: its names and the parts in it, for who keeps its inventory."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from apps.fleet.access import access_nodes, devices_of, former_devices_of
from apps.fleet.models import Device
from apps.tenancy.access import Actor
from apps.tenancy.values import value_of


@dataclass(frozen=True, slots=True, kw_only=True)
class PartView:
    """A part in its place over a span; without an end it sits there now."""

    kind: str  # gpu nic nvswitch disk pod
    name: str
    index: int | None
    uuid: str
    serial: str
    pci: str
    netdev: str
    first_seen_at: datetime
    last_seen_at: datetime
    replaced_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeIdentity:
    """A node as its own organization knows it."""

    name: str
    aliases: Sequence[str]
    zone: str
    first_seen_at: datetime
    last_seen_at: datetime
    parts: tuple[PartView, ...]
    former_parts: tuple[PartView, ...]  # the last one that went first


def node_identity(*, actor: Actor, cluster: str, host: str) -> NodeIdentity | None:
    """Return a node of the actor's own organization; None where it keeps none. Needs the scope."""
    node = access_nodes(actor=actor, cluster=cluster).filter(name=host).first()
    if node is None:
        return None
    return value_of(
        NodeIdentity,
        node,
        parts=_views(devices_of(actor=actor, node=node)),
        former_parts=_views(former_devices_of(actor=actor, node=node)),
    )


def _views(rows: Sequence[Device]) -> tuple[PartView, ...]:
    return tuple(value_of(PartView, row) for row in rows if row.kind != "pod")
