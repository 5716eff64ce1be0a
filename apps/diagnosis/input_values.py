"""Numbers and times that outsiders wrote: ASCII digits, within bounds, or not said at all.

To Python a superscript two is a digit, `1_000` a number and so are digits of any script; year 1
and year 9999 leave the calendar with the first sum. Whoever reads such a text does it here.
"""

from datetime import UTC, date, datetime, timedelta
from typing import Final

EARLIEST: Final = datetime(1970, 1, 1, tzinfo=UTC)
LATEST: Final = datetime(2200, 1, 1, tzinfo=UTC)
# How far a sender's clock may go ahead: what is stamped later than that is of a wrong one.
CLOCK_AHEAD: Final = timedelta(minutes=5)
# What a column of the database and a signed 32-bit field of a sender hold.
MOST: Final = 2**31 - 1
# What identifies a row, and what counts calls or microseconds.
MOST_ROWS: Final = 2**63 - 1
MOST_CALLS: Final = MOST_ROWS
# Ranks are counted out one by one: more of them than any cluster holds is no number of ranks.
MOST_RANKS: Final = 2**20
# Of days that somebody asks for: of others no span of days can be counted.
FIRST_YEAR, LAST_YEAR = 2000, 2099


def is_whole_number(text: str) -> bool:
    """Say whether a text is ASCII digits and nothing else."""
    return text.isascii() and text.isdigit()


def whole_number(text: object, *, most: int = MOST) -> int | None:
    """Return the number that ASCII digits write; None for other texts and larger numbers."""
    if not isinstance(text, str) or not is_whole_number(text) or len(text) > len(str(most)) + 20:
        return None
    number = int(text)
    return number if number <= most else None


def rank_number(text: object) -> int | None:
    """Return the number of a rank, or how many there are; None for what can't be either."""
    return whole_number(text, most=MOST_RANKS)


def signed_number(text: object, *, most: int = MOST) -> int | None:
    """Return the whole number that a text writes, with a minus or without."""
    if not isinstance(text, str):
        return None
    number = whole_number(text.removeprefix("-"), most=most)
    return -number if number is not None and text.startswith("-") else number


def decimal(text: object) -> float | None:
    """Return the number that ASCII digits with one point or none write; None for other texts."""
    if not isinstance(text, str) or len(text) > 40:
        return None
    is_decimal = is_whole_number(text.replace(".", "", 1))
    return min(float(text), float(MOST)) if is_decimal else None


def is_future(at: datetime, *, now: datetime) -> bool:
    """Say whether an instant that a sender names is still to come, whatever its clock says."""
    return at > now + CLOCK_AHEAD


def instant(text: object) -> datetime | None:
    """Return the time of RFC 3339 in UTC; None without a zone or outside the bounds."""
    if not isinstance(text, str) or not text.isascii():
        return None
    try:
        return in_bounds(datetime.fromisoformat(text))
    except ValueError:
        return None


def day(text: str) -> date | None:
    """Return the day that a text writes, such as 2026-11-21; None outside the years."""
    try:
        found = date.fromisoformat(text)
    except ValueError:
        return None
    return found if FIRST_YEAR <= found.year <= LAST_YEAR else None


def instant_of(seconds: float) -> datetime | None:
    """Return the time of Unix seconds; None outside the bounds, and for what is no number."""
    if not EARLIEST.timestamp() <= seconds < LATEST.timestamp():
        return None
    return datetime.fromtimestamp(seconds, UTC)


def in_bounds(at: datetime | None) -> datetime | None:
    """Return an aware time in UTC; None where it has no zone or no day between the bounds."""
    if at is None or at.tzinfo is None or not EARLIEST.year <= at.year < LATEST.year:
        return None
    found = at.astimezone(UTC)
    return found if EARLIEST <= found < LATEST else None


def storable(text: str) -> str:
    """Return a text without what no database keeps: NUL, and halves of characters."""
    return text.replace("\0", "").encode(errors="replace").decode()


def visible(text: str) -> str:
    """Return a name with a mark for each letter that nobody sees: a line end, a zero-width one.

    Two names that look the same would be taken for one.
    """
    if text.isprintable():
        return text
    return "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text)


def cut(at: datetime) -> datetime:
    """Return an aware time, one outside the bounds as their edge."""
    if EARLIEST.year < at.year < LATEST.year - 1:  # nearly all of them, whatever their zone
        return at
    return max(EARLIEST, min(at, LATEST))


def as_if_utc(local_at: datetime | None) -> datetime | None:
    """Return a time whose zone nobody knows as one in UTC: to compare it with its like."""
    return local_at.replace(tzinfo=UTC) if local_at else None
