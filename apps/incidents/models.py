"""Incidents, who takes part, what may explain them, and the append-only story."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.fleet.models import Attempt, Cluster, Session
from apps.tenancy.models import OwnedModel, User


class IncidentStatus(models.TextChoices):
    """Where an incident stands."""

    OPEN = "open"
    RESOLVED = "resolved"
    WITHDRAWN = "withdrawn"
    MERGED = "merged"


class IncidentKind(models.TextChoices):
    """A stop ends an attempt; a slow or shared disturbance is an episode of an entity."""

    STOP = "stop"
    SLOW = "slow"
    SHARED = "shared"


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
    withdrawn_because = models.CharField(max_length=200, blank=True)
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
    )  # [{"organization": id, "parts": [], "sees_culprit": bool}]
    started_at = models.DateTimeField(null=True)  # when it broke
    detected_at = models.DateTimeField()
    newest_evidence_at = models.DateTimeField(
        null=True
    )  # receive time of the newest fact that was used
    settled_at = models.DateTimeField(null=True)
    resolved_at = models.DateTimeField(null=True)
    touched_by_people = models.BooleanField(default=False)  # then it is withdrawn, never deleted

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


class IncidentParty(OwnedModel):
    """An organization that reads an incident's header, and whether it took note."""

    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, related_name="+")
    parts = ArrayField(models.CharField(max_length=20), default=list)
    sees_culprit = models.BooleanField(default=False)
    acknowledged_at = models.DateTimeField(null=True)
    acknowledged_by = models.ForeignKey(
        User, on_delete=models.SET_NULL, null=True, related_name="+"
    )

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
    conclusion = models.JSONField()  # header fields and hypotheses without evidence

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


class Hypothesis(OwnedModel):
    """One explanation of an incident: a shared header. Its evidence is in rows of the holders."""

    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, related_name="hypotheses")
    position = models.PositiveSmallIntegerField()  # 0 is the best
    layer = models.CharField(max_length=12)
    cause = models.CharField(max_length=40)
    probability = models.FloatField()
    cause_probability = models.FloatField()
    culprits = models.JSONField(default=list)
    missing = models.JSONField(default=list)  # [{"source", "hosts", "held_by", "would"}]
    ruled_out_because = models.CharField(max_length=300, blank=True)
    held = models.JSONField(
        default=list
    )  # [{"organization": id, "side", "layer", "count", "weight"}]

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "incident", "position"], name="hypothesis_position_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.cause} {self.probability:.2f}"


class EvidenceItem(OwnedModel):
    """A weighed piece of evidence, owned by its holder.

    Others learn its layer and weight from the hypothesis's `held`.
    """

    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, related_name="+")
    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, null=True, related_name="+")
    cause = models.CharField(max_length=60)  # "<layer>/<cause>" of the hypothesis it speaks to
    position = models.PositiveSmallIntegerField()
    side = models.CharField(max_length=8)  # for against
    weight = models.FloatField()
    layer = models.CharField(max_length=12, blank=True)
    text = models.TextField()
    source = models.CharField(max_length=300, blank=True)
    line = models.PositiveBigIntegerField(null=True)
    at = models.DateTimeField(null=True)
    reference = models.CharField(max_length=60, blank=True)  # event:<id> anomaly:<id>

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "incident", "attempt", "cause", "side", "position"],
                nulls_distinct=False,
                name="evidence_position_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.side} {self.weight:+.1f}"


class TimelineEntry(OwnedModel):
    """A moment of an incident's story. Append-only: a recomputation adds entries.

    `key` names the moment (what, where, when): the same moment found again writes no second entry.
    """

    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, related_name="+")
    key = models.BinaryField(max_length=16)
    moment = models.BinaryField(max_length=16)  # of several rows of one moment the newest holds
    is_retracted = models.BooleanField(default=False)
    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, null=True, related_name="+")
    revision = models.PositiveIntegerField()  # first verdict revision that holds it
    lane = models.CharField(
        max_length=12
    )  # a layer, or application scheduler changes people portal
    kind = models.CharField(
        max_length=20
    )  # event anomaly attempt verdict acknowledged resolved reopened annotation
    role = models.CharField(max_length=12, blank=True)
    at = models.DateTimeField(null=True)
    ends_at = models.DateTimeField(null=True)
    clock_error_seconds = models.FloatField(null=True)
    order_key = models.BigIntegerField(default=0)  # place among entries without a time
    title = models.CharField(max_length=300)
    detail = models.JSONField(
        default=dict
    )  # host, count, ranks, source, line; of the owner alone unless for all parties
    for_all_parties = models.BooleanField(default=False)
    audience = ArrayField(models.BigIntegerField(), default=list)
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "incident", "key"], name="timeline_key_once"
            )
        ]
        indexes: ClassVar = [models.Index(fields=["incident", "at"], name="timeline_by_time")]

    def __str__(self) -> str:
        return f"{self.lane} {self.title}"


class Annotation(OwnedModel):
    """What a person wrote, for a named audience. An edit is a new version; the old ones stay."""

    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, related_name="+")
    public_id = models.CharField(max_length=20)
    version = models.PositiveIntegerField(default=1)
    author = models.ForeignKey(User, on_delete=models.SET_NULL, null=True, related_name="+")
    author_name = models.CharField(max_length=150)
    text = models.TextField()
    lane = models.CharField(max_length=12, blank=True)
    starts_at = models.DateTimeField(null=True)
    ends_at = models.DateTimeField(null=True)
    audience = ArrayField(models.BigIntegerField(), default=list)
    is_withdrawn = models.BooleanField(default=False)
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "public_id", "version"], name="annotation_version_once"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["incident", "created_at"], name="annotation_by_incident")
        ]

    def __str__(self) -> str:
        return f"{self.public_id} v{self.version}"


class Judgement(models.TextChoices):
    """What a party says of a verdict."""

    RIGHT = "right"
    WRONG = "wrong"
    TAKEN_BACK = "taken-back"


class Feedback(OwnedModel):
    """What one party says of a verdict, beside that verdict as it stood. Append-only: a change is
    a new version.

    Shared with the parties in `audience`, so it holds no text; words are an annotation of their
    own.
    """

    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, related_name="+")
    version = models.PositiveIntegerField(default=1)
    judgement = models.CharField(max_length=10, choices=Judgement.choices)
    actual_layer = models.CharField(max_length=12, blank=True)  # what it really was; empty: unknown
    actual_cause = models.CharField(
        max_length=40, blank=True
    )  # empty: none of the list, or unknown
    author_name = models.CharField(max_length=150)
    revision = models.PositiveIntegerField()  # of the verdict, as are the columns below
    verdict_status = models.CharField(max_length=10)
    layer = models.CharField(max_length=12)
    cause = models.CharField(max_length=40)
    probability = models.FloatField()
    cause_probability = models.FloatField()
    edition = models.CharField(max_length=16)  # of the knowledge in force when it was judged
    audience = ArrayField(models.BigIntegerField(), default=list)
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "incident", "version"], name="feedback_version_once"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["incident", "organization"], name="feedback_by_incident")
        ]

    def __str__(self) -> str:
        return f"{self.judgement} v{self.version} of incident {self.incident_id}"


class Correlation(OwnedModel):
    """The standing order to look at an attempt.

    Claimed by lease, coalesced, due again until settled.
    """

    attempt = models.ForeignKey(Attempt, on_delete=models.CASCADE, related_name="+")
    due_at = models.DateTimeField()
    claimed_until = models.DateTimeField(null=True)
    settle_at = models.DateTimeField(null=True)
    touched_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "attempt"], name="correlation_once")
        ]
        indexes: ClassVar = [
            models.Index(fields=["organization", "due_at"], name="correlation_by_due")
        ]

    def __str__(self) -> str:
        return f"attempt {self.attempt_id} due {self.due_at:%H:%M:%S}"
