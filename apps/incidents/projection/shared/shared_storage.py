"""Saves and loads that other parties' metrics show, as far as they show their storage layer.

A rule for the reader's own sessions shows what their hosts moved and nothing of the others: the
sums are made anew of those hosts alone.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from apps.diagnosis.model import Device
from apps.fleet.models import Cluster, Session
from apps.incidents.models import Incident
from apps.incidents.projection.access import access_incidents
from apps.incidents.projection.shared.handed_out import HandedOut
from apps.incidents.projection.shared.holder_scope import holder_scope
from apps.incidents.projection.shared.shared_access import SharedAccess, shared_accesses, shown_as
from apps.incidents.projection.shared.shared_warnings import looks_from
from apps.incidents.projection.shared_values import SharedStoragePhase
from apps.sharing.grant_values import BESIDE_INCIDENT, Grant, ReaderPlace, SharedThing
from apps.sharing.grants import grants_of, read_agreements, rule_for
from apps.sharing.redactor import Redactor
from apps.sharing.terms import Level, Place, SharingRule
from apps.telemetry.facade.storage import NO_HOSTS, StoragePhaseView, phase_view
from apps.telemetry.models import StoragePhase
from apps.tenancy.access import Actor, Right

DATA: Final = "metrics:storage"
MOST_READ: Final = 1000  # of one holder
MOST_INCIDENTS: Final = 20  # of the span, the newest: around them more may be shown
MINUTE: Final = timedelta(minutes=1)


def shared_storage(
    *, actor: Actor, cluster: Cluster, since: datetime, until: datetime, now: datetime
) -> list[SharedStoragePhase]:
    """Return what others show of a cluster's saves and loads in a span, by time.

    Needs the actor's scope and a cluster that came through a door.
    """
    actor.require(Right.READ)
    agreements = read_agreements(reader=actor.organization, cluster_id=cluster.pk)
    grants = grants_of(agreements=agreements, now=now)
    telling = [each for each in grants.values() if each.agreed(DATA)]
    found: dict[int, SharedStoragePhase] = {}
    if telling:
        place, names = looks_from(actor, cluster, since=since)
        none = Session.objects.none().values("pk")
        for grant in telling:
            hides = Redactor(grant=grant, cluster_id=cluster.pk, reader=names, hit=none)
            with holder_scope(grant=grant, redactor=hides) as redactor:
                # A minute more: of a signal its minutes are shown, and asked for.
                rows = _rows(grant, cluster, since - MINUTE, until + MINUTE)
                _take(found, _shown(rows, grant, place, redactor, now))
    incidents = _incidents(actor, cluster, since, until) if agreements.held else []
    for access in shared_accesses(actor=actor, incidents=incidents, agreements=agreements):
        _take(found, _around(access, cluster))
    asked = (each for each in found.values() if _is_asked(each.phase, since, until))
    return sorted(asked, key=lambda each: (each.phase.starts_at, each.phase.id))


def _is_asked(phase: StoragePhaseView, since: datetime, until: datetime) -> bool:
    """Say whether it lies in the span by what is shown of it: a span tells no second of it."""
    return phase.starts_at < until and phase.ends_at >= since


def hand_out_phase(handed_out: HandedOut, each: SharedStoragePhase) -> None:
    """Take what of a phase is shown, for the ledger."""
    phase = each.phase
    told = (phase.kind, phase.mount, phase.starts_at, phase.ends_at, phase.moved_bytes)
    handed_out.add(each.shared, DATA, *told, phase.hosts.hosts)


def _take(found: dict[int, SharedStoragePhase], fresh: Iterable[SharedStoragePhase]) -> None:
    """Keep of what is shown twice the one that shows more."""
    for each in fresh:
        known = found.get(each.phase.id)
        if known is None or known.shared.level.rank < each.shared.level.rank:
            found[each.phase.id] = each


def _incidents(actor: Actor, cluster: Cluster, since: datetime, until: datetime) -> list[Incident]:
    rows = access_incidents(actor=actor, layer="storage").filter(cluster=cluster)
    inside = rows.filter(
        started_at__gte=since - BESIDE_INCIDENT, started_at__lt=until + BESIDE_INCIDENT
    )
    return list(inside.order_by("-started_at", "-id")[:MOST_INCIDENTS])


def _around(access: SharedAccess, cluster: Cluster) -> Iterator[SharedStoragePhase]:
    if access.place.incident is None:
        return
    since, until = access.place.incident.around
    for grant in access.grants:
        if grant.may_show(DATA):
            with access.held_by(grant) as redactor:
                rows = _rows(grant, cluster, since, until)
                yield from list(_of_incident(access, grant, rows, redactor))


def _of_incident(
    access: SharedAccess, grant: Grant, rows: Iterable[StoragePhase], redactor: Redactor
) -> Iterator[SharedStoragePhase]:
    # What a tenant beside others reads is of its own hosts alone, whatever the rule says.
    is_cut = access.own_attempts is not None
    yield from _shown(rows, grant, access.place, redactor, access.now, is_cut=is_cut)


def _rows(
    grant: Grant, cluster: Cluster, since: datetime, until: datetime
) -> Iterator[StoragePhase]:
    own = StoragePhase.objects.filter(organization=grant.holder.id, cluster=cluster)
    inside = own.filter(starts_at__lt=until, ends_at__gte=since).select_related("source")
    yield from inside.order_by("-starts_at", "-id")[:MOST_READ]


def _shown(
    rows: Iterable[StoragePhase],
    grant: Grant,
    place: ReaderPlace,
    redactor: Redactor,
    now: datetime,
    *,
    is_cut: bool = False,
) -> Iterator[SharedStoragePhase]:
    for row in rows:
        whole = phase_view(row)
        hosts = frozenset(whole.hosts.hosts)
        thing = SharedThing(data=DATA, at=row.starts_at, seen_on=hosts)
        rule = rule_for(grant=grant, thing=thing, reader=place, now=now)
        if rule is not None:
            known = _known_hosts(place, row.starts_at)
            cut = _cut(whole, known) if is_cut or rule.where is Place.OWN_SESSIONS else whole
            if cut is not None:
                phase = _as_shown(_without_adapters(cut), rule, redactor)
                yield SharedStoragePhase(phase=phase, shared=shown_as(grant, rule))


def _known_hosts(place: ReaderPlace, at: datetime) -> frozenset[str]:
    return frozenset[str]().union(
        *(each.hosts for each in place.sessions if each.covers(host="", at=at))
    )


def _cut(whole: StoragePhaseView, known: frozenset[str]) -> StoragePhaseView | None:
    """Return what these hosts did of it, None where they did nothing."""
    mine = whole.hosts.only(known)
    sums, everybody = mine.sums(), whole.hosts.sums().moved_bytes
    if not sums.moved_bytes:
        return None
    return replace(
        whole,
        # Sums by host are of whole slots: of the save they had this share.
        moved_bytes=(whole.moved_bytes or 0.0) * sums.moved_bytes / everybody,
        peak_bytes_per_second=None,
        requests=sums.requests or None,
        queue_seconds=sums.queue_seconds,
        response_seconds=sums.response_seconds,
        request_seconds=sums.request_seconds,
        backlog=sums.backlog,
        sends=sums.sends or None,
        slots=sums.slots or None,
        host_count=len(mine.hosts),
        utilization=None,
        quiet_response_seconds=None,
        hosts=mine,
    )


def _without_adapters(phase: StoragePhaseView) -> StoragePhaseView:
    """Leave out what adapters carried: it is the network's, and no rule for storage shows that."""
    return replace(phase, adapter_bytes_per_second=None, adapter_most_bytes_per_second=None)


def _as_shown(phase: StoragePhaseView, rule: SharingRule, redactor: Redactor) -> StoragePhaseView:
    if rule.level is Level.SIGNAL:
        return _signal(phase)
    mount = redactor.device(Device(kind="mount", name=phase.mount or None), rule.level).name
    names = {host: redactor.host(host, rule.level) for host in phase.hosts.hosts}
    return replace(phase, mount=mount or "", hosts=phase.hosts.renamed(names))


def _signal(phase: StoragePhaseView) -> StoragePhaseView:
    """Return that there was one, and in which minutes."""
    return replace(
        phase,
        mount="",
        starts_at=phase.starts_at.replace(second=0, microsecond=0),
        ends_at=phase.ends_at.replace(second=0, microsecond=0) + MINUTE,
        moved_bytes=None,
        peak_bytes_per_second=None,
        requests=None,
        queue_seconds=None,
        response_seconds=None,
        request_seconds=None,
        backlog=None,
        sends=None,
        slots=None,
        host_count=None,
        utilization=None,
        quiet_response_seconds=None,
        hosts=NO_HOSTS,
    )
