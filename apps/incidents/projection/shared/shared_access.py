"""By which agreements a reader reads of an incident what others hold, and from where it looks.

The rows of a holder are read in the holder's scope, here and in the modules beside this one alone:
what comes out is what a rule of the holder's agreement with the reader allows, cut and redacted.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial

from django.utils import timezone

from apps.incidents.models import Incident, IncidentSession
from apps.incidents.projection.access import known_parties, party_of
from apps.incidents.projection.reader_scope import is_one_of_several_tenants
from apps.incidents.projection.shared.granted_rules import granted_by_incident, granted_rules
from apps.incidents.projection.shared.handed_out import HandedOut
from apps.incidents.projection.shared.holder_scope import holder_scope
from apps.incidents.projection.shared.reader_place import (
    incident_place,
    own_spans,
    reader_layers,
    reader_names,
)
from apps.incidents.projection.shared_values import SharedAs
from apps.sharing.grant_values import Grant, ReaderPlace, SharedThing
from apps.sharing.grants import ReadAgreements, grants_of, grants_to, rule_for
from apps.sharing.redactor import ReaderNames, Redactor
from apps.sharing.request_rules import RequestRule
from apps.sharing.terms import Level, SharingRule
from apps.tenancy.access import Actor
from apps.tenancy.one_reading import read_once


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedAccess:
    """What the other parties of an incident show a reader."""

    incident: Incident
    grants: tuple[Grant, ...]
    place: ReaderPlace
    names: ReaderNames  # what the reader calls by name already
    own_attempts: frozenset[int] | None  # None: the reader may know of all that were hit
    now: datetime
    handed_out: HandedOut = field(default_factory=HandedOut)  # what the ledger has to have
    _redactors: dict[int, Redactor] = field(default_factory=dict)  # by holder: made once for a read
    # By holder and rule: things are many, ways to show them few.
    _ways: dict[tuple[int, int], SharedAs] = field(default_factory=dict)

    @contextmanager
    def held_by(self, grant: Grant) -> Iterator[Redactor]:
        """Open the scope of a holder, and return what hides in what it holds."""
        if grant.holder.id not in self._redactors:
            self._redactors[grant.holder.id] = Redactor(
                grant=grant,
                cluster_id=int(self.incident.cluster_id or 0),
                reader=self.names,
                hit=IncidentSession.objects.filter(incident=self.incident).values("session"),
            )
        with holder_scope(grant=grant, redactor=self._redactors[grant.holder.id]) as redactor:
            yield redactor

    def shown(self, grant: Grant, thing: SharedThing) -> SharedAs | None:
        """Return how a thing is shown; None: not at all."""
        if self.own_attempts is not None and not self._is_of_own(thing):
            return None
        rule = rule_for(grant=grant, thing=thing, reader=self.place, now=self.now)
        if rule is None or rule.level is Level.NONE:
            return None
        key = grant.holder.id, id(rule)  # the grant keeps its rules for as long
        if key not in self._ways:
            self._ways[key] = shown_as(grant, rule)
        return self._ways[key]

    def _is_of_own(self, thing: SharedThing) -> bool:
        """Say whether a thing is of the reader's own sessions: others may have been hit, too."""
        if thing.attempt_id is not None:
            return thing.attempt_id in (self.own_attempts or ())
        return any(each.covers(host=thing.host, at=thing.at) for each in self.place.sessions)


def shown_as(grant: Grant, rule: SharingRule) -> SharedAs:
    """Return how a rule of an agreement shows what it holds of."""
    return SharedAs(
        holder=grant.holder,
        level=rule.level,
        agreement=grant.public_id,
        version=grant.version,
        purpose=rule.purpose,
        request=rule.request if isinstance(rule, RequestRule) else "",
        window=(rule.starts_at, rule.ends_at) if isinstance(rule, RequestRule) else None,
    )


def shared_access(*, actor: Actor, incident: Incident) -> SharedAccess | None:
    """Return what others show the actor's organization of an incident; None where nobody does.

    Who left the cluster reads what stood then, and nothing that is shared now. Needs its scope.
    """
    found = read_once(
        ("shared access", actor.organization.pk, incident.pk),
        partial(_shared_access, actor=actor, incident=incident),
    )
    # What hides in things stays; what was handed out is each time written down by itself.
    return found and replace(found, handed_out=HandedOut())


def shared_accesses(
    *, actor: Actor, incidents: Sequence[Incident], agreements: ReadAgreements
) -> Iterator[SharedAccess]:
    """Yield what others show of incidents of one cluster, of those of which they show anything.

    `agreements` are the reader's in that cluster, read in the same request. Needs its scope.
    """
    standing = [each for each in incidents if each.snapshot is None] if agreements.held else []
    if not standing:
        return
    now = timezone.now()  # noqa: TID251  what agreements allow is decided when it is read
    granted = granted_by_incident(reader=actor.organization, incidents=standing)
    for incident in standing:
        grants = grants_of(
            agreements=agreements,
            now=now,
            holders=_holders(actor, incident),
            requested=granted.get(incident.pk),
        )
        if access := _by_grants(actor, incident, grants, now):
            yield access


def _shared_access(*, actor: Actor, incident: Incident) -> SharedAccess | None:
    now = timezone.now()  # noqa: TID251  what agreements allow is decided when it is read
    return _by_grants(actor, incident, _grants(actor, incident, now), now)


def _grants(actor: Actor, incident: Incident, now: datetime) -> Mapping[int, Grant]:
    if incident.cluster_id is None or incident.snapshot is not None:
        return {}
    return grants_to(
        reader=actor.organization,
        cluster_id=incident.cluster_id,
        now=now,
        holders=_holders(actor, incident),
        requested=granted_rules(reader=actor.organization, incident=incident),
    )


def _holders(actor: Actor, incident: Incident) -> set[int]:
    """Return the other parties of an incident that the reader may know of."""
    known = known_parties(incident=incident, organization_id=actor.organization.pk)
    return {each["organization"] for each in known} - {actor.organization.pk}


def _by_grants(
    actor: Actor, incident: Incident, grants: Mapping[int, Grant], now: datetime
) -> SharedAccess | None:
    if not grants:
        return None
    mine = party_of(actor=actor, incident=incident)
    if mine.left_at is not None:
        return None
    sessions = own_spans(incident, mine.organization_id)
    is_tenant = is_one_of_several_tenants(incident=incident, mine=mine)
    return SharedAccess(
        incident=incident,
        grants=_in_order(grants),
        place=ReaderPlace(
            layers=reader_layers(actor, incident),
            sessions=sessions,
            incident=incident_place(incident),
        ),
        names=reader_names(
            incident,
            parts=frozenset(mine.parts),
            sees_culprit=mine.sees_culprit,
            sessions=sessions,
        ),
        own_attempts=frozenset(each.attempt_id for each in sessions) if is_tenant else None,
        now=now,
    )


def _in_order(grants: Mapping[int, Grant]) -> tuple[Grant, ...]:
    return tuple(grants[key] for key in sorted(grants))


def shown_by(access: SharedAccess | None) -> tuple[str, ...]:
    """Return the agreements, with their versions, and the requests by which something is shown."""
    return _named(access.grants if access else ())


def shown_now_by(*, actor: Actor, incident: Incident) -> tuple[str, ...]:
    """Return the same as it is now, without what only the things themselves are asked for by.

    Needs the reader's scope.
    """
    now = timezone.now()  # noqa: TID251  what agreements allow is decided when it is read
    grants = _in_order(_grants(actor, incident, now))
    has_left = bool(grants) and party_of(actor=actor, incident=incident).left_at is not None
    return () if has_left else _named(grants)


def _named(grants: Sequence[Grant]) -> tuple[str, ...]:
    agreed = [f"{each.public_id} v{each.version}" for each in grants]
    return (*agreed, *(rule.request for each in grants for rule in each.asked))
