"""Facts read from lines, and the windows they touch."""

from typing import ClassVar

from django.db import models

from apps.fleet.models import Attempt, Cluster, Session
from apps.telemetry.models.streams import LogStream
from apps.tenancy.database.reported_times import ReportedTimeField
from apps.tenancy.models import OwnedModel


class Event(OwnedModel):
    """A typed fact read from a line.

    The fingerprint is signature + identity of the line, so reading twice writes once.
    """

    stream = models.ForeignKey(LogStream, on_delete=models.CASCADE, related_name="+")
    cluster = models.ForeignKey(Cluster, on_delete=models.PROTECT, null=True, related_name="+")
    session = models.ForeignKey(Session, on_delete=models.CASCADE, null=True, related_name="+")
    attempt = models.ForeignKey(Attempt, on_delete=models.SET_NULL, null=True, related_name="+")
    fingerprint = models.BinaryField(max_length=16)
    signature = models.CharField(max_length=80)
    role = models.CharField(max_length=12)
    layer = models.CharField(max_length=12, blank=True)
    severity = models.CharField(max_length=8)
    at = ReportedTimeField(null=True)  # None: the line printed no time, or one without a zone
    local_at = ReportedTimeField(
        null=True
    )  # printed wall clock without a zone, stored as if it were UTC
    uptime_seconds = models.FloatField(null=True)
    received_at = models.DateTimeField()
    order_key = models.BigIntegerField()  # position within the stream
    host = models.CharField(max_length=253, blank=True)
    rank = models.IntegerField(null=True)
    body = (
        models.JSONField()
    )  # the rest of diagnosis.model.Event: text ≤ 8 KiB, fields, causes, pid, gpu, dialect

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "fingerprint"], name="event_once")
        ]
        indexes: ClassVar = [
            models.Index(fields=["organization", "stream", "order_key"], name="event_by_stream"),
            models.Index(fields=["organization", "cluster", "host", "at"], name="event_by_host"),
            models.Index(fields=["organization", "received_at"], name="event_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self.signature} {self.pk}"


class TouchedWindow(OwnedModel):
    """New facts about a host, session or mount over a span.

    How work travels up to correlation as rows.
    """

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, null=True, related_name="+")
    session = models.ForeignKey(Session, on_delete=models.CASCADE, null=True, related_name="+")
    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, null=True, related_name="+")
    host = models.CharField(max_length=253, blank=True)
    mount = models.CharField(max_length=500, blank=True)
    starts_at = ReportedTimeField(null=True)  # None: the facts have no time
    ends_at = ReportedTimeField(null=True)
    # Progress and context alone start no look at an attempt; they may complete a begun one.
    is_telling = models.BooleanField(default=True)
    created_at = models.DateTimeField()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["organization", "id"], name="touched_by_organization")
        ]

    def __str__(self) -> str:
        return f"touched {self.pk}"
