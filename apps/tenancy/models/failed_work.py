"""Units of work that are being tried, or failed."""

from typing import ClassVar

from django.db import models

from apps.tenancy.models.organizations import OwnedModel


class FailedWork(OwnedModel):
    """A unit of work that is being tried, or failed. One that went well leaves no row.

    Says what kind of error it was and where, never its text: that may quote what was sent.
    """

    kind = models.CharField(max_length=20)
    subject = models.CharField(max_length=80)  # the row or message that the work is about
    attempt_count = models.PositiveIntegerField(default=0)
    error = models.CharField(max_length=200, blank=True)
    began_at = models.DateTimeField()
    tried_at = models.DateTimeField()
    set_aside_at = models.DateTimeField(null=True)
    edition = models.CharField(max_length=16)  # of the code that tried it last

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "kind", "subject"], name="failed_work_once"
            )
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["organization", "-set_aside_at"],
                condition=models.Q(set_aside_at__isnull=False),
                name="failed_work_set_aside",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"
