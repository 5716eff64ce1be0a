"""Measures of a session's attempts → their rows: what is as it was is not written again."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from apps.reliability.measures.attempts import Measure
from apps.reliability.models import AttemptHour, AttemptMeasure
from apps.training.economics.timelines import TimeUse

COLUMNS: Final[Mapping[TimeUse, str]] = {
    TimeUse.PRODUCTIVE: "productive_ms",
    TimeUse.LOST_PROGRESS: "lost_progress_ms",
    TimeUse.RECOVERY: "recovery_ms",
    TimeUse.SAVE: "save_ms",
    TimeUse.RESTORE: "restore_ms",
    TimeUse.QUEUE: "queue_ms",
    TimeUse.STRAGGLER: "straggler_ms",
    TimeUse.UNKNOWN: "unknown_ms",
}
HOUR_FIELDS: Final = ("is_told", "gpus", *COLUMNS.values())
MEASURE_FIELDS: Final = (
    *("starts_at", "ends_at", "is_running", "is_told", "is_unsure", "gpus"),
    *("downtime_ms", "is_downtime_of_steps", "last_step", "saved_step", "stepping_ms"),
    *("save_count", "save_interval_ms", "save_wait_ms", "step_seconds"),
    *("tokens_per_second", "mfu", *COLUMNS.values()),
)
Row = tuple[Any, ...]


def write_measures(
    *, organization_id: int, session_id: int, measures: Sequence[Measure], now: datetime
) -> int:
    """Let a session's rows be these measures; return how many rows changed. Needs the scope."""
    own = {"organization_id": organization_id, "session_id": session_id}
    return _write_measures(own, measures, now) + _write_hours(own, measures)


def _write_measures(own: Mapping[str, int], measures: Sequence[Measure], now: datetime) -> int:
    stored = AttemptMeasure.objects.filter(**own)
    before = {row[0]: row[1:] for row in stored.values_list("attempt_id", *MEASURE_FIELDS)}
    after = {each.attempt_id: _measure_row(each) for each in measures}
    changed = {key: row for key, row in after.items() if before.get(key) != row}
    AttemptMeasure.objects.bulk_create(
        [
            AttemptMeasure(
                **own,
                attempt_id=attempt_id,
                measured_at=now,
                **dict(zip(MEASURE_FIELDS, row, strict=True)),
            )
            for attempt_id, row in changed.items()
        ],
        update_conflicts=True,
        unique_fields=["organization", "attempt"],
        update_fields=[*MEASURE_FIELDS, "session", "measured_at"],
    )
    gone = before.keys() - after.keys()
    stored.filter(attempt_id__in=gone).delete()
    return len(changed) + len(gone)


def _write_hours(own: Mapping[str, int], measures: Sequence[Measure]) -> int:
    stored = AttemptHour.objects.filter(**own)
    columns = ("id", "attempt_id", "hour", *HOUR_FIELDS)
    kept = {(row[1], row[2]): row for row in stored.values_list(*columns)}
    after = {
        (each.attempt_id, hour): _hour_row(each, hour) for each in measures for hour in each.hours
    }
    changed = {key: row for key, row in after.items() if key not in kept or kept[key][3:] != row}
    AttemptHour.objects.bulk_create(
        [
            AttemptHour(
                **own, attempt_id=key[0], hour=key[1], **dict(zip(HOUR_FIELDS, row, strict=True))
            )
            for key, row in changed.items()
        ],
        update_conflicts=True,
        unique_fields=["organization", "attempt", "hour"],
        update_fields=[*HOUR_FIELDS, "session"],
        batch_size=1000,
    )
    gone = [kept[key][0] for key in kept.keys() - after.keys()]
    stored.filter(pk__in=gone).delete()
    return len(changed) + len(gone)


def _measure_row(each: Measure) -> Row:
    totals = {use: sum(spent.get(use, 0) for spent in each.hours.values()) for use in COLUMNS}
    told = {"starts_at": each.starts_at, "ends_at": each.ends_at, **each.fields}
    told |= {COLUMNS[use]: total for use, total in totals.items()}
    return tuple(told[name] for name in MEASURE_FIELDS)


def _hour_row(each: Measure, hour: datetime) -> Row:
    spent = each.hours[hour]
    uses = (spent.get(use, 0) for use in COLUMNS)
    return (each.fields["is_told"], each.fields["gpus"], *uses)
