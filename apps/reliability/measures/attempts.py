"""The attempts of a session → how each used the time from its begin until the next one's. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median
from typing import Any, Final

from apps.diagnosis.model import EndState
from apps.fleet.values import AttemptView
from apps.reliability.sessions.attempt_facts import (
    MEANT,
    end_state,
    saved_step,
    stepping_seconds,
    timeline_of,
)
from apps.training.economics.timelines import AttemptTimeline, TimeUse
from apps.training.economics.use_table import hourly_uses
from apps.training.instants import milliseconds
from apps.training.runs.story import RunStory

# What somebody tells of decades ago is measured of its last time only.
LONGEST: Final = timedelta(days=400)
# Of a session that was started very often: what starts far from an attempt doesn't touch its time.
NEIGHBORS: Final = 12
SECOND_MS: Final = 1000

Hours = Mapping[datetime, Mapping[TimeUse, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """What was measured of one attempt; `fields` are columns of its row."""

    attempt_id: int
    starts_at: datetime
    ends_at: datetime
    fields: Mapping[str, Any]
    hours: Hours


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    attempt: AttemptView
    story: RunStory | None
    line: AttemptTimeline

    @property
    def begins_at(self) -> datetime:
        return self.line.queued_at or self.line.starts_at


def measures_of(
    *, attempts: Sequence[AttemptView], stories: Mapping[int, RunStory], now: datetime
) -> list[Measure]:
    """Return the measures of a session's attempts, by their begins.

    Their times meet and never overlap. Attempts of which nobody told a begin are left out.
    """
    known = sorted(
        (
            _Known(attempt=each, story=stories.get(each.id), line=line)
            for each in attempts
            if (line := timeline_of(each, stories.get(each.id))) is not None
        ),
        key=lambda each: (each.begins_at, each.attempt.number, each.attempt.id),
    )
    is_told = any(each.line.steps_from is not None for each in known)
    return [_measure(known, at, now, is_told=is_told) for at in range(len(known))]


def _measure(known: Sequence[_Known], at: int, now: datetime, *, is_told: bool) -> Measure:
    this, following = known[at], known[at + 1] if at + 1 < len(known) else None
    ends_at = following.begins_at if following else _last_end(known, now)
    starts_at = max(min(this.begins_at, ends_at), ends_at - LONGEST)
    near = known[max(0, at - NEIGHBORS) : at + 1 + NEIGHBORS]
    hours = hourly_uses([each.line for each in near], starts_at=starts_at, ends_at=ends_at)
    return Measure(
        attempt_id=this.attempt.id,
        starts_at=starts_at,
        ends_at=ends_at,
        hours=hours,
        fields={
            "is_running": following is None and _runs(this),
            "is_told": is_told,
            "is_unsure": bool(
                this.line.ends_at and this.line.steps_from and this.line.kept_until is None
            ),
            "gpus": this.attempt.world_size,
            **_downtime(this, following),
            **_run(this.story),
            **_saves(this.story),
        },
    )


def _last_end(known: Sequence[_Known], now: datetime) -> datetime:
    """Return when the last of them ended: now while one runs, else the last sign of it."""
    ends = [each.line.ends_at or _sign(each) for each in known]
    last = known[-1]
    return max([*ends, now]) if _runs(last) and now > last.begins_at else max(ends)


def _sign(one: _Known) -> datetime:
    told = one.story.ends_at if one.story else None
    return max(one.line.starts_at, told or one.line.starts_at)


def _runs(one: _Known) -> bool:
    return one.line.ends_at is None and end_state(one.attempt.state) is EndState.RUNNING


def _downtime(this: _Known, following: _Known | None) -> Mapping[str, Any]:
    if following is None or this.line.ends_at is None or end_state(this.attempt.state) in MEANT:
        return {"downtime_ms": None, "is_downtime_of_steps": False}
    since = this.line.steps_until or this.line.ends_at
    until = following.line.steps_from or following.line.starts_at
    return {
        "downtime_ms": max(0, milliseconds(until) - milliseconds(since)),
        "is_downtime_of_steps": bool(this.line.steps_until and following.line.steps_from),
    }


def _run(story: RunStory | None) -> Mapping[str, Any]:
    stepped = stepping_seconds(story) if story else None
    return {
        "last_step": story.last_step if story else None,
        "saved_step": saved_step(story) if story else None,
        "stepping_ms": None if stepped is None else round(stepped * SECOND_MS),
        "step_seconds": story.step_seconds if story else None,
        "tokens_per_second": story.tokens_per_second if story else None,
        "mfu": story.mfu if story else None,
    }


def _saves(story: RunStory | None) -> Mapping[str, Any]:
    """Return what saves are known; where no line tells of any, nothing is."""
    spans = [
        (each.starts_at or each.ends_at, each.ends_at or each.starts_at, each.is_background)
        for each in (story.checkpoints if story else ())
        if each.kind == "save"
    ]
    whole = sorted((start, end, beside) for start, end, beside in spans if start and end)
    waits = [milliseconds(end) - milliseconds(start) for start, end, beside in whole if not beside]
    gaps = [milliseconds(b) - milliseconds(a) for (a, *_), (b, *_) in pairwise(whole)]
    return {
        "save_count": len(whole) or None,
        "save_wait_ms": round(median(waits)) if waits else None,
        "save_interval_ms": round(median(gaps)) if gaps else None,
    }
