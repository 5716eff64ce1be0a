"""Work that fails is tried a few times, then set aside where people see it; its neighbors go on.

An attempt is counted before it begins, in a transaction of its own: what kills its worker is
counted as well. What was set aside is tried once a day, soon where it only outlasted its time, once
more by other code than failed with it, and whenever `manage.py retry` asks for it.
"""

import hashlib
import logging
import traceback
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar

from celery import Task
from celery.exceptions import SoftTimeLimitExceeded
from django.db import InterfaceError, OperationalError
from django.db.models import F, QuerySet

from apps.tenancy.access import Actor, Right
from apps.tenancy.models import FailedWork, Organization
from apps.tenancy.scope import organization_scope

logger = logging.getLogger(__name__)
Result = TypeVar("Result")

ATTEMPT_LIMIT: Final = 3
# Between the first tries; something else may have been wrong.
PAUSE: Final = timedelta(seconds=30)
# One more try of what was set aside.
RESTS: Final = timedelta(days=1)
HOUR: Final = timedelta(hours=1)
# What outlasted its time failed of a busy machine as likely as of what it reads: that passes.
OVERTIME: Final = SoftTimeLimitExceeded.__name__
OVERTIME_RESTS: Final = timedelta(minutes=10)
MOST_LISTED: Final = 500
APPS: Final = Path(__file__).parents[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A piece of work that can fail without its neighbors."""

    organization_id: int
    kind: str
    subject: str = ""
    rests: timedelta = RESTS  # once it is set aside


def of_organization(kind: str, organization_id: int, *, subject: str = "") -> Unit:
    """Return a unit that comes round by itself: what fails too often rests for an hour."""
    return Unit(organization_id=organization_id, kind=kind, subject=subject, rests=HOUR)


def attempt(*, unit: Unit, now: datetime, work: Callable[[], Result]) -> Result | None:
    """Do a unit of work and return what it gives; None where it failed, now or too often before.

    Opens scopes of its own, so it is called in none. A lost database is nobody's fault: it is
    raised, and the attempt not counted.
    """
    if not _begin(unit, now):
        return None
    try:
        found = work()
    except (OperationalError, InterfaceError):
        _take_back(unit)
        raise
    except Exception as error:  # noqa: BLE001  whatever it is, its neighbors go on
        note(unit=unit, error=error, now=now)
        return None
    _forget(unit)
    return found


def note(*, unit: Unit, error: Exception, now: datetime) -> None:
    """Keep why an attempt failed: the kind of error and its place; set the unit aside at last."""
    where = place_of(error)
    logger.error(
        "work.failed",
        extra={"organization": unit.organization_id, "kind": unit.kind, "where": where},
    )
    with organization_scope(unit.organization_id):
        rows = _rows(unit)
        rows.update(error=where)
        spent = rows.filter(attempt_count__gte=ATTEMPT_LIMIT, set_aside_at=None)
        if spent.update(set_aside_at=now):
            _say_set_aside(unit)


def place_of(error: BaseException) -> str:
    """Return the kind of an error and where in our code it came from, without its text."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [each for each in frames if each.filename.startswith(str(APPS))] or list(frames)
    if not ours:
        return type(error).__name__
    return f"{type(error).__name__} in {Path(ours[-1].filename).stem}.{ours[-1].name}"[:200]


def pause_after(*, unit: Unit) -> timedelta:
    """Return how long a unit that failed rests. Opens the scope."""
    with organization_scope(unit.organization_id):
        row = _rows(unit).first()
    if row is None:
        return timedelta(0)
    return _rests(row, unit) if row.set_aside_at else PAUSE * 2**row.attempt_count


def outlasted(*, unit: Unit) -> bool:
    """Say whether the last try outlasted its time and the next is due soon. Opens the scope."""
    with organization_scope(unit.organization_id):
        rows = _rows(unit).filter(set_aside_at=None)
        return rows.filter(error__startswith=OVERTIME).exists()


def set_aside(*, organization_id: int, kind: str, now: datetime | None = None) -> list[str]:
    """Return the subjects of a kind that were set aside; with a time, those that rest still.

    Needs the scope.
    """
    own = FailedWork.objects.for_organization(organization_id)
    rows = own.filter(kind=kind, set_aside_at__isnull=False)
    if now is not None:
        rows = rows.filter(tried_at__gt=now - RESTS, edition=edition())
    return list(rows.values_list("subject", flat=True)[:MOST_LISTED])


def each_organization(work: Callable[[int], object]) -> None:
    """Do something for each organization; what fails for one is said, and the others have it."""
    for organization_id in Organization.objects.order_by("id").values_list("id", flat=True):
        try:
            work(organization_id)
        except (OperationalError, InterfaceError):
            raise
        except Exception as error:  # noqa: BLE001  whatever it is, its neighbors go on
            logger.error(  # noqa: TRY400  its text may quote what was sent
                "work.failed",
                extra={
                    "organization": organization_id,
                    "kind": "organization",
                    "where": place_of(error),
                },
            )


def send_to_each(task: "Task[Any, Any]", **options: Any) -> None:
    """Queue a task for each organization: none waits for another one's."""
    for organization_id in Organization.objects.order_by("id").values_list("id", flat=True):
        task.apply_async(kwargs={"organization_id": organization_id}, **options)


def access_failed_work(*, actor: Actor) -> QuerySet[FailedWork]:
    """Return what of the actor's organization was set aside, the last first. Needs its scope."""
    actor.require(Right.READ)
    own = FailedWork.objects.for_organization(actor.organization)
    return own.filter(set_aside_at__isnull=False).order_by("-set_aside_at", "-id")


def try_again(*, organization_id: int, kind: str = "") -> int:
    """Let what was set aside be tried anew; return how many units. Opens the scope."""
    with organization_scope(organization_id):
        rows = FailedWork.objects.for_organization(organization_id)
        wanted = rows.filter(set_aside_at__isnull=False)
        wanted = wanted.filter(kind=kind) if kind else wanted
        return wanted.update(set_aside_at=None, attempt_count=0)


def forget(*, organization_id: int, kind: str, subjects: Collection[str]) -> None:
    """Say no more of units that they failed. Needs the scope."""
    own = FailedWork.objects.for_organization(organization_id)
    own.filter(kind=kind, subject__in=subjects).delete()


@cache
def edition() -> str:
    """Return the same short text for the same code and tables."""
    digest = hashlib.blake2b(digest_size=8)
    for suffix in ("*.py", "*.toml"):
        for file in sorted(APPS.rglob(suffix)):
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _begin(unit: Unit, now: datetime) -> bool:
    """Count an attempt, durably; False where the unit rests."""
    with organization_scope(unit.organization_id):
        row, _ = FailedWork.objects.get_or_create(
            organization_id=unit.organization_id,
            kind=unit.kind,
            subject=unit.subject,
            defaults={"began_at": now, "tried_at": now, "edition": edition()},
        )
        if not _may_try(row, unit, now):
            return False
        _rows(unit).update(attempt_count=F("attempt_count") + 1, tried_at=now, edition=edition())
    return True


def _may_try(row: FailedWork, unit: Unit, now: datetime) -> bool:
    is_due = now >= row.tried_at + _rests(row, unit) or row.edition != edition()
    if row.set_aside_at is not None or row.attempt_count < ATTEMPT_LIMIT:
        return row.set_aside_at is None or is_due
    # Counted and never noted: its worker died of it, each time.
    error = row.error or f"its worker died {row.attempt_count} times"
    _rows(unit).update(set_aside_at=now, error=error)
    _say_set_aside(unit)
    return False


def _rests(row: FailedWork, unit: Unit) -> timedelta:
    return min(unit.rests, OVERTIME_RESTS) if row.error.startswith(OVERTIME) else unit.rests


def _take_back(unit: Unit) -> None:
    try:
        with organization_scope(unit.organization_id):
            _rows(unit).filter(attempt_count__gt=0).update(attempt_count=F("attempt_count") - 1)
    except (OperationalError, InterfaceError):
        logger.warning("work.uncounted", extra={"kind": unit.kind})


def _forget(unit: Unit) -> None:
    with organization_scope(unit.organization_id):
        _rows(unit).delete()


def _rows(unit: Unit) -> QuerySet[FailedWork]:
    own = FailedWork.objects.for_organization(unit.organization_id)
    return own.filter(kind=unit.kind, subject=unit.subject)


def _say_set_aside(unit: Unit) -> None:
    logger.error(
        "work.set_aside",
        extra={"organization": unit.organization_id, "kind": unit.kind, "subject": unit.subject},
    )
