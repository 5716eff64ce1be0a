"""Which attempts belong together: the written definition of a retry.

An attempt is a retry of another one
1. where somebody says so: it names the other (`retry_of`), or the scheduler counts both as starts
   of one session and the other is the last one before it; or else
2. where project, owner and job are the same, the other stopped without being meant to (failed, or
   ended nobody knows how), it started after that end and within the limit of its kind, and the two
   share at least half the hosts of the smaller one. Hosts are not asked where one ran on three or
   fewer, or where they are not known: a job that small may come back anywhere.
An attempt has at most one retry: of several that fit, the one that shares most hosts, then the one
that started first. What finished has none.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from apps.diagnosis.model import EndState
from apps.training.retries.attempt_runs import AttemptRun, distinct_runs

LEAST_SHARED = 0.5
FEW_HOSTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryLimits:
    """How long after a stop a start counts as a retry of it; the longer one is a person's."""

    automatic: timedelta = timedelta(minutes=30)
    manual: timedelta = timedelta(hours=12)
    # Clocks of scheduler and nodes differ.
    overlap: timedelta = timedelta(minutes=1)


LIMITS = RetryLimits()


def lineages(
    runs: Iterable[AttemptRun], limits: RetryLimits = LIMITS
) -> list[tuple[AttemptRun, ...]]:
    """Return the attempts in lines, each a retry of the one before it, by their first start."""
    ordered = distinct_runs(runs)
    after: dict[str, AttemptRun] = _told(ordered)
    is_retry = {run.name for run in after.values()}
    jobs: dict[tuple[str, str, str], list[AttemptRun]] = {}
    for run in ordered:
        jobs.setdefault(run.identity, []).append(run)
    for stopped in ordered:
        if stopped.name not in after and stopped.is_stopped:
            fitting = [
                run
                for run in jobs[stopped.identity]
                if run.name not in is_retry and _fits(run, stopped=stopped, limits=limits)
            ]
            if fitting:
                chosen = min(fitting, key=lambda run: (-_shared(run, stopped), run.starts_at))
                after[stopped.name] = chosen
                is_retry.add(chosen.name)
    return [_line(run, after) for run in ordered if run.name not in is_retry]


def _line(first: AttemptRun, after: dict[str, AttemptRun]) -> tuple[AttemptRun, ...]:
    line = [first]
    while (following := after.get(line[-1].name)) is not None:
        line.append(following)
    return tuple(line)


def _told(ordered: Sequence[AttemptRun]) -> dict[str, AttemptRun]:
    """Return attempt → the retry of it that somebody told of. Both are ordered by start."""
    by_name = {run.name: run for run in ordered}
    last: dict[tuple[tuple[str, str, str], str], AttemptRun] = {}
    after: dict[str, AttemptRun] = {}
    for run in ordered:
        former = by_name.get(run.retry_of or "") or _counted_before(run, last)
        if former and _order(former) < _order(run) and former.end is not EndState.FINISHED:
            after.setdefault(former.name, run)
        last[run.identity, run.session] = run
    return after


def _counted_before(
    run: AttemptRun, last: dict[tuple[tuple[str, str, str], str], AttemptRun]
) -> AttemptRun | None:
    former = last.get((run.identity, run.session)) if run.session else None
    if former is None or run.number is None or former.number is None:
        return None
    return former if former.number < run.number else None


def _fits(run: AttemptRun, *, stopped: AttemptRun, limits: RetryLimits) -> bool:
    if stopped.ends_at is None or run.retry_of is not None:
        return False
    limit = limits.automatic if run.is_automatic else limits.manual
    gap = run.starts_at - stopped.ends_at
    is_later = _order(run) > _order(stopped)
    return is_later and -limits.overlap <= gap <= limit and _shared(run, stopped) >= LEAST_SHARED


def _shared(run: AttemptRun, other: AttemptRun) -> float:
    """Return the share of the smaller one's hosts that both ran on; all where it is not asked."""
    few = min(len(run.hosts), len(other.hosts))
    return len(run.hosts & other.hosts) / few if few > FEW_HOSTS else 1.0


def _order(run: AttemptRun) -> tuple[object, str]:
    return run.starts_at, run.name
