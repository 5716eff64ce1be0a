"""What is told of recovery inside running jobs, kept in blocks of bounded size."""

from typing import ClassVar

from django.db import models

from apps.fleet.models import Attempt
from apps.tenancy.models import Organization, OwnedModel


class RecoveryBlock(OwnedModel):
    """Facts of one attempt that one party told. Its tenant's, whoever told them."""

    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="+")
    sender = models.ForeignKey(Organization, on_delete=models.PROTECT, related_name="+")
    part = models.CharField(max_length=8)  # apps.training.in_job.recovery_facts.FactPart
    block = models.PositiveBigIntegerField(default=0)  # of steps
    fact_count = models.PositiveIntegerField()
    received_at = models.DateTimeField()  # the newest
    body = models.BinaryField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "attempt", "sender", "part", "block"],
                name="recovery_block_once",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["organization", "received_at"], name="recovery_block_by_age")
        ]

    def __str__(self) -> str:
        return f"{self.part} {self.block} of attempt {self.attempt_id}"
