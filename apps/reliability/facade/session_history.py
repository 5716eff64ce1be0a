"""A session over all of its attempts: where the time went, and what its retries came to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from apps.fleet.values import AttemptView, SessionView
from apps.incidents.projection.header_values import IncidentHeader
from apps.reliability.sessions.attempt_facts import run_of, timeline_of
from apps.reliability.sessions.recovery_traces import session_recoveries
from apps.reliability.sessions.told_attempts import ToldAttempt, told_attempt
from apps.telemetry.facade.progress import progress_of
from apps.telemetry.facade.recovery_marks import recovery_marks_of
from apps.tenancy.access import Actor
from apps.training.economics.goodput import POINT_EVERY, Goodput, goodput
from apps.training.retries.attempt_recoveries import AttemptRecovery
from apps.training.retries.chains import RetryChain, retry_chains
from apps.training.retries.crash_loops import (
    ChainAdvice,
    CrashLoop,
    chain_advice,
    crash_loop,
)
from apps.training.retries.lineages import lineages
from apps.training.runs.story import RunStory

# Of a session that was started more often the newest attempts are looked at.
MOST_ATTEMPTS: Final = 24
MOST_GOODPUT_POINTS: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionHistory:
    """What is known of a session's attempts together."""

    told: Mapping[int, ToldAttempt]  # by the attempt's id; only those of which steps or saves are
    goodput: Goodput | None  # None where nobody told when any attempt began
    chains: tuple[RetryChain, ...]
    advice: tuple[ChainAdvice, ...]
    loop: CrashLoop | None = None  # that its end is in
    recoveries: tuple[AttemptRecovery, ...] = ()
    is_own: bool = True  # else its steps and saves are its tenant's
    left_out_count: int = 0  # attempts before those that were looked at


def session_history(
    *,
    actor: Actor,
    session: SessionView,
    attempts: Sequence[AttemptView],
    headers: Sequence[IncidentHeader],
    now: datetime,
) -> SessionHistory:
    """Return what the actor's organization knows of a session's attempts. Needs its scope.

    Steps and saves are those that its own logs tell; times and states as they are reported.
    """
    looked_at = attempts[-MOST_ATTEMPTS:]
    logs = progress_of(actor=actor, session_id=session.id)
    told = {each.id: told_attempt(logs[each.number]) for each in looked_at if each.number in logs}
    by_attempt = {header.incident.attempt_id: header for header in headers}
    runs = [
        run
        for each in looked_at
        if (run := run_of(session, each, _story(told, each), by_attempt.get(each.id)))
    ]
    lines = lineages(runs)
    stories = {key: each.story for key, each in told.items()}
    return SessionHistory(
        told=told,
        goodput=_goodput(looked_at, told, now),
        chains=tuple(retry_chains(runs, now=now)),
        advice=tuple(chain_advice(lines[-1], now=now)) if lines else (),
        loop=crash_loop(lines[-1], now=now) if lines else None,
        recoveries=tuple(
            session_recoveries(
                attempts=looked_at,
                stories=stories,
                headers=by_attempt,
                marks=recovery_marks_of(actor=actor, session_id=session.id),
            )
        ),
        is_own=session.organization.id == actor.organization.pk,
        left_out_count=len(attempts) - len(looked_at),
    )


def _story(told: Mapping[int, ToldAttempt], attempt: AttemptView) -> RunStory | None:
    found = told.get(attempt.id)
    return found.story if found else None


def _goodput(
    attempts: Sequence[AttemptView], told: Mapping[int, ToldAttempt], now: datetime
) -> Goodput | None:
    lines = [line for each in attempts if (line := timeline_of(each, _story(told, each)))]
    if not lines:
        return None
    ends = [line.ends_at or now for line in lines]
    starts_at, ends_at = min(line.starts_at for line in lines), max(ends)
    # However long ago a log says that it began.
    every = max(POINT_EVERY, (ends_at - starts_at) / MOST_GOODPUT_POINTS)
    return goodput(lines, starts_at=starts_at, ends_at=ends_at, every=every)
