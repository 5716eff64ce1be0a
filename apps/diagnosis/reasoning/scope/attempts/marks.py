"""Which events tell that an attempt begins or has failed."""

from collections.abc import Callable, Sequence
from datetime import datetime

from apps.diagnosis.model import Event, Mark, Role, Severity, Stream
from apps.diagnosis.signatures.marks import marked

# The launcher says itself that what ran before is over.
SURE = marked(Mark.RESTART)
# The program may also go on from a checkpoint in its first attempt.
MARKS = SURE | marked(Mark.MAY_RESTART)
LAUNCHES = marked(Mark.PROCESS_BEGINS)
# A launcher that waits for its hosts has not begun.
WAITING = marked(Mark.LAUNCH)
DEFAULT_GROUPS = frozenset({"", "0"})
GRAVE = frozenset({Severity.ERROR, Severity.FATAL})
ENDINGS = frozenset({Role.CASCADE, Role.TEARDOWN})
BEGINNINGS = frozenset({Role.INITIATING, Role.CONFIRMATION})
At = Callable[[Event], datetime | None]
Told = Sequence[tuple[datetime, tuple[str, int], Event]]


def is_of_session(event: Event) -> bool:
    """Say whether the session or its scheduler said it."""
    streams = {Stream.SESSION, Stream.SCHEDULER, None}
    return (event.line.origin.stream or event.line.stream) in streams


def is_launch(event: Event) -> bool:
    """Say whether the libraries of a process begin."""
    is_default = event.fields.get("pg_id", "") in DEFAULT_GROUPS
    return event.signature in LAUNCHES and is_default


def is_failure(event: Event) -> bool:
    """Say whether an event tells of a failure."""
    if event.role in ENDINGS:
        return event.severity is not Severity.INFO
    return event.role in BEGINNINGS and event.severity in GRAVE
