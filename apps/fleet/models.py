"""Clusters, who takes part in them, their parts, and the sessions that run there."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
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


class ProposalKind(models.TextChoices):
    """What one party proposes to another: to take a part, or to give one up."""

    OFFER = "offer"
    WITHDRAWAL = "withdrawal"


class ProposalState(models.TextChoices):
    """What became of it."""

    OPEN = "open"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    TAKEN_BACK = "taken_back"


class PartProposal(OwnedModel):
    """A part in a cluster that its operator offers to another organization, or asks back.

    Owned by the operator, read by the recipient too. A slug that nobody has stands without one.
    """

    public_id = models.CharField(max_length=20)
    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=12, choices=ProposalKind.choices)
    part = models.CharField(max_length=20, choices=Part.choices)
    layers = ArrayField(models.CharField(max_length=16), default=list)
    slug = models.CharField(max_length=40)  # of the recipient, as it was written
    recipient = models.ForeignKey(
        Organization, on_delete=models.PROTECT, null=True, related_name="+"
    )
    state = models.CharField(max_length=12, choices=ProposalState.choices)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "public_id"], name="proposal_public_id_once"
            ),
            models.UniqueConstraint(
                fields=["organization", "cluster", "kind", "part", "slug"],
                condition=models.Q(state="open"),
                name="proposal_open_once",
            ),
        ]

    def __str__(self) -> str:
        return self.public_id


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


class Node(OwnedModel):
    """A host. Owned by the operator."""

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="+")
    name = models.CharField(max_length=253)  # short host name, lower case
    aliases = ArrayField(
        models.CharField(max_length=253), default=list
    )  # FQDN, IP addresses, other spellings
    zone = models.CharField(max_length=64, blank=True)  # IANA
    first_seen_at = models.DateTimeField()
    last_seen_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "cluster", "name"], name="node_once")
        ]
        indexes: ClassVar = [GinIndex(fields=["aliases"], name="node_aliases")]

    def __str__(self) -> str:
        return self.name


class Sighting(OwnedModel):
    """A part as somebody described it over a span: what `Device` rows are worked out from."""

    node = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=16)
    index = models.IntegerField(null=True)
    uuid = models.CharField(max_length=64, blank=True)
    serial = models.CharField(max_length=64, blank=True)
    pci = models.CharField(max_length=20, blank=True)
    name = models.CharField(max_length=120, blank=True)
    netdev = models.CharField(max_length=60, blank=True)
    model = models.CharField(max_length=120, blank=True)
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=[
                    "organization",
                    "node",
                    "kind",
                    "index",
                    "uuid",
                    "serial",
                    "pci",
                    "name",
                    "netdev",
                    "model",
                    "starts_at",
                ],
                nulls_distinct=False,
                name="sighting_once",
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["organization", "uuid"],
                condition=~models.Q(uuid=""),
                name="sighting_by_uuid",
            ),
            models.Index(
                fields=["organization", "serial"],
                condition=~models.Q(serial=""),
                name="sighting_by_serial",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.uuid or self.name or self.index} of node {self.node_id}"


class Device(OwnedModel):
    """A part in its place over a span: this board at this index and address of this node.

    GPUs, NICs, NVSwitches, disks, and pods. Worked out from all sightings, whatever their order
    (`apps.fleet.seating`); the same board may have several stays.
    """

    node = models.ForeignKey(Node, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=16)  # gpu nic nvswitch disk pod
    name = models.CharField(max_length=120, blank=True)  # mlx5_0, or the model of a GPU
    index = models.IntegerField(null=True)
    uuid = models.CharField(max_length=64, blank=True)  # lower case, without GPU-
    serial = models.CharField(max_length=64, blank=True)
    pci = models.CharField(max_length=20, blank=True)  # dddd:bb:dd.f
    netdev = models.CharField(max_length=60, blank=True)  # network interface of a NIC
    first_seen_at = models.DateTimeField()  # its stay begins
    last_seen_at = models.DateTimeField()  # before its begin where others' reports began the stay
    replaced_at = models.DateTimeField(null=True)  # its stay ended: another is there, or it moved

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=[
                    "organization",
                    "node",
                    "kind",
                    "index",
                    "uuid",
                    "pci",
                    "name",
                    "first_seen_at",
                ],
                nulls_distinct=False,
                name="device_stay_once",
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["organization", "uuid"], condition=~models.Q(uuid=""), name="device_by_uuid"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.index if self.index is not None else self.name}"


class Link(OwnedModel):
    """A cable between a device and a switch port, or two devices."""

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="+")
    host = models.CharField(max_length=253)
    device = models.CharField(max_length=120)
    switch = models.CharField(max_length=253)
    port = models.CharField(max_length=60)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "cluster", "host", "device"], name="link_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.host}/{self.device} - {self.switch}/{self.port}"


class Mount(OwnedModel):
    """A file system that nodes mount from a server."""

    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="+")
    path = models.CharField(max_length=500)
    server = models.CharField(max_length=253)
    hosts = ArrayField(models.CharField(max_length=253), default=list)  # empty: every node

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "cluster", "path"], name="mount_once")
        ]

    def __str__(self) -> str:
        return f"{self.server}:{self.path}"


class Session(OwnedModel):
    """A multi-node training session, owned by the tenant whoever reported it.

    Without a cluster it is ad hoc: its uploader's alone.
    """

    public_id = models.CharField(max_length=20)
    cluster = models.ForeignKey(Cluster, on_delete=models.PROTECT, null=True, related_name="+")
    scheduler = models.CharField(max_length=40, blank=True)
    name = models.CharField(
        max_length=200
    )  # scheduler id or job name: what senders put in the label `session`
    job = models.CharField(max_length=200, blank=True)
    project = models.CharField(max_length=120, blank=True)
    is_simulated = models.BooleanField(default=False)
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "public_id"], name="session_public_id_once"
            ),
            models.UniqueConstraint(
                fields=["organization", "cluster", "scheduler", "name"],
                nulls_distinct=False,
                name="session_once",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class SessionParty(OwnedModel):
    """An organization that may see that a session ran: tenant, platform and operator."""

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="+")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "session"], name="session_party_once")
        ]
        indexes: ClassVar = [
            models.Index(fields=["session", "organization"], name="session_party_by_session")
        ]

    def __str__(self) -> str:
        return f"{self.organization_id} of session {self.session_id}"


class Attempt(OwnedModel):
    """One start of a session.

    Reports of several parties merge field by field; `field_sources` says who said what.
    """

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="attempts")
    number = models.PositiveIntegerField(default=1)
    state = models.CharField(max_length=16, default="unknown")  # diagnosis.model.EndState
    started_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)
    hosts = ArrayField(models.CharField(max_length=253), default=list)
    world_size = models.PositiveIntegerField(null=True)
    ranks = models.JSONField(default=dict)  # rank → {"host", "gpu", "pci", "uuid"}
    exit_codes = models.JSONField(default=dict)  # rank → code
    field_sources = models.JSONField(default=dict)  # field → [organization slug, at]

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "session", "number"], name="attempt_once"
            )
        ]
        indexes: ClassVar = [
            GinIndex(fields=["hosts"], name="attempt_hosts"),
            models.Index(fields=["organization", "-started_at"], name="attempt_by_start"),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} #{self.number}"
