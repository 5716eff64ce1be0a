"""Time zones: which offsets are in use, which names there are, and which one somebody meant."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

from apps.diagnosis.spelling import COMPARED, shown, slips_of

# Minutes east of UTC of all zones in use: whole hours, and the few that are not.
ODD: Final = (-570, -210, -150, 210, 270, 330, 345, 390, 525, 570, 630, 765, 825)
MINUTES_IN_USE: Final = tuple(sorted([*range(-12 * 60, 15 * 60, 60), *ODD]))
IN_USE: Final = tuple(timedelta(minutes=each) for each in MINUTES_IN_USE)
# Of two logs without a zone one is mostly in UTC.
WITH_UTC: Final = frozenset(abs(one) for one in IN_USE)
# By how much two other zones differ. Few do by quarters, and an old fault lies near some quarter
# by chance; what lies a whole day apart comes again every day.
APART: Final = WITH_UTC | {timedelta(minutes=30) * half_hours for half_hours in range(2, 48)}
# What people write where a zone is asked for: abbreviations, countries and cities that no name is
# like. Those of several zones (IST, CST) are none's.
COMMON: Final = {
    word: zone
    for zone, words in {
        "Asia/Seoul": "korea kst busan daejeon",
        "Asia/Tokyo": "jst osaka",
        "Asia/Shanghai": "china beijing shenzhen",
        "Asia/Taipei": "taiwan",
        "Asia/Hong_Kong": "hkt",
        "Asia/Singapore": "sgt",
        "Asia/Kuala_Lumpur": "myt malaysia",
        "Asia/Manila": "pht",
        "Asia/Jakarta": "wib",
        "Asia/Bangkok": "ict thailand",
        "Asia/Ho_Chi_Minh": "vietnam hanoi",
        "Asia/Kolkata": "india mumbai delhi bangalore bengaluru +05:30 utc+05:30",
        "Asia/Kathmandu": "npt nepal +05:45 utc+05:45",
        "Asia/Karachi": "pkt pakistan",
        "Asia/Dubai": "gst uae",
        "Asia/Tehran": "irst +03:30 utc+03:30",
        "Australia/Sydney": "aest aedt canberra",
        "Australia/Darwin": "acst +09:30 utc+09:30",
        "Australia/Perth": "awst",
        "Pacific/Auckland": "nzst nzdt",
        "Europe/Berlin": "cest mez mesz germany munich frankfurt hamburg",
        "Europe/Paris": "france",
        "Europe/Zurich": "switzerland geneva",
        "Europe/Madrid": "spain",
        "Europe/Rome": "italy milan",
        "Europe/Amsterdam": "netherlands",
        "Europe/Brussels": "belgium",
        "Europe/Vienna": "austria",
        "Europe/Stockholm": "sweden",
        "Europe/Oslo": "norway",
        "Europe/Copenhagen": "denmark",
        "Europe/Helsinki": "finland",
        "Europe/Athens": "eest greece",
        "Europe/Lisbon": "west",
        "Europe/London": "uk england bst",
        "Europe/Moscow": "msk",
        "Europe/Istanbul": "trt",
        "Africa/Johannesburg": "sast",
        "America/Sao_Paulo": "brt",
        "America/New_York": "edt",
        "America/Chicago": "cdt",
        "America/Denver": "mdt",
        "America/Los_Angeles": "pst pdt san_francisco seattle",
        "America/Anchorage": "akst akdt",
        "UTC": "z",
    }.items()
    for word in words.split()
}
ABBREVIATION: Final = re.compile(r"[A-Z]{1,5}(?:\d[A-Z]{3})?", re.ASCII)
OFFSET: Final = re.compile(
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
    """Return the zone that was probably meant by a name that none has.

    By what it means; by its letters only a place a slip away, never an abbreviation or an offset,
    of which each letter is another part of the world.
    """
    if len(name) > COMPARED:
        return None
    word = name.strip().replace(" ", "_")
    return (
        COMMON.get(word.lower()) or _by_offset(word) or _by_place(word) or _by_letters(word) or None
    )


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
    return _first(_places().get(name.rpartition("/")[2].lower(), ()))


def _by_letters(name: str) -> str | None:
    """Return the zone of a place a slip away, where all such places have one time."""
    if ABBREVIATION.fullmatch(name):
        return None
    whole = {zone.lower(): [zone] for zones in _places().values() for zone in zones}
    known = whole if "/" in name else _places()
    places = slips_of(word=name, known=known)
    zones = [zone for place in places for zone in known[place]]
    return _first(zones) if len({_clock(zone) for zone in zones}) == 1 else None


def _first(zones: Iterable[str]) -> str | None:
    return min(zones, key=lambda zone: (zone.startswith("Etc/"), len(zone), zone), default=None)


def _clock(zone: str) -> tuple[timedelta | None, ...]:
    """Return what a zone is off UTC in a winter and in a summer."""
    info = ZoneInfo(zone)
    return tuple(datetime(2026, month, 1, tzinfo=info).utcoffset() for month in (1, 7))


@cache
def _places() -> Mapping[str, Sequence[str]]:
    """Return place → the zones of that name; an offset is no place."""
    found = defaultdict[str, list[str]](list)
    for zone in _names():
        if zone == "UTC" or not ("GMT" in zone or ABBREVIATION.fullmatch(zone)):
            found[zone.rpartition("/")[2].lower()].append(zone)
    return found
