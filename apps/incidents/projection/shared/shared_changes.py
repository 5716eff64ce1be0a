"""What other parties changed in a cluster, as far as they show it.

A rule for the reader's own sessions shows of the hosts that a change names those of these alone.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import Final

from apps.fleet.changes.change_rows import between, change_view
from apps.fleet.changes.change_values import ChangeView
from apps.fleet.models import Cluster, ClusterChange, Session
from apps.incidents.models import Incident
from apps.incidents.projection.shared.handed_out import HandedOut
from apps.incidents.projection.shared.holder_scope import holder_scope
from apps.incidents.projection.shared.hosts_in_words import without_hosts
from apps.incidents.projection.shared.shared_access import SharedAccess, shared_access, shown_as
from apps.incidents.projection.shared.shared_warnings import MINUTE, looks_from
from apps.incidents.projection.shared_values import SharedChange
from apps.sharing.grant_values import Grant, ReaderPlace, SharedThing
from apps.sharing.grants import grants_to, rule_for
from apps.sharing.redactor import Redactor
from apps.sharing.terms import Level, Place, SharingRule
from apps.tenancy.access import Actor, Right

Shown = dict[tuple[int, int], SharedChange]  # by holder and row: the rule that shows most
FAMILY: Final = "changes"


def shared_changes(
    *,
    actor: Actor,
    cluster: Cluster,
    since: datetime,
    until: datetime,
    now: datetime,
    incident: Incident | None = None,
) -> list[SharedChange]:
    """Return what others show of changes in a span, the newest first; `incident` is a party's own,
    around which more may be shown.

    Needs the actor's scope and a cluster that came through a door.
    """
    actor.require(Right.READ)
    found: Shown = {}
    grants = grants_to(reader=actor.organization, cluster_id=cluster.pk, now=now)
    telling = [each for each in grants.values() if each.speaks_of(FAMILY)]
    if telling:
        place, names = looks_from(actor, cluster, since=since)
        none = Session.objects.none().values("pk")
        for grant in telling:
            hides = Redactor(grant=grant, cluster_id=cluster.pk, reader=names, hit=none)
            with holder_scope(grant=grant, redactor=hides) as redactor:
                rows = _rows(grant, cluster, since, until)
                _take(found, _shown(rows, grant, place, redactor, now))
    if incident is not None:
        _take_around(found, actor, cluster, incident, (since, until))
    shown = (each for each in found.values() if _is_asked(each.change, since, until))
    return sorted(shown, key=lambda each: _place(each.change), reverse=True)


def _place(each: ChangeView) -> tuple[object, ...]:
    """Return its place by what is shown alone: of two signals of a minute none tells its second."""
    ends_at = each.ends_at or each.starts_at
    return (each.starts_at, each.teller.slug, each.kind, each.layer, ends_at)


def _is_asked(each: ChangeView, since: datetime, until: datetime) -> bool:
    """Say whether it lies in the span by what is shown of it: of a signal, its minutes."""
    return each.starts_at < until and max(each.starts_at, each.ends_at or each.starts_at) >= since


def hand_out_change(handed_out: HandedOut, shown: SharedChange) -> None:
    """Take what of a change is shown, for the ledger."""
    each = shown.change
    told = (each.id, each.kind, each.starts_at, each.ends_at, each.hosts, each.title)
    more = (each.before, each.after, each.reference, each.url, each.by)
    handed_out.add(shown.shared, f"{FAMILY}:{each.layer}", *told, *more)


def _take_around(
    found: Shown,
    actor: Actor,
    cluster: Cluster,
    incident: Incident,
    span: tuple[datetime, datetime],
) -> None:
    access = shared_access(actor=actor, incident=incident)
    if access is not None:
        _take_shown(found, access, cluster, span)


def changes_shown(
    access: SharedAccess, *, cluster: Cluster, span: tuple[datetime, datetime]
) -> list[ChangeView]:
    """Return what the grants of an incident's reader show of changes in a span."""
    found: Shown = {}
    _take_shown(found, access, cluster, span)
    return [each.change for each in found.values() if _is_asked(each.change, *span)]


def _take_shown(
    found: Shown, access: SharedAccess, cluster: Cluster, span: tuple[datetime, datetime]
) -> None:
    for grant in access.grants:
        if grant.speaks_of(FAMILY):
            with access.held_by(grant) as redactor:
                rows = _rows(grant, cluster, *span)
                # What a tenant beside others reads is of its own hosts, whatever the rule says.
                is_cut = access.own_attempts is not None
                _take(found, _shown(rows, grant, access.place, redactor, access.now, is_cut=is_cut))


def _take(found: Shown, fresh: Iterable[tuple[int, SharedChange]]) -> None:
    for pk, each in fresh:
        key = each.shared.holder.id, pk
        known = found.get(key)
        if known is None or known.shared.level.rank < each.shared.level.rank:
            found[key] = each


def _rows(
    grant: Grant, cluster: Cluster, since: datetime, until: datetime
) -> Iterable[ClusterChange]:
    # A minute more: of a signal its minute is shown, and asked for.
    # How many there are of other layers never tells, by what no longer fits among what is read.
    rows = between(
        organization_id=grant.holder.id,
        cluster=cluster,
        since=since,
        until=until + MINUTE,
        layers=grant.parts_of(FAMILY),
    )
    return rows.iterator(chunk_size=200)


def _shown(
    rows: Iterable[ClusterChange],
    grant: Grant,
    place: ReaderPlace,
    redactor: Redactor,
    now: datetime,
    *,
    is_cut: bool = False,
) -> Iterator[tuple[int, SharedChange]]:
    for row in rows:
        thing = SharedThing(
            data=f"{FAMILY}:{row.layer}", at=row.starts_at, seen_on=frozenset(row.hosts)
        )
        rule = rule_for(grant=grant, thing=thing, reader=place, now=now)
        if rule is None:
            continue
        whole = change_view(row, reader_id=grant.reader_id)
        cut = _cut(whole, place) if is_cut or rule.where is Place.OWN_SESSIONS else whole
        if cut is not None:
            change = _as_shown(cut, rule, redactor, named=row.hosts)
            yield row.pk, SharedChange(change=change, shared=shown_as(grant, rule))


def _cut(whole: ChangeView, place: ReaderPlace) -> ChangeView | None:
    """Return it with the hosts of the reader's sessions of that time; None where it is of others'.

    What is of the whole cluster stays so: that names no host.
    """
    running = [each for each in place.sessions if each.covers(host="", at=whole.starts_at)]
    if not running:
        return None
    if whole.is_everywhere:
        return whole
    known = frozenset[str]().union(*(each.hosts for each in running))
    hosts = tuple(each for each in whole.hosts or () if each in known)
    return replace(whole, hosts=hosts) if hosts else None


def _as_shown(
    each: ChangeView, rule: SharingRule, redactor: Redactor, *, named: Collection[str]
) -> ChangeView:
    """Return a change, cut already, as a rule shows it; `named` are all hosts that it is of."""
    level = rule.level
    if level is Level.SIGNAL:
        return _signal(each)
    is_whole = level is Level.FULL
    hidden = {*named} - {*(each.hosts or ())} if is_whole else named
    told = (each.title, each.before, each.after, each.reference, each.url, each.by)
    said = without_hosts(told, hidden=hidden, redactor=redactor)
    return replace(
        each,
        hosts=tuple(sorted(redactor.host(host, level) for host in each.hosts or ())),
        title=redactor.text(said(each.title), level),
        before=redactor.text(said(each.before), level),
        after=redactor.text(said(each.after), level),
        # Names of people, tickets and addresses of the holder's own.
        reference=said(each.reference) if is_whole else "",
        url=each.url if is_whole and said(each.url) == each.url else "",  # or it leads nowhere
        by=said(each.by) if is_whole else "",
    )


def _signal(each: ChangeView) -> ChangeView:
    """Return that there was one, of which kind and layer, in which minutes."""
    ends_at = each.ends_at
    return ChangeView(
        id="",
        teller=each.teller,
        is_own=False,
        kind=each.kind,
        layer=each.layer,
        starts_at=each.starts_at.replace(second=0, microsecond=0),
        ends_at=ends_at.replace(second=0, microsecond=0) if ends_at else None,
    )
