"""Hosts that a tenant names for its session, on which another's runs as who runs the cluster told.

A tenant whose word is taken for its hosts is believed about hosts of which nobody knows better: of
one that the scheduler or the operator gave to another at that time its word is a claim again.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from django.db.models import BooleanField, Max, Q, QuerySet
from django.db.models.expressions import RawSQL

from apps.fleet.authority.agreed_terms import Authority, authority_of
from apps.fleet.authority.rules import SenderStanding, Subject
from apps.fleet.hosts import host_names
from apps.fleet.models import Attempt, Cluster, ParticipationRole
from apps.fleet.parties.cross_party_audit import CONTRADICTED, Crossing, enter
from apps.fleet.parties.host_agreements import judge_hosts
from apps.telemetry.attempts.related_parts import latest_of_each
from apps.telemetry.models import LogStream
from apps.tenancy.lookups import parties_ever_of
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope

# One gives a host back while the next is given it, by two clocks.
HANDED_OVER: Final = timedelta(minutes=1)
# Nobody told of an end; a scheduler that lost it says nothing for ever.
LONGEST: Final = timedelta(days=14)
BEGINNING: Final = datetime.min.replace(tzinfo=UTC)
END: Final = datetime.max.replace(tzinfo=UTC)
ON_HOST: Final = (
    "EXISTS (SELECT 1 FROM unnest(fleet_attempt.hosts) AS name"
    " WHERE lower(name) = ANY(%s) OR lower(split_part(name, '.', 1)) = ANY(%s))"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Cluster:
    """Who may say what there, and whose word for hosts is taken."""

    authority: Authority
    trusted: frozenset[int]

    def is_own_word(self, attempt: Attempt) -> bool:
        """Say whether only its tenant told where an attempt runs, and was believed."""
        owner = attempt.organization
        said = attempt.field_sources.get("hosts", [owner.slug])[0]
        runs_it = self.authority.asserts(organization_id=owner.pk, subject=Subject.SESSION_HOSTS)
        return owner.pk in self.trusted and said == owner.slug and not runs_it


def settle_hosts(
    *, cluster: Cluster | None, attempts: Sequence[Attempt], now: datetime
) -> list[Attempt]:
    """Take back the trust in hosts that are known to be another's; return the attempts whose hosts
    are claims now: of these, or of others that these are told to run among.

    Opens the scope of the cluster's parties. Idempotent. Who runs the cluster reads of it.
    """
    sure = [each for each in attempts if each.hosts_asserted]
    if cluster is None or not sure:
        return []
    owners = {each.organization_id for each in sure}
    with organization_scope(*owners, *parties_ever_of(cluster_id=cluster.pk)):
        known = _known(cluster.pk)
        if not known.trusted:
            return []
        disputed = [pair for each in sure for pair in _disputed(each, known)]
        for claimed, _ in disputed:
            _take_back(claimed)
        enter(crossings=[each for pair in disputed for each in _crossings(*pair)], now=now)
    return [claimed for claimed, _ in disputed]


def _take_back(claimed: Attempt) -> None:
    """Write what was found, also where somebody told more of the attempt meanwhile."""
    row = Attempt.objects.select_for_update(of=("self",)).get(pk=claimed.pk)
    judged = judge_hosts(rows=[row], slug=claimed.organization.slug, said=SenderStanding.CLAIMED)
    for each in judged:
        claimed.hosts_asserted, claimed.field_sources = each.hosts_asserted, each.field_sources


def _known(cluster_id: int) -> _Cluster:
    authority = authority_of(cluster_id=cluster_id)
    agreed = (
        e for e in authority.terms if e.part is ParticipationRole.TENANT and e.agreed_at is not None
    )
    return _Cluster(authority=authority, trusted=frozenset(each.organization_id for each in agreed))


def _disputed(attempt: Attempt, known: _Cluster) -> Iterator[tuple[Attempt, Attempt]]:
    """Yield (claimed, told) of attempts on one host at one time, each claimed one once."""
    others = _beside(attempt)
    if known.is_own_word(attempt):
        told = (each for each in others if not known.is_own_word(each))
        found = next((each for each in told if _is_at_once(attempt, each)), None)
        if found is not None:
            yield attempt, found
        return
    for each in others.filter(organization__in=known.trusted):
        if known.is_own_word(each) and _is_at_once(each, attempt):
            yield each, attempt


def _beside(attempt: Attempt) -> QuerySet[Attempt]:
    """Return attempts of others on hosts of this one, by any spelling that is known."""
    cluster_id = attempt.session.cluster_id or 0
    aliases = host_names.alias_table(cluster_id=cluster_id, reader_id=attempt.organization_id)
    names = {host_names.resolve(name=each, aliases=aliases) for each in attempt.hosts}
    spelt = {spelling for spelling, node in aliases.items() if node in names}
    spelt |= names | {each.lower() for each in attempt.hosts}
    wanted = [sorted(spelt), sorted(names | {host_names.short(name=each) for each in spelt})]
    rows = Attempt.objects.filter(session__cluster=cluster_id, hosts_asserted=True)
    rows = rows.exclude(organization=attempt.organization_id)
    if attempt.started_at:
        rows = rows.filter(Q(ended_at=None) | Q(ended_at__gt=attempt.started_at))
    if attempt.ended_at:
        rows = rows.filter(Q(started_at=None) | Q(started_at__lt=attempt.ended_at))
    # The others are judged when they are diagnosed themselves. Which, first: PostgreSQL would look
    # at the hosts of all of them.
    latest = list(latest_of_each(rows=rows).values_list("pk", flat=True))
    there = RawSQL(ON_HOST, wanted, output_field=BooleanField())  # noqa: S611  a constant
    found = Attempt.objects.filter(there, pk__in=latest).select_related("organization", "session")
    return found.order_by("id")


def _is_at_once(claimed: Attempt, told: Attempt) -> bool:
    began = max(claimed.started_at or BEGINNING, told.started_at or BEGINNING)
    ended = min(_end_of_claimed(claimed), _end_of_told(told))
    return ended - HANDED_OVER > began if ended > BEGINNING + HANDED_OVER else False


def _end_of_told(told: Attempt) -> datetime:
    if told.ended_at or told.started_at is None:
        return told.ended_at or END
    return told.started_at + LONGEST


def _end_of_claimed(claimed: Attempt) -> datetime:
    """Return when it ended, else when its own log was heard last: what it tells of goes so far."""
    if claimed.ended_at:
        return claimed.ended_at
    own = LogStream.objects.filter(
        session=claimed.session_id, organization=claimed.organization_id
    ).filter(Q(attempt=claimed.pk) | Q(attempt=None))
    heard = own.aggregate(at=Max("last_at"), received_at=Max("last_received_at"))
    return heard["at"] or heard["received_at"] or END


def _crossings(claimed: Attempt, told: Attempt) -> Sequence[Crossing]:
    """Return what who told of the other session reads: that a tenant named its hosts."""
    slug = told.field_sources.get("hosts", [""])[0]
    keeper = Organization.objects.filter(slug=slug).exclude(pk=told.organization_id).first()
    cluster = claimed.session.cluster
    if keeper is None or cluster is None:
        return ()
    subject = f"{claimed.session.public_id} #{claimed.number}"
    return (
        Crossing(
            keeper_id=keeper.pk,
            action=CONTRADICTED,
            by=claimed.organization,
            cluster=cluster,
            subject=subject,
        ),
    )
