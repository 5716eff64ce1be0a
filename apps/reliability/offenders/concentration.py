"""How unevenly exclusions, and incidents that blame nodes, lie on a cluster's nodes."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import lru_cache
from typing import Final

from apps.fleet.exclusions.exclusion_values import ExcludedTime
from apps.reliability.offenders.cluster_facts import ClusterFacts
from apps.training.offenders.exclusions import Concentration, Exclusion, concentrations

# Of fewer nothing can be said of how uneven they are.
LEAST: Final = 5
MOST_CAUSES: Final = 6


def of_exclusions(facts: ClusterFacts, *, since: datetime) -> Sequence[Concentration]:
    """Return how uneven exclusions since an instant are: of any cause, then of each told one.

    Time in which a node was left out for everybody counts once, a job that left it out once.
    """
    causes = {each.public_id: each.cause for each in facts.blamed.incidents}
    nodes = [
        Exclusion(node=each.host, session="", at=each.starts_at, cause=_cause(each, causes))
        for each in facts.excluded
        if each.starts_at >= since
    ]
    jobs = [
        Exclusion(node=each.host, session=each.session, at=each.starts_at, cause=each.cause)
        for each in facts.exclusions
        if each.is_of_job and each.starts_at >= since
    ]
    return _concentrations([*nodes, *jobs], facts)


def of_incidents(facts: ClusterFacts, *, since: datetime) -> Sequence[Concentration]:
    """Return how uneven incidents since an instant are; one of two nodes counts for each."""
    return _concentrations(
        [
            Exclusion(node=host, session=each.public_id, at=each.moment, cause=each.cause)
            for each in facts.blamed.incidents
            if each.moment >= since
            for host in each.hosts
        ],
        facts,
    )


def _concentrations(found: Sequence[Exclusion], facts: ClusterFacts) -> Sequence[Concentration]:
    causes = Counter(each.cause for each in found if each.cause)
    frequent = {cause for cause, count in causes.most_common(MOST_CAUSES) if count >= LEAST}
    kept = [each if each.cause in frequent else replace(each, cause="") for each in found]
    return _worked_out(frozenset(kept), frozenset(facts.hosts))


@lru_cache(maxsize=64)
def _worked_out(exclusions: frozenset[Exclusion], hosts: frozenset[str]) -> Sequence[Concentration]:
    """Return what the same facts always give: a bootstrap takes a moment."""
    return tuple(concentrations(exclusions, nodes=hosts))


def _cause(time: ExcludedTime, causes: Mapping[str, str]) -> str:
    """Return the cause that was told first, or that of the incident that was named."""
    told = (each.cause or causes.get(each.incident, "") for each in time.parts)
    return next((cause for cause in told if cause), "")
