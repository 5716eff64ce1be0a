"""Sources and how fresh they are. Fresh, stale and still waiting are three different things."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from apps.telemetry.intake import Intake
from apps.telemetry.models import Source
from apps.web import words
from apps.web.pages import SourceRow

STALE_AFTER = timedelta(minutes=15)


def push_row(*, intake: Intake, now: datetime) -> SourceRow:
    """Return one kind of pushed log."""
    name = words.STREAMS.get(intake.kind, "Log of an unknown kind")
    where = f" of {intake.cluster}" if intake.cluster else ", ad hoc"
    last = intake.last_received_at
    is_stale = last is not None and now - last > STALE_AFTER
    state = "waiting" if last is None else "stale" if is_stale else "fresh"
    return SourceRow(
        name=f"{name}s{where}" if intake.kind else f"{name}{where}",
        kind=f"pushed, {intake.stream_count:,} stream{'s' if intake.stream_count != 1 else ''}",
        state=state,
        state_text=age_text(state=state, last=last, now=now),
        amount=f"{intake.line_count:,} lines",
    )


def pull_row(*, source: Source, now: datetime) -> SourceRow:
    """Return one source that the portal reads itself."""
    last = source.last_success_at
    state = source.state if source.state in {"fresh", "stale", "waiting"} else "waiting"
    amount = (
        f"{source.series_count:,} series" if source.series_count is not None else "not read yet"
    )
    return SourceRow(
        name=source.name,
        kind=f"Prometheus, read every 30 s, {source.cluster.name}",
        state=state,
        state_text=age_text(state=state, last=last, now=now),
        amount=amount,
        note=source.last_error if state == "stale" else "",
    )


def age_text(*, state: str, last: datetime | None, now: datetime) -> str:
    """Return how long ago something came in."""
    if last is None:
        return "waiting for the first line" if state != "stale" else "stale, never read"
    age = words.duration(max((now - last).total_seconds(), 0))
    return f"stale, {age}" if state == "stale" else f"{age} ago"


def is_waiting(intakes: Sequence[Intake]) -> bool:
    """Say whether no line has come in at all."""
    return not any(intake.last_received_at for intake in intakes)
