"""The wiring as Django sees it."""

from importlib import import_module

from django.apps import AppConfig


class PortalConfig(AppConfig):
    """Makes the portal's Celery app the one that tasks are of."""

    name = "portal"

    def ready(self) -> None:
        """Load it; importing `portal` alone does not: it takes a second, and commands wait."""
        import_module("portal.celery")
