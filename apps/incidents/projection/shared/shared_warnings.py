"""Warnings that other parties' metrics raised, as far as they show them.

A warning has no incident: which of a cluster concern a reader, its own sessions and the rules say.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from apps.diagnosis.model import statement, statement_json
from apps.fleet.access import access_clusters
from apps.fleet.models import Attempt, Cluster, Participation, Session
from apps.fleet.parties.participants import answered_layers
from apps.incidents.projection.rights import SEES_SESSIONS
from apps.incidents.projection.shared.handed_out import HandedOut
from apps.incidents.projection.shared.holder_scope import holder_scope
from apps.incidents.projection.shared.shared_access import SharedAccess, shown_as
from apps.incidents.projection.shared_values import SharedWarning
from apps.sharing.grant_values import BESIDE_SESSION, Grant, ReaderPlace, SessionSpan, SharedThing
from apps.sharing.grants import grants_to, rule_for
from apps.sharing.redactor import ReaderNames, Redactor
from apps.sharing.terms import Level, Place, SharingRule
from apps.telemetry.facade.warnings import EpisodeFilter
from apps.telemetry.metrics.warning_access import before_failure
from apps.telemetry.models import EarlyWarning
from apps.telemetry.values import EpisodeView, episode_view
from apps.tenancy.access import Actor, Right

FAMILY: Final = "warnings"
MINUTE: Final = timedelta(minutes=1)
LOOK_BACK: Final = timedelta(days=90)  # what is older is history, not a warning
MOST_READ: Final = 1000  # rows of a holder that are looked at for one page
MOST_SESSIONS: Final = 500  # of the reader, the newest: their hosts join


@dataclass(frozen=True, slots=True, kw_only=True)
class WarningFilter:
    """Which warnings are asked for. `until` is not included."""

    cluster: str | None = None
    is_page: bool | None = None
    layer: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    episode: EpisodeFilter | None = None  # looked at as the warning is shown


def shared_warnings(
    *, actor: Actor, wanted: WarningFilter, limit: int, now: datetime
) -> list[SharedWarning]:
    """Return what others show of their warnings, the newest first, at most `limit`.

    Needs the actor's scope.
    """
    actor.require(Right.READ)
    since = max(wanted.since or now - LOOK_BACK, now - LOOK_BACK)
    found: list[SharedWarning] = []
    clusters = access_clusters(actor=actor)
    if wanted.cluster is not None:
        clusters = clusters.filter(slug=wanted.cluster)
    for cluster in clusters:
        grants = grants_to(reader=actor.organization, cluster_id=cluster.pk, now=now)
        telling = [each for each in grants.values() if each.speaks_of(FAMILY)]
        if not telling:
            continue
        place, names = looks_from(actor, cluster, since=since)
        for grant in telling:
            rows = EarlyWarning.objects.filter(cluster=cluster, raised_at__gte=since)
            none = Session.objects.none().values("pk")
            hides = Redactor(grant=grant, cluster_id=cluster.pk, reader=names, hit=none)
            with holder_scope(grant=grant, redactor=hides) as redactor:
                told = _told(rows, grant, wanted)
                shown = _shown(told, grant=grant, place=place, redactor=redactor, now=now)
                asked = (each for each in shown if _is_asked(each, wanted))
                found += [each for each, _ in zip(asked, range(limit), strict=False)]
    found.sort(key=lambda each: (each.episode.raised_at, each.episode.id), reverse=True)
    return found[:limit]


def _is_asked(shown: SharedWarning, wanted: WarningFilter) -> bool:
    """Say whether a warning is asked for by what is shown of it: of a signal, its minute."""
    at, since, until = shown.episode.raised_at, wanted.since, wanted.until
    if (since is not None and at < since) or (until is not None and at >= until):
        return False
    return wanted.episode is None or wanted.episode.holds(shown.episode)


def shared_warnings_before(
    *, access: SharedAccess, parts: Sequence[Mapping[str, Any]], failed_at: datetime
) -> list[SharedWarning]:
    """Return what others show of their warnings on the blamed parts before they failed."""
    found: list[SharedWarning] = []
    for grant in access.grants:
        if not grant.speaks_of(FAMILY):
            continue
        with access.held_by(grant) as redactor:
            rows = EarlyWarning.objects.for_organization(grant.holder.id)
            told = before_failure(
                rows=rows.filter(cluster=access.incident.cluster_id),
                parts=parts,
                failed_at=failed_at,
            )
            shown = _shown(told, grant=grant, place=access.place, redactor=redactor, now=access.now)
            for each in shown:
                hand_out_warning(access.handed_out, each)
                found.append(each)
    return sorted(found, key=lambda each: (each.episode.raised_at, each.episode.id))


def hand_out_warning(handed_out: HandedOut, warning: SharedWarning) -> None:
    """Take what of a warning is shown, for the ledger."""
    shown = warning.episode
    told = (shown.public_id, shown.entity, shown.statement, shown.raised_at, shown.ends_at)
    handed_out.add(
        warning.shared, f"{FAMILY}:{shown.layer}", *told, shown.hosts, shown.contributions
    )


def _told(rows: Any, grant: Grant, wanted: WarningFilter) -> Iterator[EarlyWarning]:
    """Return the holder's rows that are asked for, the newest first, not without an end."""
    until = wanted.until and wanted.until + MINUTE  # further than is shown: that is looked at then
    named = {"is_page": wanted.is_page, "layer": wanted.layer, "raised_at__lt": until}
    asked = {column: value for column, value in named.items() if value is not None}
    own = rows.filter(organization=grant.holder.id, **asked).select_related("cluster")
    yield from own.order_by("-raised_at", "-id")[:MOST_READ].iterator(chunk_size=100)


def _shown(
    rows: Iterator[EarlyWarning] | Sequence[EarlyWarning],
    *,
    grant: Grant,
    place: ReaderPlace,
    redactor: Redactor,
    now: datetime,
) -> Iterator[SharedWarning]:
    for row in rows:
        thing = SharedThing(
            data=f"{FAMILY}:{row.layer}",
            host=row.host,
            at=row.raised_at,
            seen_on=frozenset(() if row.host else row.hosts),
        )
        rule = rule_for(grant=grant, thing=thing, reader=place, now=now)
        if rule is not None:
            episode = _as_shown(row, rule, place, redactor)
            yield SharedWarning(episode=episode, shared=shown_as(grant, rule))


def _as_shown(
    row: EarlyWarning, rule: SharingRule, place: ReaderPlace, redactor: Redactor
) -> EpisodeView:
    if rule.level is Level.SIGNAL:
        return _signal(row)
    # What many hosts show is cut to those by which the reader may read of it at all.
    known = None if rule.where is not Place.OWN_SESSIONS else _hosts_at(place, row.raised_at)
    level = rule.level
    plain = episode_view(row)
    return EpisodeView(
        **_unchanged(plain),
        public_id=plain.public_id,
        entity=redactor.fact(plain.entity, level) or {},
        host=redactor.host(plain.host, level) if plain.host else "",
        starts_at=plain.starts_at,
        raised_at=plain.raised_at,
        told_at=plain.told_at,
        ends_at=plain.ends_at,
        families=plain.families,
        hosts=[redactor.host(each, level) for each in plain.hosts if _is_known(each, known)],
        causes=plain.causes,
        statement=redactor.statement(plain.statement, level)
        if plain.statement
        else plain.statement,
        contributions=[
            redactor.fact(each, level) or {}
            for each in plain.contributions
            if _is_known(str((each.get("entity") or {}).get("host") or ""), known)
        ],
    )


def _signal(row: EarlyWarning) -> EpisodeView:
    """Return that there was one, of which layer, in which minute."""
    plain = episode_view(row)
    told = statement("shown-as-signal", layer=plain.layer or "unknown")
    minute = plain.raised_at.replace(second=0, microsecond=0)
    return EpisodeView(
        **_unchanged(plain),
        public_id="",
        entity={"kind": ""},
        host="",
        starts_at=minute,
        raised_at=minute,
        told_at=minute,
        ends_at=plain.ends_at.replace(second=0, microsecond=0) if plain.ends_at else None,
        families=[],
        hosts=[],
        causes=[],
        statement=statement_json(told),
        contributions=[],
    )


def _unchanged(plain: EpisodeView) -> dict[str, Any]:
    kept = ("id", "cluster", "layer", "score", "is_page", "is_fatal", "is_simulated")
    return {name: getattr(plain, name) for name in (*kept, "withdrawn_at")}


def _is_known(host: str, known: frozenset[str] | None) -> bool:
    return known is None or not host or host in known


def _hosts_at(place: ReaderPlace, at: datetime) -> frozenset[str]:
    return frozenset[str]().union(
        *(each.hosts for each in place.sessions if each.covers(host="", at=at))
    )


def looks_from(
    actor: Actor, cluster: Cluster, *, since: datetime
) -> tuple[ReaderPlace, ReaderNames]:
    """Return where the reader's own sessions ran in a cluster, and what it calls by name."""
    own = Participation.objects.for_organization(actor.organization)
    rows = list(own.filter(cluster=cluster))
    parts = frozenset(str(row.part) for row in rows)
    layers = answered_layers(parts=parts, layers=[layer for row in rows for layer in row.layers])
    sessions = tuple(_spans(actor, cluster, since=since))
    return (
        ReaderPlace(layers=layers, sessions=sessions),
        ReaderNames(
            parts=parts,
            hosts=frozenset[str]().union(*(each.hosts for each in sessions)),
            knows_all_hosts=bool(parts & (SEES_SESSIONS - {"tenant"})),
        ),
    )


def _spans(actor: Actor, cluster: Cluster, *, since: datetime) -> Iterator[SessionSpan]:
    # Only who runs the cluster says where it ran: others' facts don't join through a claim.
    own = Attempt.objects.for_organization(actor.organization).filter(
        session__cluster=cluster, hosts_asserted=True
    )
    rows = own.exclude(ended_at__lt=since - BESIDE_SESSION).order_by("-id")
    columns = ("pk", "hosts", "started_at", "ended_at")
    for pk, hosts, starts_at, ends_at in rows.values_list(*columns)[:MOST_SESSIONS]:
        yield SessionSpan(
            attempt_id=pk, hosts=frozenset(hosts), starts_at=starts_at, ends_at=ends_at
        )
