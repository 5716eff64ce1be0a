"""Clusters, inventory and sessions."""

from django.apps import AppConfig


class FleetConfig(AppConfig):
    """Keep the short label used by tables and migrations."""

    name = "apps.fleet"
    label = "fleet"
    default_auto_field = "django.db.models.BigAutoField"
