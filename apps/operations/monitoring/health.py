"""Is the process alive, and can it do its work."""

import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from threading import Lock
from time import monotonic

import redis
from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Min
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.defaults import server_error as plain_server_error

from apps.operations.http.middleware import unavailable_answer
from apps.operations.monitoring.watchers import is_watcher
from apps.telemetry.models import Batch, BatchState, PushedBody, Submission
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope

# Work that waited longer than this is a fault of the portal, not a burst.
OLDEST_WORK = timedelta(minutes=15)
CHECKED_SECONDS = 1.0


@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """Answer while the process answers at all."""
    return JsonResponse({"status": "ok"})


@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """Answer 200 when database, broker and schema are in place and work is not stuck, else 503.

    Which of them it is is told to whoever watches the portal.
    """
    checks = CHECKED.results(at=monotonic())
    is_ready = all(each == "ok" for each in checks.values())
    told = {"checks": checks} if is_watcher(request=request) else {}
    return JsonResponse(
        {"status": "ok" if is_ready else "unavailable", **told}, status=200 if is_ready else 503
    )


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 503 when an error outside the views says that the database is away, else 500."""
    if isinstance(sys.exc_info()[1], OperationalError | InterfaceError):
        return unavailable_answer()
    return plain_server_error(request)


def _database() -> str:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return "unreachable"
    return "ok"


def _broker() -> str:
    try:
        with redis.Redis.from_url(settings.PORTAL_REDIS_URL, socket_timeout=2) as server:
            server.ping()
    except redis.RedisError:
        return "unreachable"
    return "ok"


def _migrations() -> str:
    try:
        executor = MigrationExecutor(connection)
        plan = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        return "unknown"
    return "ok" if not plan else f"{len(plan)} missing"


def _work() -> str:
    """Look at all organizations at once: only an age leaves this function."""
    try:
        organizations = list(Organization.objects.values_list("id", flat=True))
        with organization_scope(*organizations):
            waiting = [
                model.objects.filter(state=BatchState.ACCEPTED).aggregate(at=Min("received_at"))
                for model in (Batch, PushedBody, Submission)
            ]
    except DatabaseError:
        return "unknown"
    ages = [_age(each["at"]) for each in waiting if each["at"] is not None]
    return "ok" if max(ages, default=timedelta(0)) < OLDEST_WORK else "stuck"


def _age(at: datetime) -> timedelta:
    return timezone.now() - at  # noqa: TID251  a door


class HealthReport:
    """What the checks said, looked at again after a second: whoever asks often costs no more."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._until, self._results = 0.0, dict[str, str]()

    def results(self, *, at: float) -> dict[str, str]:
        """Return name → ok, or what is wrong."""
        with self._lock:
            if at >= self._until:
                self._results = {name: check() for name, check in CHECKS.items()}
                self._until = at + CHECKED_SECONDS
            return self._results


CHECKED = HealthReport()
CHECKS: dict[str, Callable[[], str]] = {
    "database": _database,
    "broker": _broker,
    "migrations": _migrations,
    "work": _work,
}
