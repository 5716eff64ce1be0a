"""What is known of one attempt → when it began, worked and ended, as recoveries are divided."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from apps.fleet.values import AttemptView
from apps.incidents.projection.header_values import IncidentHeader
from apps.reliability.sessions.attempt_facts import MEANT, end_state
from apps.training.retries.attempt_recoveries import (
    AttemptRecovery,
    AttemptTrace,
    attempt_recoveries,
)
from apps.training.retries.recovery_marks import RecoveryMark
from apps.training.runs.story import RunStory


def session_recoveries(
    *,
    attempts: Sequence[AttemptView],
    stories: Mapping[int, RunStory],
    headers: Mapping[int | None, IncidentHeader],
    marks: Mapping[int, Sequence[RecoveryMark]],
) -> list[AttemptRecovery]:
    """Return the recoveries of a session's attempts.

    Stories and headers are by the attempt's id, marks by its number.
    """
    return attempt_recoveries(
        trace_of(each, stories.get(each.id), headers.get(each.id), marks.get(each.number, ()))
        for each in attempts
    )


def trace_of(
    attempt: AttemptView,
    story: RunStory | None,
    header: IncidentHeader | None,
    marks: Sequence[RecoveryMark],
) -> AttemptTrace:
    """Return what is known of one attempt. Steps printed in an unknown zone are left out."""
    is_placed = story is not None and not story.is_local
    return AttemptTrace(
        number=attempt.number,
        starts_at=attempt.started_at,
        ends_at=attempt.ended_at,
        failed_at=header.incident.started_at if header else None,
        is_meant=end_state(attempt.state) in MEANT,
        first_steps=_first_steps(story) if story and is_placed else (),
        loads=tuple(
            (each.starts_at, each.ends_at)
            for each in (story.checkpoints if story and is_placed else ())
            if each.kind == "load"
        ),
        marks=tuple(marks),
    )


def _first_steps(story: RunStory) -> tuple[datetime, ...]:
    """Return when each stretch of steps began: another one begins where the count goes back."""
    first: dict[int, datetime] = {}
    for bucket in story.strip.buckets:
        first.setdefault(bucket.attempt, bucket.starts_at)
    return tuple(sorted(first.values()))
