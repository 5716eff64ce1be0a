"""What people see."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    """Keep the short label used by tables and migrations."""

    name = "apps.web"
    label = "web"
    default_auto_field = "django.db.models.BigAutoField"
