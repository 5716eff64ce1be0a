"""Reliability of training: what attempts did with their time, and what failures cost."""

from django.apps import AppConfig


class ReliabilityConfig(AppConfig):
    """Keep the short label used by tables and migrations."""

    name = "apps.reliability"
    label = "reliability"
    default_auto_field = "django.db.models.BigAutoField"
