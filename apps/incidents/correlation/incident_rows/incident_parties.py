"""Who takes part in an incident, by the participations in its cluster."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any

from django.db.models import QuerySet

from apps.fleet.models import FormerParticipation, Participation, ParticipationRole
from apps.fleet.parties.participants import answered_layers
from apps.incidents.models import Incident, IncidentParty
from apps.incidents.projection.reader_scope import is_of_several_tenants
from apps.incidents.projection.rights import party_rights
from apps.tenancy.lookups import parties_of


def set_parties(
    *,
    incident: Incident,
    tenant_ids: Collection[int],
    moments: Mapping[int, datetime] = MappingProxyType({}),
) -> None:
    """Write the parties of an incident: its tenants and everyone who runs or supplies the cluster.

    Other tenants of the cluster are no party. `moments` say when each tenant's session broke: of
    what may have hit others it reads no other time. Needs a scope that holds all of them.
    """
    parties = _parties(incident=incident, tenant_ids=_present(incident, tenant_ids))
    IncidentParty.objects.bulk_create(
        [
            IncidentParty(
                incident=incident,
                organization_id=party["organization"],
                parts=party["parts"],
                sees_culprit=party["sees_culprit"],
                moment=moments.get(party["organization"])
                if is_of_several_tenants(kind=incident.kind, parts=party["parts"])
                else None,
            )
            for party in parties
        ],
        update_conflicts=True,
        unique_fields=["organization", "incident"],
        update_fields=["parts", "sees_culprit", "moment"],
    )
    # Who left the cluster and came back keeps what it was party to.
    known = _participations(incident)
    back = [row.organization_id for row in known if not _was_there(row, incident)]
    # So does who left and did not: what it was party to is what it may go on reading.
    left = FormerParticipation.objects.filter(cluster=incident.cluster_id)
    gone = left.values_list("organization_id", flat=True)
    kept = [*(party["organization"] for party in parties), *back, *gone]
    IncidentParty.objects.filter(incident=incident).exclude(organization__in=kept).delete()
    incident.parties = parties


def _present(incident: Incident, tenant_ids: Collection[int]) -> set[int]:
    """Return the tenants whom new facts reach: who left keeps what it has, and owns its own."""
    if incident.cluster_id is None:
        return set(tenant_ids)
    taking_part = {incident.organization_id, *parties_of(cluster_id=incident.cluster_id)}
    return set(tenant_ids) & taking_part


def _participations(incident: Incident) -> QuerySet[Participation]:
    return Participation.objects.filter(cluster=incident.cluster_id)


def _was_there(row: Participation, incident: Incident) -> bool:
    # By the portal's clock: logs of long ago may be sent today.
    return row.since is None or row.since <= incident.detected_at


def _parties(*, incident: Incident, tenant_ids: Collection[int]) -> list[dict[str, Any]]:
    parts: defaultdict[int, set[str]] = defaultdict(set)
    layers: defaultdict[int, set[str]] = defaultdict(set)
    for tenant in tenant_ids:
        parts[tenant].add(ParticipationRole.TENANT.value)
    if incident.cluster_id is not None:
        for row in _participations(incident):
            if row.part != ParticipationRole.TENANT and _was_there(row, incident):
                parts[row.organization_id].add(row.part)
                layers[row.organization_id].update(row.layers)
    return [
        {
            "organization": organization,
            "parts": sorted(held),
            "sees_culprit": party_rights(
                parts=held, layers=layers[organization], blamed_layer=incident.layer
            ).sees_culprit,
            "answers": incident.layer in answered_layers(parts=held, layers=layers[organization]),
        }
        for organization, held in sorted(parts.items())
    ]
