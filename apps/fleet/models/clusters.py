"""Clusters, who takes part in them, and whose projects run there."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.tenancy.models import OwnedModel


class Cluster(models.Model):
    """A set of nodes run together.

    The only name space that parties share. Carries no secrets and no policy.
    """

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=120)
    is_simulated = models.BooleanField(default=False)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.slug


class Part(models.TextChoices):
    """What an organization is to a cluster."""

    OPERATOR = "operator"
    TENANT = "tenant"
    PLATFORM = "platform"
    GPU_VENDOR = "gpu_vendor"
    NETWORK_VENDOR = "network_vendor"
    STORAGE_VENDOR = "storage_vendor"


class Participation(OwnedModel):
    """An organization's part in a cluster and the layers it answers for."""

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="+")
    part = models.CharField(max_length=20, choices=Part.choices)
    layers = ArrayField(models.CharField(max_length=16), default=list)
    # Incidents of before are not the newcomer's. Without: a part since ever, as set-up gives it.
    since = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "cluster", "part"], name="participation_once"
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["cluster"], name="participation_by_cluster")]

    def __str__(self) -> str:
        return f"{self.organization_id} {self.part} of {self.cluster_id}"


class ProjectTenant(OwnedModel):
    """A scheduler's project name on a cluster, and thereby the tenant who owns its sessions."""

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="+")
    project = models.CharField(max_length=120)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "cluster", "project"], name="project_tenant_once"
            ),
        ]

    def __str__(self) -> str:
        return self.project
