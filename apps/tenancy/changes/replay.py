"""Changes in the order in which they became durable, from any point on.

Transactions end in another order than they begin: numbered as they are written, a late one would
stand before what was read already. So a reader numbers what it finds, one reader at a time: what
has a number is durable, and so is all with a lower one.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import Func, IntegerField, Max, Q, QuerySet, Value

from apps.tenancy.database.advisory_locks import Lock, try_hold
from apps.tenancy.models import PageChange, Topic
from apps.tenancy.scope import organization_scope

KEPT_FOR: Final = timedelta(minutes=30)
# Clocks of processes differ; what a page shows already is asked once more.
SLACK: Final = timedelta(seconds=3)
READ_AT_MOST: Final = 2000
SEQUENCE: Final = "tenancy_pagechange_number_seq"


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderedChange:
    """One change for an organization; `number` orders them and leaves no process."""

    number: int
    organization_id: int
    code: str
    topic: Topic
    subject: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeReplay:
    """What came since; `number` is where the stream goes on."""

    changes: tuple[OrderedChange, ...]
    number: int
    is_complete: bool = True  # else nobody knows any more what came since


def read_after(*, numbers: dict[int, int], now: datetime) -> tuple[OrderedChange, ...]:
    """Return what each of these organizations has after its number. Opens their scope."""
    if not numbers:
        return ()
    with organization_scope(*numbers):
        number_new(now=now)
        rows = PageChange.objects.filter(organization__in=numbers, number__gt=min(numbers.values()))
        found = [_change(each) for each in rows.order_by("number")[:READ_AT_MOST]]
    return tuple(each for each in found if each.number > numbers[each.organization_id])


def replay(
    *, organization_id: int, code: str, since: datetime | None, now: datetime
) -> ChangeReplay:
    """Return what came after the change of this code, or since a moment. Opens the scope.

    Without either nothing: only where to go on.
    """
    with organization_scope(organization_id):
        number_new(now=now)
        own = PageChange.objects.for_organization(organization_id).exclude(number=None)
        newest = own.aggregate(newest=Max("number"))["newest"] or 0
        after = own.filter(code=code).values_list("number", flat=True).first() if code else None
        if code and after is None:
            return ChangeReplay(changes=(), number=newest, is_complete=False)
        if after is None and since is None:
            return ChangeReplay(changes=(), number=newest)
        later = Q(number__gt=after) if since is None else Q(numbered_at__gte=since - SLACK)
        return _until(own.filter(later), newest)


def _until(rows: QuerySet[PageChange], newest: int) -> ChangeReplay:
    found = tuple(_change(each) for each in rows.order_by("number")[: READ_AT_MOST + 1])
    if len(found) > READ_AT_MOST:
        return ChangeReplay(changes=(), number=newest, is_complete=False)
    return ChangeReplay(changes=found, number=max([newest, *(each.number for each in found)]))


def number_new(*, now: datetime) -> None:
    """Number what became durable in the scope, unless another transaction is at it."""
    fresh = PageChange.objects.filter(number=None)
    if fresh.exists() and try_hold(Lock.PAGE_CHANGES, 0):
        following = Func(
            Value(SEQUENCE), template="nextval(%(expressions)s::regclass)",
            output_field=IntegerField(),
        )  # fmt: skip
        fresh.update(number=following, numbered_at=now)


def retire(*, organization_id: int, now: datetime) -> None:
    """Delete what is too old to be asked for. Needs the scope."""
    own = PageChange.objects.for_organization(organization_id)
    own.filter(created_at__lt=now - KEPT_FOR).delete()


def _change(row: PageChange) -> OrderedChange:
    return OrderedChange(
        number=row.number or 0,
        organization_id=row.organization_id,
        code=row.code,
        topic=Topic(row.topic),
        subject=row.subject,
    )
