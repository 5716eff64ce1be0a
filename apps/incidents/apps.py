"""Incidents, their hypotheses and timeline."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from django.apps import AppConfig

from apps.fleet.parties import presence_subscribers
from apps.telemetry import subscribers
from apps.telemetry.retention import references
from apps.tenancy.work.task_requests import ask


class IncidentsConfig(AppConfig):
    """Keep the short label used by tables and migrations; ask to be told of new facts."""

    name = "apps.incidents"
    label = "incidents"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Look at new facts once they are committed; keep what is cited and what leavers read;
        count what is kept.
        """
        subscribers.CALLBACKS.append(_look)
        presence_subscribers.LEFT.append(_leave)
        presence_subscribers.BACK.append(_come_back)
        references.CITERS.append(_cite)
        _count()


def _count() -> None:
    # The models are not loaded when this module is.
    from apps.incidents.retention.usage_tables import TABLES  # noqa: PLC0415
    from apps.telemetry.retention import usage  # noqa: PLC0415

    usage.ADDED.extend(TABLES)


def _cite(*, organization_id: int, after: Mapping[str, int]) -> Iterable[references.Citation]:
    # The models are not loaded when this module is.
    from apps.incidents.retention.citations import citations  # noqa: PLC0415

    return citations(organization_id=organization_id, after=after)


def _leave(*, organization_id: int, cluster_id: int, now: datetime) -> None:
    # The models are not loaded when this module is.
    from apps.incidents.leave_cluster import leave_incidents  # noqa: PLC0415

    leave_incidents(organization_id=organization_id, cluster_id=cluster_id, now=now)


def _come_back(*, organization_id: int, cluster_id: int, now: datetime) -> None:
    # The models are not loaded when this module is.
    from apps.incidents.leave_cluster import come_back  # noqa: PLC0415

    come_back(organization_id=organization_id, cluster_id=cluster_id, now=now)


def _look(*, organization_id: int, cluster_id: int | None) -> None:
    ask("incidents.map_windows", queue="correlate", organization_id=organization_id)
