"""A stored source as a server that a command asks for a past. Needs its owner's scope."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Q

from apps.telemetry.models import Source
from apps.telemetry.sources.address import Address
from apps.telemetry.sources.stored_source import address_of


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredServer:
    """How a source is reached, its secret unsealed, and what its labels mean."""

    cluster_id: int
    label_map: Mapping[str, str]
    is_simulated: bool
    address: Address | None  # None: it is pushed to, and can't be asked


def stored_server(
    *, organization_id: int, public_id: str, number: int | None = None
) -> StoredServer | None:
    """Return a source of an organization by its id, or its number where one is given."""
    wanted = Q(public_id=public_id) if number is None else Q(id=number)
    source = Source.objects.for_organization(organization_id).filter(wanted).first()
    if source is None:
        return None
    return StoredServer(
        cluster_id=source.cluster_id,
        label_map=source.label_map,
        is_simulated=source.is_simulated,
        address=address_of(source=source) if source.kind == "prometheus" else None,
    )
