"""Training sessions, who may see them, and their attempts."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models

from apps.fleet.models.clusters import Cluster
from apps.tenancy.database.reported_times import ReportedTimeField
from apps.tenancy.models import OwnedModel


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
    # What else its scheduler calls it: the number of a task or component within Slurm.
    aliases = ArrayField(models.CharField(max_length=200), default=list)
    job = models.CharField(max_length=200, blank=True)
    project = models.CharField(max_length=120, blank=True)
    is_simulated = models.BooleanField(default=False)
    # An operator or platform told of it; else only its own tenant's word stands for it.
    is_asserted = models.BooleanField(default=False)
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
        indexes: ClassVar = [GinIndex(fields=["aliases"], name="session_aliases")]

    def __str__(self) -> str:
        return self.name


class SessionParty(OwnedModel):
    """An organization that may see that a session ran: tenant, platform and operator.

    Who stopped running the cluster reads the attempts as they stood then, from `attempts_then`.
    """

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="+")
    left_at = models.DateTimeField(null=True)
    attempts_then = models.JSONField(null=True)  # rows of Attempt when it left

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
    started_at = ReportedTimeField(null=True)
    ended_at = ReportedTimeField(null=True)
    hosts = ArrayField(models.CharField(max_length=253), default=list)
    # Whether who runs the cluster said or agreed so; else others' evidence does not join by them.
    hosts_asserted = models.BooleanField(default=False)
    world_size = models.PositiveIntegerField(null=True)
    ranks = models.JSONField(default=dict)  # rank → {"host", "gpu", "pci", "uuid"}
    exit_codes = models.JSONField(default=dict)  # rank → code
    field_sources = models.JSONField(default=dict)  # field → [organization slug, at, standing]
    # What else was said and lost: [{"field", "organization", "at", "standing", "value"}], few.
    contradictions = models.JSONField(default=list)
    weight = models.PositiveIntegerField(default=0)  # of all that was told, in bytes or so
    # When an exception was printed of which nobody knows whether it ended the attempt.
    doubted_at = ReportedTimeField(null=True)
    undiagnosed_at = models.DateTimeField(null=True)  # since when its diagnosis fails
    # As its job tells of recovering in place; None: nothing of it is told.
    lost_gpu_count = models.PositiveIntegerField(null=True)
    alive_gpu_count = models.PositiveIntegerField(null=True)  # None: how many it had isn't told
    loss_told_at = ReportedTimeField(null=True)  # when a job that lost some last told of anything
    is_cut = False  # of a row that was read without its hosts and ranks: there is too much of them

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

    @property
    def asserted_hosts(self) -> list[str]:
        """The hosts through which others' evidence joins: none while they are only claimed."""
        return self.hosts if self.hosts_asserted else []


class AttemptState(OwnedModel):
    """One state that somebody reported of an attempt, as it was said; owned by its tenant.

    What a word means stands in apps/training/lifecycle. Of one attempt the first and the last are
    kept (apps/fleet/sessions/state_history).
    """

    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="+")
    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="states")
    word = models.CharField(max_length=60)
    scheduler = models.CharField(max_length=40, blank=True)
    at = ReportedTimeField(null=True)
    source = models.CharField(max_length=40)  # the organization's slug
    standing = models.CharField(max_length=8)  # authority.rules.SenderStanding
    member = models.CharField(max_length=120, blank=True)  # a pod or node; else the whole attempt
    result = models.CharField(max_length=40, blank=True)
    reason = models.CharField(max_length=80, blank=True)
    received_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=[
                    *("organization", "attempt", "source", "member", "word", "at"),
                    *("result", "reason"),
                ],
                nulls_distinct=False,
                name="attempt_state_once",
            )
        ]

    def __str__(self) -> str:
        return f"{self.word} of attempt {self.attempt_id}"
