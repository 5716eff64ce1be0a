"""Which nodes were left out, by whom and why, and when they were in use again."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.fleet.models.clusters import Cluster
from apps.tenancy.database.reported_times import ReportedTimeField
from apps.tenancy.models import OwnedModel


class ExclusionKind(models.TextChoices):
    """How a node is left out."""

    DRAIN = "drain"  # Slurm: runs on, starts nothing new
    DOWN = "down"  # Slurm: not usable
    CORDON = "cordon"  # Kubernetes
    TAINT = "taint"  # Kubernetes
    UNSCHEDULABLE = "unschedulable"  # an agent of Backend.AI
    JOB = "job"  # of one job alone, as by `sbatch --exclude`
    MANUAL = "manual"  # somebody wrote it down in the portal


class NodeExclusion(OwnedModel):
    """A node was left out from an instant on, as the owner of the row told.

    `ends_at` is worked out of all rows of `NodeReturn` later than the begin and than `seen_at`
    (`apps.fleet.exclusions`).
    """

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="+")
    host = models.CharField(max_length=253)  # short host name, lower case
    kind = models.CharField(max_length=16, choices=ExclusionKind.choices)
    session = models.CharField(max_length=200, blank=True)  # that left it out; empty: everybody
    starts_at = ReportedTimeField()
    ends_at = ReportedTimeField(null=True)
    seen_at = ReportedTimeField(null=True)  # when a list last said that it still is
    standing = models.CharField(max_length=10)  # authority.rules.SenderStanding, when it came
    by = models.CharField(max_length=120, blank=True)  # who did it, as told
    reason = models.CharField(max_length=500, blank=True)  # as told
    cause = models.CharField(max_length=40, blank=True)  # a slug of the causes
    incident = models.CharField(max_length=20, blank=True)  # for which it was left out
    received_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "cluster", "host", "kind", "session", "starts_at"],
                name="exclusion_once",
            )
        ]
        indexes: ClassVar = [
            models.Index(fields=["cluster", "organization", "starts_at"], name="exclusion_by_start")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.host} since {self.starts_at:%Y-%m-%dT%H:%M:%SZ}"


class NodeReturn(OwnedModel):
    """At an instant a node was in use again.

    Without a host it is many: those `in_use`, else all but those `left_out`.
    """

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="+")
    host = models.CharField(max_length=253, blank=True)
    kind = models.CharField(max_length=16, blank=True)  # empty: however it was left out
    session = models.CharField(max_length=200, blank=True)
    at = ReportedTimeField()
    in_use = ArrayField(models.CharField(max_length=253), default=list)
    left_out = ArrayField(models.CharField(max_length=253), default=list)
    received_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "cluster", "host", "kind", "session", "at"],
                name="node_return_once",
            )
        ]
        indexes: ClassVar = [
            models.Index(fields=["organization", "cluster", "at"], name="node_return_by_time")
        ]

    def __str__(self) -> str:
        return f"{self.host or 'all others'} in use at {self.at:%Y-%m-%dT%H:%M:%SZ}"
