"""Organizations, people, tokens and isolation."""

from django.apps import AppConfig


class TenancyConfig(AppConfig):
    """Keep the short label used by tables and migrations."""

    name = "apps.tenancy"
    label = "tenancy"
    default_auto_field = "django.db.models.BigAutoField"
