"""Nodes that fail again: of a cluster, and one by one. Needs the actor's scope."""

from collections import Counter
from datetime import datetime
from itertools import islice
from typing import Final

from django.db.models import Q

from apps.diagnosis.input_values import EARLIEST
from apps.fleet.changes.change_values import ChangeView
from apps.fleet.exclusions.exclusion_values import ExclusionView
from apps.fleet.facade import nodes
from apps.fleet.facade.exclusions import may_exclude
from apps.incidents.facade.cluster_changes import changes_of
from apps.incidents.facade.nodes import incidents_blaming
from apps.incidents.recurrence.blamed_incidents import HostInFull
from apps.reliability.offenders import concentration
from apps.reliability.offenders.cluster_facts import ClusterFacts, read_cluster, score_nodes
from apps.reliability.offenders.health_checks import check_calibration
from apps.reliability.offenders.node_cost import node_cost
from apps.reliability.offenders.values import (
    ClusterOffenders,
    HostTotals,
    NodeHistory,
)
from apps.sharing.ledger_kinds import LedgerChannel
from apps.telemetry.facade.warnings import list_episodes
from apps.tenancy.access import Actor, NotFound
from apps.training.offenders.hazard import hazards
from apps.training.offenders.lemons import WINDOW

# Of one node; a page shows no more.
MOST_INCIDENTS: Final = 20  # in full
MOST_WARNINGS: Final = 100
MOST_RUNS: Final = 200
MOST_CHANGES: Final = 100
LAST_INDEX: Final = 4  # of the hazard: all further ones stand together


def offenders_of(
    *, actor: Actor, cluster: str, since: datetime, until: datetime, now: datetime
) -> ClusterOffenders:
    """Return which nodes of a cluster fail again, as the actor may know. Raises NotFound."""
    scope = nodes.node_scope(actor=actor, cluster=cluster)
    lemons_since = until - WINDOW
    facts = read_cluster(
        actor=actor, scope=scope, since=min(since, lemons_since), until=until, now=now
    )
    scored = score_nodes(actor=actor, facts=facts, since=lemons_since, until=until)
    times = {
        host: [each.moment for each in facts.blamed.incidents if host in each.hosts]
        for host in facts.hosts
    }
    return ClusterOffenders(
        cluster=scope.cluster,
        since=since,
        until=until,
        reads_all=scope.runs,
        node_count=len(facts.hosts),
        hosts=_totals(facts, since, now),
        exclusions=concentration.of_exclusions(facts, since=since),
        incidents=concentration.of_incidents(facts, since=since),
        hazards=hazards(times, starts_at=since, ends_at=until, last_index=LAST_INDEX),
        lemons=tuple(each for each in scored.scores if each.score > 0),
        lemons_since=lemons_since,
        has_xids=scored.has_xids,
        has_sizes=scored.has_sizes,
        hidden_count=facts.blamed.hidden_count,
        is_cut=facts.blamed.is_cut,
        health_checks=check_calibration(actor=actor, scope=scope, since=since, until=until),
    )


def cluster_exclusions(
    *, actor: Actor, cluster: str, since: datetime, now: datetime
) -> tuple[ExclusionView, ...]:
    """Return the exclusions of a cluster as the actor may know, the newest first. Raises NotFound.

    A vendor reads of nodes that incidents blame on its layer.
    """
    scope = nodes.node_scope(actor=actor, cluster=cluster)
    facts = read_cluster(actor=actor, scope=scope, since=since, until=now, now=now)
    return tuple(facts.exclusions)


def node_history(
    *,
    actor: Actor,
    cluster: str,
    host: str,
    since: datetime,
    now: datetime,
    channel: LedgerChannel | None,
) -> NodeHistory:
    """Return what the actor may know of a node until now; without a channel nothing that others
    show. Raises NotFound where that is nothing, LedgerUnavailable.
    """
    scope = nodes.node_scope(actor=actor, cluster=cluster)
    window = now - WINDOW
    facts = read_cluster(
        actor=actor,
        scope=scope,
        since=min(since, window),
        until=now,
        now=now,
        whole=HostInFull(host=host, since=since, limit=MOST_INCIDENTS),
    )
    if host not in facts.hosts and not _was_blamed(actor, scope, host, now):
        raise NotFound
    scored = score_nodes(actor=actor, facts=facts, since=window, until=now)
    episodes = list_episodes(actor=actor, cluster=cluster, since=since)
    blamed = [each for each in facts.blamed.incidents if host in each.hosts]
    counted = [each for each in blamed if each.moment >= since]
    return NodeHistory(
        cluster=scope.cluster,
        host=host,
        since=since,
        until=now,
        reads_all=scope.runs,
        may_exclude=may_exclude(actor=actor, scope=scope),
        identity=nodes.node_identity(actor=actor, scope=scope, host=host),
        blamed=counted,
        incidents=facts.blamed.in_full,
        exclusions=tuple(each for each in facts.exclusions if each.host == host),
        changes=_changes(actor, cluster, host, since, now, channel),
        excluded=tuple(each for each in reversed(facts.excluded) if each.host == host),
        warnings=episodes.filter(Q(host=host))[:MOST_WARNINGS],
        runs=nodes.runs_on(
            actor=actor,
            scope=scope,
            host=host,
            since=since,
            until=now,
            limit=MOST_RUNS,
            spellings=facts.spellings,
        ),
        cost=node_cost(
            actor=actor, cluster=scope.cluster, host=host, since=since, now=now, channel=channel
        ),
        recent_count=sum(each.moment >= window for each in blamed),
        lemon=next((each for each in scored.scores if each.node == host and each.score), None),
        own_jobs=scored.single_node_jobs.get(host, 0),
        node_count=len(facts.hosts),
        has_xids=scored.has_xids,
        has_sizes=scored.has_sizes,
    )


def _changes(
    actor: Actor,
    cluster: str,
    host: str,
    since: datetime,
    now: datetime,
    channel: LedgerChannel | None,
) -> tuple[ChangeView, ...]:
    """Return changes of a node; one whose place is hidden is nobody's history."""
    found = changes_of(actor=actor, cluster=cluster, span=(since, now), now=now, channel=channel)
    touching = (each for each in found if not each.is_brief and each.may_touch({host}))
    return tuple(islice(touching, MOST_CHANGES))


def _was_blamed(actor: Actor, scope: nodes.NodeScope, host: str, now: datetime) -> bool:
    """Say whether any incident that the actor reads ever blamed a node."""
    found = incidents_blaming(
        actor=actor,
        cluster_id=scope.cluster.id,
        host=host,
        since=EARLIEST,
        until=now,
        limit=1,
    )
    return bool(found)


def _totals(facts: ClusterFacts, since: datetime, now: datetime) -> tuple[HostTotals, ...]:
    incidents = Counter(
        host for each in facts.blamed.incidents if each.moment >= since for host in each.hosts
    )
    out = Counter(each.host for each in facts.excluded if _reaches(each.ends_at, since))
    jobs = Counter(
        each.host for each in facts.exclusions if each.is_of_job and each.starts_at >= since
    )
    now_out = {each.host for each in facts.exclusions if each.is_in_force(now)}
    found = [
        HostTotals(
            host=host,
            incidents=incidents[host],
            taken_out=out[host],
            left_out_by_jobs=jobs[host],
            is_out=host in now_out,
        )
        for host in {*incidents, *out, *jobs}
    ]
    return tuple(sorted(found, key=lambda each: (-each.incidents, -each.taken_out, each.host)))


def _reaches(ends_at: datetime | None, since: datetime) -> bool:
    return ends_at is None or ends_at >= since
