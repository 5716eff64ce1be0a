"""Retry chains and crash loops of a period, as the actor's organization may know them. Needs its
scope.
"""

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Final

from apps.fleet.access import access_cluster, parts_in
from apps.fleet.models import ParticipationRole
from apps.fleet.sessions.attempt_times import AttemptTimes
from apps.incidents.projection.counted_incidents import CountedIncident
from apps.reliability.facade.periods import scope_of
from apps.reliability.period.facts import PeriodFacts
from apps.reliability.period.read import period_facts
from apps.reliability.period.retries import runs_of
from apps.reliability.period.scopes import Audience, PeriodScope
from apps.tenancy.access import Actor, Right
from apps.training.retries.attempt_runs import AttemptRun
from apps.training.retries.chains import ChainOutcome, RetryChain, chains_of
from apps.training.retries.crash_loops import ChainAdvice, CrashLoop, chain_advice, crash_loop
from apps.training.retries.lineages import lineages
from apps.training.retries.retry_rates import RetryRates, retry_rates

RUNS: Final = {ParticipationRole.OPERATOR, ParticipationRole.PLATFORM}


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedChain:
    """A chain, of which sessions it is, and what speaks against another start as it was.

    Where `is_known` is false the reader does not know what became of it: its steps are others'.
    Advice and loop are given with the last chain of a job's starts.
    """

    chain: RetryChain
    is_known: bool
    is_own: bool
    is_counted: bool  # in the shares: else those that finished would be counted, and no others
    cluster: str
    sessions: tuple[str, ...]  # public ids, in order
    loop: CrashLoop | None = None
    advice: tuple[ChainAdvice, ...] = ()
    incidents: tuple[str, ...] = ()  # of its attempts, that the reader may open


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainList:
    """The chains whose stop lies in a period, the newest first, and how often they recover."""

    scope: PeriodScope
    chains: tuple[ListedChain, ...]
    rates: RetryRates  # of those that are known and over
    unknown_count: int
    reads_sessions: bool  # vendors read none
    left_out_count: int


def retry_scope(*, actor: Actor, cluster: str = "", first_day: date, last_day: date) -> PeriodScope:
    """Return of whom chains are listed: of a cluster that the organization runs all, else its own.

    Raises BadPeriod, and NotFound for a cluster in which it has no part.
    """
    parts = (
        {
            row.part
            for row in parts_in(actor=actor, cluster=access_cluster(actor=actor, slug=cluster))
        }
        if cluster
        else set()
    )
    return scope_of(
        actor=actor,
        audience=Audience.CLUSTER if parts & RUNS else Audience.OWN,
        cluster=cluster or None,
        first_day=first_day,
        last_day=last_day,
    )


def chains_in_period(*, actor: Actor, scope: PeriodScope, now: datetime) -> ChainList:
    """Return the chains of a period. Raises NotFound for a cluster without a part in it."""
    actor.require(Right.READ)
    facts = period_facts(actor=actor, scope=scope, now=now, with_times=False)
    found = list(_listed(facts))
    found.sort(key=lambda each: (each.chain.stopped.ends_at or now, each.sessions), reverse=True)
    counted = [each.chain for each in found if each.is_counted]
    over = sum(each.chain.outcome is not ChainOutcome.GOES_ON for each in found)
    rates = retry_rates(counted)
    return ChainList(
        scope=scope,
        chains=tuple(found),
        rates=rates,
        unknown_count=over - rates.automatic.recovered.n - rates.manual.recovered.n,
        reads_sessions=facts.reads_sessions,
        left_out_count=facts.left_out_count,
    )


def _listed(facts: PeriodFacts) -> Iterator[ListedChain]:
    scope = facts.scope
    times = {each.times.name: each.times for each in facts.attempts}
    incidents = _incidents(facts.incidents)
    told = {each.times.name for each in facts.attempts if each.measure and each.measure.is_told}
    for line in lineages(runs_of(facts)):
        chains = chains_of(line, now=facts.now)
        for chain in chains:
            ends_at = chain.stopped.ends_at
            if ends_at is not None and scope.starts_at <= ends_at < scope.ends_at:
                is_last = chain is chains[-1]
                yield _with_advice(
                    _chain(chain, told, times, incidents, scope.organization.id),
                    line if is_last else (),
                    facts.now,
                )


def _chain(
    chain: RetryChain,
    told: Collection[str],
    times: dict[str, AttemptTimes],
    incidents: Mapping[int, Sequence[str]],
    own_id: int,
) -> ListedChain:
    attempts = [times[run.name] for run in _runs(chain)]
    is_told = chain.retries[-1].run.name in told
    return ListedChain(
        chain=chain,
        is_known=chain.is_known and (is_told or chain.outcome is not ChainOutcome.GAVE_UP),
        is_own=attempts[0].owner_id == own_id,
        is_counted=is_told and chain.is_known,
        cluster=attempts[0].cluster,
        sessions=tuple(dict.fromkeys(each.session for each in attempts)),
        incidents=tuple(
            dict.fromkeys(found for each in attempts for found in incidents.get(each.id, ()))
        ),
    )


def _with_advice(listed: ListedChain, line: Sequence[AttemptRun], now: datetime) -> ListedChain:
    if not line:
        return listed
    advice = tuple(chain_advice(line, now=now))
    return replace(listed, loop=crash_loop(line, now=now), advice=advice)


def _runs(chain: RetryChain) -> list[AttemptRun]:
    return [chain.stopped, *(retry.run for retry in chain.retries)]


def _incidents(found: Sequence[CountedIncident]) -> Mapping[int, Sequence[str]]:
    """Return attempt id → incidents that hit it, the oldest first: also those that hit others."""
    by_attempt: dict[int, list[str]] = defaultdict(list)
    for incident in found:
        own = {incident.attempt_id} if incident.attempt_id is not None else set()
        for attempt_id in own | incident.attempt_ids:
            by_attempt[attempt_id].append(incident.public_id)
    return by_attempt
