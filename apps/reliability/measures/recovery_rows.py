"""Recoveries of a session ↔ their rows."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from apps.fleet.values import AttemptView
from apps.incidents.facade.reads import incidents_of_sessions
from apps.incidents.projection.header_values import IncidentHeader
from apps.reliability.models import RecoveryMeasure
from apps.reliability.sessions.recovery_traces import session_recoveries
from apps.telemetry.facade.recovery_marks import recovery_marks_of
from apps.tenancy.access import Actor
from apps.training.retries.attempt_recoveries import AttemptRecovery
from apps.training.retries.recovery_marks import Stage
from apps.training.runs.story import RunStory

# The column of each stage.
COLUMNS: Final = {stage: f"{stage.value.replace('-', '_')}_ms" for stage in Stage}
FIELDS: Final = ("stopped", *COLUMNS.values(), "missing", "is_complete")
MOST_HEADERS: Final = 1000


def measure_recoveries(
    *,
    actor: Actor,
    session_id: int,
    attempts: Sequence[AttemptView],
    stories: Mapping[int, RunStory],
) -> int:
    """Let a session's rows be the recoveries that are known; return how many changed.

    Needs the scope.
    """
    headers = incidents_of_sessions(actor=actor, session_ids=[session_id])[:MOST_HEADERS]
    found = session_recoveries(
        attempts=attempts,
        stories=stories,
        headers=_by_attempt(headers),
        marks=recovery_marks_of(actor=actor, session_id=session_id),
    )
    ids = {each.number: each.id for each in attempts}
    own = {"organization_id": actor.organization.pk, "session_id": session_id}
    return _write(own, {(ids[each.following], each.recovery.starts_at): each for each in found})


def _by_attempt(headers: Iterable[IncidentHeader]) -> dict[int | None, IncidentHeader]:
    return {each.incident.attempt_id: each for each in headers}


def _write(own: Mapping[str, int], found: Mapping[tuple[int, Any], AttemptRecovery]) -> int:
    stored = RecoveryMeasure.objects.filter(**own)
    kept = {
        (row[1], row[2]): row
        for row in stored.values_list("id", "attempt_id", "starts_at", *FIELDS)
    }
    rows = {key: _row(each) for key, each in found.items()}
    changed = {key: row for key, row in rows.items() if key not in kept or kept[key][3:] != row}
    RecoveryMeasure.objects.bulk_create(
        [
            RecoveryMeasure(
                **own,
                attempt_id=attempt_id,
                starts_at=starts_at,
                **dict(zip(FIELDS, row, strict=True)),
            )
            for (attempt_id, starts_at), row in changed.items()
        ],
        update_conflicts=True,
        unique_fields=["organization", "attempt", "starts_at"],
        update_fields=[*FIELDS, "session"],
    )
    gone = [kept[key][0] for key in kept.keys() - rows.keys()]
    stored.filter(pk__in=gone).delete()
    return len(changed) + len(gone)


def _row(each: AttemptRecovery) -> tuple[Any, ...]:
    recovery = each.recovery
    stages = (recovery.by_stage[stage] for stage in COLUMNS)
    return (each.stopped, *stages, [kind.value for kind in recovery.missing], recovery.is_complete)
