"""What is kept and what went, in words."""

from dataclasses import dataclass
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from django.conf import settings
from django.utils import dateformat
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from apps.telemetry.retention.classes import RetentionClass
from apps.telemetry.retention.quota import size_text
from apps.telemetry.retention.report import ClassReport, RetentionReport
from apps.telemetry.values import DeletionView
from apps.web import words
from apps.web.display.figures import NO_NUMBER
from apps.web.display.instants import Instant, instant

WARN_PERCENT = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassRow:
    """One class of what is kept."""

    name: str
    holds: str
    rule: str
    setting: str
    size: str
    rows: str
    oldest: str
    next: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletionRow:
    """What one run took away."""

    at: Instant
    name: str
    what: str
    why: str
    stayed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaUsage:
    """How much of what it may an organization keeps."""

    text: str
    percent: float | None  # None: there is no limit
    is_near: bool = False
    is_over: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class KeepingPage:
    """What is kept, what goes next, what went."""

    classes: tuple[ClassRow, ...]
    quota: QuotaUsage
    next_at: Instant
    measured: str
    deletions: tuple[DeletionRow, ...]
    refused: str = ""  # why pushes are refused now
    late: str = ""  # which raw text should have gone and could not yet


def retention_page(
    *, report: RetentionReport, refused: str, zone: ZoneInfo | None, now: datetime
) -> KeepingPage:
    """Return the page of one organization."""
    is_measured = report.measured_at is not None
    return KeepingPage(
        classes=tuple(_class(each, is_measured=is_measured) for each in report.classes),
        quota=_quota(report),
        next_at=instant(report.next_at, zone=zone, now=now),
        measured=_measured(report.measured_at, now=now),
        deletions=tuple(_deletion(each, zone=zone, now=now) for each in report.deletions),
        refused=refused,
        late=_late(report),
    )


def class_name(kind: RetentionClass) -> str:
    """Return what a class is called."""
    return {
        RetentionClass.RAW: _("Raw text"),
        RetentionClass.EVENTS: _("Events and findings"),
        RetentionClass.METRICS: _("Metrics"),
        RetentionClass.INCIDENTS: _("Incidents"),
    }[kind]


def _class(each: ClassReport, *, is_measured: bool) -> ClassRow:
    kept = each.kept
    return ClassRow(
        name=class_name(each.kind),
        holds=_holds(each.kind),
        rule=_rule(each),
        setting=_setting(each.kind),
        size=_bytes(kept.byte_count) if is_measured else NO_NUMBER,
        rows=f"{kept.row_count:,}" if is_measured else NO_NUMBER,
        oldest=_day(kept.oldest_at) if kept.oldest_at else NO_NUMBER,
        next=_next(each),
    )


def _holds(kind: RetentionClass) -> str:
    return {
        RetentionClass.RAW: _("Log lines as they came in."),
        RetentionClass.EVENTS: _(
            "What was read of logs and found in metrics, and that a body was sent."
        ),
        RetentionClass.METRICS: _(
            "The rolling window of what is sent, and what detectors remember."
        ),
        RetentionClass.INCIDENTS: _(
            "Verdicts, evidence, captured metrics, and the lines they cite."
        ),
    }[kind]


def _setting(kind: RetentionClass) -> str:
    return "" if kind is RetentionClass.INCIDENTS else f"PORTAL_KEEP_{kind.upper()}_DAYS"


def _rule(each: ClassReport) -> str:
    if each.days is None:
        return _("for ever")
    text = ngettext("%(days)s day", "%(days)s days", each.days) % {"days": each.days}
    if each.kind is not RetentionClass.METRICS:
        return text
    window = words.duration(settings.PORTAL_WINDOW_SECONDS)
    return _("window %(window)s, the rest %(days)s") % {"window": window, "days": text}


def _next(each: ClassReport) -> str:
    if each.days is None:
        return _("never")
    if each.next is None:
        return NO_NUMBER  # not counted in advance
    if not each.next.row_count:
        return _("nothing")
    return _amount(each.next.row_count, each.next.byte_count)


def _amount(rows: int, size: int) -> str:
    text = ngettext("%(rows)s row, about %(size)s", "%(rows)s rows, about %(size)s", rows)
    return text % {"rows": f"{rows:,}", "size": _bytes(size)}


def _quota(report: RetentionReport) -> QuotaUsage:
    if report.measured_at is None:
        return QuotaUsage(text=_limit(report), percent=None)
    stored = _bytes(report.stored_bytes)
    if not report.limit_bytes:
        return QuotaUsage(
            text=_("About %(stored)s; no limit is set.") % {"stored": stored}, percent=None
        )
    percent = round(100 * report.stored_bytes / report.limit_bytes, 1)
    text = _("About %(stored)s of at most %(limit)s (%(percent)s %%).") % {
        "stored": stored,
        "limit": _bytes(report.limit_bytes),
        "percent": f"{percent:.1f}" if percent < 10 else f"{percent:.0f}",
    }
    return QuotaUsage(
        text=text,
        percent=min(percent, 100.0),
        is_near=percent >= WARN_PERCENT,
        is_over=report.stored_bytes > report.limit_bytes,
    )


def _limit(report: RetentionReport) -> str:
    """Return what is known before anything was counted."""
    if not report.limit_bytes:
        return _("Not measured yet; no limit is set.")
    return _("Not measured yet; at most %(limit)s.") % {"limit": _bytes(report.limit_bytes)}


def _measured(at: datetime | None, *, now: datetime) -> str:
    if at is None:
        return _("Not measured yet; it is every two minutes.")
    seconds = max((now - at).total_seconds(), 0)
    return _("Estimated %(age)s ago from the rows; what a database leaves unused is not in it.") % {
        "age": words.duration(seconds)
    }


def _deletion(row: DeletionView, *, zone: ZoneInfo | None, now: datetime) -> DeletionRow:
    days = ngettext("%(days)s day", "%(days)s days", row.days) % {"days": row.days}
    return DeletionRow(
        at=instant(row.at, zone=zone, now=now),
        name=class_name(RetentionClass(row.kind)),
        what=_amount(row.row_count, row.byte_count),
        why=_("older than %(days)s: came in before %(day)s")
        % {"days": days, "day": _day(row.before)},
        stayed=_("%(count)s, cited by incidents") % {"count": f"{row.cited_count:,}"}
        if row.cited_count
        else NO_NUMBER,
    )


def _late(report: RetentionReport) -> str:
    if not report.late_days:
        return ""
    days = ", ".join(f"{each.day} {each:%b %Y}" for each in report.late_days)
    what = _("Raw text that came in on %(days)s is past its time and still here.") % {"days": days}
    if report.late_unread:
        why = ngettext(
            "%(count)s body of then still waits to be read; it goes after that.",
            "%(count)s bodies of then still wait to be read; it goes after that.",
            report.late_unread,
        ) % {"count": report.late_unread}
    else:
        why = _(
            "It goes with the next hourly run, unless somebody is reading raw text then (a backup, "
            "a long look) or others' bodies of then still wait to be read."
        )
    return f"{what} {why}"


def _bytes(size: int) -> str:
    return size_text(size)


def _day(at: datetime) -> str:
    return dateformat.format(at.astimezone(UTC), pgettext("date format", "j M Y"))
