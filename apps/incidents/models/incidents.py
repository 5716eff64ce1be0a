"""Incidents, who reads them, and the attempts they hit."""

from datetime import datetime
from typing import ClassVar

from django.contrib.postgres.fields import ArrayField, DateTimeRangeField
from django.db import models

from apps.fleet.models import Attempt, Cluster, Session
from apps.incidents.states import IncidentKind, IncidentStatus
from apps.tenancy.database.reported_times import ReportedTimeField
from apps.tenancy.models import OwnedModel, User


class Incident(OwnedModel):
    """One disturbance, as the header that every party of it reads.

    Holds nobody's text, file names or metric values.
    """

    public_id = models.CharField(max_length=20)
    cluster = models.ForeignKey(Cluster, on_delete=models.PROTECT, null=True, related_name="+")
    attempt = models.ForeignKey(Attempt, on_delete=models.PROTECT, null=True, related_name="+")
    kind = models.CharField(max_length=8, choices=IncidentKind.choices)
    entity = models.CharField(max_length=300, blank=True)  # slow and shared: what it happened to
    episode = models.CharField(max_length=40, blank=True)
    status = models.CharField(
        max_length=10, choices=IncidentStatus.choices, default=IncidentStatus.OPEN
    )
    merged_into = models.ForeignKey("self", on_delete=models.PROTECT, null=True, related_name="+")
    # The stop that says the same again, and so stands for this one in lists (see folding): with
    # other culprits only for who does not see them.
    followed_by = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, related_name="+")
    has_followers_culprits = models.BooleanField(default=True, db_default=True)
    is_further = models.BooleanField(default=False, db_default=False)  # of a flood, by its hour
    withdrawal = models.JSONField(null=True, default=None)  # why it was withdrawn, a fact
    revision = models.PositiveIntegerField(default=1)
    digest = models.BinaryField(max_length=16, default=bytes)  # of all that was concluded
    is_simulated = models.BooleanField(default=False)
    verdict_status = models.CharField(max_length=10)  # diagnosis.model.VerdictStatus
    layer = models.CharField(max_length=12)
    cause = models.CharField(max_length=40)
    probability = models.FloatField()
    cause_probability = models.FloatField()
    phase = models.CharField(max_length=10)
    end_state = models.CharField(max_length=10)
    culprits = models.JSONField(
        default=list
    )  # shown to tenant, platform, operator and who answers for the layer
    restart = models.JSONField(default=dict)  # {"advice", "exclude_hosts"}
    actions = models.JSONField(default=list)  # [{"text", "owner", "hosts"}]
    coverage = models.JSONField(
        default=list
    )  # [{"source", "state", "hosts_present", "hosts_expected", "missing_hosts", "held_by"}]
    first_stopper = models.JSONField(null=True)
    parties = models.JSONField(
        default=list
    )  # [{"organization": id, "parts": [], "sees_culprit": bool, "answers": bool}]
    started_at = ReportedTimeField(null=True)  # when it broke
    detected_at = models.DateTimeField()
    newest_evidence_at = ReportedTimeField(
        null=True
    )  # receive time of the newest fact that was used
    settled_at = models.DateTimeField(null=True)
    resolved_at = models.DateTimeField(null=True)
    # When its layer or cause last changed: those whom it blames have so long to reply.
    verdict_at = models.DateTimeField(null=True, default=None)
    step_count = models.PositiveIntegerField(default=0, db_default=0)  # of people, all parties'
    touched_by_people = models.BooleanField(default=False)  # then it is withdrawn, never deleted
    # No columns: what a door hands to who left the cluster is made of this (see snapshots), and to
    # one of several tenants by what hit its own sessions (see facing).
    snapshot: "IncidentSnapshot | None" = None
    faced_since: datetime | None = None
    unfaced_revisions: int = 0  # before its own session was hit

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "public_id"], name="incident_public_id_once"
            ),
            models.UniqueConstraint(
                fields=["organization", "attempt"],
                condition=models.Q(kind="stop"),
                name="incident_stop_once",
            ),
            models.UniqueConstraint(
                fields=["organization", "cluster", "entity", "kind", "episode"],
                condition=~models.Q(kind="stop"),
                nulls_distinct=False,
                name="incident_episode_once",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["organization", "-started_at"], name="incident_by_start"),
            # What parties have not been told yet is looked for among the recent ones, every 10 s.
            models.Index(fields=["detected_at"], name="incident_by_detection"),
        ]

    def __str__(self) -> str:
        return self.public_id

    @property
    def counted_revision(self) -> int:
        """Return the number of the answer that stands as rows keep it, whoever reads the others."""
        return self.revision + self.unfaced_revisions

    def faced_revision(self, counted: int) -> int:
        """Return the number of an answer as it faces the reader, who was told fewer."""
        return max(1, counted - self.unfaced_revisions) if self.unfaced_revisions else counted


class IncidentSnapshot(OwnedModel):
    """An incident as it stood when a party left: what that party reads of it from then on.

    Owned by who left. What is appended (timeline, notes, judgements) is not copied: rows that came
    later are closed by their time. Columns are what lists ask for; the copies hold the rest.
    """

    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, related_name="snapshots")
    taken_at = models.DateTimeField()
    public_id = models.CharField(max_length=20)
    status = models.CharField(max_length=10)
    layer = models.CharField(max_length=12)
    moment = models.DateTimeField()  # when it broke, else when it was detected
    touched_by_people = models.BooleanField()
    session_ids = ArrayField(models.BigIntegerField(), default=list)
    header = models.JSONField()  # the row of Incident
    hypotheses = models.JSONField()  # rows of Hypothesis
    sessions = models.JSONField()  # rows of IncidentSession, with "attempt" and "session"
    evidence = models.JSONField()  # its own rows of EvidenceItem

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "incident"], name="incident_snapshot_once"
            )
        ]
        indexes: ClassVar = [
            models.Index(fields=["incident", "organization"], name="incident_snapshot_by_incident")
        ]

    def __str__(self) -> str:
        return f"{self.public_id} of {self.taken_at:%Y-%m-%dT%H:%M:%SZ}"


class IncidentParty(OwnedModel):
    """An organization that reads an incident's header, and whether it took note."""

    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, related_name="+")
    parts = ArrayField(models.CharField(max_length=20), default=list)
    sees_culprit = models.BooleanField(default=False)
    acknowledged_at = models.DateTimeField(null=True)
    acknowledged_by = models.ForeignKey(
        User, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    # Its place in this party's lists, where that is not the incident's: of one of several tenants
    # when its own session broke.
    moment = ReportedTimeField(null=True)
    # When it ceased to take part in the cluster: it reads an IncidentSnapshot and does nothing.
    left_at = models.DateTimeField(null=True)
    absences = ArrayField(
        DateTimeRangeField(), default=list, db_default=[]
    )  # those that ended: it came back

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "incident"], name="incident_party_once")
        ]
        indexes: ClassVar = [
            models.Index(fields=["incident", "organization"], name="incident_party_by_incident")
        ]

    def __str__(self) -> str:
        return f"{self.organization_id} of incident {self.incident_id}"


class IncidentSession(OwnedModel):
    """An attempt that an incident hit, and what was concluded for it. Owned by the tenant.

    A shared part's incident has one for each attempt it touched: each tenant sees its own, operator
    and platform see all.
    """

    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, related_name="+")
    session = models.ForeignKey(Session, on_delete=models.CASCADE, related_name="+")
    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="+")
    # Header fields and hypotheses without evidence, and since when it is part of the incident.
    conclusion = models.JSONField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "attempt", "incident"], name="incident_session_once"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["incident", "attempt"], name="incident_session_by_incident")
        ]

    def __str__(self) -> str:
        return f"attempt {self.attempt_id} in incident {self.incident_id}"
