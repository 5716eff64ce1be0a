"""Pushed bodies of logs, durable before they are answered."""

from typing import ClassVar

from django.db import models

from apps.fleet.models import Cluster
from apps.tenancy.models import OwnedModel


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
    claimed_until = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    line_count = models.PositiveIntegerField(default=0)
    voice_count = models.PositiveIntegerField(default=1)  # label sets: what most of its work is of
    byte_count = models.PositiveBigIntegerField(default=0)
    rejected = models.JSONField(default=list)  # [{"line", "code", "detail"}], never log text
    error = models.CharField(max_length=300, blank=True)  # why it was set aside, never log text
    # Of the code that gave it up, the latest last: each newer one tries it once more.
    failed_versions = models.CharField(max_length=300, blank=True)
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
            models.Index(
                fields=["organization", "id"],
                condition=models.Q(state="dead"),
                name="batch_dead",
            ),
            models.Index(fields=["organization", "received_at"], name="batch_by_age"),
        ]

    def __str__(self) -> str:
        return self.public_id
