"""Time zones: which offsets are in use, which names there are, and which one somebody meant."""

import re
from datetime import timedelta
from functools import cache
from typing import Final
from zoneinfo import available_timezones

from apps.diagnosis.spelling import nearest, shown

# Minutes east of UTC of all zones in use: whole hours, and the few that are not.
ODD: Final = (-570, -210, -150, 210, 270, 330, 345, 390, 525, 570, 630, 765, 825)
MINUTES_IN_USE: Final = tuple(sorted([*range(-12 * 60, 15 * 60, 60), *ODD]))
IN_USE: Final = tuple(timedelta(minutes=each) for each in MINUTES_IN_USE)
# What people write where a zone is asked for, and no name of one is like.
COMMON = {
    "korea": "Asia/Seoul",
    "kst": "Asia/Seoul",
    "jst": "Asia/Tokyo",
    "china": "Asia/Shanghai",
    "taiwan": "Asia/Taipei",
    "india": "Asia/Kolkata",
    "germany": "Europe/Berlin",
    "france": "Europe/Paris",
    "switzerland": "Europe/Zurich",
    "uk": "Europe/London",
    "bst": "Europe/London",
    "pst": "America/Los_Angeles",
    "pdt": "America/Los_Angeles",
    "est": "America/New_York",
    "edt": "America/New_York",
    "z": "UTC",
}
OFFSET = re.compile(
    r"(?:UTC|GMT)?(?P<sign>[+-])(?P<hours>\d{1,2})(?::?00)?", re.ASCII | re.IGNORECASE
)


def offset_words(*, offset: timedelta) -> str:
    """Return an offset from UTC as it is written."""
    hours, rest = divmod(abs(round(offset.total_seconds() / 60)), 60)
    return f"UTC{'-' if offset < timedelta(0) else '+'}{hours:02}:{rest:02}"


def is_zone(*, name: str) -> bool:
    """Say whether a zone has this name."""
    return name in _names()


def refusal(*, name: str) -> str:
    """Return what is wrong with a name that no zone has, and which one was probably meant."""
    found = zone_meant(name=name)
    hint = f"; did you mean `{found}`?" if found else ""
    return (
        f"there is no time zone `{shown(word=name)}`; write one like Asia/Seoul, Europe/Berlin "
        f"or UTC{hint}"
    )


def zone_meant(*, name: str) -> str | None:
    """Return the zone that was probably meant by a name that none has."""
    known = COMMON.get(name.lower()) or _by_offset(name) or _by_place(name)
    return known or nearest(word=name, known=_names())


def _by_offset(name: str) -> str | None:
    """Return the zone of whole hours: its names count them westwards, so UTC+9 is Etc/GMT-9."""
    found = OFFSET.fullmatch(name)
    zone = f"Etc/GMT{'-' if found['sign'] == '+' else '+'}{int(found['hours'])}" if found else ""
    return zone if zone in _names() else None


@cache
def _names() -> frozenset[str]:
    return frozenset(available_timezones())


def _by_place(name: str) -> str | None:
    """Return the zone of a place: `Korea/Seoul` and `Seoul` are Asia/Seoul."""
    place = name.rpartition("/")[2].strip().replace(" ", "_").lower()
    found = [zone for zone in _names() if zone.rpartition("/")[2].lower() == place]
    return min(found, key=len, default=None)
