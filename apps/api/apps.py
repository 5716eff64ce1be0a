"""What machines read and write."""

from django.apps import AppConfig


class ApiConfig(AppConfig):
    """Keep the short label used by tables and migrations."""

    name = "apps.api"
    label = "api"
    default_auto_field = "django.db.models.BigAutoField"
