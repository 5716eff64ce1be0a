"""Voices, their raw lines, and how far each was heard."""

from typing import ClassVar

from django.db import models

from apps.fleet.models import Attempt, Cluster, Session
from apps.telemetry.models.batches import Batch
from apps.tenancy.database.reported_times import ReportedTimeField
from apps.tenancy.models import OwnedModel


class LogStream(OwnedModel):
    """One voice: an organization's lines under one set of labels, read on from batch to batch."""

    cluster = models.ForeignKey(Cluster, on_delete=models.PROTECT, null=True, related_name="+")
    session = models.ForeignKey(Session, on_delete=models.CASCADE, null=True, related_name="+")
    attempt = models.ForeignKey(Attempt, on_delete=models.SET_NULL, null=True, related_name="+")
    label_digest = models.BinaryField(max_length=32)
    labels = models.JSONField()
    kind = models.CharField(max_length=12, blank=True)  # diagnosis.model.Stream
    host = models.CharField(max_length=253, blank=True)
    rank = models.IntegerField(null=True)
    zone = models.CharField(max_length=64, blank=True)
    is_ordered_by_stamp = models.BooleanField(default=False)  # Loki and OTLP; else by arrival
    line_count = models.PositiveBigIntegerField(default=0)
    read_until = models.BigIntegerField(default=0)  # order key up to which `reader_state` has read
    reader_state = models.BinaryField(default=bytes)
    open_from = models.BigIntegerField(
        null=True
    )  # events from this line number on came from a record that may still grow
    first_at = ReportedTimeField(null=True)
    last_at = ReportedTimeField(null=True)
    last_received_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "label_digest"], name="stream_labels_once"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["organization", "session"], name="stream_by_session"),
            models.Index(fields=["organization", "cluster", "host"], name="stream_by_host"),
        ]

    def __str__(self) -> str:
        return f"stream {self.pk}"


class LogChunk(OwnedModel):
    """Raw lines of a stream, zstd-compressed, with what is needed to find them by span."""

    stream = models.ForeignKey(LogStream, on_delete=models.CASCADE, related_name="+")
    batch = models.ForeignKey(Batch, on_delete=models.PROTECT, related_name="+")
    # The UTC day on which the batch came in; the table is partitioned by it (ADR 14).
    arrived_on = models.DateField()
    part = models.PositiveIntegerField(default=0)  # within the batch
    first_key = models.BigIntegerField()  # timestamp ns, or running number by arrival
    last_key = models.BigIntegerField()
    first_number = models.PositiveBigIntegerField(
        default=1
    )  # line number in the stream when it was read
    line_count = models.PositiveIntegerField()
    starts_at = ReportedTimeField(null=True)
    ends_at = ReportedTimeField(null=True)
    state_before = models.BinaryField(
        null=True
    )  # reader state in front of its first line, where reading may begin again
    body = models.BinaryField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                # A batch came in on one day: across days it can't be there twice either.
                fields=["organization", "stream", "batch", "part", "arrived_on"],
                name="chunk_once",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["organization", "stream", "first_key"], name="chunk_by_key")
        ]

    def __str__(self) -> str:
        return f"chunk {self.pk}"


class Progress(OwnedModel):
    """The latest progress of one rank or voice.

    An upserted row, so that a million iteration lines stay one.
    """

    stream = models.ForeignKey(LogStream, on_delete=models.CASCADE, related_name="+")
    host = models.CharField(max_length=253, blank=True)
    rank = models.IntegerField(null=True)
    signature = models.CharField(max_length=80)
    at = ReportedTimeField(null=True)
    order_key = models.BigIntegerField()
    body = models.JSONField()  # as Event.body, and the local time

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "stream", "host", "rank", "signature"],
                nulls_distinct=False,
                name="progress_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.signature} of rank {self.rank}"


class ProgressBlock(OwnedModel):
    """Steps, saves and loads that lines of a stream tell of, over a span of line numbers."""

    stream = models.ForeignKey(LogStream, on_delete=models.CASCADE, related_name="+")
    block = models.PositiveBigIntegerField()  # apps.telemetry.logs.progress_blocks.block_of
    stride = models.PositiveIntegerField(default=1)  # of its steps every such is kept
    point_count = models.PositiveIntegerField()
    body = models.BinaryField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "stream", "block"], name="progress_block_once"
            ),
        ]

    def __str__(self) -> str:
        return f"block {self.block} of stream {self.stream_id}"


class VoiceExtent(OwnedModel):
    """How far one host or rank was heard in a stream: diagnosis.model.Extent as a row."""

    stream = models.ForeignKey(LogStream, on_delete=models.CASCADE, related_name="+")
    host = models.CharField(max_length=253, blank=True)
    rank = models.IntegerField(null=True)
    line_count = models.PositiveBigIntegerField(default=0)
    body = models.JSONField()  # first_at last_at first_local_at last_local_at last_number

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "stream", "host", "rank"],
                nulls_distinct=False,
                name="extent_once",
            ),
        ]

    def __str__(self) -> str:
        return f"extent of stream {self.stream_id}"
