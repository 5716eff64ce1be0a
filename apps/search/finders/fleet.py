"""Sessions, nodes and GPUs by their names."""

import re

from apps.fleet.facade import search
from apps.fleet.facade.search import FoundGpu
from apps.incidents.words import culprit, listed_name
from apps.search.values import Hit, HitKind, SearchQuery
from apps.tenancy.access import Actor

# A host and the index of a GPU on it: gpu071 3, gpu071/3, gpu071 gpu3.
PLACE = re.compile(r"(?P<host>[\w.-]{2,253})[\s/:#]\s*(?:gpu\s*)?(?P<index>\d{1,3})", re.IGNORECASE)


def find_sessions(*, actor: Actor, query: SearchQuery, limit: int) -> tuple[Hit, ...]:
    """Return sessions by id, name or job; a vendor is told of none."""
    return tuple(
        Hit(
            kind=HitKind.SESSION,
            id=each.public_id,
            title=listed_name(each),
            detail=each.project,
            cluster=each.cluster.slug if each.cluster else "",
            cluster_name=each.cluster.name if each.cluster else "",
            at=each.created_at,
        )
        for each in search.find_sessions(actor=actor, text=query.text, limit=limit)
    )


def find_nodes(*, actor: Actor, query: SearchQuery, limit: int) -> tuple[Hit, ...]:
    """Return nodes of the actor's inventory and those where sessions that it knows ran."""
    return tuple(
        Hit(
            kind=HitKind.NODE,
            id=each.host,
            title=each.host,
            detail=each.alias,
            cluster=each.cluster.slug,
            cluster_name=each.cluster.name,
            host=each.host,
        )
        for each in search.find_nodes(actor=actor, text=query.text, limit=limit)
    )


def find_gpus(*, actor: Actor, query: SearchQuery, limit: int) -> tuple[Hit, ...]:
    """Return GPUs of the actor's own inventory by UUID, PCI address, or index on a host."""
    place = PLACE.fullmatch(query.text)
    found = search.find_gpus(
        actor=actor,
        text=query.text,
        host=place["host"].lower() if place else "",
        index=int(place["index"]) if place else None,
        limit=limit,
    )
    return tuple(_gpu(each) for each in found)


def _gpu(found: FoundGpu) -> Hit:
    device = {"kind": "gpu", "host": found.host}
    names = {"index": found.index, "uuid": found.uuid or None, "pci": found.pci or None}
    uuid = f"GPU-{found.uuid}" if found.uuid else ""
    return Hit(
        kind=HitKind.GPU,
        id=uuid or found.pci or f"{found.host}/{found.index}",
        title=culprit({**device, "gpu": names}),
        detail=" · ".join(filter(None, (uuid, found.pci))),
        cluster=found.cluster.slug,
        cluster_name=found.cluster.name,
        host=found.host,
        at=found.replaced_at,
    )
