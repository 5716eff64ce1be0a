"""Days of raw text: made ahead as parts of the table, dropped whole once they are old (ADR 14).

What has no part of its own (nobody made days for a week) lies in the default part and goes row by
row. A restore makes the days of its rows first.
"""

import logging
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Final

from django.db import DatabaseError, connection, transaction
from django.db.models import Count, Max, Min, Sum
from psycopg.errors import DeadlockDetected, LockNotAvailable

from apps.telemetry.models import (
    Batch,
    BatchState,
    KeptLines,
    LogChunk,
    LogStream,
    ReleasedDay,
)
from apps.telemetry.retention import batches, usage
from apps.telemetry.retention.classes import RetentionClass, days_of, old_before
from apps.telemetry.retention.deletions import OctetLength, PurgeCount, note
from apps.telemetry.retention.purge.excerpts import excerpts
from apps.telemetry.retention.references import Citing, citing_of
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope

logger = logging.getLogger(__name__)

AHEAD: Final = 7
# What was there before the table had days: its rows go one by one, then it goes too.
BEFORE_DAYS: Final = date(1970, 1, 1)
PART: Final = "telemetry_logchunk_d"


def make_ahead(*, now: datetime) -> None:
    """Make the days to come; what can't be made now (somebody reads) is tried by the next run."""
    existing = parts()
    today = now.astimezone(UTC).date()
    for day in (today + timedelta(days=ahead) for ahead in range(AHEAD + 1)):
        if day in existing:
            continue
        try:
            with transaction.atomic():
                _call("telemetry_make_chunk_day", day)
        except DatabaseError as error:
            _say(day, error)
            if _is_busy(error):
                return


def drop_old(*, now: datetime) -> None:
    """Drop the days past their time. Opens scopes of its own.

    Whatever can't be done now (somebody reads, a body waits) is tried again by the next run.
    """
    before = old_before(kind=RetentionClass.RAW, now=now).date()
    for day in sorted(each for each in parts() if each < before):
        try:
            _drop(day=day, now=now)
        except DatabaseError as error:
            _say(day, error)
            if _is_busy(error):
                return


def parts() -> frozenset[date]:
    """Return the days with a part of their own."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relname FROM pg_inherits JOIN pg_class ON oid = inhrelid"
            " WHERE inhparent = 'telemetry_logchunk'::regclass AND relname ~ %s",
            [f"^{PART}[0-9]{{8}}$"],
        )
        names = [str(name).removeprefix(PART) for (name,) in cursor.fetchall()]
    return frozenset(date(int(name[:4]), int(name[4:6]), int(name[6:])) for name in names)


def late(*, now: datetime) -> tuple[date, ...]:
    """Return the days that should have gone and have not."""
    before = old_before(kind=RetentionClass.RAW, now=now).date()
    return tuple(sorted(day for day in parts() - {BEFORE_DAYS} if day < before))


def unread_count(*, organization_id: int, of: Sequence[date]) -> int:
    """Return how many bodies from the first to the last of these days wait. Needs the scope."""
    if not of:
        return 0
    waiting = Batch.objects.for_organization(organization_id).filter(state=BatchState.ACCEPTED)
    begin, end = (datetime.combine(day, time(), UTC) for day in (min(of), max(of)))
    return waiting.filter(received_at__gte=begin, received_at__lt=end + timedelta(days=1)).count()


def drop(*, day: date, now: datetime) -> bool:
    """Drop a day of everybody with what is cited of it kept aside; return whether it went.

    All in one transaction, in which the database looks once more: a row that came meanwhile, a
    body that waits or a day too young, and everything stays as it was.
    """
    try:
        return _drop(day=day, now=now)
    except DatabaseError as error:
        _say(day, error)
        return False


def _drop(*, day: date, now: datetime) -> bool:
    with organization_scope(*Organization.objects.values_list("id", flat=True)):
        if not batches.are_days_mine():
            return False
        holders = _holders(day)
        if holders and (day == BEFORE_DAYS or not all(map(_is_mine, holders))):
            return False
        for organization_id in holders:
            _let_go(organization_id=organization_id, day=day, now=now)
        return _call("telemetry_drop_chunk_day", day)


def _holders(day: date) -> list[int]:
    rows = LogChunk.objects.filter(arrived_on=day).order_by("organization_id")
    return list(rows.values_list("organization_id", flat=True).distinct())


def _is_mine(organization_id: int) -> bool:
    return batches.is_mine(organization_id=organization_id)


def _let_go(*, organization_id: int, day: date, now: datetime) -> None:
    """Keep what is cited of an organization's day, and say how much of it may go."""
    citing = citing_of(organization_id=organization_id)
    own = LogChunk.objects.for_organization(organization_id).filter(arrived_on=day)
    kept = _kept(organization_id=organization_id, day=day, citing=citing, now=now)
    _number_the_rest(organization_id=organization_id, day=day)
    found = own.aggregate(
        rows=Count("id"),
        newest=Max("id"),
        size=Sum(OctetLength("body")),
        oldest=Min("batch__received_at"),
    )
    ReleasedDay.objects.create(
        organization_id=organization_id,
        day=day,
        days=days_of(kind=RetentionClass.RAW) or 0,
        row_count=found["rows"],
        newest_id=found["newest"],
    )
    gone = PurgeCount(
        row_count=found["rows"],
        byte_count=found["size"] + usage.row_bytes(LogChunk) * found["rows"],
        oldest_at=found["oldest"],
        cited_count=sum(each.line_count for each in kept),
    )
    note(organization_id=organization_id, kind=RetentionClass.RAW, gone=gone, now=now)
    usage.take_off(organization_id=organization_id, model=LogChunk, gone=gone)


def _kept(*, organization_id: int, day: date, citing: Citing, now: datetime) -> list[KeptLines]:
    own = LogChunk.objects.for_organization(organization_id).filter(arrived_on=day)
    streams = set(own.filter(stream__in=citing.streams).values_list("stream_id", flat=True))
    # As whoever reads on in them does, and in the same order.
    locked = LogStream.objects.for_organization(organization_id).filter(pk__in=streams)
    list(locked.order_by("label_digest", "id").select_for_update().values_list("id"))
    cited = own.filter(stream__in=streams).values_list("stream_id", "first_number").distinct()
    kept = list(excerpts(organization_id=organization_id, groups=cited, citing=citing, now=now))
    KeptLines.objects.bulk_create(kept, ignore_conflicts=True)
    return kept


def _number_the_rest(*, organization_id: int, day: date) -> None:
    """Let chunks that overlap those of the day count on from behind them."""
    with connection.cursor() as cursor:
        cursor.execute(
            """
            UPDATE telemetry_logchunk AS c SET first_number = c.first_number + gone.line_count
            FROM (
                SELECT stream_id, first_number, sum(line_count) AS line_count
                FROM telemetry_logchunk WHERE organization_id = %(organization)s
                    AND arrived_on = %(day)s GROUP BY stream_id, first_number
            ) gone
            WHERE c.organization_id = %(organization)s AND c.arrived_on <> %(day)s
                AND c.stream_id = gone.stream_id AND c.first_number = gone.first_number
            """,
            {"organization": organization_id, "day": day},
        )


def _call(function: str, day: date) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {function}(%s)", [day])  # our own names
        (is_done,) = cursor.fetchone()
    return bool(is_done)


def _say(day: date, error: DatabaseError) -> None:
    reason = type(error.__cause__ or error).__name__
    logger.warning("raw.day_stays", extra={"day": day.isoformat(), "reason": reason})


def _is_busy(error: DatabaseError) -> bool:
    """Say whether somebody holds the table; each further try would hold up who comes behind."""
    return isinstance(error.__cause__, LockNotAvailable | DeadlockDetected)
