"""The storage path as metrics and logs tell it, and what people say the storage is rated at."""

from typing import ClassVar

from django.db import models

from apps.fleet.models import Cluster, Session
from apps.telemetry.models.sources import Source
from apps.telemetry.models.streams import LogStream
from apps.tenancy.database.reported_times import ReportedTimeField
from apps.tenancy.models import OwnedModel


class StorageSlot(OwnedModel):
    """What the hosts of a source did with one mount in five minutes, as sums of counters.

    `totals` has a row for each scrape interval, all hosts together; `hosts` sums over the slot. An
    interval that is in `totals` counts once.
    """

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="+")
    cluster = models.ForeignKey(Cluster, on_delete=models.PROTECT, related_name="+")
    mount = models.CharField(max_length=500, blank=True)
    starts_at = models.DateTimeField()
    is_busy = models.BooleanField(default=False)  # an interval looks like a save or a load
    is_active = models.BooleanField(default=False)  # a host moved more than it does at rest
    totals = models.BinaryField()
    hosts = models.BinaryField(default=bytes)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "source", "mount", "starts_at"], name="storage_slot_once"
            )
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["organization", "cluster", "starts_at"], name="storage_slot_by_time"
            )
        ]

    def __str__(self) -> str:
        return f"{self.mount} {self.starts_at:%Y-%m-%d %H:%M}"


class StoragePhase(OwnedModel):
    """One save or load, as what all hosts wrote or read of a mount shows it; made from slots."""

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="+")
    cluster = models.ForeignKey(Cluster, on_delete=models.PROTECT, related_name="+")
    mount = models.CharField(max_length=500, blank=True)
    kind = models.CharField(max_length=4)  # training.storage_path.phases.PhaseKind
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    moved_bytes = models.FloatField()
    peak_bytes_per_second = models.FloatField()
    figures = models.JSONField(default=dict)  # sums and means of its requests
    hosts = models.BinaryField(default=bytes)  # the same by host, of the slots that it touches

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "source", "mount", "kind", "starts_at"],
                name="storage_phase_once",
            )
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["organization", "cluster", "-starts_at"], name="storage_phase_by_time"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} on {self.mount} {self.starts_at:%Y-%m-%d %H:%M}"


class StorageRating(OwnedModel):
    """What an operator or storage vendor says a cluster's storage path could carry, from when on.

    Never changed: another entry takes its place. All parties of the cluster read it.
    """

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=16)  # storage_path.ratings.RatingKind
    value = models.FloatField()
    valid_from = models.DateTimeField()
    entered_at = models.DateTimeField()
    entered_by = models.CharField(max_length=150)

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["organization", "cluster", "kind"], name="storage_rating_by_kind")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.value:g} from {self.valid_from:%Y-%m-%d}"


class LoggedCheckpoints(OwnedModel):
    """The saves and loads that a session's logs tell, worked out anew when lines told more."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="+")
    due_at = models.DateTimeField(null=True)
    starts_at = ReportedTimeField(null=True)  # of the first, None where none is told
    ends_at = ReportedTimeField(null=True)
    body = models.JSONField(default=list)  # [attempt, kind, begin, end, step, in background]

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "session"], name="logged_checkpoints_once"
            )
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["organization", "due_at"],
                condition=models.Q(due_at__isnull=False),
                name="logged_checkpoints_due",
            )
        ]

    def __str__(self) -> str:
        return f"checkpoints of session {self.session_id}"


class StragglerFinding(OwnedModel):
    """What a step trace says of one attempt's stragglers. The trace itself is not kept."""

    public_id = models.CharField(max_length=20)
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="+")
    attempt_number = models.PositiveIntegerField()
    digest = models.BinaryField(max_length=32)  # of the files, in one order
    added_at = models.DateTimeField()
    added_by = models.CharField(max_length=150)
    form = models.CharField(max_length=12)  # ndtimeline chrome inspector
    cause = models.CharField(max_length=20, blank=True)  # StragglerCause; empty: not simulated
    slowdown = models.FloatField(null=True)  # S; None where it was refused or not simulated
    discrepancy = models.FloatField(null=True)
    body = models.JSONField(default=dict)  # the published figures: stragglers.records

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "public_id"], name="straggler_public_id_once"
            ),
            models.UniqueConstraint(
                fields=["organization", "session", "attempt_number", "digest"],
                name="straggler_trace_once",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["organization", "-added_at"], name="straggler_by_age")
        ]

    def __str__(self) -> str:
        return self.public_id


class CollectiveTail(OwnedModel):
    """The latest collectives of each rank that a session's log tells, by the NCCL Inspector."""

    stream = models.ForeignKey(LogStream, on_delete=models.CASCADE, related_name="+")
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="+")
    due_at = models.DateTimeField(null=True)  # since when more is told than was worked out
    told_at = models.DateTimeField()
    body = models.BinaryField(default=bytes)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "stream"], name="collective_tail_once")
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["organization", "due_at"],
                condition=models.Q(due_at__isnull=False),
                name="collective_tail_due",
            )
        ]

    def __str__(self) -> str:
        return f"collectives of stream {self.stream_id}"
