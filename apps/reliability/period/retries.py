"""Chains of retries that began in a period."""

from collections.abc import Sequence

from apps.incidents.projection.counted_incidents import CountedIncident
from apps.reliability.period.facts import PeriodAttempt, PeriodFacts
from apps.reliability.period.failures import STOP
from apps.reliability.period.scopes import (
    Absence,
    CountedKind,
    Figure,
    absent,
    counted,
)
from apps.reliability.period.values import RetryCounts
from apps.reliability.sessions.attempt_facts import end_state
from apps.training.retries.attempt_runs import AttemptRun
from apps.training.retries.chains import ChainOutcome, RetryChain, retry_chains
from apps.training.retries.retry_rates import retry_rates

SECOND_MS = 1000


def retry_counts(facts: PeriodFacts) -> RetryCounts:
    """Return how often chains of a period recovered; what is not known is in no share."""
    chains = chains_in(facts)
    told = {each.times.name for each in facts.attempts if each.measure and each.measure.is_told}
    # Of others one sees which finished, and not which went on: a share of those would be too good.
    known = [each for each in chains if each.is_known and each.retries[-1].run.name in told]
    rates = retry_rates(known)
    unknown = sum(each.outcome is not ChainOutcome.GOES_ON for each in chains) - sum(
        each.outcome is not ChainOutcome.GOES_ON for each in known
    )
    has_both = rates.automatic.recovered.n and rates.manual.recovered.n
    return RetryCounts(
        automatic=rates.automatic.recovered,
        manual=rates.manual.recovered,
        fisher_p=rates.p_value if has_both else None,
        burnt_gpu_hours=_burnt(facts, known),
        longest=max((len(each.retries) for each in chains), default=0)
        if facts.reads_sessions
        else None,
        unknown_count=unknown if facts.reads_sessions else None,
        counted=counted(CountedKind.SESSIONS, [each.stopped.session for each in chains])
        if facts.reads_sessions
        else None,
    )


def chains_in(facts: PeriodFacts) -> list[RetryChain]:
    """Return the chains whose stop lies in the period."""
    runs = runs_of(facts)
    scope = facts.scope
    return [
        chain
        for chain in retry_chains(runs, now=facts.now)
        if chain.stopped.ends_at and scope.starts_at <= chain.stopped.ends_at < scope.ends_at
    ]


def runs_of(facts: PeriodFacts) -> list[AttemptRun]:
    """Return the attempts of a period and of the time before, as retries ask."""
    stops = {each.attempt_id: each for each in facts.incidents if each.kind == STOP}
    return [_run(each, stops.get(each.times.id)) for each in facts.attempts]


def _burnt(facts: PeriodFacts, chains: Sequence[RetryChain]) -> Figure:
    if not facts.reads_sessions:
        return absent(facts.sessions_absence)
    if not chains:
        return absent(Absence.NOTHING)
    burnt = [each.burnt_gpu_hours for each in chains if each.burnt_gpu_hours is not None]
    if not burnt:
        return absent(Absence.NOT_TOLD, n=len(chains))
    return Figure(value=sum(burnt), n=len(chains), is_at_least=len(burnt) < len(chains))


def _run(one: PeriodAttempt, stop: CountedIncident | None) -> AttemptRun:
    times, measure = one.times, one.measure
    stepped = measure.stepping_ms if measure else None
    return AttemptRun(
        name=times.name,
        job=times.job,
        project=times.project,
        owner=str(times.owner_id),
        session=times.session,
        number=times.number,
        starts_at=times.started_at,
        ends_at=times.ended_at,
        end=end_state(times.state),
        hosts=times.hosts,
        gpus=times.gpus or 0,
        last_step=measure.last_step if measure else None,
        checkpoint_step=measure.saved_step if measure else None,
        stepping_seconds=None if stepped is None else stepped / SECOND_MS,
        cause=stop.cause if stop else None,
        blamed_hosts=frozenset((stop.hosts if stop else None) or ()),
    )
