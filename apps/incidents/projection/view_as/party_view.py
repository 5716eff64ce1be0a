"""An incident as another party would read what the viewer's organization holds.

The rules, the redaction and the order are those by which the other party reads. The rows are not:
everything is read in the viewer's own scope, so that nothing stands in the result that the viewer
could not read itself. What the other party holds, and what third parties show it, is left out; so
is what follows from sessions of the other party that the viewer may not know of. No ledger has it:
nobody else looked.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from datetime import datetime

from apps.fleet.changes.change_values import ChangeView
from apps.incidents.models import Incident
from apps.incidents.projection import rights as projected
from apps.incidents.projection.access import present_parties
from apps.incidents.projection.annotations import read_annotations
from apps.incidents.projection.changes_around import (
    hosts_of_incident,
    nearest_changes,
    span_around,
)
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.projection.headers import read_header
from apps.incidents.projection.hypotheses import read_hypotheses
from apps.incidents.projection.rights import PartyRights
from apps.incidents.projection.shared.granted_rules import granted_rules
from apps.incidents.projection.shared.reader_place import (
    incident_place,
    known_spans,
    own_spans,
    reader_names,
)
from apps.incidents.projection.shared.shared_access import SharedAccess
from apps.incidents.projection.shared.shared_changes import changes_shown
from apps.incidents.projection.shared.shared_charts import SharedChart, shared_charts
from apps.incidents.projection.shared.shared_evidence import (
    SharedPieces,
    shared_evidence,
    still_held,
)
from apps.incidents.projection.shared.shared_moments import in_order, shared_moments
from apps.incidents.projection.shared.shared_sessions import shared_sessions
from apps.incidents.projection.values import (
    EvidencePiece,
    HeldEvidence,
    HypothesisView,
    IncidentView,
    TimelineMoment,
)
from apps.incidents.projection.view_as.other_party import OtherParty, header_as, other_party
from apps.incidents.story_reading.stored_moments import StoredMoment
from apps.incidents.timeline import current_entries
from apps.sharing.agreements import agreement_with, versions_of
from apps.sharing.grant_values import ReaderPlace
from apps.sharing.grants import grants_to
from apps.sharing.states import open_proposal
from apps.tenancy.access import Actor, NotFound
from apps.tenancy.values import name_of, value_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewAs:
    """What another party would get of the viewer's."""

    view: IncidentView
    charts: tuple[SharedChart, ...]
    changes: tuple[ChangeView, ...]  # around it
    hosts: frozenset[str]  # of the incident, as far as the other party reads of them
    waiting: int | None  # the number of the terms that wait for a signature
    is_proposed: bool  # it is shown as if those were signed


def view_as(
    *, actor: Actor, incident: Incident, slug: str, now: datetime, proposed: bool = False
) -> ViewAs:
    """Return what a party would read of what the actor's organization holds. Needs its scope.

    `proposed` takes the terms that wait for a signature as signed. Raises NotFound for whom the
    actor does not know as a party that takes part now.
    """
    other = other_party(actor=actor, incident=incident, slug=slug)
    mine = read_header(actor=actor, incident=incident)
    if mine.left_at is not None:
        raise NotFound
    header = header_as(mine, incident, other)
    waiting = _waiting(actor, incident, other, now)
    is_proposed = proposed and waiting is not None
    access = _access(actor, incident, other, now, proposed=is_proposed)
    shown = shared_evidence(access) if access else SharedPieces()
    own = read_hypotheses(actor=actor, incident=incident, access=None, header=mine)
    present = present_parties(incident=incident, organization_id=actor.organization.pk)
    view = IncidentView(
        header=header,
        hypotheses=tuple(_hypothesis(each, shown, actor, other) for each in own),
        timeline=_timeline(actor, incident, other, access),
        annotations=tuple(
            each
            for each in read_annotations(incident=incident)
            if other.organization.pk in (*each.audience, each.organization.id)
        ),
        present=frozenset(present),
        is_shared_with=access is not None,
        sessions=shared_sessions(access) if access else (),
    )
    charts = tuple(shared_charts(access)) if access else ()
    hosts = hosts_of_incident(header, actor=actor)
    return ViewAs(
        view=view,
        charts=charts,
        changes=_changes(actor, header, access, hosts, now),
        hosts=hosts,
        waiting=waiting,
        is_proposed=is_proposed,
    )


def _changes(
    actor: Actor,
    header: IncidentHeader,
    access: SharedAccess | None,
    hosts: Collection[str],
    now: datetime,
) -> tuple[ChangeView, ...]:
    """Return changes of the viewer's as the other party reads them: by all of its sessions then
    that the viewer may know of, not of this incident alone.
    """
    if access is None or access.incident.cluster is None:
        return ()
    cluster, span = access.incident.cluster, span_around(header, now=now)
    known = known_spans(actor=actor, owner_id=header.reader.id, cluster=cluster, since=span[0])
    names = access.names.hosts.union(*(each.hosts for each in known))
    wider = replace(
        access,
        place=replace(access.place, sessions=(*access.place.sessions, *known)),
        names=replace(access.names, hosts=names),
        _redactors={},  # that hide by these names
    )
    found = changes_shown(wider, cluster=cluster, span=span)
    return nearest_changes(found, header=header, hosts=hosts)


def _waiting(actor: Actor, incident: Incident, other: OtherParty, now: datetime) -> int | None:
    """Return the number of the terms between the two that wait for a signature."""
    if incident.cluster is None:
        return None
    found = agreement_with(actor=actor, cluster=incident.cluster, counterpart=other.organization)
    if found is None:
        return None
    version = open_proposal(versions=versions_of(agreements=[found])[found.pk], now=now)
    return version.number if version else None


def _access(
    actor: Actor, incident: Incident, other: OtherParty, now: datetime, *, proposed: bool
) -> SharedAccess | None:
    own = actor.organization.pk
    grants = grants_to(
        reader=other.organization,
        cluster_id=incident.cluster_id or 0,
        now=now,
        holders={own},
        # In the viewer's scope: what it granted itself.
        requested=granted_rules(reader=other.organization, incident=incident),
        proposed=proposed,
    )
    if not grants:
        return None
    sessions = own_spans(incident, other.organization.pk)
    return SharedAccess(
        incident=incident,
        grants=tuple(grants.values()),
        place=ReaderPlace(
            layers=frozenset({incident.layer} if other.answers else ()),
            sessions=sessions,
            incident=incident_place(incident),
        ),
        names=reader_names(
            incident,
            parts=other.parts,
            sees_culprit=other.rights.sees_culprit,
            sessions=sessions,
        ),
        own_attempts=frozenset(each.attempt_id for each in sessions)
        if other.is_of_several
        else None,
        now=now,
    )


def _hypothesis(
    own: HypothesisView, shown: SharedPieces, actor: Actor, other: OtherParty
) -> HypothesisView:
    key, rights = f"{own.layer}/{own.cause}", other.rights
    names = rights.sees_culprit and not other.is_of_several
    held = [
        HeldEvidence(
            organization=name_of(actor.organization),
            side=piece.side,
            layer=piece.layer,
            count=1,
            weight=piece.weight,
            is_claimed=piece.is_claimed,
        )
        for piece in (*own.supporting, *own.opposing)
    ]
    cut = PartyRights(sees_culprit=names, sees_session=rights.sees_session and names)
    return replace(
        own,
        culprits=own.culprits if names else None,
        supporting=_by_weight(shown.pieces[key, "for"]),
        opposing=_by_weight(shown.pieces[key, "against"]),
        held=still_held(_counted(held), shown.all_of(key)),
        missing=projected.missing_for(own.missing, rights=cut),
    )


def _by_weight(pieces: list[EvidencePiece]) -> tuple[EvidencePiece, ...]:
    return tuple(sorted(pieces, key=lambda each: (-abs(each.weight), each.position, each.id)))


def _counted(pieces: list[HeldEvidence]) -> list[HeldEvidence]:
    found: dict[tuple[object, ...], HeldEvidence] = {}
    for each in pieces:
        key = (each.side, each.layer, each.is_claimed)
        former = found.get(key)
        found[key] = (
            replace(each, count=former.count + 1, weight=round(former.weight + each.weight, 2))
            if former
            else each
        )
    return list(found.values())


def _timeline(
    actor: Actor, incident: Incident, other: OtherParty, access: SharedAccess | None
) -> tuple[TimelineMoment, ...]:
    def is_read(entry: StoredMoment) -> bool:
        is_named = entry.organization_id == actor.organization.pk and (
            other.organization.pk in entry.audience
        )
        return entry.for_all_parties or is_named

    told = [
        value_of(TimelineMoment, entry, shared=None)
        for entry in current_entries(incident=incident)
        if is_read(entry)
    ]
    return in_order(told, shared_moments(access)) if access else tuple(told)
