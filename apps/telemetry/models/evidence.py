"""Samples around an incident, kept as proof."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.telemetry.models.sources import Source
from apps.tenancy.models import OwnedModel


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
