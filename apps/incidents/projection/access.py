"""Doors to incidents: anything named by an id from outside goes through here."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import F, FilteredRelation, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from apps.fleet.models import Participation
from apps.incidents.models import Incident, IncidentParty, IncidentSession
from apps.incidents.projection.reader_scope import as_faced
from apps.incidents.projection.rights import SEES_SESSIONS, PartyRights
from apps.incidents.projection.stop_lines import without_followed
from apps.incidents.snapshots import as_it_stood, sessions_then, snapshots_of
from apps.incidents.states import IncidentKind, IncidentStatus
from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.database.reported_times import ReportedTimeField
from apps.tenancy.lookups import parties_of
from apps.tenancy.models import Organization
from apps.tenancy.one_reading import read_once

# Of several rows of one public id the one that stands comes first.
PREFERENCE = (
    IncidentStatus.OPEN, IncidentStatus.RESOLVED, IncidentStatus.WITHDRAWN, IncidentStatus.MERGED,
)  # fmt: skip


def access_incidents(
    *,
    actor: Actor,
    status: str | None = None,
    layer: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
    is_folded: bool = False,
) -> QuerySet[Incident]:
    """Return the incidents the actor's organization is a party of, newest first.

    Folded, one stands for those before it that say the same (see folding). Needs a scope of that
    organization; merged ones are left out. Those of a cluster it left are found by what they were
    then; `read_headers` shows them so.
    """
    actor.require(Right.READ)
    unfounded = Q(shown_status=IncidentStatus.WITHDRAWN, shown_touched=False)
    found = _as_read(actor.organization).exclude(Q(shown_status=IncidentStatus.MERGED) | unfounded)
    wanted = Q()
    if status:
        wanted &= Q(shown_status=status)
    if layer:
        wanted &= Q(shown_layer=layer)
    if since:
        wanted &= Q(moment__gte=since)
    if until:
        wanted &= Q(moment__lt=until)
    if is_folded:
        found = without_followed(
            found=found, reader=actor.organization, is_of_one_layer=bool(layer)
        )
    ordered = found.filter(wanted).select_related("cluster", "organization")
    return ordered.order_by("-moment", "-id")


def _as_read(organization: Organization) -> QuerySet[Any]:
    """Return an organization's incidents with the columns that lists ask for as it reads them."""
    parties = IncidentParty.objects.for_organization(organization)
    mine = parties.values("incident_id")
    own = parties.filter(incident=OuterRef("pk")).values("moment")
    kept = FilteredRelation("snapshots", condition=Q(snapshots__organization=organization))
    return Incident.objects.filter(id__in=mine).annotate(
        kept=kept,
        kept_id=F("kept__id"),
        shown_status=Coalesce("kept__status", "status"),
        shown_layer=Coalesce("kept__layer", "layer"),
        shown_touched=Coalesce("kept__touched_by_people", "touched_by_people"),
        shown_id=Coalesce("kept__public_id", "public_id"),
        moment=Coalesce(
            Subquery(own),
            "kept__moment",
            "started_at",
            "detected_at",
            output_field=ReportedTimeField(),
        ),
    )


def readable_ids(*, actor: Actor, public_ids: Collection[str]) -> frozenset[str]:
    """Return those of these ids that name an incident which the actor may read."""
    if not public_ids:
        return frozenset()
    rows: QuerySet[Any] = access_incidents(actor=actor)
    return frozenset(
        rows.filter(shown_id__in=public_ids).order_by().values_list("shown_id", flat=True)
    )


def shown_ids(*, actor: Actor, ids: Collection[int]) -> dict[int, str]:
    """Return row → the id under which the actor reads that incident, of those that it may read."""
    actor.require(Right.READ)
    if not ids:
        return {}
    rows = _as_read(actor.organization).filter(pk__in=ids)
    return dict(rows.order_by().values_list("pk", "shown_id"))


def incidents_of_sessions(*, actor: Actor, session_ids: Collection[int]) -> QuerySet[Incident]:
    """Return the incidents that hit these sessions and that the actor may read, newest first."""
    hit = IncidentSession.objects.filter(session__in=session_ids).values("incident_id")
    now = Q(kept=None) & (Q(id__in=hit) | Q(attempt__session__in=session_ids))
    then = Q(kept__session_ids__overlap=list(session_ids))
    return access_incidents(actor=actor).filter(now | then)


def access_incident(*, actor: Actor, public_id: str, right: Right = Right.READ) -> Incident:
    """Return one incident of which the actor's organization is a party; a merged id leads on.

    Who left its cluster gets it as it stood then, to read and nothing else. Needs a scope of that
    organization. Raises NotFound.
    """
    actor.require(right)
    rows = _as_read(actor.organization).filter(shown_id=public_id)
    # A shared part's incident took over the id of the stop it absorbed: the living one counts.
    found = sorted(
        rows.select_related("cluster", "organization", "merged_into"),
        key=lambda row: PREFERENCE.index(vars(row)["shown_status"]),
    )
    if not found:
        raise NotFound
    incident = _as_read_by(organization=actor.organization, incident=found[0])
    if incident.status == IncidentStatus.MERGED and incident.merged_into is not None:
        return access_incident(actor=actor, public_id=incident.merged_into.public_id, right=right)
    if right is not Right.READ:
        require_part(actor=actor, incident=incident)
    return incident


def _as_read_by(*, organization: Organization, incident: Incident) -> Incident:
    """Return a row of `_as_read` as its organization reads it: as it stood, if that left the
    cluster, and with the times of its own sessions, where others may have been hit.
    """
    if vars(incident)["kept_id"] is not None:
        kept = snapshots_of(organization_id=organization.pk, incidents=[incident])
        incident = as_it_stood(incident=incident, snapshot=kept.get(incident.pk))
    if incident.kind != IncidentKind.SHARED:
        return incident
    mine = own_party(organization=organization, incident=incident)
    if mine is None:
        raise NotFound
    return as_faced(incident=incident, mine=mine, rows=sessions_of(incident=incident))


def require_part(*, actor: Actor, incident: Incident) -> None:
    """Raise NotFound unless the actor may act, and its organization takes part now.

    Every act on an incident goes through here. An incident without a cluster is its owner's.
    """
    actor.require(Right.ACT)
    if not part_of(organization=actor.organization, incident=incident).is_present:
        raise NotFound(owner_id=incident.organization_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentPart:
    """An organization's part in an incident, and in the incident's cluster now."""

    party: IncidentParty | None
    roles: tuple[Participation, ...]
    is_present: bool  # it may still act


def part_of(*, organization: Organization, incident: Incident) -> IncidentPart:
    """Return which part an organization has. Needs its scope."""
    party = own_party(organization=organization, incident=incident)
    if incident.cluster_id is None:
        is_owner = incident.organization_id == organization.pk
        return IncidentPart(party=party, roles=(), is_present=is_owner)
    own = Participation.objects.for_organization(organization)
    roles = tuple(own.filter(cluster=incident.cluster_id))
    is_party = party is not None and party.left_at is None
    return IncidentPart(party=party, roles=roles, is_present=is_party and bool(roles))


def party_of(*, actor: Actor, incident: Incident) -> IncidentParty:
    """Return the actor's organization as a party of the incident."""
    party = own_party(organization=actor.organization, incident=incident)
    if party is None:
        raise NotFound
    return party


def own_party(*, organization: Organization, incident: Incident) -> IncidentParty | None:
    """Return an organization as a party of an incident; None: it is none. Needs its scope."""
    rows = IncidentParty.objects.for_organization(organization).filter(incident=incident)
    return read_once(("party", organization.pk, incident.pk), rows.first)


def own_parties(
    *, organization: Organization, incidents: Sequence[Incident]
) -> dict[int, IncidentParty]:
    """Return incident id → the same of several incidents, of those of which it is one."""
    if len(incidents) == 1:
        found = own_party(organization=organization, incident=incidents[0])
        return {found.incident_id: found} if found else {}
    rows = IncidentParty.objects.for_organization(organization).filter(incident__in=incidents)
    return {row.incident_id: row for row in rows}


def rights_of_party(*, party: IncidentParty) -> PartyRights:
    """Return what a party reads of an incident's header."""
    return PartyRights(
        sees_culprit=party.sees_culprit, sees_session=bool(set(party.parts) & SEES_SESSIONS)
    )


def sessions_of(*, incident: Incident) -> Sequence[IncidentSession]:
    """Return the attempts the incident hit that the scope may see."""
    if incident.snapshot is not None:
        return sessions_then(snapshot=incident.snapshot)
    rows = IncidentSession.objects.filter(incident=incident)
    return list(rows.select_related("attempt__session").order_by("attempt_id"))


def present_parties(*, incident: Incident, organization_id: int) -> list[int]:
    """Return those of the known parties who take part now: whom new facts reach."""
    known = known_parties(incident=incident, organization_id=organization_id)
    if incident.cluster_id is None:
        return [party["organization"] for party in known]
    present = frozenset(parties_of(cluster_id=incident.cluster_id))
    return [party["organization"] for party in known if party["organization"] in present]


def known_parties(*, incident: Incident, organization_id: int) -> list[dict[str, Any]]:
    """Return the parties of an incident that one of them may know of.

    One tenant does not learn from a shared part's incident that another tenant runs there.
    """
    own = [party for party in incident.parties if party["organization"] == organization_id]
    is_tenant_only = bool(own) and own[0]["parts"] == ["tenant"]
    return [
        party
        for party in incident.parties
        if party in own or not (is_tenant_only and party["parts"] == ["tenant"])
    ]
