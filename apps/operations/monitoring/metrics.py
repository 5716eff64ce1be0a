"""What the portal says about itself, in the Prometheus text format. Never the clusters' metrics.

Counts of all organizations together, for whoever watches the portal; others find nothing here.
"""

import logging
import os
from collections.abc import Callable, Iterable
from pathlib import Path

import redis
from django.db import DatabaseError, InterfaceError
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache

from apps.operations.monitoring import access_log, exposition, health, row_counts, task_log
from apps.operations.monitoring.exposition import Family, sample
from apps.operations.monitoring.watchers import is_watcher

logger = logging.getLogger(__name__)
Samples = tuple[Family, Iterable[str]]

CHECK_OK = Family(name="portal_check_ok", kind="gauge", help="Whether a check of /readyz is ok.")
PART_OK = Family(
    name="portal_metrics_part_ok", kind="gauge", help="Whether this part of the page could be had."
)
RSS = Family(name="process_resident_memory_bytes", kind="gauge", help="Memory of this web process.")
_AWAY = (DatabaseError, InterfaceError, redis.RedisError, OSError)


@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Return the checks, the work that waits, what tasks and requests took, and the room left."""
    if not is_watcher(request=request):
        raise Http404
    told: list[Samples] = [(CHECK_OK, _checks())]
    parts_ok = []
    for name, part in PARTS.items():
        try:
            told += part()
        except _AWAY as error:
            logger.warning("metrics.part_missing", extra={"part": name}, exc_info=error)
            parts_ok.append(sample(PART_OK.name, 0, part=name))
        else:
            parts_ok.append(sample(PART_OK.name, 1, part=name))
    told.append((PART_OK, parts_ok))
    return HttpResponse(exposition.text(told), content_type="text/plain; version=0.0.4")


def _checks() -> list[str]:
    return [
        sample(CHECK_OK.name, int(check() == "ok"), check=name)
        for name, check in health.CHECKS.items()
    ]


def _rows() -> list[Samples]:
    return list(row_counts.rows(now=timezone.now()))  # noqa: TID251  a door


def _process() -> list[Samples]:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return [
        (access_log.SECONDS, access_log.SEEN.lines()),
        (RSS, [sample(RSS.name, pages * os.sysconf("SC_PAGE_SIZE"))]),
    ]


PARTS: dict[str, Callable[[], Iterable[Samples]]] = {
    "rows": _rows,
    "tasks": task_log.lines,
    "disk": row_counts.disk,
    "process": _process,
}
