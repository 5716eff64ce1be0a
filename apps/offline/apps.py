"""The application's entry in Django's list of apps."""

from django.apps import AppConfig


class OfflineConfig(AppConfig):
    """Diagnosis, detection and backtests of files: commands that need no running portal."""

    name = "apps.offline"
    verbose_name = "Offline"
