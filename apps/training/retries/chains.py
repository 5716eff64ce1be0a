"""Retry chains: a stop and the starts after it, until one gets past it or nobody tries any more.

- A chain begins with an attempt that stopped and has a retry. Its retries follow each other, all
  automatic or all by hand: where that changes, the last that stopped begins another chain.
- A retry is automatic where the scheduler says so, or counts it as a start of the same session;
  else where it started within half an hour of the stop. A longer wait is a person's.
- A retry got past the stop where it saved a checkpoint newer than all before, where it made steps
  beyond the stop for an hour, or where it finished. Then the chain is over; its own stop begins
  the next one. So every retry is counted in exactly one chain.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from itertools import pairwise

from apps.diagnosis.model import EndState
from apps.training.retries.attempt_runs import HOUR_SECONDS, AttemptRun
from apps.training.retries.lineages import LIMITS, RetryLimits, lineages

STABLE_SECONDS = HOUR_SECONDS


class ChainOutcome(StrEnum):
    """What became of a chain."""

    RECOVERED = "recovered"
    GAVE_UP = "gave-up"
    GOES_ON = "goes-on"


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """One start after a stop.

    `kept_progress` says whether a checkpoint newer than all before it was saved; None where
    neither steps nor saves of it are known: that is no sign of none.
    """

    run: AttemptRun
    gap_seconds: float
    is_automatic: bool
    kept_progress: bool | None
    got_past: bool
    gpu_hours: float

    @property
    def is_known(self) -> bool:
        """Say whether it is known what came of it: without steps an end alone says nothing."""
        return self.got_past or self.run.ends_at is None or self.kept_progress is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryChain:
    """A stop and its retries."""

    stopped: AttemptRun
    retries: tuple[Retry, ...]
    outcome: ChainOutcome

    @property
    def is_automatic(self) -> bool:
        """Say whether nobody started its retries by hand."""
        return self.retries[0].is_automatic

    @property
    def gpu_hours(self) -> float:
        """Return what all retries took."""
        return sum(retry.gpu_hours for retry in self.retries)

    @property
    def is_known(self) -> bool:
        """Say whether it is known what became of it."""
        return self.retries[-1].is_known

    @property
    def burnt_gpu_hours(self) -> float | None:
        """Return what the retries took that ended without getting past the stop.

        None where it is not known of one whether it did.
        """
        if not all(retry.is_known for retry in self.retries):
            return None
        ended = (retry for retry in self.retries if retry.run.ends_at and not retry.got_past)
        return sum(retry.gpu_hours for retry in ended)


def retry_chains(
    runs: Iterable[AttemptRun], *, now: datetime, limits: RetryLimits = LIMITS
) -> list[RetryChain]:
    """Return the chains of attempts by the start of what stopped."""
    return [
        chain
        for line in lineages(runs, limits)
        for chain in chains_of(line, now=now, limits=limits)
    ]


def chains_of(
    line: Sequence[AttemptRun], *, now: datetime, limits: RetryLimits = LIMITS
) -> list[RetryChain]:
    """Return the chains of one lineage, by the start of what stopped."""
    return list(_chains(line, retries_of(line, now=now, limits=limits)))


def retries_of(
    line: Sequence[AttemptRun], *, now: datetime, limits: RetryLimits = LIMITS
) -> list[Retry]:
    """Return what each attempt of a lineage but its first was as a retry."""
    saved = -1
    made: list[Retry] = []
    for stopped, run in pairwise(line):
        saved = max(saved, stopped.checkpoint_step if stopped.checkpoint_step is not None else -1)
        made.append(_retry(stopped, run, saved, now=now, limits=limits))
    return made


def _retry(
    stopped: AttemptRun, run: AttemptRun, saved: int, *, now: datetime, limits: RetryLimits
) -> Retry:
    kept = _kept(run, saved)
    return Retry(
        run=run,
        gap_seconds=((run.starts_at - stopped.ends_at).total_seconds() if stopped.ends_at else 0.0),
        is_automatic=_is_automatic(stopped, run, limits),
        kept_progress=kept,
        got_past=bool(kept) or run.end is EndState.FINISHED or _is_stable(stopped, run),
        gpu_hours=run.gpu_hours(now=now),
    )


def _kept(run: AttemptRun, saved: int) -> bool | None:
    if run.checkpoint_step is not None:
        return run.checkpoint_step > saved
    return None if run.last_step is None else False


def _is_stable(stopped: AttemptRun, run: AttemptRun) -> bool:
    if run.last_step is None or stopped.last_step is None:
        return False
    return run.last_step > stopped.last_step and (run.stepping_seconds or 0.0) >= STABLE_SECONDS


def _is_automatic(stopped: AttemptRun, run: AttemptRun, limits: RetryLimits) -> bool:
    if run.is_automatic is not None:
        return run.is_automatic
    if run.session and run.session == stopped.session and run.number is not None:
        return True
    return stopped.ends_at is not None and run.starts_at - stopped.ends_at <= limits.automatic


def _chains(line: Sequence[AttemptRun], retries: Sequence[Retry]) -> Iterator[RetryChain]:
    begins = 0
    for at, retry in enumerate(retries):
        following = retries[at + 1] if at + 1 < len(retries) else None
        if retry.got_past or following is None or following.is_automatic != retry.is_automatic:
            some = tuple(retries[begins : at + 1])
            yield RetryChain(stopped=line[begins], retries=some, outcome=_outcome(retry))
            begins = at + 1


def _outcome(last: Retry) -> ChainOutcome:
    if last.got_past:
        return ChainOutcome.RECOVERED
    return ChainOutcome.GAVE_UP if last.run.ends_at else ChainOutcome.GOES_ON
