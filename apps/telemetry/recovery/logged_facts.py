"""Lines of an attempt's logs that tell of recovery in place → the same facts."""

from collections.abc import Iterator, Sequence
from typing import Final

from django.db.models import Q, Sum

from apps.diagnosis.model import PointKind
from apps.fleet.models import Attempt
from apps.telemetry.attempts.reading_span import attempt_span
from apps.telemetry.logs import progress_blocks
from apps.telemetry.models import Event, ProgressBlock
from apps.training.in_job.adapters.log_lines import SIGNS, ToldLine, run_of_lines
from apps.training.in_job.events import StepCommitted
from apps.training.in_job.logged_run import LoggedRun

MOST_LINES: Final = 10_000
MOST_BLOCKS: Final = 4  # of the log that tells the most steps


def logged_run(*, attempt: Attempt, with_steps: bool = True) -> LoggedRun | None:
    """Return what lines tell; None where none does. Needs the scopes of who holds them."""
    lines = _lines(attempt)
    if not lines:
        return None
    return run_of_lines(lines, _steps(attempt) if with_steps else ())


def _lines(attempt: Attempt) -> Sequence[ToldLine]:
    span = Q(attempt=attempt)
    if attempt.started_at is not None:
        within = attempt_span(attempt)
        later = Q(at__gte=attempt.started_at) & (
            Q(at__lte=within.ends_at) if within.ends_at else Q()
        )
        span |= Q(attempt=None) & later
    rows = Event.objects.filter(span, session=attempt.session_id, signature__in=SIGNS)
    timed = rows.exclude(at=None).order_by("at", "id")[:MOST_LINES]
    return [
        ToldLine(
            sign=row.signature,
            at_seconds=row.at.timestamp(),
            text=row.body.get("text", ""),
            fields={**row.body["fields"], **({} if row.rank is None else {"rank": str(row.rank)})},
        )
        for row in timed
        if row.at is not None
    ]


def _steps(attempt: Attempt) -> Iterator[StepCommitted]:
    """Yield the steps of the log of the attempt that tells the most of them."""
    blocks = ProgressBlock.objects.filter(stream__attempt=attempt)
    counts = blocks.values("stream").annotate(total=Sum("point_count")).order_by("-total", "stream")
    chief = counts.values_list("stream", flat=True).first()
    for row in blocks.filter(stream=chief).order_by("-block")[:MOST_BLOCKS] if chief else ():
        for point in progress_blocks.unpacked(row.body):
            is_step = point.kind is PointKind.STEP and point.step is not None
            if is_step and point.at is not None and not point.is_local:
                yield StepCommitted(
                    at_seconds=point.at.timestamp(),
                    step=point.step or 0,
                    microbatches=None,
                    survivors=None,
                    tokens=None,
                    loss=point.loss,
                )
