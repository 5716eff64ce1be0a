"""What the portal says about itself, in the Prometheus text format. Never the clusters' metrics.

Counts of all organizations together, for whoever watches the portal; others find nothing here.
"""

import logging
from collections.abc import Callable, Iterable, Iterator

import redis
from django.db import DatabaseError, InterfaceError
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from prometheus_client import ProcessCollector, disable_created_metrics
from prometheus_client.core import Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector

from apps.operations.monitoring import access_log, health, row_counts, task_log
from apps.operations.monitoring.row_counts import gauges
from apps.operations.monitoring.watchers import is_watcher

logger = logging.getLogger(__name__)

_AWAY = (DatabaseError, InterfaceError, redis.RedisError, OSError)
_PROCESS = ProcessCollector(registry=None)
# Nobody asks when a count began.
disable_created_metrics()  # type: ignore[no-untyped-call]


@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Return the checks, the work that waits, what tasks and requests took, and the room left."""
    if not is_watcher(request=request):
        raise Http404
    return HttpResponse(generate_latest(_Page()), content_type=CONTENT_TYPE_PLAIN_0_0_4)


class _Page(Collector):
    """All parts; of one that can't be had the page says so, and shows the others."""

    def collect(self) -> Iterator[Metric]:
        """Yield the families."""
        checks = [([name], int(check() == "ok")) for name, check in health.CHECKS.items()]
        yield gauges(
            "portal_check_ok", "Whether a check of /readyz is ok.", labels=["check"], counts=checks
        )
        are_there = []
        for name, part in PARTS.items():
            try:
                # Whole or not at all.
                yield from list(part())
            except _AWAY as error:
                logger.warning("metrics.part_missing", extra={"part": name}, exc_info=error)
                are_there.append(([name], 0))
            else:
                are_there.append(([name], 1))
        yield gauges(
            "portal_metrics_part_ok",
            "Whether this part of the page could be had.",
            labels=["part"],
            counts=are_there,
        )


def _rows() -> Iterable[Metric]:
    return row_counts.rows(now=timezone.now())  # noqa: TID251  a door


def _process() -> Iterable[Metric]:
    return [*access_log.SECONDS.collect(), *_PROCESS.collect()]


PARTS: dict[str, Callable[[], Iterable[Metric]]] = {
    "rows": _rows,
    "tasks": task_log.counts,
    "disk": row_counts.disk,
    "process": _process,
}
