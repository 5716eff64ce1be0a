"""Incidents, their hypotheses and timeline."""

from django.apps import AppConfig

from apps.telemetry import wake


class IncidentsConfig(AppConfig):
    """Keep the short label used by tables and migrations; ask to be told of new facts."""

    name = "apps.incidents"
    label = "incidents"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Look at what new facts touched as soon as they are committed."""
        wake.CALLBACKS.append(_look)


def _look(*, organization_id: int, cluster_id: int | None) -> None:
    # Tasks need the models, which are not loaded when this module is.
    from apps.incidents.tasks import map_windows  # noqa: PLC0415

    map_windows.delay(organization_id=organization_id)
