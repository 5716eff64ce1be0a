"""What may be asked for, and what may be granted of it. Plain values."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from apps.incidents.correlation.capture_orders import AFTER, BEFORE
from apps.sharing.grant_values import IncidentPlace
from apps.sharing.redaction.text import visible_text
from apps.sharing.terms import FAMILIES, Level

REASON_LIMIT: Final = 500
WINDOW_AT_MOST: Final = timedelta(hours=24)
BESIDE: Final = timedelta(hours=24)  # how far from the incident a window may lie
ASKED_FAMILIES: Final = ("metrics", "events", "logs")
DAYS_AT_MOST: Final = 30
USUAL_DAYS: Final = 7


class BadRequestTerms(ValueError):
    """What is asked for or granted can't be meant so; `field` is what to change."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestEntry:
    """What one party asks another for."""

    holder: str  # slug
    data: str
    level: Level
    reason: str
    host: str = ""
    starts_at: datetime | None = None  # None: as long as data of the class is kept around it
    ends_at: datetime | None = None
    days: int = USUAL_DAYS


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantEntry:
    """What of a request is granted; None: as it was asked."""

    level: Level | None = None
    starts_at: datetime | None = None
    ends_at: datetime | None = None
    days: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GrantTerms:
    """How much is shown, of when, and until when."""

    level: Level
    starts_at: datetime
    ends_at: datetime
    until: datetime


def read_reason(text: str, *, is_needed: bool = True) -> str:
    """Return the words for the other side, without what is not seen; raise BadRequestTerms."""
    reason = visible_text(text).strip()
    if is_needed and not reason:
        raise BadRequestTerms("reason", "say why; the other side reads it")
    if len(reason) > REASON_LIMIT:
        raise BadRequestTerms("reason", f"at most {REASON_LIMIT} characters")
    return reason


def check_asked(entry: RequestEntry, *, hosts: Collection[str] | None) -> None:
    """Raise BadRequestTerms unless it can be asked for.

    `hosts` are those that the incident names to the asker, None: it may name any.
    """
    family, _, part = entry.data.partition(":")
    if family not in ASKED_FAMILIES or part not in FAMILIES[family]:
        raise BadRequestTerms("data", "write a class such as logs:kernel, metrics:gpu, events:host")
    if entry.level is Level.NONE:
        raise BadRequestTerms("level", "ask for signal, redacted or full")
    if entry.host and hosts is not None and entry.host not in hosts:
        raise BadRequestTerms("host", "the incident names no such host to you")
    if visible_text(entry.host) != entry.host:
        raise BadRequestTerms("host", "it holds characters that nobody sees")
    if len(entry.host) > 255:
        raise BadRequestTerms("host", "at most 255 characters")
    if not 1 <= entry.days <= DAYS_AT_MOST:
        raise BadRequestTerms("days", f"a whole number from 1 to {DAYS_AT_MOST}")


def asked_window(entry: RequestEntry, *, place: IncidentPlace) -> tuple[datetime, datetime]:
    """Return the window that is asked for; raise BadRequestTerms."""
    usual = _usual_window(entry.data, place)
    start = _whole(entry.starts_at) if entry.starts_at else usual[0]
    end = _whole(entry.ends_at) if entry.ends_at else usual[1]
    if end <= start:
        raise BadRequestTerms("ends_at", "it ends before it begins")
    if end - start > WINDOW_AT_MOST and (start, end) != usual:
        raise BadRequestTerms("ends_at", "at most 24 hours at once")
    if start < place.starts_at - BESIDE or end > place.ends_at + BESIDE:
        raise BadRequestTerms("starts_at", "within 24 hours of the incident")
    return start, end


def _usual_window(data: str, place: IncidentPlace) -> tuple[datetime, datetime]:
    """Return the window that is meant where none is named: of metrics what is kept around it."""
    around = place.around
    if data.startswith("metrics:"):
        around = (place.starts_at - BEFORE, place.starts_at + AFTER)
    return _whole(around[0]), _whole(around[1])


def _whole(at: datetime) -> datetime:
    """Return a time without parts of a second, which no form shows."""
    return at.replace(microsecond=0)


def granted_terms(entry: GrantEntry, *, asked: GrantTerms, now: datetime) -> GrantTerms:
    """Return what is granted, never more or longer than was asked for; raise BadRequestTerms."""
    if entry.days is not None and not 1 <= entry.days <= DAYS_AT_MOST:
        raise BadRequestTerms("days", f"a whole number from 1 to {DAYS_AT_MOST}")
    granted = GrantTerms(
        level=entry.level or asked.level,
        starts_at=entry.starts_at or asked.starts_at,
        ends_at=entry.ends_at or asked.ends_at,
        until=asked.until
        if entry.days is None
        else min(asked.until, now + timedelta(days=entry.days)),
    )
    if granted.level is Level.NONE or granted.level.rank > asked.level.rank:
        raise BadRequestTerms("level", "no more than was asked for; to show nothing, decline")
    if granted.ends_at <= granted.starts_at:
        raise BadRequestTerms("ends_at", "it ends before it begins")
    if granted.starts_at < asked.starts_at or granted.ends_at > asked.ends_at:
        raise BadRequestTerms("starts_at", "within the window that was asked for")
    return granted
