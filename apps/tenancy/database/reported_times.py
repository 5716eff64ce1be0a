"""Times that outsiders told, as columns: what is far beyond every log is read as an edge."""

from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.db import models

from apps.diagnosis.input_values import cut

__all__ = ["ReportedTimeField"]

if TYPE_CHECKING:
    # To types it is the column that it extends: they know then where one may be empty.
    from django.db.models import DateTimeField as ReportedTimeField
else:

    class ReportedTimeField(models.DateTimeField):
        """A time of somebody else's clock or log; sums with it never leave the calendar.

        The doors take none outside the bounds. A row from before they did is read as their edge:
        it shows wrong by centuries, and hides no neighbor.
        """

        def from_db_value(self, value: datetime | None, *_: object) -> datetime | None:
            """Return the stored time within the bounds."""
            return None if value is None else cut(value)

        def deconstruct(self) -> tuple[str, str, Any, Any]:
            """Be a plain column to migrations: only reading differs."""
            name, _, args, kwargs = super().deconstruct()
            return name, "django.db.models.DateTimeField", args, kwargs
