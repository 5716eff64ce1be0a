"""What an agreement in force lets its reader see: how much of a thing, by whose rule.

Nothing is read through an agreement that is not in force this moment, or whose sides do not both
take part in the cluster this moment.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property, partial

from django.db.models import Q

from apps.fleet.models import Participation
from apps.sharing.agreements import other_side, versions_of
from apps.sharing.grant_values import Grant, IncidentPlace, ReaderPlace, SharedThing
from apps.sharing.models import Agreement
from apps.sharing.request_rules import RequestRule
from apps.sharing.states import TermsVersion, in_force, open_proposal
from apps.sharing.terms import Level, Place, SharingRule
from apps.tenancy.lookups import parties_of
from apps.tenancy.models import Organization
from apps.tenancy.one_reading import read_once
from apps.tenancy.scope import organization_scope
from apps.tenancy.values import name_of


@dataclass(frozen=True, kw_only=True)
class ReadAgreements:
    """A reader's agreements in a cluster with those who take part in it this moment, read once."""

    reader: Organization
    cluster_id: int
    held: Sequence[tuple[Agreement, Organization]]  # with its holder
    versions: Mapping[int, Sequence[TermsVersion]]  # by agreement

    @cached_property
    def returned(self) -> Mapping[int, datetime]:
        """Return since when each side takes part, of those that came again; read when asked for."""
        return _returned_at({self.reader.pk, *(each.pk for _, each in self.held)}, self.cluster_id)


def grants_to(
    *,
    reader: Organization,
    cluster_id: int,
    now: datetime,
    holders: Collection[int] | None = None,
    requested: Mapping[int, Sequence[RequestRule]] | None = None,
    proposed: bool = False,
) -> dict[int, Grant]:
    """Return holder id → what it shows the reader in a cluster. Needs the reader's scope.

    `requested` are rules that holders granted when they were asked, by the holder's id. `proposed`
    takes terms that wait for a signature as signed: never to show them to the reader.
    """
    agreements = read_once(
        ("agreements", reader.pk, cluster_id),
        partial(read_agreements, reader=reader, cluster_id=cluster_id),
    )
    return grants_of(
        agreements=agreements, now=now, holders=holders, requested=requested, proposed=proposed
    )


def read_agreements(*, reader: Organization, cluster_id: int) -> ReadAgreements:
    """Return a reader's agreements in a cluster. Needs the reader's scope."""
    own = Q(organization=reader) | Q(counterpart=reader)
    rows = Agreement.objects.filter(own, cluster=cluster_id)
    found = list(rows.select_related("organization", "counterpart", "cluster"))
    present = frozenset(parties_of(cluster_id=cluster_id)) if found else frozenset[int]()
    held = [
        (each, other)
        for each in (found if reader.pk in present else ())
        if (other := other_side(agreement=each, organization_id=reader.pk)).pk in present
    ]
    return ReadAgreements(
        reader=reader,
        cluster_id=cluster_id,
        held=held,
        versions=versions_of(agreements=[each for each, _ in held]) if held else {},
    )


def grants_of(
    *,
    agreements: ReadAgreements,
    now: datetime,
    holders: Collection[int] | None = None,
    requested: Mapping[int, Sequence[RequestRule]] | None = None,
    proposed: bool = False,
) -> dict[int, Grant]:
    """Return the same as `grants_to` of agreements that were read before, in the same request."""
    requested, versions = requested or {}, agreements.versions
    waiting = {
        pk: open_proposal(versions=each, now=now) for pk, each in versions.items() if proposed
    }
    held = [
        (each, holder, version)
        for each, holder in agreements.held
        if (holders is None or holder.pk in holders)
        and (
            (version := waiting.get(each.pk) or in_force(versions=versions[each.pk], now=now))
            is not None
            or requested.get(holder.pk)
        )
    ]
    returned, reader_id = agreements.returned if held else {}, agreements.reader.pk
    grants = {}
    for each, holder, version in held:
        # Who left ended what it had signed and granted: who is taken in again begins anew.
        since = max((returned[pk] for pk in (reader_id, holder.pk) if pk in returned), default=None)
        is_signed = version is not None and _is_since(version.in_force_at or now, since)
        terms = version.terms.get(holder.slug, ()) if version is not None and is_signed else ()
        asked = [
            rule
            for rule in requested.get(holder.pk, ())
            if _is_since(rule.granted_at, since) and now < rule.until
        ]
        if terms or asked:
            grants[holder.pk] = Grant(
                agreement_id=each.pk,
                public_id=each.public_id,
                version=version.number if version is not None and is_signed else 0,
                holder=name_of(holder),
                reader_id=reader_id,
                rules=(*terms, *asked),
                is_proposed=waiting.get(each.pk) is not None,
            )
    return grants


def _is_since(at: datetime, since: datetime | None) -> bool:
    return since is None or at >= since


def _returned_at(sides: Collection[int], cluster_id: int) -> dict[int, datetime]:
    """Return since when each of these takes part; whoever does since ever is left out."""
    with organization_scope(*sides):
        rows = Participation.objects.filter(cluster=cluster_id, organization__in=sides)
        told = list(rows.values_list("organization_id", "since"))
    ever = {pk for pk, since in told if since is None}
    found: dict[int, datetime] = {}
    for pk, since in told:
        if since is not None and pk not in ever:
            found[pk] = min(since, found.get(pk, since))
    return found


def rule_for(
    *, grant: Grant, thing: SharedThing, reader: ReaderPlace, now: datetime
) -> SharingRule | None:
    """Return the rule by which a thing is shown; None where none shows anything of it.

    A rule that names the class beats one for its whole family, also when its days are over; of two
    the one that shows more.
    """
    first = _best(grant, thing.data, thing, reader, now)
    if first is None or not thing.more:
        return first
    further = [_best(grant, each, thing, reader, now) for each in thing.more]
    if any(each is None for each in further):
        return None
    return min([first, *filter(None, further)], key=lambda rule: rule.level.rank)


def _best(
    grant: Grant, data: str, thing: SharedThing, reader: ReaderPlace, now: datetime
) -> SharingRule | None:
    held = [rule for rule in grant.agreed(data) if _is_there(rule, thing, reader)]
    exact = [rule for rule in held if rule.is_exact] or held
    place = reader.incident
    kept = [rule for rule in exact if not _is_over(rule, thing, place, now)]
    span = thing.lasts or ((thing.at, thing.at) if thing.at else None)
    whole = (place.starts_at, place.ends_at) if place else None
    kept += [
        rule
        for rule in grant.asked
        if rule.shows(data=data, stream=thing.stream, host=thing.host, span=span, incident=whole)
    ]
    best = max(kept, key=lambda rule: rule.level.rank, default=None)
    return None if best is None or best.level is Level.NONE else best


def _is_over(
    rule: SharingRule, thing: SharedThing, place: IncidentPlace | None, now: datetime
) -> bool:
    """Say whether its days are over; what has no time happened when its incident did."""
    days, at = rule.keep_days, thing.at or (place.ends_at if place else None)
    return bool(days and at and at < now - timedelta(days=days))


def _is_there(rule: SharingRule, thing: SharedThing, reader: ReaderPlace) -> bool:
    incident = reader.incident
    if rule.where is Place.CLUSTER:
        return True
    if rule.where is Place.OWN_SESSIONS:
        return any(
            each.covers(host=thing.host, at=thing.at)
            and (not thing.seen_on or not thing.seen_on.isdisjoint(each.hosts))
            for each in reader.sessions
            if thing.attempt_id in (None, each.attempt_id)
        )
    if incident is None or not incident.is_around(thing.at):
        return False
    return rule.where is Place.INCIDENTS or incident.layer in reader.layers
