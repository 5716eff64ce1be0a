"""Standing orders to look at an attempt."""

from typing import ClassVar

from django.db import models

from apps.fleet.models import Attempt
from apps.tenancy.models import OwnedModel


class Correlation(OwnedModel):
    """The standing order to look at an attempt.

    Claimed by lease, coalesced, due again until settled.
    """

    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="+")
    due_at = models.DateTimeField()
    claimed_until = models.DateTimeField(null=True)
    settle_at = models.DateTimeField(null=True)
    touched_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "attempt"], name="correlation_once")
        ]
        indexes: ClassVar = [
            models.Index(fields=["organization", "due_at"], name="correlation_by_due")
        ]

    def __str__(self) -> str:
        return f"attempt {self.attempt_id} due {self.due_at:%H:%M:%S}"
