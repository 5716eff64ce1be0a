"""The audit record, refusals that wait for it, and up to where it was found whole."""

from typing import ClassVar

from django.db import models

from apps.tenancy.models.organizations import OwnedModel


class AuditEntry(OwnedModel):
    """Who did what, when and from where. Append-only for the application.

    `digest` seals the entry together with the one before it in the same organization.
    """

    sequence = models.BigIntegerField()
    digest = models.BinaryField(max_length=32)
    at = models.DateTimeField()
    actor = models.CharField(max_length=120)  # user:<reference> token:<prefix> anonymous
    action = models.CharField(max_length=60)
    subject = models.CharField(max_length=120, blank=True)
    remote_address = models.GenericIPAddressField(null=True)
    count = models.PositiveIntegerField(default=1, db_default=1)  # the same again within a minute

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "sequence"], name="audit_sequence_once")
        ]
        indexes: ClassVar = [models.Index(fields=["organization", "-at"], name="audit_by_time")]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%dT%H:%M:%SZ} {self.action}"


class RefusalCount(OwnedModel):
    """How often somebody was refused the same thing within a minute, until the record has it."""

    actor = models.CharField(max_length=120)
    subject = models.CharField(max_length=120)
    remote_address = models.GenericIPAddressField(null=True)  # of the last one
    minute = models.DateTimeField()
    count = models.PositiveIntegerField(default=1)  # the first is in the record at once

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "actor", "subject", "minute"], name="refusal_count_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.count} x {self.subject}"


class AuditPoint(OwnedModel):
    """Up to where an organization's record was read and found whole; signed by the portal."""

    sequence = models.BigIntegerField()
    digest = models.BinaryField(max_length=32)
    signature = models.CharField(max_length=100)
    proven_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization"], name="audit_point_once")
        ]

    def __str__(self) -> str:
        return f"entry {self.sequence} of {self.organization_id}"
