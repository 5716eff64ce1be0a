"""Agreements, what they allow, and how what is shown is redacted."""

from django.apps import AppConfig


class SharingConfig(AppConfig):
    """Keep the short label used by tables and migrations."""

    name = "apps.sharing"
    label = "sharing"
    default_auto_field = "django.db.models.BigAutoField"
