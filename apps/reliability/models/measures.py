"""What was measured of attempts, out of what their tenant's own logs tell: its alone."""

from typing import ClassVar

from django.db import models

from apps.fleet.models import Attempt, Session
from apps.tenancy.database.reported_times import ReportedTimeField
from apps.tenancy.models import OwnedModel


class UseColumns(models.Model):
    """Milliseconds of each use of a time; together they are its wall clock."""

    productive_ms = models.BigIntegerField(default=0)
    lost_progress_ms = models.BigIntegerField(default=0)
    recovery_ms = models.BigIntegerField(default=0)
    save_ms = models.BigIntegerField(default=0)
    restore_ms = models.BigIntegerField(default=0)
    queue_ms = models.BigIntegerField(default=0)
    straggler_ms = models.BigIntegerField(default=0)
    unknown_ms = models.BigIntegerField(default=0)

    class Meta:
        abstract = True


class AttemptMeasure(UseColumns, OwnedModel):
    """How one attempt used the time from its begin until the next one's, or its end.

    What nobody told is empty, never zero.
    """

    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="+")
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="+")
    starts_at = ReportedTimeField()
    ends_at = ReportedTimeField()  # of its time; of what still runs: when it was measured
    is_running = models.BooleanField(default=False)
    is_told = models.BooleanField(default=False)  # any attempt of its session tells steps
    is_unsure = models.BooleanField(default=False)  # nobody knows what its end lost
    gpus = models.PositiveIntegerField(null=True)
    # From its last step, or its end where no step is known, until the next attempt makes one.
    downtime_ms = models.BigIntegerField(null=True)
    is_downtime_of_steps = models.BooleanField(default=False)
    last_step = models.BigIntegerField(null=True)
    saved_step = models.BigIntegerField(null=True)
    stepping_ms = models.BigIntegerField(null=True)  # from its first step to its last
    save_count = models.PositiveIntegerField(null=True)
    save_interval_ms = models.BigIntegerField(null=True)  # the median between begins of saves
    save_wait_ms = models.BigIntegerField(null=True)  # the median for which steps waited
    step_seconds = models.FloatField(null=True)  # medians of its steps
    tokens_per_second = models.FloatField(null=True)
    mfu = models.FloatField(null=True)  # percent
    measured_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "attempt"], name="attempt_measure_once")
        ]
        indexes: ClassVar = [
            models.Index(fields=["organization", "starts_at"], name="attempt_measure_by_start"),
            models.Index(fields=["session"], name="attempt_measure_by_session"),
        ]

    def __str__(self) -> str:
        return f"attempt {self.attempt_id}"


class AttemptHour(UseColumns, OwnedModel):
    """The part of an attempt's time that lies in one hour."""

    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="+")
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="+")
    hour = models.DateTimeField()  # its begin
    is_told = models.BooleanField(default=False)
    gpus = models.PositiveIntegerField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "attempt", "hour"], name="attempt_hour_once"
            )
        ]
        indexes: ClassVar = [
            models.Index(fields=["organization", "hour"], name="attempt_hour_by_hour"),
            models.Index(fields=["session"], name="attempt_hour_by_session"),
        ]

    def __str__(self) -> str:
        return f"attempt {self.attempt_id} at {self.hour:%Y-%m-%dT%H}"


class MeasureOrder(OwnedModel):
    """The standing order to measure the attempts of a session: one for each session, kept.

    Claimed by lease, coalesced, due again while one of them runs.
    """

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="+")
    due_at = models.DateTimeField(null=True)  # empty: nothing came since it was measured
    claimed_until = models.DateTimeField(null=True)
    touched_at = models.DateTimeField()
    edition = models.PositiveSmallIntegerField(default=0)  # of the arithmetic it was measured by

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "session"], name="measure_order_once")
        ]
        indexes: ClassVar = [
            models.Index(fields=["organization", "due_at"], name="measure_order_by_due")
        ]

    def __str__(self) -> str:
        return f"session {self.session_id} due {self.due_at:%H:%M:%S}"
