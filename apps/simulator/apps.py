"""A simulated cluster that speaks to the portal from outside."""

from django.apps import AppConfig


class SimulatorConfig(AppConfig):
    """Keep the short label used by tables and migrations."""

    name = "apps.simulator"
    label = "simulator"
    default_auto_field = "django.db.models.BigAutoField"
