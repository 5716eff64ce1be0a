"""What lines of launchers tell of restarts, as marks of recoveries. Needs the actor's scope."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Final

from apps.diagnosis.model import Mark
from apps.diagnosis.signatures.marks import marked
from apps.telemetry.attempts.reading_span import ReadingSpan, attempt_spans
from apps.telemetry.models import Event, Progress
from apps.tenancy.access import Actor, Right
from apps.training.retries.recovery_marks import MarkKind, RecoveryMark, nvrx_marks

LAUNCHER_EVENTS: Final = marked(Mark.LAUNCHER_EVENT)
# Which mark of a recovery a line is; of what only comes beside a failure nothing is made.
OF_EVENTS: Final[Mapping[str, MarkKind]] = {
    **dict.fromkeys(marked(Mark.WORKER_FAILED), MarkKind.FAILURE_DETECTED),
    **dict.fromkeys(marked(Mark.WORKERS_RESTART), MarkKind.WORKER_TERMINATED),
    **dict.fromkeys(marked(Mark.PROCESS_BEGINS), MarkKind.WORKER_START_STARTED),
}
# Of these the newest of each voice is kept, not every line.
OF_PROGRESS: Final[Mapping[str, MarkKind]] = {
    **dict.fromkeys(marked(Mark.RENDEZVOUS_BEGINS), MarkKind.RENDEZVOUS_STARTED),
    **dict.fromkeys(marked(Mark.RENDEZVOUS_ENDS), MarkKind.RENDEZVOUS_COMPLETED),
    **dict.fromkeys(marked(Mark.COMMUNICATOR_READY), MarkKind.WORKER_START_COMPLETED),
}
MOST_LINES: Final = 5000


def recovery_marks_of(*, actor: Actor, session_id: int) -> Mapping[int, tuple[RecoveryMark, ...]]:
    """Return attempt number → what the organization's own logs tell of starting again."""
    actor.require(Right.READ)
    spans = attempt_spans(session_id=session_id)
    found: dict[int, list[RecoveryMark]] = defaultdict(list)
    for number, mark in (*_events(actor, session_id), *_progress(actor, session_id)):
        for place in [number] if number is not None else _places(mark.at, spans):
            found[place].append(mark)
    return {number: tuple(marks) for number, marks in found.items()}


def _events(actor: Actor, session_id: int) -> Iterator[tuple[int | None, RecoveryMark]]:
    signs = LAUNCHER_EVENTS | OF_EVENTS.keys()
    own = Event.objects.for_organization(actor.organization)
    rows = own.filter(session=session_id, signature__in=signs).exclude(at=None)
    columns = ("attempt__number", "at", "signature", "host", "rank", "body__text")
    for number, at, sign, host, rank, text in rows.order_by("at", "id").values_list(*columns)[
        :MOST_LINES
    ]:
        if sign in LAUNCHER_EVENTS:
            yield from ((number, mark) for mark in nvrx_marks([text or ""]))
        else:
            yield number, _mark(OF_EVENTS[sign], at, host, rank)


def _progress(actor: Actor, session_id: int) -> Iterator[tuple[int | None, RecoveryMark]]:
    own = Progress.objects.for_organization(actor.organization)
    rows = own.filter(stream__session=session_id, signature__in=OF_PROGRESS).exclude(at=None)
    columns = ("stream__attempt__number", "at", "signature", "host", "rank")
    for number, at, sign, host, rank in rows.order_by("at", "id").values_list(*columns)[
        :MOST_LINES
    ]:
        yield number, _mark(OF_PROGRESS[sign], at, host, rank)


def _mark(kind: MarkKind, at: datetime, host: str, rank: int | None) -> RecoveryMark:
    return RecoveryMark(kind=kind, at=at, node=host, rank="" if rank is None else str(rank))


def _places(at: datetime, spans: Mapping[int, ReadingSpan]) -> Iterable[int]:
    """Return the attempt that a line without one is of: the last that may have printed it."""
    fitting = [
        number
        for number, span in sorted(spans.items())
        if (span.starts_at is None or at >= span.starts_at)
        and (span.ends_at is None or at <= span.ends_at)
    ]
    return fitting[-1:]
