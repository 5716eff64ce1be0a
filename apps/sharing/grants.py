"""What an agreement in force lets its reader see: how much of a thing, by whose rule.

Nothing is read through an agreement that is not in force this moment, or whose sides do not both
take part in the cluster this moment.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import Final

from django.db.models import Q

from apps.fleet.models import Participation
from apps.sharing.agreements import other_side, versions_of
from apps.sharing.models import Agreement
from apps.sharing.request_rules import RequestRule
from apps.sharing.states import in_force, open_proposal
from apps.sharing.terms import Level, Place, SharingRule
from apps.tenancy.lookups import parties_of
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from apps.tenancy.values import OrganizationName, name_of

BESIDE_SESSION: Final = timedelta(minutes=10)
BESIDE_INCIDENT: Final = timedelta(minutes=30)


@dataclass(frozen=True, kw_only=True)
class Grant:
    """What one organization shows another under a version of their agreement, and by requests."""

    agreement_id: int
    public_id: str
    version: int  # 0: none is in force, what is shown was asked for
    holder: OrganizationName
    reader_id: int
    rules: tuple[SharingRule, ...]
    is_proposed: bool = False  # nobody signed it yet: it shows nothing to its reader

    @cached_property
    def asked(self) -> tuple[RequestRule, ...]:
        """Return what was granted on request."""
        return tuple(rule for rule in self.rules if isinstance(rule, RequestRule))

    def agreed(self, data: str) -> tuple[SharingRule, ...]:
        """Return what the agreement says of a class such as metrics:gpu."""
        if data not in self._agreed:
            self._agreed[data] = tuple(
                rule
                for rule in self.rules
                if not isinstance(rule, RequestRule) and rule.covers(data)
            )
        return self._agreed[data]

    @cached_property
    def _agreed(self) -> dict[str, tuple[SharingRule, ...]]:
        return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSpan:
    """Hosts of an attempt of one of the reader's own sessions, and when it ran."""

    attempt_id: int
    hosts: frozenset[str]
    starts_at: datetime | None  # None: not told
    ends_at: datetime | None  # None: it runs, or nobody told

    def covers(self, *, host: str, at: datetime | None) -> bool:
        """Say whether something happened to it; without a host, to something it stands on."""
        if host and host not in self.hosts:
            return False
        if at is None:
            return True
        after = self.starts_at is None or at >= self.starts_at - BESIDE_SESSION
        before = self.ends_at is None or at <= self.ends_at + BESIDE_SESSION
        return after and before


@dataclass(frozen=True, slots=True, kw_only=True)
class IncidentPlace:
    """Where and when an incident was, as the rules of its parties ask."""

    starts_at: datetime
    ends_at: datetime
    layer: str

    def is_around(self, at: datetime | None) -> bool:
        """Say whether a time lies beside it; a line without a time lies where it is cited."""
        around = self.around
        return at is None or around[0] <= at <= around[1]

    @property
    def around(self) -> tuple[datetime, datetime]:
        """Return what counts as beside it."""
        return self.starts_at - BESIDE_INCIDENT, self.ends_at + BESIDE_INCIDENT


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderPlace:
    """What of the reader decides whether a rule holds."""

    layers: frozenset[str]  # that it answers for
    sessions: tuple[SessionSpan, ...] = ()  # its own
    incident: IncidentPlace | None = None  # that both sides are parties of


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedThing:
    """One thing that a holder has: what it is, where and when."""

    data: str  # events:gpu, metrics:storage, logs:kernel …
    host: str = ""
    at: datetime | None = None
    attempt_id: int | None = None  # whose story it was told for, where that is known
    stream: str = ""  # the log that tells it, where that is known
    lasts: tuple[datetime, datetime] | None = None  # of what is drawn over a while
    seen_on: frozenset[str] = frozenset()  # hosts that show it, of a part that they share
    more: frozenset[str] = field(default_factory=frozenset)  # further classes that must be shown


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
    requested = requested or {}
    own = Q(organization=reader) | Q(counterpart=reader)
    rows = Agreement.objects.filter(own, cluster=cluster_id)
    found = list(rows.select_related("organization", "counterpart", "cluster"))
    present = frozenset(parties_of(cluster_id=cluster_id)) if found else frozenset[int]()
    if reader.pk not in present:
        return {}
    known = [
        (each, other)
        for each in found
        if (other := other_side(agreement=each, organization_id=reader.pk)).pk in present
        and (holders is None or other.pk in holders)
    ]
    versions = versions_of(agreements=[each for each, _ in known])
    waiting = {
        pk: open_proposal(versions=each, now=now) for pk, each in versions.items() if proposed
    }
    held = [
        (each, holder, version)
        for each, holder in known
        if (version := waiting.get(each.pk) or in_force(versions=versions[each.pk], now=now))
        is not None
        or requested.get(holder.pk)
    ]
    sides = {reader.pk, *(holder.pk for _, holder, _ in held)}
    returned = _returned_at(sides, cluster_id) if held else {}
    grants = {}
    for each, holder, version in held:
        # Who left ended what it had signed and granted: who is taken in again begins anew.
        since = max((returned[pk] for pk in (reader.pk, holder.pk) if pk in returned), default=None)
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
                reader_id=reader.pk,
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
    if first is None:
        return None
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
