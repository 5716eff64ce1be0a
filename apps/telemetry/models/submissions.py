"""Inventories and session events that wait for a worker, durable before they are answered."""

from typing import ClassVar

from django.db import models

from apps.fleet.models import Cluster
from apps.telemetry.models.batches import BatchState
from apps.telemetry.submission_kinds import SubmissionKind
from apps.tenancy.models import OwnedModel


class Submission(OwnedModel):
    """A piece of what was sent, small enough to be carried out at once.

    Owned by the sender. Pieces of one body share `public_id` and are carried out in their order.
    """

    public_id = models.CharField(max_length=20)
    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=16, choices=SubmissionKind.choices)
    digest = models.BinaryField(max_length=32)
    received_at = models.DateTimeField()
    state = models.CharField(max_length=12, choices=BatchState.choices, default=BatchState.ACCEPTED)
    attempt_count = models.PositiveSmallIntegerField(default=0)
    claimed_until = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    first_entry = models.PositiveIntegerField(default=0)  # where its events stood in the body
    entry_count = models.PositiveIntegerField(default=0)
    accepted_count = models.PositiveIntegerField(default=0)
    byte_count = models.PositiveIntegerField(default=0)  # of the JSON
    rejected = models.JSONField(default=list)  # [{"line", "code", "detail"}]
    error = models.CharField(max_length=300, blank=True)
    body = models.BinaryField()  # zstd of JSON; empty once it is carried out

    class Meta:
        constraints: ClassVar = [
            # Sent again while it waits it is there once; later it may be news again.
            models.UniqueConstraint(
                fields=["organization", "digest"],
                condition=models.Q(state="accepted"),
                name="submission_waits_once",
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["organization", "id"],
                condition=models.Q(state="accepted"),
                name="submission_waiting",
            ),
            models.Index(fields=["organization", "public_id"], name="submission_by_name"),
            models.Index(fields=["organization", "finished_at"], name="submission_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self.public_id} {self.first_entry}"
