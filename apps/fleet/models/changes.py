"""What parties of a cluster changed: deploys, configuration, drivers, maintenance."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.fleet.models.clusters import Cluster
from apps.tenancy.database.reported_times import ReportedTimeField
from apps.tenancy.models import OwnedModel


class ChangedThing(models.TextChoices):
    """What was changed."""

    DEPLOY = "deploy"
    CONFIGURATION = "configuration"
    DRIVER = "driver"
    FIRMWARE = "firmware"
    KERNEL = "kernel"
    MAINTENANCE = "maintenance"
    OTHER = "other"


class ClusterChange(OwnedModel):
    """The owner of the row changed something; its own word, which no verdict weighs."""

    public_id = models.CharField(max_length=20)
    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="+")
    key = models.CharField(max_length=200)  # the sender's: the same key is the same change
    kind = models.CharField(max_length=16, choices=ChangedThing.choices)
    layer = models.CharField(max_length=16)  # apps.diagnosis.model.Layer
    starts_at = ReportedTimeField()
    ends_at = ReportedTimeField(null=True)  # None: an instant, or nobody told of an end
    # Short host names, lower case, sorted; empty: all of the cluster.
    hosts = ArrayField(models.CharField(max_length=253), default=list)
    title = models.CharField(max_length=200)
    before = models.CharField(max_length=80, blank=True)  # a version, as told
    after = models.CharField(max_length=80, blank=True)
    reference = models.CharField(max_length=120, blank=True)  # the sender's: a ticket, a commit
    url = models.CharField(max_length=500, blank=True)  # http or https
    by = models.CharField(max_length=120, blank=True)  # who did it, as told
    received_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "cluster", "key"], name="cluster_change_once"
            ),
            models.UniqueConstraint(
                fields=["organization", "public_id"], name="cluster_change_public_id_once"
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["cluster", "organization", "-starts_at"], name="cluster_change_by_start"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.public_id} at {self.starts_at:%Y-%m-%dT%H:%M:%SZ}"
