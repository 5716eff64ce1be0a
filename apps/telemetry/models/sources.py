"""What an organization reads its metrics from, and what detectors carry on."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.fleet.models import Cluster
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
