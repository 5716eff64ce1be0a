"""Incidents, their hypotheses and timeline."""

from django.apps import AppConfig


class IncidentsConfig(AppConfig):
    """Keep the short label used by tables and migrations."""

    name = "apps.incidents"
    label = "incidents"
    default_auto_field = "django.db.models.BigAutoField"
