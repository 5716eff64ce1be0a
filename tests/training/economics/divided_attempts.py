"""Two attempts of a session whose uses of time are counted by hand."""

from datetime import UTC, datetime, timedelta

from apps.training.economics.timelines import (
    AttemptTimeline,
    CheckpointLoad,
    CheckpointSave,
    SlowTime,
)

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def at(minutes: float) -> datetime:
    return NOON + timedelta(minutes=minutes)


def save(starts: float, ends: float, **told: bool) -> CheckpointSave:
    return CheckpointSave(starts_at=at(starts), ends_at=at(ends), **told)


# Queued 0-10, started 10, loads 12-20, steps 25-100 with saves 50-55 and 80-85, noticed at 110.
FIRST = AttemptTimeline(
    name="first",
    queued_at=at(0),
    starts_at=at(10),
    steps_from=at(25),
    steps_until=at(100),
    ends_at=at(110),
    loads=frozenset({CheckpointLoad(starts_at=at(12), ends_at=at(20))}),
    saves=frozenset({save(50, 55), save(80, 85)}),
)
# Goes on at 120; its steps begin at 130 and are slow by half from 140 to 170.
SECOND = AttemptTimeline(
    name="second",
    starts_at=at(120),
    steps_from=at(130),
    steps_until=at(190),
    saves=frozenset(),
    slow=frozenset({SlowTime(starts_at=at(140), ends_at=at(170), ratio=1.5)}),
)
