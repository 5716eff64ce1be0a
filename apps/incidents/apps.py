"""Incidents, their hypotheses and timeline."""

from collections.abc import Iterable, Mapping

from django.apps import AppConfig

from apps.telemetry import wake
from apps.telemetry.retention import citing
from apps.tenancy.asking import ask


class IncidentsConfig(AppConfig):
    """Keep the short label used by tables and migrations; ask to be told of new facts."""

    name = "apps.incidents"
    label = "incidents"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Look at new facts once they are committed; keep what is cited; count what is kept."""
        wake.CALLBACKS.append(_look)
        citing.CITERS.append(_cite)
        _count()


def _count() -> None:
    # The models are not loaded when this module is.
    from apps.incidents.kept import TABLES  # noqa: PLC0415
    from apps.telemetry.retention import usage  # noqa: PLC0415

    usage.ADDED.extend(TABLES)


def _cite(*, organization_id: int, after: Mapping[str, int]) -> Iterable[citing.Citation]:
    # The models are not loaded when this module is.
    from apps.incidents.citations import citations  # noqa: PLC0415

    return citations(organization_id=organization_id, after=after)


def _look(*, organization_id: int, cluster_id: int | None) -> None:
    ask("incidents.map_windows", queue="correlate", organization_id=organization_id)
