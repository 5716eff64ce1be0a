"""What a job lost and lived through, as it tells itself: no stop of it, and told apart.

A job that recovers in place stays RUNNING while ranks of it fail as they do in one that ends.
Whether it went on is told by its own events and steps. While a failure is fresh nobody knows yet:
that is a doubt, as with an exception that may be caught.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Final

from apps.diagnosis.diagnose.lost_part import (
    LostPart,
    anomalies_of_loss,
    facts_of_loss,
    instant_of,
    readings_of_loss,
)
from apps.diagnosis.model import Diagnosis, EndState, Event, Role, Stream, VerdictStatus
from apps.diagnosis.reasoning.timing.open_end import FAILURES, WENT_ON_AFTER
from apps.fleet.models import Attempt
from apps.incidents.correlation.attempts.attempt_facts import Gathered
from apps.incidents.correlation.attempts.caught_exceptions import Doubt
from apps.incidents.correlation.episodes import ONE_EPISODE
from apps.telemetry.recovery.run_state import settle_state, stored_run
from apps.training.in_job.events import CommunicatorRepaired, InJobEvent, ReplicaLost, StepCommitted
from apps.training.in_job.job_report import survived
from apps.training.in_job.job_run import InJobRun

# Replicas agree anew, and take the next step, within this time.
REPAIRED_WITHIN: Final = timedelta(minutes=5)
MOST_EPISODES: Final = 8  # the newest
OPEN: Final = frozenset({EndState.RUNNING, EndState.UNKNOWN})


@dataclass(frozen=True, slots=True, kw_only=True)
class LivedLosses:
    """What a job tells of losses."""

    episodes: tuple[LostPart, ...] = ()  # that it lived through, by time
    last_at: datetime | None = None  # when it last told that it goes on
    is_open: bool = False  # nobody says that it ended
    alive_gpu_count: int | None = None

    def is_on(self, *, failed_at: datetime | None) -> bool:
        """Say whether it went on after all that failed until then."""
        if self.last_at is None or not self.is_open:
            return False
        return failed_at is None or self.last_at >= failed_at


def lived_losses(*, attempt: Attempt) -> LivedLosses:
    """Return what the job of an attempt tells, and settle its state. Needs the parties' scope."""
    settle_state(attempt=attempt)
    if attempt.lost_gpu_count is None:
        return LivedLosses()
    stored = stored_run(attempt=attempt)
    if stored is None:
        return LivedLosses()
    return LivedLosses(
        episodes=tuple(_episodes(survived(stored.run)))[-MOST_EPISODES:],
        last_at=_last_at(stored.run),
        is_open=attempt.ended_at is None and attempt.state in OPEN,
        alive_gpu_count=attempt.alive_gpu_count,
    )


def failing_at(*, diagnosis: Diagnosis, gathered: Gathered, zone: timedelta) -> datetime | None:
    """Return when the session last told of a failure, None where it told of none."""
    signs = [
        at
        for reading in gathered.readings
        for event in reading.events
        if event.role is Role.CASCADE and _is_of_session(event)
        if (at := instant_of(event, zone=zone)) is not None
    ]
    return max([*signs, *filter(None, [diagnosis.failed_at])], default=None)


def doubt_of(
    *, lived: LivedLosses, diagnosis: Diagnosis, failed_at: datetime | None, now: datetime
) -> Doubt | None:
    """Return the doubt whether a fresh failure of a job that recovers in place ended it."""
    if lived.last_at is None or not lived.is_open or failed_at is None:
        return None
    if diagnosis.verdict.status is VerdictStatus.NO_FAILURE or lived.is_on(failed_at=failed_at):
        return None
    until = failed_at + REPAIRED_WITHIN
    return Doubt(since=failed_at, until=until) if now < until else None


def without_lived(*, gathered: Gathered, lived: LivedLosses, zone: timedelta) -> Gathered:
    """Return what is known without the failures after which the job went on, as it tells itself.

    What others than the session tell stays: a fault that it lived through may end it yet.
    """
    if lived.last_at is None:
        return gathered
    before = lived.last_at - WENT_ON_AFTER

    def is_lived(event: Event) -> bool:
        at = instant_of(event, zone=zone)
        is_failure = event.role in FAILURES and _is_of_session(event)
        return is_failure and at is not None and at < before

    readings = [
        replace(each, events=tuple(event for event in each.events if not is_lived(event)))
        for each in gathered.readings
    ]
    return replace(gathered, readings=readings)


def _is_of_session(event: Event) -> bool:
    return (event.line.origin.stream or event.line.stream) in {Stream.SESSION, None}


def of_loss(*, gathered: Gathered, lost: LostPart) -> Gathered:
    """Return what is known of one episode of losses."""
    return replace(
        gathered,
        readings=readings_of_loss(readings=gathered.readings, lost=lost),
        anomalies=anomalies_of_loss(anomalies=gathered.anomalies, lost=lost),
        facts=facts_of_loss(facts=gathered.facts, lost=lost),
    )


def told_of_loss(*, diagnosis: Diagnosis, lost: LostPart, attempt: Attempt) -> Diagnosis:
    """Return the diagnosis of an episode as one of a job that went on."""
    is_known = attempt.state in {*EndState}
    return replace(
        diagnosis,
        end_state=EndState(attempt.state) if is_known else EndState.UNKNOWN,
        failed_at=lost.starts_at,
        disturbances=(),
    )


def _episodes(losses: Sequence[ReplicaLost]) -> Iterator[LostPart]:
    """Yield losses that follow each other closely as one."""
    groups: list[list[ReplicaLost]] = []
    for each in losses:
        if not groups or _instant(each) - _instant(groups[-1][-1]) > ONE_EPISODE:
            groups.append([])
        groups[-1].append(each)
    ends = [None, *(_instant(some[-1]) for some in groups)]
    for (before, _), some in zip(pairwise(ends), groups, strict=True):
        yield LostPart(
            starts_at=_instant(some[0]),
            ends_at=_instant(some[-1]),
            after=before + REPAIRED_WITHIN if before else None,
            gpu_count=sum(each.gpu_count for each in some),
        )


def _last_at(run: InJobRun) -> datetime | None:
    told = [each for each in run.events if isinstance(each, StepCommitted | CommunicatorRepaired)]
    return _instant(told[-1]) if told else None


def _instant(event: InJobEvent) -> datetime:
    return datetime.fromtimestamp(event.at_seconds, UTC)
