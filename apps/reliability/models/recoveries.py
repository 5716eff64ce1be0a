"""Where the time of recoveries went, out of what their tenant's own logs tell: its alone."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.fleet.models import Attempt, Session
from apps.tenancy.database.reported_times import ReportedTimeField
from apps.tenancy.models import OwnedModel


class RecoveryMeasure(OwnedModel):
    """One recovery, from a failure to the next step; its stages are together all of it."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="+")
    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="+")  # that went on
    stopped = models.PositiveIntegerField()  # the number of the attempt that stopped
    starts_at = ReportedTimeField()
    detect_ms = models.BigIntegerField(default=0)
    terminate_ms = models.BigIntegerField(default=0)
    requeue_ms = models.BigIntegerField(default=0)
    rendezvous_ms = models.BigIntegerField(default=0)
    health_ms = models.BigIntegerField(default=0)
    start_ms = models.BigIntegerField(default=0)
    load_ms = models.BigIntegerField(default=0)
    first_step_ms = models.BigIntegerField(default=0)
    missing = ArrayField(models.CharField(max_length=40), default=list)  # marks that nobody told
    is_complete = models.BooleanField(default=False)  # steps are made again

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "attempt", "starts_at"], name="recovery_measure_once"
            )
        ]
        indexes: ClassVar = [
            models.Index(fields=["organization", "starts_at"], name="recovery_measure_by_start"),
            models.Index(fields=["session"], name="recovery_measure_by_session"),
        ]

    def __str__(self) -> str:
        return f"recovery of attempt {self.attempt_id}"
