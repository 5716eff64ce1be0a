"""What an organization may know of a period, read at once. Needs its scope."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from apps.diagnosis.model import EndState
from apps.fleet.access import access_cluster
from apps.fleet.models import Cluster
from apps.fleet.sessions.attempt_times import MOST_ATTEMPTS, AttemptTimes, attempt_times
from apps.incidents.projection.counted_incidents import CountedIncident, counted_incidents
from apps.incidents.projection.shared.shared_progress import recorded_progress
from apps.reliability.period.facts import (
    MeasuredAttempt,
    PeriodAttempt,
    PeriodFacts,
    SessionOwner,
)
from apps.reliability.period.measured import MeasuredSessions
from apps.reliability.period.readership import Readership, readership_of
from apps.reliability.period.scopes import Audience, PeriodScope
from apps.reliability.period.shown_progress import (
    AskedProgress,
    PeriodProgress,
    read_progress,
    shown_progress,
    tells_saves,
    together,
)
from apps.reliability.sessions.attempt_facts import end_state
from apps.sharing.ledger_kinds import LedgerChannel
from apps.tenancy.access import Actor
from apps.tenancy.models import Organization
from apps.tenancy.values import name_of

# What follows a stop may begin after the period's end.
FOLLOWS: Final = timedelta(days=1)


def period_facts(
    *,
    actor: Actor,
    scope: PeriodScope,
    now: datetime,
    channel: LedgerChannel | None = None,
    host: str | None = None,
    with_times: bool = True,
) -> PeriodFacts:
    """Return what is known of a period and of as long a time before.

    Without a channel nothing that others show. For the cost of one host nothing is measured but of
    what stopped or slowed down by it. Who asks what each attempt did, and not what its time went
    into, leaves out the times: hours, uses and paces. Raises NotFound, LedgerUnavailable.
    """
    cluster = _cluster_in(actor, scope)
    readership = readership_of(actor=actor, scope=scope, cluster=cluster)
    before = _before(scope)
    reads_measures = readership.reads_sessions and scope.audience is not Audience.JOINT
    times = _times(actor, scope, readership, before)
    incidents = _incidents(actor, scope, readership, times, now, host)
    asked = AskedProgress(
        scope=scope,
        before=before,
        attempts=None if host is None else _hit_by(incidents, host),
        with_times=with_times and host is None,
    )
    progress = (
        _progress(actor, cluster, asked, times, channel, now)
        if reads_measures
        else PeriodProgress()
    )
    owners = _owners(actor, scope, times, progress)
    is_joint = scope.audience is Audience.JOINT
    return PeriodFacts(
        scope=scope,
        now=now,
        attempts=_attempts(times, progress.measures, now),
        incidents=incidents,
        uses=progress.uses,
        uses_before=progress.uses_before,
        hours=progress.hours,
        measured_until=progress.until,
        reads_sessions=readership.reads_sessions,
        reads_measures=reads_measures,
        hides_steps=is_joint or any(each.shown is None for each in owners),
        hides_saves=is_joint
        or any(each.shown is None or not tells_saves(each.shown) for each in owners),
        left_out_count=max(0, len(times) - MOST_ATTEMPTS + 1) if len(times) >= MOST_ATTEMPTS else 0,
        sessions_absence=readership.absence,
        paces=progress.paces,
        shown=progress.shown,
        owners=owners,
    )


def _before(scope: PeriodScope) -> datetime:
    """Return when as long a time before the period began."""
    return scope.starts_at - (scope.ends_at - scope.starts_at)


def _cluster_in(actor: Actor, scope: PeriodScope) -> Cluster | None:
    """Return the cluster of a scope, through the door. Raises NotFound without a part in it."""
    return access_cluster(actor=actor, slug=scope.cluster.slug) if scope.cluster else None


def _progress(
    actor: Actor,
    cluster: Cluster | None,
    asked: AskedProgress,
    times: Sequence[AttemptTimes],
    channel: LedgerChannel | None,
    now: datetime,
) -> PeriodProgress:
    """Return how the reader's own sessions got on, and those of others as far as they show it."""
    own_id, scope = actor.organization.pk, asked.scope
    own = read_progress(
        of=MeasuredSessions(organization_id=own_id),
        asked=asked,
        measured=[each.id for each in times if each.owner_id == own_id],
    )
    if scope.audience is not Audience.CLUSTER or cluster is None:
        return own
    with recorded_progress(actor=actor, cluster=cluster, channel=channel, now=now) as access:
        others = shown_progress(access=access, asked=asked, times=times)
    return together([own, *others])


def _hit_by(incidents: Iterable[CountedIncident], host: str) -> set[int]:
    blaming = (each for each in incidents if host in (each.hosts or ()))
    return {attempt_id for each in blaming for attempt_id in each.attempt_ids}


def _owners(
    actor: Actor, scope: PeriodScope, times: Sequence[AttemptTimes], progress: PeriodProgress
) -> list[SessionOwner]:
    """Return the other parties whose sessions ran in the period, by name."""
    sessions: defaultdict[int, set[str]] = defaultdict(set)
    for each in times:
        if each.owner_id != actor.organization.pk:
            sessions[each.owner_id].add(each.session)
    if not sessions or scope.audience is not Audience.CLUSTER:
        return []
    shown = {shared.holder.id: shared for shared in progress.shown.values()}
    named = Organization.objects.in_bulk(sessions)
    return sorted(
        (
            SessionOwner(
                organization=name_of(named[key]), session_count=len(ran), shown=shown.get(key)
            )
            for key, ran in sessions.items()
        ),
        key=lambda each: each.organization.name,
    )


def _times(
    actor: Actor, scope: PeriodScope, readership: Readership, before: datetime
) -> list[AttemptTimes]:
    if not readership.reads_sessions:
        return []
    return attempt_times(
        actor=actor,
        cluster=scope.cluster.slug if scope.cluster else None,
        since=before - FOLLOWS,
        until=scope.ends_at + FOLLOWS,
        with_simulated=scope.with_simulated,
        owners=readership.owners,
    )


def _attempts(
    times: Sequence[AttemptTimes], measures: Mapping[int, MeasuredAttempt], now: datetime
) -> list[PeriodAttempt]:
    ordered = sorted(times, key=lambda each: (each.session, each.started_at, each.number))
    following: Sequence[AttemptTimes | None] = [*ordered[1:], None]
    found = []
    for this, after in zip(ordered, following, strict=False):
        next_at = after.started_at if after and after.session == this.session else None
        ends_at = this.ended_at or next_at
        runs = ends_at is None and end_state(this.state) is EndState.RUNNING
        found.append(
            PeriodAttempt(
                times=this,
                ends_at=ends_at or (max(now, this.started_at) if runs else this.started_at),
                is_endless=ends_at is None and not runs,
                next_at=next_at,
                measure=measures.get(this.id),
            )
        )
    return sorted(found, key=lambda each: (each.times.started_at, each.times.id))


def _incidents(
    actor: Actor,
    scope: PeriodScope,
    readership: Readership,
    times: Sequence[AttemptTimes],
    now: datetime,
    host: str | None,
) -> list[CountedIncident]:
    found = counted_incidents(
        actor=actor,
        since=_before(scope),
        until=scope.ends_at,
        cluster_id=scope.cluster.id if scope.cluster else None,
        with_simulated=scope.with_simulated,
        read_by=readership.parties,
        host=host,
        now=now,
    )
    own_id = actor.organization.pk
    if scope.audience is Audience.OWN:
        hit = {each.id for each in times}
        return [each for each in found if each.owner_id == own_id or each.attempt_ids & hit]
    if readership.reads_sessions or scope.audience is Audience.JOINT:
        return found
    return [each for each in found if own_id in {party.id for party in each.answering}]
