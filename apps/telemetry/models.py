"""Sources, durable batches, log streams, and the facts read from them."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.functions import TransactionNow
from django.db import models
from django.db.models.functions import Coalesce

from apps.fleet.models import Attempt, Cluster, Session
from apps.tenancy.models import OwnedModel


class Source(OwnedModel):
    """Something an organization reads from or is sent by.

    The credential is encrypted and write-only.
    """

    public_id = models.CharField(max_length=20)
    cluster = models.ForeignKey(Cluster, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=20)  # prometheus | push-metrics
    name = models.CharField(max_length=120)
    url = models.URLField(max_length=500, blank=True)
    auth = models.CharField(max_length=10, default="none")  # none basic bearer
    credential = models.BinaryField(null=True)
    verify_tls = models.BooleanField(default=True)
    ca_pem = models.TextField(blank=True)
    allowed_networks = ArrayField(
        models.CharField(max_length=50), default=list
    )  # private networks an admin lets it reach
    label_map = models.JSONField(
        default=dict
    )  # label of the source → host | cluster | gpu | uuid | pci
    zone = models.CharField(max_length=64, blank=True)
    is_simulated = models.BooleanField(default=False)
    is_enabled = models.BooleanField(default=True)
    created_at = models.DateTimeField()
    state = models.CharField(max_length=12, default="waiting")  # waiting fresh stale
    last_success_at = models.DateTimeField(null=True)
    last_attempt_at = models.DateTimeField(null=True)
    last_error = models.CharField(max_length=300, blank=True)
    failure_count = models.PositiveIntegerField(default=0)
    series_count = models.PositiveIntegerField(null=True)
    read_until = models.DateTimeField(null=True)  # cursor: everything before it was read
    claimed_until = models.DateTimeField(null=True)  # lease of the one pull that runs

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "public_id"], name="source_public_id_once"
            ),
            models.UniqueConstraint(
                fields=["organization", "cluster", "name"], name="source_name_once"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class SeriesState(OwnedModel):
    """What detectors carry from one window of a source to the next.

    Small arrays, zstd-compressed numpy.
    """

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="+")
    signal = models.CharField(max_length=80)
    until = models.DateTimeField()
    body = models.BinaryField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "source", "signal"], name="series_state_once"
            )
        ]

    def __str__(self) -> str:
        return self.signal


class BatchState(models.TextChoices):
    """How far a batch got."""

    ACCEPTED = "accepted"
    INTERPRETED = "interpreted"
    DEAD = "dead"


class Batch(OwnedModel):
    """A pushed body, durable before it is answered.

    Unique on organization and digest of labels + decoded body.
    """

    public_id = models.CharField(max_length=20)
    cluster = models.ForeignKey(Cluster, on_delete=models.PROTECT, null=True, related_name="+")
    digest = models.BinaryField(max_length=32)
    received_at = models.DateTimeField()
    protocol = models.CharField(max_length=12)  # loki upload
    upload = models.CharField(max_length=20, blank=True)  # same for all batches of one body
    state = models.CharField(max_length=12, choices=BatchState.choices, default=BatchState.ACCEPTED)
    attempt_count = models.PositiveSmallIntegerField(default=0)
    enqueued_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    line_count = models.PositiveIntegerField(default=0)
    byte_count = models.PositiveBigIntegerField(default=0)
    rejected = models.JSONField(default=list)  # [{"line", "code", "detail"}], never log text
    error = models.CharField(max_length=300, blank=True)
    body = models.BinaryField()  # zstd of the decoded lines with their labels

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "digest"], name="batch_digest_once"),
            models.UniqueConstraint(
                fields=["organization", "public_id"], name="batch_public_id_once"
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["organization", "id"],
                condition=models.Q(state="accepted"),
                name="batch_waiting",
            ),
            models.Index(fields=["organization", "received_at"], name="batch_by_age"),
        ]

    def __str__(self) -> str:
        return self.public_id


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
    first_at = models.DateTimeField(null=True)
    last_at = models.DateTimeField(null=True)
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
    starts_at = models.DateTimeField(null=True)
    ends_at = models.DateTimeField(null=True)
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
    at = models.DateTimeField(null=True)  # None: the line printed no time, or one without a zone
    local_at = models.DateTimeField(
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


class Progress(OwnedModel):
    """The latest progress of one rank or voice.

    An upserted row, so that a million iteration lines stay one.
    """

    stream = models.ForeignKey(LogStream, on_delete=models.CASCADE, related_name="+")
    host = models.CharField(max_length=253, blank=True)
    rank = models.IntegerField(null=True)
    signature = models.CharField(max_length=80)
    at = models.DateTimeField(null=True)
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


class Anomaly(OwnedModel):
    """A typed fact computed from metrics.

    Owned by the owner of the source, also when its peers came from another party.
    """

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="+")
    cluster = models.ForeignKey(Cluster, on_delete=models.PROTECT, related_name="+")
    fingerprint = models.BinaryField(
        max_length=16
    )  # kind, signal, entity, start: finding twice writes once
    kind = models.CharField(max_length=30)
    signal = models.CharField(max_length=80)
    family = models.CharField(max_length=40)
    layer = models.CharField(max_length=12)
    role = models.CharField(max_length=12)
    host = models.CharField(max_length=253, blank=True)
    entity = models.JSONField()  # diagnosis.model.Device
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField(null=True)
    score = models.FloatField(default=0.0)
    value = models.FloatField(null=True)
    baseline = models.FloatField(null=True)
    unit = models.CharField(max_length=24, blank=True)
    causes = ArrayField(models.CharField(max_length=40), default=list)
    body = models.JSONField(default=dict)  # the rest of diagnosis.model.Anomaly

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "fingerprint"], name="anomaly_once")
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["organization", "cluster", "host", "starts_at"], name="anomaly_by_host"
            ),
            models.Index(
                models.F("organization"), Coalesce("ends_at", "starts_at"), name="anomaly_by_age"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.signal} {self.host}"


class EvidenceBlock(OwnedModel):
    """Samples of one entity and family around an incident: proof that outlives the source.

    `body` is zstd over little-endian float32 of `shape` (signals, steps); gaps are NaN, never
    zero. Refers to the incident by public id, never by foreign key.
    """

    incident_owner = models.BigIntegerField()
    incident_public_id = models.CharField(max_length=20)
    # None: the source was removed since; what it proved stays.
    source = models.ForeignKey(Source, on_delete=models.SET_NULL, null=True, related_name="+")
    source_name = models.CharField(max_length=120, blank=True)
    capture_pass = models.PositiveSmallIntegerField()
    entity = models.JSONField()  # diagnosis.model.Device; kind "peers" for the band
    entity_key = models.CharField(max_length=300)
    family = models.CharField(max_length=40)
    signals = ArrayField(models.CharField(max_length=80))  # for peers: signal:p5 … signal:p95
    units = ArrayField(models.CharField(max_length=24))
    starts_at = models.DateTimeField()
    step_seconds = models.FloatField()
    shape = ArrayField(models.PositiveIntegerField(), size=2)
    dtype = models.CharField(max_length=8, default="<f4")
    body = models.BinaryField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=[
                    "organization",
                    "incident_public_id",
                    "source",
                    "capture_pass",
                    "entity_key",
                    "family",
                ],
                name="block_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.incident_public_id} {self.entity_key} {self.family}"


class EvidenceCapture(OwnedModel):
    """How the capture of an incident's window from one source stands.

    A coverage state, retried when it failed.
    """

    incident_owner = models.BigIntegerField()
    incident_public_id = models.CharField(max_length=20)
    # None: the source was removed since; what it proved stays.
    source = models.ForeignKey(Source, on_delete=models.SET_NULL, null=True, related_name="+")
    source_name = models.CharField(max_length=120, blank=True)
    capture_pass = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=10, default="due")  # due captured failed
    due_at = models.DateTimeField()
    attempt_count = models.PositiveSmallIntegerField(default=0)
    error = models.CharField(max_length=300, blank=True)
    byte_count = models.PositiveIntegerField(default=0)  # of the blocks that it kept
    seconds = models.FloatField(default=0.0)  # how long the source was asked
    request = models.JSONField()  # starts_at, ends_at, suspects, attempt_hosts

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "incident_public_id", "source", "capture_pass"],
                name="capture_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.incident_public_id} pass {self.capture_pass}"


class TouchedWindow(OwnedModel):
    """New facts about a host, session or mount over a span.

    How work travels up to correlation as rows.
    """

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, null=True, related_name="+")
    session = models.ForeignKey(Session, on_delete=models.CASCADE, null=True, related_name="+")
    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, null=True, related_name="+")
    host = models.CharField(max_length=253, blank=True)
    mount = models.CharField(max_length=500, blank=True)
    starts_at = models.DateTimeField(null=True)  # None: the facts have no time
    ends_at = models.DateTimeField(null=True)
    # Progress and context alone start no look at an attempt; they may complete a begun one.
    is_telling = models.BooleanField(default=True)
    created_at = models.DateTimeField()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["organization", "id"], name="touched_by_organization")
        ]

    def __str__(self) -> str:
        return f"touched {self.pk}"


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
    newest_at = models.DateTimeField(null=True)  # time of the newest sample
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

    source = models.ForeignKey(Source, on_delete=models.CASCADE, related_name="+")
    digest = models.BinaryField(max_length=32)
    protocol = models.CharField(max_length=12)  # rw1 rw2 otlp otlp-json
    only_cluster = models.CharField(max_length=80, blank=True)  # the series with this label alone
    received_at = models.DateTimeField()
    state = models.CharField(max_length=12, choices=BatchState.choices, default=BatchState.ACCEPTED)
    is_to_forward = models.BooleanField(default=False)
    attempt_count = models.PositiveSmallIntegerField(default=0)
    enqueued_at = models.DateTimeField(null=True)
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


class Episode(OwnedModel):
    """Findings of metrics that belong together: a warning with two families, else a signal.

    Owned by the owner of the sources it was found in. What was raised is not deleted for being
    wrong: a warning that later findings do not bear out is withdrawn.
    """

    public_id = models.CharField(max_length=20)
    cluster = models.ForeignKey(Cluster, on_delete=models.PROTECT, related_name="+")
    entity = models.JSONField()  # diagnosis.model.Device
    entity_key = models.CharField(max_length=300)
    host = models.CharField(max_length=253, blank=True)  # empty: a shared part
    layer = models.CharField(max_length=12)
    score = models.FloatField()
    is_page = models.BooleanField()
    is_fatal = models.BooleanField(default=False)
    starts_at = models.DateTimeField()
    raised_at = models.DateTimeField()  # when the findings said so, by the source's clock
    told_at = models.DateTimeField()  # when the portal knew
    ends_at = models.DateTimeField(null=True)  # None: goes on
    withdrawn_at = models.DateTimeField(null=True)
    families = ArrayField(models.CharField(max_length=40), default=list)
    hosts = ArrayField(models.CharField(max_length=253), default=list)
    causes = ArrayField(models.CharField(max_length=40), default=list)
    wording = models.CharField(max_length=500, blank=True)
    contributions = models.JSONField(default=list)  # diagnosis.model.Contribution
    is_simulated = models.BooleanField(default=False)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "public_id"], name="episode_public_id_once"
            ),
            models.UniqueConstraint(
                fields=["organization", "cluster", "entity_key", "is_page", "raised_at"],
                name="episode_once",
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["organization", "cluster", "-raised_at"], name="episode_by_cluster"
            )
        ]

    def __str__(self) -> str:
        return self.public_id


class KeptLines(OwnedModel):
    """Lines around what an incident cites, kept when the rest of their chunk went.

    The same shape as a chunk, so that both are read alike.
    """

    stream = models.ForeignKey(LogStream, on_delete=models.CASCADE, related_name="+")
    first_number = models.PositiveBigIntegerField()
    line_count = models.PositiveIntegerField()
    body = models.BinaryField()
    kept_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "stream", "first_number"], name="kept_lines_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.line_count} kept lines of stream {self.stream_id}"


class Deletion(OwnedModel):
    """What one run took away of one class, and by which rule: no text, counts alone."""

    at = models.DateTimeField()
    kind = models.CharField(max_length=12)  # retention.classes.Kind
    days = models.PositiveIntegerField()  # the rule in force: kept so many days
    before = models.DateTimeField()  # what came in before it went
    oldest_at = models.DateTimeField(null=True)  # of what went
    row_count = models.PositiveBigIntegerField()
    byte_count = models.PositiveBigIntegerField()
    cited_count = models.PositiveBigIntegerField(default=0)  # rows and lines that stayed: cited

    class Meta:
        indexes: ClassVar = [models.Index(fields=["organization", "-at"], name="deletion_by_time")]

    def __str__(self) -> str:
        return f"{self.row_count} of {self.kind} at {self.at:%Y-%m-%d}"


class ReleasedDay(OwnedModel):
    """An organization's chunks of a day were looked through, and what is cited of them is kept.

    Lives only inside the transaction that drops the day: the database compares it with what is
    there (`telemetry_drop_chunk_day`).
    """

    day = models.DateField()
    days = models.PositiveIntegerField()  # the rule in force: kept so many days
    row_count = models.PositiveBigIntegerField()
    newest_id = models.BigIntegerField()
    released_at = models.DateTimeField(db_default=TransactionNow())

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "day"], name="released_day_once")
        ]

    def __str__(self) -> str:
        return f"{self.row_count} chunks of {self.day}"


class Quota(OwnedModel):
    """How much an organization may keep, where that is not what everybody may."""

    max_bytes = models.PositiveBigIntegerField()  # 0: no limit
    set_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization"], name="quota_once")
        ]

    def __str__(self) -> str:
        return f"{self.max_bytes} bytes"


class Usage(OwnedModel):
    """How much an organization keeps in one table, measured now and then and whole after a run."""

    kind = models.CharField(max_length=12)  # retention.classes.Kind
    table = models.CharField(max_length=63)
    until_id = models.BigIntegerField(default=0)  # counted so far: the next look counts what is new
    row_count = models.PositiveBigIntegerField(default=0)
    byte_count = models.PositiveBigIntegerField(default=0)
    oldest_at = models.DateTimeField(null=True)
    measured_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "table"], name="usage_once")
        ]

    def __str__(self) -> str:
        return f"{self.byte_count} bytes in {self.table}"
