"""Moments of a story as they lie in the database, read thousands at a time."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet

from apps.diagnosis.input_values import cut
from apps.incidents.models import TimelineEntry
from apps.tenancy.database.microseconds import Microseconds, instant_of


class StoredMoment(NamedTuple):
    """A moment as it is stored. Not a row: a story has thousands, and a page reads them all."""

    id: int
    organization_id: int  # whose it is
    attempt_id: int | None
    moment: bytes
    is_retracted: bool
    revision: int
    lane: str
    kind: str
    role: str
    at: datetime | None
    ends_at: datetime | None
    clock_error_seconds: float | None
    order_key: int
    title: str
    statement: Mapping[str, Any]
    detail: Mapping[str, Any]
    for_all_parties: bool
    audience: list[int]
    created_at: datetime


TIMES = frozenset({"at", "ends_at", "created_at"})
COLUMNS = [Microseconds(name) if name in TIMES else name for name in StoredMoment._fields]
REPORTED = [StoredMoment._fields.index(name) for name in ("at", "ends_at")]


def stored(rows: QuerySet[TimelineEntry]) -> Iterator[StoredMoment]:
    """Yield the moments of these rows in the order they were written."""
    return map(_moment, rows.order_by("id").values_list(*COLUMNS))


def _moment(row: Sequence[Any]) -> StoredMoment:
    told = list(row)
    for place in REPORTED:
        if told[place] is not None:
            told[place] = cut(instant_of(told[place]))
    told[-1] = instant_of(told[-1])
    return StoredMoment._make(told)
