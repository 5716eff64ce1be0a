"""What each part of a cluster's nodes measured, minute by minute, for the fleet page."""

from typing import ClassVar

from django.db import models

from apps.fleet.models import Cluster
from apps.telemetry.models.sources import Source
from apps.tenancy.models import OwnedModel


class PartList(OwnedModel):
    """The parts that columns of a source speak of, in order. Never changed: another takes over."""

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="+")
    digest = models.BinaryField(max_length=32)  # of the body before it is compressed
    body = models.BinaryField()  # zstd of JSON: [[host, part], …]

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "source", "digest"], name="part_list_once"
            )
        ]

    def __str__(self) -> str:
        return f"parts of source {self.source_id}"


class MetricMinute(OwnedModel):
    """One signal of all parts at one minute, as it was read: counters as they stood."""

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="+")
    cluster = models.ForeignKey(Cluster, on_delete=models.PROTECT, related_name="+")
    signal = models.CharField(max_length=150)
    at = models.DateTimeField()  # the end of the minute
    read_until = models.DateTimeField()  # the newest column that is in it
    parts = models.ForeignKey(PartList, on_delete=models.PROTECT, related_name="+")
    body = models.BinaryField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "source", "signal", "at"], name="metric_minute_once"
            )
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["organization", "cluster", "signal", "at"], name="metric_minute_by_time"
            ),
            models.Index(fields=["organization", "at"], name="metric_minute_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self.signal} {self.at:%Y-%m-%d %H:%M}"
