"""R3, R4, R6: chains as in the published study, loops, and recoveries divided into their stages."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np

from apps.diagnosis.model import EndState
from apps.training.retries.attempt_runs import AttemptRun
from apps.training.retries.chains import RetryChain, retry_chains
from apps.training.retries.crash_loops import crash_loop
from apps.training.retries.lineages import lineages
from apps.training.retries.recoveries import recoveries
from apps.training.retries.recovery_change import recovery_change, recovery_seconds
from apps.training.retries.recovery_marks import MarkKind, RecoveryMark, nvrx_marks
from apps.training.retries.retry_rates import RetryRates, retry_rates
from tests.score.reliability.row import Row, share

NUMBERS = ("R3", "R4", "R6")
SEED = 3_2026
BEGIN = datetime(2026, 3, 1, tzinfo=UTC)
NOW = BEGIN + timedelta(days=73)
HOSTS = [f"gpu{number:03}" for number in range(63)]
# 73 starts in 12 chains, as published; which 4 recover is ours.
STARTS = (3, 9, 5, 6, 8, 4, 7, 2, 10, 6, 8, 5)
RECOVERED = {1, 3, 6, 9}
BY_HAND, RECOVERED_BY_HAND = 8, {4}
LOOPS = 200
STAGES = (
    MarkKind.FAILED,
    MarkKind.FAILURE_DETECTED,
    MarkKind.WORKER_TERMINATED,
    MarkKind.RENDEZVOUS_STARTED,
    MarkKind.HEALTH_CHECK_COMPLETED,
    MarkKind.RENDEZVOUS_COMPLETED,
    MarkKind.WORKER_START_STARTED,
    MarkKind.WORKER_START_COMPLETED,
    MarkKind.LOAD_COMPLETED,
    MarkKind.FIRST_STEP,
)


def rows() -> Iterator[Row]:
    """Yield the rows of chains, loops and recoveries."""
    yield from _of_chains()
    yield from _of_loops()
    yield from _of_recoveries()


def study(random: np.random.Generator) -> list[AttemptRun]:
    """Return the attempts of 73 days: chains of both kinds among runs that need none, shuffled."""
    made: list[AttemptRun] = []
    for number, starts in enumerate(STARTS):
        made += _chain(random, f"auto-{number}", starts, recovers=number in RECOVERED)
    for number in range(BY_HAND):
        made += _chain(
            random, f"hand-{number}", 1, recovers=number in RECOVERED_BY_HAND, by_hand=True
        )
    for number in range(131):
        at = BEGIN + timedelta(hours=float(random.uniform(0, 73 * 24)))
        end = EndState.FINISHED if number % 3 else EndState.CANCELLED
        run = _run(random, f"single-{number}", at, hours=5.0, job=f"job-{number % 7}", end=end)
        made += [run, run]
    return [made[at] for at in random.permutation(len(made))]


def _chain(
    random: np.random.Generator, job: str, starts: int, *, recovers: bool, by_hand: bool = False
) -> list[AttemptRun]:
    """Return a stopped attempt and its starts; the timer waits 10 to 12 minutes, a person hours."""
    at = BEGIN + timedelta(hours=float(random.uniform(0, 60 * 24)))
    made = [_run(random, f"{job}.0", at, hours=20.0, job=job, saved=4000)]
    hosts = made[0].hosts
    for number in range(1, starts + 1):
        wait = random.uniform(60, 300) if by_hand else random.choice((10, 10, 11, 11, 11, 12))
        at = (made[-1].ends_at or at) + timedelta(minutes=float(wait))
        is_last = recovers and number == starts
        hours = 9.0 if is_last else float(random.uniform(0.2, 0.6))
        saved = 4500 if is_last else None
        run = _run(random, f"{job}.{number}", at, hours=hours, job=job, saved=saved, hosts=hosts)
        made.append(run)
    return made


def _run(
    random: np.random.Generator,
    name: str,
    at: datetime,
    *,
    hours: float,
    job: str,
    end: EndState = EndState.FAILED,
    saved: int | None = None,
    hosts: frozenset[str] = frozenset(),
) -> AttemptRun:
    return AttemptRun(
        name=name,
        job=job,
        project="base",
        starts_at=at,
        ends_at=at + timedelta(hours=hours),
        end=end,
        hosts=hosts or frozenset(random.choice(HOSTS, 60, replace=False).tolist()),
        gpus=480,
        last_step=saved or 4000,
        checkpoint_step=saved,
    )


def _of_chains() -> Iterator[Row]:
    runs = study(np.random.default_rng(SEED))
    chains = retry_chains(runs, now=NOW)
    rates = retry_rates(chains)
    yield from _shares(rates)
    n = rates.automatic.attempts
    low, middle, high = rates.automatic.gap_seconds or (0.0, 0.0, 0.0)
    for name, value, equals in (("lower", low, 10), ("median", middle, 11), ("upper", high, 11)):
        yield Row(
            number="R3",
            name=f"retry chains: wait before an automatic start, {name} quartile, minutes"
            if name != "median"
            else "retry chains: wait before an automatic start, median, minutes",
            value=value / 60,
            n=n,
            equals=equals,
            within=0.01,
        )
    same = sum(_is_as_made(chain) for chain in chains)
    yield share("R3", "retry chains: put together as they were made", same, len(chains), at_least=1)


def _shares(rates: RetryRates) -> Iterator[Row]:
    for name, kind, n, hits, bounds in (
        ("automatic", rates.automatic, 12, 4, (0.138, 0.609)),
        ("by hand", rates.manual, 8, 1, (0.022, 0.471)),
    ):
        yield Row(
            number="R3",
            name=f"retry chains: recovered, {name}",
            value=kind.recovered.rate or 0.0,
            n=kind.recovered.n,
            interval=kind.recovered.interval,
            equals=hits / n,
            within=1e-9,
        )
        for bound, found, expected in zip(
            ("lower", "upper"), kind.recovered.interval, bounds, strict=True
        ):
            yield Row(
                number="R3",
                name=f"retry chains: recovered, {name}, {bound} bound",
                value=found,
                n=kind.recovered.n,
                equals=expected,
                within=0.0005,
            )
    chains = rates.automatic.recovered.n + rates.manual.recovered.n
    starts = float(rates.automatic.attempts)
    yield Row(number="R3", name="retry chains: automatic starts", value=starts, n=12, equals=73)
    yield Row(
        number="R3",
        name="retry chains: automatic share over that by hand",
        value=rates.ratio or 0.0,
        n=chains,
        equals=8 / 3,
        within=1e-9,
    )
    yield Row(
        number="R3",
        name=f"retry chains: Fisher's p of that difference, which is {rates.words}",
        value=rates.p_value,
        n=chains,
        equals=0.60,
        within=0.005,
    )


def _is_as_made(chain: RetryChain) -> bool:
    names = [chain.stopped.name, *(retry.run.name for retry in chain.retries)]
    job = chain.stopped.job
    return names == [f"{job}.{number}" for number in range(len(names))]


def _of_loops() -> Iterator[Row]:
    random = np.random.default_rng([SEED, 4])
    late = told_of_progress = 0
    burnt = 0.0
    for number in range(LOOPS):
        runs = _chain(random, f"loop-{number}", int(random.integers(4, 12)), recovers=False)
        (line,) = lineages(runs)
        found = crash_loop(line, now=NOW)
        late += found is None or found.attempt_number > 4
        spent = sum(run.gpu_hours(now=NOW) for run in line[1:])
        burnt = max(burnt, abs((found.gpu_hours if found else 0.0) - spent))
        told_of_progress += _is_told_in_spite(random, runs)
    yield share("R4", "crash loops: told by attempt 4", LOOPS - late, LOOPS, at_least=1.0)
    yield Row(
        number="R4",
        name="crash loops: told where a checkpoint advanced in between",
        value=float(told_of_progress),
        n=LOOPS,
        at_most=0.0,
    )
    yield Row(
        number="R4", name="crash loops: GPU-hours off their sum", value=burnt, n=LOOPS, at_most=1e-6
    )


def _is_told_in_spite(random: np.random.Generator, runs: Sequence[AttemptRun]) -> bool:
    """Say whether a loop is told of starts of which no three in a row got nowhere."""
    advanced = 4000
    made = []
    for number, run in enumerate(runs):
        advanced += 100
        is_saved = number % 3 == 0 or random.random() < 0.3
        saved = advanced if is_saved else None
        made.append(replace(run, checkpoint_step=saved))
    (line,) = lineages(made)
    return crash_loop(line, now=NOW) is not None


def _of_recoveries() -> Iterator[Row]:
    random = np.random.default_rng([SEED, 6])
    kinds = {mark.kind for mark in nvrx_marks(_nvrx_lines())}
    yield Row(number="R6", name="recoveries: NVRx events read", value=len(kinds), n=9, equals=9)
    before, after = _stops(random, 40, 900.0), _stops(random, 40, 900.0 * 0.53)
    found = recoveries(mark for stop in before for mark in stop)
    off = [
        abs(each.total_ms / 1000 - (stop[-1].at - stop[0].at).total_seconds())
        for each, stop in zip(found, before, strict=True)
    ]
    yield Row(
        number="R6",
        name="recoveries: stages off their total, seconds, at most",
        value=max(off),
        n=len(off),
        at_most=1.0,
    )
    later = recoveries(mark for stop in after for mark in stop)
    changed = recovery_change(recovery_seconds(found), recovery_seconds(later))
    yield Row(
        number="R6",
        name="recoveries: change of the mean where it was made to fall by 47 %",
        value=changed.change if changed else 0.0,
        n=len(before) + len(after),
        interval=changed.interval if changed else None,
        equals=-0.47,
        within=0.1,
    )
    (quick,) = recoveries(_marks(BEGIN, [137] * (len(STAGES) - 1)))
    yield Row(
        number="R6",
        name="recoveries: a restart of 1.233 s, milliseconds kept",
        value=quick.total_ms,
        n=1,
        equals=1233,
    )


def _stops(random: np.random.Generator, count: int, mean: float) -> list[list[RecoveryMark]]:
    """Return the marks of so many recoveries, days apart, gamma distributed about a mean."""
    totals = random.gamma(4.0, mean / 4.0, count)
    shares = random.dirichlet(np.ones(len(STAGES) - 1), count)
    return [
        _marks(BEGIN + timedelta(days=day), (total * 1000 * share).round().astype(int).tolist())
        for day, (total, share) in enumerate(zip(totals, shares, strict=True))
    ]


def _marks(at: datetime, parts_ms: Sequence[int]) -> list[RecoveryMark]:
    ends = np.cumsum([0, *parts_ms]).tolist()
    return [
        RecoveryMark(kind=kind, at=at + timedelta(milliseconds=end))
        for kind, end in zip(STAGES, ends, strict=True)
    ]


def _nvrx_lines() -> Iterator[str]:
    """Yield a line for each event of a cycle, as the launcher's log has them."""
    events = (
        *("failure_detected", "worker_terminated", "rendezvous_started"),
        *("health_check_completed", "rendezvous_completed", "worker_start_started"),
        *("worker_start_completed", "attribution_get_started", "attribution_get_completed"),
    )
    for second, event in enumerate(events):
        at = f"2026-03-01 00:00:0{second}.250 UTC"
        yield f"  - Cycle: 1 Event: {event} Node: n7 Rank: 3 Time: {at}"
