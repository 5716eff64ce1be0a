"""What is known of one attempt → the values that goodput and retries are worked out of."""

from apps.diagnosis.model import EndState
from apps.fleet.values import AttemptView, SessionView
from apps.incidents.projection.header_values import IncidentHeader
from apps.training.economics.timelines import (
    AttemptTimeline,
    CheckpointLoad,
    CheckpointSave,
    SlowTime,
)
from apps.training.retries.attempt_runs import AttemptRun
from apps.training.runs.checkpoints import CheckpointSpan
from apps.training.runs.story import RunStory

# It ended when somebody wanted it to, or had done its work: nothing of it was lost by a fault.
MEANT = frozenset({EndState.FINISHED})


def timeline_of(attempt: AttemptView, story: RunStory | None) -> AttemptTimeline | None:
    """Return how an attempt used its time; None where nobody told when it began."""
    starts_at = attempt.started_at or (story.starts_at if story else None)
    if starts_at is None:
        return None
    buckets = story.strip.buckets if story else ()
    spans = story.checkpoints if story else ()
    return AttemptTimeline(
        name=str(attempt.number),
        starts_at=starts_at,
        ends_at=attempt.ended_at,
        steps_from=buckets[0].starts_at if buckets else None,
        steps_until=buckets[-1].ends_at if buckets else None,
        is_finished=end_state(attempt.state) in MEANT,
        saves=_saves(story),
        loads=frozenset(
            CheckpointLoad(starts_at=each.starts_at, ends_at=each.ends_at)
            for each in spans
            if each.kind == "load" and each.starts_at and each.ends_at
        ),
        slow=frozenset(
            SlowTime(starts_at=each.starts_at, ends_at=each.ends_at, ratio=each.ratio)
            for each in (story.slow if story else ())
        ),
    )


def run_of(
    session: SessionView,
    attempt: AttemptView,
    story: RunStory | None,
    header: IncidentHeader | None,
) -> AttemptRun | None:
    """Return an attempt as retries ask; None where nobody told when it began."""
    starts_at = attempt.started_at or (story.starts_at if story else None)
    if starts_at is None:
        return None
    return AttemptRun(
        name=f"{session.public_id}#{attempt.number}",
        job=session.job or session.name,
        project=session.project,
        session=session.public_id,
        number=attempt.number,
        starts_at=starts_at,
        ends_at=attempt.ended_at,
        end=end_state(attempt.state),
        hosts=frozenset(attempt.hosts),
        gpus=attempt.world_size or 0,
        last_step=story.last_step if story else None,
        checkpoint_step=saved_step(story) if story else None,
        stepping_seconds=stepping_seconds(story) if story else None,
        cause=header.incident.cause if header and header.incident.cause else None,
        blamed_hosts=frozenset(
            str(each["host"]) for each in (header.culprits or ()) if each.get("host")
        )
        if header
        else frozenset(),
    )


def end_state(state: str) -> EndState:
    """Return how an attempt ended; of a state that this version doesn't know nobody says how."""
    try:
        return EndState(state)
    except ValueError:
        return EndState.UNKNOWN


def _saves(story: RunStory | None) -> frozenset[CheckpointSave] | None:
    """Return the saves that are told; None where no line tells of any."""
    if story is None:
        return None
    told = [save for each in story.checkpoints if (save := _save(each, story)) is not None]
    return frozenset(told) or None


def _save(span: CheckpointSpan, story: RunStory) -> CheckpointSave | None:
    """Return a save. Of one that only begins it is complete when steps went on behind it."""
    if span.kind != "save":
        return None
    starts_at = span.starts_at or span.ends_at
    ends_at = span.ends_at or span.starts_at
    if starts_at is None or ends_at is None:
        return None
    last = story.strip.buckets[-1].ends_at if story.strip.buckets else None
    return CheckpointSave(
        starts_at=starts_at,
        ends_at=ends_at,
        is_blocking=not span.is_background,
        is_complete=span.ends_at is not None or (last is not None and last > starts_at),
    )


def saved_step(story: RunStory) -> int | None:
    """Return the newest step that it saved; None where nobody tells of any."""
    steps = [
        each.step for each in story.checkpoints if each.kind == "save" and each.step is not None
    ]
    return max(steps, default=None)


def stepping_seconds(story: RunStory) -> float | None:
    """Return the time from its first step to its last; None where no step has a time."""
    buckets = story.strip.buckets
    return (buckets[-1].ends_at - buckets[0].starts_at).total_seconds() if buckets else None
