"""Reliability of training: what attempts did with their time, and what failures cost."""

from collections.abc import Collection
from datetime import datetime

from django.apps import AppConfig

from apps.incidents import subscribers


class ReliabilityConfig(AppConfig):
    """Keep the short label used by tables and migrations; ask to be told of new facts."""

    name = "apps.reliability"
    label = "reliability"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Measure attempts again of which facts come."""
        subscribers.TOUCHED.append(_note_touched)


def _note_touched(*, touched: Collection[tuple[int, int]], now: datetime) -> None:
    # The models are not loaded when this module is.
    from apps.reliability.measures.orders import note_touched  # noqa: PLC0415

    note_touched(touched=touched, now=now)
