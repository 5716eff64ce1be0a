"""What is said of a zone that no line states."""

from datetime import timedelta

from apps.diagnosis.model import PrintedZone, ZoneReading
from apps.diagnosis.zone_names import offset_words

MOST_SECONDS, MOST_MINUTES = 120, 180


def spoken(*, reading: ZoneReading, what: str) -> str:
    """Return both readings in one sentence; `what` is the evidence that comes with one of them."""
    taken, printed = _taken(reading)
    there, here = _beside_stop(reading.gap), _beside_stop(reading.printed_gap)
    said = f"The {logs(reading=reading)} states no time zone: {taken}, {what} comes {there}"
    return f"{said}; {printed}, {here}"


def assumed(*, reading: ZoneReading) -> str:
    """Return what is taken for the zone of the logs that state none."""
    return f"The {logs(reading=reading)} states no time zone: its times are {_taken(reading)[0]}"


def printed(*, zone: PrintedZone) -> str:
    """Return what is taken for the times that name no zone, and by whose word."""
    names = [str(one) for one in zone.streams] or ["other"]
    all_but, last = ", ".join(names[:-1]), names[-1]
    one = len(names) == 1
    those = f"The {f'{all_but} and {last}' if all_but else last} log{'' if one else 's'}"
    said = f"{those} state{'s' if one else ''} no time zone: {'its' if one else 'their'} times are "
    taken = offset_words(offset=zone.offset) if zone.offset else "UTC"
    if zone.stated_by is None:
        return f"{said}taken as {taken}. `--tz` says otherwise."
    where = f" of {zone.host}" if zone.host else ""
    return f"{said}taken as {taken}, which the {zone.stated_by} log{where} prints."


def logs(*, reading: ZoneReading) -> str:
    """Return which logs state no zone."""
    return f"{reading.stream or 'other'} log"


def settles(*, reading: ZoneReading) -> str:
    """Return what says which zone it is."""
    if reading.offset is not None:
        return "`--tz` says which it is"
    return "a log whose times name their zone says which it is (`journalctl -k -o short-iso`)"


def _taken(reading: ZoneReading) -> tuple[str, str]:
    if reading.offset is not None:
        else_ = offset_words(offset=reading.guessed) if reading.guessed else "UTC"
        return f"taken as {offset_words(offset=reading.offset)}", f"taken as {else_}"
    side = "behind" if reading.shift > timedelta(0) else "ahead of"
    return f"taken as {_length(abs(reading.shift))} {side} the session log", "as printed"


def _beside_stop(gap: timedelta) -> str:
    if abs(gap) < timedelta(seconds=1):
        return "with the stop"
    return f"{_length(abs(gap))} {'before' if gap < timedelta(0) else 'after'} the stop"


def _length(span: timedelta) -> str:
    seconds = span.total_seconds()
    if seconds < MOST_SECONDS:
        return f"{seconds:.0f} s"
    if seconds < MOST_MINUTES * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f}".removesuffix(".0") + " h"
