"""What is read of a cluster to see who fails again: once for all of its nodes."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from apps.fleet.exclusions.exclusion_values import (
    ExcludedTime,
    ExclusionView,
    excluded_times,
)
from apps.fleet.facade.exclusions import exclusions_in
from apps.fleet.facade.nodes import NodeScope, host_spellings, known_hosts, run_sizes
from apps.fleet.values import RunSize
from apps.incidents.facade.nodes import blamed_incidents
from apps.incidents.recurrence.blamed_incidents import BlamedIncident, BlamedIncidents, HostInFull
from apps.telemetry.facade.node_errors import xids_by_host
from apps.tenancy.access import Actor
from apps.training.offenders.lemons import LemonScore, LemonSignal, NodeRecord, lemon_scores

OF_XIDS: Final = frozenset({LemonSignal.XIDS})
OF_SIZES: Final = frozenset(
    {
        LemonSignal.MULTI_NODE_FAILURES,
        LemonSignal.SINGLE_NODE_FAILURES,
        LemonSignal.SINGLE_NODE_FAILURE_RATE,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterFacts:
    """Exclusions and incidents of a span, and the nodes that the reader knows of."""

    scope: NodeScope
    since: datetime
    until: datetime
    hosts: frozenset[str]
    spellings: Mapping[str, str]  # of hosts, by which they were joined
    blamed: BlamedIncidents
    exclusions: Sequence[ExclusionView]
    excluded: Sequence[ExcludedTime]


def read_cluster(
    *,
    actor: Actor,
    scope: NodeScope,
    since: datetime,
    until: datetime,
    now: datetime,
    whole: HostInFull | None = None,
) -> ClusterFacts:
    """Return what the actor may know of a cluster in a span. Needs its scope."""
    blamed = blamed_incidents(
        actor=actor, cluster_id=scope.cluster.id, since=since, until=until, whole=whole
    )
    of_incidents = {host for each in blamed.incidents for host in each.hosts}
    exclusions = exclusions_in(
        actor=actor,
        scope=scope,
        since=since,
        until=until,
        now=now,
        known_hosts=of_incidents,
    )
    told = {each.host for each in exclusions}
    spellings = host_spellings(actor=actor, scope=scope)
    return ClusterFacts(
        scope=scope,
        since=since,
        until=until,
        hosts=known_hosts(actor=actor, scope=scope, spellings=spellings) | of_incidents | told,
        spellings=spellings,
        blamed=blamed,
        exclusions=exclusions,
        excluded=excluded_times(exclusions),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredNodes:
    """The scores of all nodes over a window, highest first."""

    scores: tuple[LemonScore, ...]
    single_node_jobs: Mapping[str, int]
    has_xids: bool
    has_sizes: bool  # the reader knows of some job on how many nodes it ran


def score_nodes(
    *, actor: Actor, facts: ClusterFacts, since: datetime, until: datetime
) -> ScoredNodes:
    """Return the lemon scores of a cluster's nodes over a window inside the facts' span."""
    xids = xids_by_host(actor=actor, cluster_id=facts.scope.cluster.id, since=since, until=until)
    sizes = run_sizes(actor=actor, scope=facts.scope, since=since, until=until)
    incidents = [each for each in facts.blamed.incidents if since <= each.moment < until]
    single = {each.attempt_id: each.host for each in sizes if each.host_count == 1}
    several = {each.attempt_id for each in sizes if each.host_count > 1}
    jobs = {
        (each.host, _job_of(each))
        for each in facts.exclusions
        if each.is_of_job and since <= each.starts_at < until
    }
    out = [each.host for each in facts.excluded if since <= each.starts_at < until]
    counted = _Counted(
        left_out_by_jobs=Counter(host for host, _ in jobs),
        xids=xids,
        tickets=_count(incidents, lambda each: each.ticket_count),
        taken_out=Counter(out),
        multi_node=_count(incidents, lambda each: _hit_several(each, several)),
        single_node=_count(incidents, lambda each: _is_single(each, single)),
        single_node_jobs=Counter(single.values()),
    )
    records = [counted.record(host) for host in sorted(facts.hosts)]
    return ScoredNodes(
        scores=tuple(lemon_scores(records, unknown=_unknown(has_xids=bool(xids), sizes=sizes))),
        single_node_jobs=counted.single_node_jobs,
        has_xids=bool(xids),
        has_sizes=bool(sizes),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Counted:
    """Host → how many, by signal."""

    left_out_by_jobs: Mapping[str, int]
    xids: Mapping[str, int]
    tickets: Mapping[str, int]
    taken_out: Mapping[str, int]
    multi_node: Mapping[str, int]
    single_node: Mapping[str, int]
    single_node_jobs: Mapping[str, int]

    def record(self, host: str) -> NodeRecord:
        """Return what became of a node."""
        return NodeRecord(
            node=host,
            excluded_by_jobs=self.left_out_by_jobs.get(host, 0),
            xids=self.xids.get(host, 0),
            tickets=self.tickets.get(host, 0),
            taken_out=self.taken_out.get(host, 0),
            multi_node_failures=self.multi_node.get(host, 0),
            single_node_failures=self.single_node.get(host, 0),
            single_node_jobs=self.single_node_jobs.get(host, 0),
        )


def _job_of(exclusion: ExclusionView) -> str:
    """Return the job that left a node out. All that a tenant claims of its own is one.

    Jobs that nobody else told of can be made up by the hundred, to give a node a bad name.
    """
    if exclusion.is_claimed and exclusion.teller is not None:
        return f"claimed by {exclusion.teller.slug}"
    return exclusion.session


def _count(
    incidents: Sequence[BlamedIncident], worth: Callable[[BlamedIncident], int]
) -> Counter[str]:
    found: Counter[str] = Counter()
    for each in incidents:
        for host in each.hosts:
            found[host] += int(worth(each))
    return found


def _unknown(*, has_xids: bool, sizes: Sequence[RunSize]) -> frozenset[LemonSignal]:
    """Return the signals that the reader can't count: vendors read no jobs, who has no kernel log
    no Xid. None of them is zero.
    """
    return (frozenset() if has_xids else OF_XIDS) | (frozenset() if sizes else OF_SIZES)


def _hit_several(incident: BlamedIncident, several: Collection[int]) -> bool:
    """Say whether it hit a job of which the reader knows that it ran on several nodes."""
    return any(each.id in several for each in incident.attempts)


def _is_single(incident: BlamedIncident, single: Mapping[int, str]) -> bool:
    """Say whether it hit jobs of one node alone."""
    hit = incident.attempts
    return bool(hit) and all(each.id in single for each in hit)
