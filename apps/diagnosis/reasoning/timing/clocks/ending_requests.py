"""When a scheduler was asked to end the job: its launchers hear of that at once."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime

from apps.diagnosis.model import Event, LogLine, Mark, Stream
from apps.diagnosis.reasoning.timing.clocks.source_stamps import Voice, is_of, voice_of
from apps.diagnosis.signatures.marks import marked

REQUESTS, SIGNALS = marked(Mark.KILL_REQUEST), marked(Mark.SIGNALLED)


def ending_requests(
    *, events: Iterable[Event], raw: Callable[[LogLine], datetime | None]
) -> Mapping[Voice, Sequence[datetime]]:
    """Return the printed times of requests to end this job, by log; none where no launcher of the
    session tells of a signal.
    """
    asked: dict[Voice, list[datetime]] = defaultdict(list)
    is_signalled = False
    for event in events:
        is_signalled |= is_of(event, Stream.SESSION) and event.signature in SIGNALS
        is_request = event.signature in REQUESTS and is_of(event, Stream.SCHEDULER)
        if is_request and (at := raw(event.line)) is not None:
            asked[voice_of(event.line)].append(at)
    return asked if is_signalled else {}
