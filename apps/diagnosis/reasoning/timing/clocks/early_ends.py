"""Logs that end before the others, and are not in a zone of their own."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from apps.diagnosis.reasoning.timing.clocks.source_stamps import Voice, VoiceSpan


def ended_early(
    spans: Sequence[VoiceSpan],
    start: datetime,
    shifts: Mapping[Voice, timedelta],
    slack: timedelta,
) -> Iterator[Voice]:
    """Yield the logs of which only one end would meet the others', while the same program's log of
    another host needs no shift: what one program writes on each host is in one zone.

    A log whose times are all of one moment has no second end: to be moved it needs another sign.
    """
    unmoved = {kind for one in spans if not shifts[one.voice] and (kind := _kind(one))}
    for one in spans:
        moved = shifts[one.voice]
        is_moment = one.last - one.first <= slack
        is_half = is_moment or abs(one.first + moved - start) > slack
        if moved and _kind(one) in unmoved and is_half:
            yield one.voice


def _kind(span: VoiceSpan) -> str:
    """Return the path of a log without its host, empty where the path doesn't name one."""
    source = span.voice[0]
    return source.replace(span.host, "") if span.host and span.host in source else ""
