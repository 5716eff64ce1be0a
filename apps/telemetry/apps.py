"""Sources, ingest, events, anomalies and evidence."""

from django.apps import AppConfig


class TelemetryConfig(AppConfig):
    """Keep the short label used by tables and migrations."""

    name = "apps.telemetry"
    label = "telemetry"
    default_auto_field = "django.db.models.BigAutoField"
