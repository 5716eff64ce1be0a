"""Many incidents as one organization reads them, as little of each as is needed to count them."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from django.db.models import Q, QuerySet

from apps.fleet.models import Cluster
from apps.fleet.values import ClusterName, cluster_name
from apps.incidents.coordination.rows import for_all, opinions_on
from apps.incidents.coordination.standing import ReadRows, verdict_of
from apps.incidents.models import Feedback, Incident, IncidentParty, IncidentSession
from apps.incidents.projection import rights as projected
from apps.incidents.projection.access import access_incidents, known_parties, rights_of_party
from apps.incidents.projection.header_values import IncidentHeader
from apps.incidents.projection.headers import read_headers
from apps.incidents.states import IncidentKind, IncidentStatus, VerdictState
from apps.tenancy.access import Actor
from apps.tenancy.database.one_of import one_of_ids
from apps.tenancy.models import Organization
from apps.tenancy.values import OrganizationName, name_of

MOST_COUNTED: Final = 5000
# By what is counted: these alone are read of each, since periods read hundreds.
COLUMNS: Final = (
    *("pk", "organization_id", "public_id", "cluster_id", "attempt_id", "kind", "status", "layer"),
    *("cause", "culprits", "parties", "verdict_status", "settled_at", "verdict_at"),
    *("moment", "shown_status"),
)
PARTY_COLUMNS: Final = ("incident_id", "organization_id", "parts", "sees_culprit", "left_at")


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedIncident:
    """An incident by what it is counted by, projected for one reader."""

    id: int
    public_id: str
    owner_id: int
    cluster: ClusterName | None
    attempt_id: int | None
    kind: str
    status: str
    layer: str
    cause: str
    moment: datetime  # its place in the reader's lists
    hosts: tuple[str, ...] | None  # that it blames, each once; None: hidden by policy
    answering: tuple[OrganizationName, ...]  # who answers for the blamed layer
    attempt_ids: frozenset[int]  # that it hit and the reader may know of
    is_contested: bool

    @property
    def parties(self) -> str:
        """Return who answers for it, by name; empty where nobody is blamed."""
        return ", ".join(sorted(each.name for each in self.answering))


def counted_incidents(  # noqa: PLR0913  what is counted, and for whom
    *,
    actor: Actor,
    since: datetime,
    until: datetime,
    cluster_id: int | None = None,
    with_simulated: bool,
    read_by: Collection[int] = (),
    host: str | None = None,
    now: datetime,
) -> list[CountedIncident]:
    """Return what the actor's organization is a party of, the oldest first, at most the newest
    MOST_COUNTED. Needs its scope.

    Of a `host` at least those that blame it, and all that hit the same attempts: by these it is
    told which of them a loss is put down to.

    `read_by` are organizations that count together: what each of them reads, and as each reads it,
    without hosts, and without opinions that are not for all.
    """
    wanted = Q() if with_simulated else Q(is_simulated=False)
    if cluster_id is not None:
        wanted &= Q(cluster=cluster_id)
    listed: QuerySet[Any] = access_incidents(actor=actor, since=since, until=until).filter(wanted)
    if host is not None:
        listed = listed.filter(_around(host, actor, cluster_id))
    narrow = listed.select_related(None).values_list(*COLUMNS, named=True)[:MOST_COUNTED]
    rows = [each for each in narrow if each.shown_status != IncidentStatus.WITHDRAWN]
    if read_by:
        rows = [each for each in rows if _is_read_by(each, read_by)]
    parties = IncidentParty.objects.for_organization(actor.organization)
    own = parties.filter(one_of_ids("incident_id", [each.pk for each in rows]))
    mine = {row.incident_id: row for row in own.values_list(*PARTY_COLUMNS, named=True)}
    plain = [each for each in rows if each.pk in mine and _is_plain(each, mine[each.pk])]
    found = _plainly(actor, plain, mine, read_by, now)
    others = {each.pk for each in rows} - {each.pk for each in plain}
    found += _as_shown(actor, listed.filter(pk__in=others), now) if others else []
    found = [_as_all_read(each, plain) for each in found] if read_by else found
    return sorted(found, key=lambda each: (each.moment, each.id))


def _around(host: str, actor: Actor, cluster_id: int | None) -> Q:
    """Return what may blame a host, and what hit the attempts that this did.

    Of a copy, and of one tenant's part, its reader may see others blamed than the row says.
    """
    copied = Q(kind=IncidentKind.SHARED) | Q(snapshots__organization=actor.organization)
    inside = Q() if cluster_id is None else Q(cluster=cluster_id)
    blaming = Incident.objects.filter(copied | Q(culprits__contains=[{"host": host}]), inside)
    hits = IncidentSession.objects.filter(incident__in=blaming.values("pk"))
    beside = IncidentSession.objects.filter(attempt__in=hits.values("attempt"))
    return Q(pk__in=blaming.values("pk")) | Q(pk__in=beside.values("incident"))


def _is_read_by(incident: Any, organizations: Collection[int]) -> bool:
    return set(organizations) <= {each["organization"] for each in incident.parties}


def _as_all_read(found: CountedIncident, plain: Sequence[Any]) -> CountedIncident:
    """Return what nobody of several readers reads more of than another."""
    is_plain = any(each.pk == found.id for each in plain)
    return replace(found, hosts=None, is_contested=found.is_contested and is_plain)


def _is_plain(incident: Any, mine: Any) -> bool:
    """Say whether the row is what its reader reads: neither a copy nor one tenant's part of it."""
    return incident.kind != IncidentKind.SHARED and mine.left_at is None


def _plainly(
    actor: Actor,
    rows: Sequence[Any],
    mine: Mapping[int, Any],
    read_by: Collection[int],
    now: datetime,
) -> list[CountedIncident]:
    own_id = actor.organization.pk
    known = {each.pk: known_parties(incident=each, organization_id=own_id) for each in rows}
    opinions = {
        pk: [row for row in told if for_all(row, read_by)]
        for pk, told in opinions_on(organization=actor.organization, incident_ids=known).items()
    }
    ids = {party["organization"] for parties in known.values() for party in parties}
    ids |= {row.organization_id for each in opinions.values() for row in each}
    named = {pk: name_of(each) for pk, each in Organization.objects.in_bulk(ids).items()}
    clusters = Cluster.objects.in_bulk({each.cluster_id for each in rows} - {None})
    hits = IncidentSession.objects.filter(one_of_ids("incident_id", known))
    attempts: dict[int, set[int]] = {}
    for incident_id, attempt_id in hits.values_list("incident_id", "attempt_id"):
        attempts.setdefault(incident_id, set()).add(attempt_id)
    return [
        _counted(
            each,
            mine=mine[each.pk],
            cluster=clusters.get(each.cluster_id),
            parties=known[each.pk],
            opinions=opinions.get(each.pk, ()),
            named=named,
            attempt_ids=frozenset(attempts.get(each.pk, ())),
            now=now,
        )
        for each in rows
    ]


def _counted(  # noqa: PLR0913  what it is made of
    incident: Any,
    *,
    mine: Any,
    cluster: Cluster | None,
    parties: Sequence[Mapping[str, Any]],
    opinions: Sequence[Feedback],
    named: Mapping[int, OrganizationName],
    attempt_ids: frozenset[int],
    now: datetime,
) -> CountedIncident:
    rights = rights_of_party(party=mine)
    blamed = [e["organization"] for e in parties if projected.answers_for(e, incident=incident)]
    return CountedIncident(
        id=incident.pk,
        public_id=incident.public_id,
        owner_id=incident.organization_id,
        cluster=cluster_name(cluster),
        attempt_id=incident.attempt_id if attempt_ids else None,
        kind=incident.kind,
        status=incident.status,
        layer=incident.layer,
        cause=incident.cause,
        moment=incident.moment,
        hosts=hosts_of(projected.culprits_for(incident.culprits, rights=rights)),
        answering=tuple(named[each] for each in blamed if each in named),
        attempt_ids=attempt_ids,
        is_contested=bool(opinions) and _is_contested(incident, blamed, opinions, named, mine, now),
    )


def _is_contested(
    incident: Any,
    blamed: Collection[int],
    opinions: Sequence[Feedback],
    named: Mapping[int, OrganizationName],
    mine: Any,
    now: datetime,
) -> bool:
    verdict = verdict_of(
        ReadRows(
            incident=incident,
            reader_id=mine.organization_id,
            named=named,
            steps=(),
            opinions=opinions,
            default_holder_id=0,
            blamed=blamed,
            is_left_to_operator=projected.is_left_to_operator(incident),
            present=None,
        )
    )
    return verdict.state(now=now) is VerdictState.CONTESTED


def _as_shown(actor: Actor, rows: QuerySet[Any], now: datetime) -> list[CountedIncident]:
    """Return those of which the reader reads a copy, or its own part, by their headers."""
    return [of_header(each, now=now) for each in read_headers(actor=actor, incidents=list(rows))]


def of_header(header: IncidentHeader, *, now: datetime) -> CountedIncident:
    """Return a header by what it is counted by."""
    incident = header.incident
    return CountedIncident(
        id=incident.id,
        public_id=incident.public_id,
        owner_id=incident.owner_id,
        cluster=incident.cluster,
        attempt_id=incident.attempt_id,
        kind=incident.kind,
        status=incident.status,
        layer=incident.layer,
        cause=incident.cause,
        moment=incident.moment,
        hosts=hosts_of(header.culprits),
        answering=tuple(each.organization for each in header.parties if each.answers),
        attempt_ids=frozenset(each.id for each in header.attempts),
        is_contested=header.coordination.verdict.state(now=now) is VerdictState.CONTESTED,
    )


def hosts_of(culprits: Sequence[Mapping[str, Any]] | None) -> tuple[str, ...] | None:
    """Return the hosts that culprits lie in, each once; None where they are hidden."""
    if culprits is None:
        return None
    return tuple(sorted({str(each["host"]) for each in culprits if each.get("host")}))
