"""Who takes part in a cluster with what, as far as a reader may know.

Operator and platform see everybody. Tenants and vendors see who serves the cluster, not the
tenants beside them: who trains where is a customer list.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from apps.fleet.authority.project_owners import MAPPING, sees_map
from apps.fleet.models import Cluster, Participation, ParticipationRole
from apps.tenancy.access import Actor, Right
from apps.tenancy.lookups import parties_of
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope

# What a part answers for unless somebody says otherwise.
USUAL_LAYERS: Mapping[str, Sequence[str]] = {
    ParticipationRole.OPERATOR: ["host", "straggler"],
    ParticipationRole.TENANT: ["software"],
    ParticipationRole.PLATFORM: [],
    ParticipationRole.GPU_VENDOR: ["gpu"],
    ParticipationRole.NETWORK_VENDOR: ["network"],
    ParticipationRole.STORAGE_VENDOR: ["storage"],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Participant:
    """An organization, its parts in a cluster, and the layers it answers for."""

    organization: Organization
    parts: tuple[ParticipationRole, ...]
    layers: tuple[str, ...]
    agreed: tuple[
        ParticipationRole, ...
    ] = ()  # parts for which the operator takes its word for hosts


def answered_layers(*, parts: Iterable[str], layers: Iterable[str]) -> frozenset[str]:
    """Return the layers that an organization answers for: those it named, else the usual ones."""
    usual = (USUAL_LAYERS.get(part, ()) for part in parts)
    return frozenset(layers) or frozenset[str]().union(*usual)


def participants(
    *, actor: Actor, cluster: Cluster, known: Collection[int] = ()
) -> list[Participant]:
    """Return the parties of a cluster that came through a door, by name. Needs the scope.

    `known` are organizations that made themselves known to the actor's.
    """
    actor.require(Right.READ)
    sees_all = sees_map(actor=actor, cluster=cluster)
    with organization_scope(*parties_of(cluster_id=cluster.pk)):
        rows = list(
            Participation.objects.filter(cluster=cluster)
            .select_related("organization")
            .order_by("organization__name", "organization_id", "part")
        )
    return _grouped(
        [
            row
            for row in rows
            if sees_all or row.organization_id in known or _is_known(row, reader=actor.organization)
        ]
    )


def who_know(*, organization_id: int, cluster_id: int, among: Collection[int]) -> list[int]:
    """Return who of some parties knows one of a cluster's by name, as `participants` shows it."""
    with organization_scope(*{organization_id, *among}):
        rows = Participation.objects.filter(cluster=cluster_id, organization__in=among)
        mapping = set(rows.filter(part__in=MAPPING).values_list("organization_id", flat=True))
        parts = Participation.objects.filter(cluster=cluster_id, organization=organization_id)
        is_open = parts.exclude(part=ParticipationRole.TENANT).exists()
    return sorted(each for each in among if is_open or each in mapping or each == organization_id)


def _is_known(row: Participation, *, reader: Organization) -> bool:
    return row.organization_id == reader.pk or row.part != ParticipationRole.TENANT


def _grouped(rows: Sequence[Participation]) -> list[Participant]:
    ids = list(dict.fromkeys(row.organization_id for row in rows))
    return [_participant([row for row in rows if row.organization_id == each]) for each in ids]


def _participant(rows: Sequence[Participation]) -> Participant:
    return Participant(
        organization=rows[0].organization,
        parts=tuple(ParticipationRole(row.part) for row in rows),
        layers=tuple(dict.fromkeys(layer for row in rows for layer in row.layers)),
        agreed=tuple(ParticipationRole(row.part) for row in rows if row.hosts_agreed_at),
    )
