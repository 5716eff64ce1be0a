"""Metrics that are sent to the portal: bodies, the window kept of them, how it stands."""

from typing import ClassVar

from django.db import models

from apps.fleet.models import Cluster
from apps.telemetry.models.batches import BatchState
from apps.telemetry.models.sources import Source
from apps.tenancy.database.reported_times import ReportedTimeField
from apps.tenancy.models import OwnedModel


class PushedState(OwnedModel):
    """How a source stands that is sent its metrics: what came, what was left out, what went on.

    `key` is what the sender calls itself, so that a source may be renamed. Where the source has a
    URL, what came is forwarded there.
    """

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="+")
    cluster = models.ForeignKey(Cluster, on_delete=models.PROTECT, related_name="+")
    key = models.CharField(max_length=60, blank=True)
    body_count = models.PositiveBigIntegerField(default=0)
    sample_count = models.PositiveBigIntegerField(default=0)
    histogram_count = models.PositiveBigIntegerField(default=0)  # native ones: counted, not kept
    exemplar_count = models.PositiveBigIntegerField(default=0)  # counted, not kept
    outside_count = models.PositiveBigIntegerField(default=0)  # samples outside the window
    refused_count = models.PositiveBigIntegerField(default=0)  # samples of series over the limit
    window_bytes = models.PositiveBigIntegerField(default=0)
    newest_at = ReportedTimeField(null=True)  # time of the newest sample
    last_body_at = models.DateTimeField(null=True)
    forward_state = models.CharField(max_length=10, default="off")  # off fresh failing
    forward_error = models.CharField(max_length=300, blank=True)
    forward_failure_count = models.PositiveIntegerField(default=0)
    forward_due_at = models.DateTimeField(null=True)  # not before: back-off
    forward_claimed_until = models.DateTimeField(null=True)  # lease of the one that forwards
    forwarded_count = models.PositiveBigIntegerField(default=0)
    forward_dropped_count = models.PositiveBigIntegerField(default=0)
    forwarded_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "cluster", "key"], name="pushed_state_once"
            ),
            models.UniqueConstraint(
                fields=["organization", "source"], name="pushed_state_of_source_once"
            ),
        ]

    def __str__(self) -> str:
        return f"pushes to source {self.source_id}"


class PushedBody(OwnedModel):
    """A pushed body of metrics, durable before it is answered; gone once it is in the window.

    Waits on for its forwarding where that is configured.
    """

    WORK: ClassVar = "pushed-body"  # its name among the work that failed
    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="+")
    digest = models.BinaryField(max_length=32)
    protocol = models.CharField(max_length=12)  # rw1 rw2 otlp otlp-json
    only_cluster = models.CharField(max_length=80, blank=True)  # the series with this label alone
    received_at = models.DateTimeField()
    state = models.CharField(max_length=12, choices=BatchState.choices, default=BatchState.ACCEPTED)
    is_to_forward = models.BooleanField(default=False)
    attempt_count = models.PositiveSmallIntegerField(default=0)
    claimed_until = models.DateTimeField(null=True)
    sample_count = models.PositiveIntegerField(default=0)
    byte_count = models.PositiveBigIntegerField(default=0)
    error = models.CharField(max_length=300, blank=True)
    body = models.BinaryField()  # zstd of the decoded body

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "source", "digest"], name="pushed_body_once"
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["organization", "source", "id"],
                condition=models.Q(state="accepted"),
                name="pushed_body_waiting",
            ),
            models.Index(
                fields=["organization", "source", "id"],
                condition=models.Q(is_to_forward=True),
                name="pushed_body_to_forward",
            ),
        ]

    def __str__(self) -> str:
        return f"pushed body {self.pk}"


class PushedMetric(OwnedModel):
    """A metric of a pushed source and the labels of its series, each kept once.

    A series is its place in `digests` and `labels`; a metric of very many has several parts.
    """

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=300)
    part = models.PositiveIntegerField(default=0)
    kind = models.CharField(max_length=16, blank=True)  # counter gauge histogram summary …
    unit = models.CharField(max_length=24, blank=True)
    help = models.CharField(max_length=300, blank=True)
    series_count = models.PositiveIntegerField(default=0)
    digests = models.BinaryField(default=bytes)  # 16 bytes a series, in order
    labels = models.BinaryField(default=bytes)  # zstd of a JSON list of label sets, in order

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "source", "name", "part"], name="pushed_metric_once"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class PushedBlock(OwnedModel):
    """Samples of one part of a metric over one slot of time, zstd-compressed numpy."""

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="+")
    metric = models.ForeignKey(PushedMetric, on_delete=models.CASCADE, related_name="+")
    starts_at = models.DateTimeField()
    sample_count = models.PositiveIntegerField()
    byte_count = models.PositiveIntegerField()
    body = models.BinaryField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "metric", "starts_at"], name="pushed_block_once"
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["organization", "source", "starts_at"], name="pushed_block_by_time"
            )
        ]

    def __str__(self) -> str:
        return f"pushed block {self.pk}"
