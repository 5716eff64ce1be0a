"""Clusters, who takes part in them, and whose projects run there."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.tenancy.models import Organization, OwnedModel


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


class ParticipationRole(models.TextChoices):
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
    part = models.CharField(max_length=20, choices=ParticipationRole.choices)
    layers = ArrayField(models.CharField(max_length=16), default=list)
    # Incidents of before are not the newcomer's. Without: a part since ever, as set-up gives it.
    since = models.DateTimeField(null=True)
    # Since when the operator takes its word: a tenant's for the hosts of its sessions, a
    # platform's for what kernels and metrics of hosts say.
    hosts_agreed_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "cluster", "part"], name="participation_once"
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["cluster"], name="participation_by_cluster")]

    def __str__(self) -> str:
        return f"{self.organization_id} {self.part} of {self.cluster_id}"


class FormerParticipation(OwnedModel):
    """A part, or an agreement, that ended: what was said while it held keeps its worth."""

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="+")
    part = models.CharField(max_length=20, choices=ParticipationRole.choices)
    layers = ArrayField(models.CharField(max_length=16), default=list)
    hosts_agreed_at = models.DateTimeField(null=True)
    since = models.DateTimeField(null=True)
    until = models.DateTimeField()

    class Meta:
        indexes: ClassVar = [models.Index(fields=["cluster"], name="former_part_by_cluster")]

    def __str__(self) -> str:
        return f"{self.organization_id} {self.part} of {self.cluster_id} until {self.until}"


class CrossPartyNote(OwnedModel):
    """That one party's word about another's was entered in the audit record already, once a kind.

    Whoever repeats it, or floods, adds no second entry.
    """

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="+")
    action = models.CharField(max_length=60)
    by = models.ForeignKey(Organization, on_delete=models.CASCADE, related_name="+")
    subject = models.CharField(max_length=120)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "cluster", "action", "by", "subject"],
                name="cross_party_note_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.subject}"


class PendingRefusal(OwnedModel):
    """Sessions that a refused message named: whose they are is looked up after the answer.

    The row is its sender's, the same whether they exist: the time of an answer tells nothing.
    """

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="+")
    subject = models.CharField(max_length=40)
    names = ArrayField(models.CharField(max_length=200), default=list)
    received_at = models.DateTimeField()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["organization", "id"], name="pending_refusal_by_owner")
        ]

    def __str__(self) -> str:
        return f"{self.subject} of {self.organization_id}"


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
