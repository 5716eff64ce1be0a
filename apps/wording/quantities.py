"""How spans, instants, zones, ranks and lists are written."""

from datetime import UTC, datetime, timedelta

from apps.diagnosis.model import Value
from apps.diagnosis.zone_names import offset_words
from apps.wording.names import STREAMS
from apps.wording.speaker import Speaker
from apps.wording.translatable import gettext_noop

SECONDS, MINUTES = gettext_noop("%(n)s s"), gettext_noop("%(n)s min")
HOURS, DAYS = gettext_noop("%(n)s h"), gettext_noop("%(n)s days")
MOST_SECONDS, MOST_MINUTES, MOST_HOURS = 120.0, 180.0 * 60, 48.0 * 3600
BOTH = gettext_noop("%(all)s and %(last)s")


def span(value: Value, speaker: Speaker) -> str:
    """Return how long something was, as coarsely as people say it: 12 min."""
    seconds = _seconds(value)
    if seconds < MOST_SECONDS:
        return _said(SECONDS, f"{seconds:.0f}", speaker)
    if seconds < MOST_MINUTES:
        return _said(MINUTES, f"{seconds / 60:.0f}", speaker)
    return _said(HOURS, f"{seconds / 3600:.0f}", speaker)


def finer_span(value: Value, speaker: Speaker) -> str:
    """Return the same with tenths of hours, where zones of half an hour count: 5.5 h."""
    seconds = _seconds(value)
    if seconds < MOST_MINUTES:
        return span(value, speaker)
    return _said(HOURS, f"{seconds / 3600:.1f}".removesuffix(".0"), speaker)


def long_span(value: Value, speaker: Speaker) -> str:
    """Return how many hours or days something went on."""
    seconds = _seconds(value)
    if seconds < MOST_HOURS:
        return _said(HOURS, f"{seconds / 3600:.0f}", speaker)
    return _said(DAYS, f"{seconds / 86_400:.0f}", speaker)


def instant(value: Value, speaker: Speaker) -> str:
    """Return an instant to the minute."""
    if not isinstance(value, datetime):
        return speaker.value(value)
    return f"{value.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def window(value: Value, speaker: Speaker) -> str:
    """Return a window to the second, the day once where both ends lie in it."""
    if not isinstance(value, tuple):
        return speaker.value(value)
    start, end = (each.astimezone(UTC) for each in value if isinstance(each, datetime))
    last = f"{end:%H:%M:%S}" if start.date() == end.date() else f"{end:%Y-%m-%d %H:%M:%S}"
    return f"{start:%Y-%m-%d %H:%M:%S}–{last} UTC"  # noqa: RUF001  a span


def second(value: Value, speaker: Speaker) -> str:
    """Return an instant to the second."""
    if not isinstance(value, datetime):
        return speaker.value(value)
    return f"{value.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def zone(value: Value, speaker: Speaker) -> str:
    """Return a zone by its offset: UTC+09:00."""
    if not isinstance(value, timedelta):
        return speaker.value(value)
    return offset_words(offset=value) if value else "UTC"


def times(value: Value, speaker: Speaker) -> str:
    """Return a ratio in two digits."""
    return f"{value:.2g}" if isinstance(value, float | int) else speaker.value(value)


def listed(value: Value, speaker: Speaker) -> str:
    """Return several facts one after the other."""
    return "; ".join(map(speaker.value, value)) if isinstance(value, tuple) else str(value)


def stream(value: Value, speaker: Speaker) -> str:
    """Return whose log it is: the session's, the kernel's."""
    return speaker.translate(STREAMS.get(str(value), str(value)))


def streams(value: Value, speaker: Speaker) -> str:
    """Return the same of several."""
    names = [stream(each, speaker) for each in value] if isinstance(value, tuple) else []
    if len(names) < 2:
        return "".join(names)
    told = {"all": ", ".join(names[:-1]), "last": names[-1]}
    return speaker.translate(BOTH) % told


def _seconds(value: Value) -> float:
    return value.total_seconds() if isinstance(value, timedelta) else 0.0


def _said(words: str, number: str, speaker: Speaker) -> str:
    return speaker.translate(words) % {"n": number}
