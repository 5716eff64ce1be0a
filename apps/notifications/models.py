"""Who wants to be told what, what was told, and how each delivery went."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.fleet.models import Cluster
from apps.notifications.notification_kinds import Channel, DeliveryState, Minimum, Rhythm
from apps.tenancy.models import OwnedModel, User


class Subscription(OwnedModel):
    """What a person wants to be told of by e-mail, and when. Without one the defaults hold."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    kinds = ArrayField(models.CharField(max_length=30), default=list)  # none: nothing at all
    clusters = ArrayField(models.BigIntegerField(), default=list)  # none: all
    minimum = models.CharField(max_length=10, default=Minimum.ANY)
    rhythm = models.CharField(max_length=10, default=Rhythm.AT_ONCE)
    zone = models.CharField(max_length=64, default="UTC")
    quiet_from = models.TimeField(null=True)  # wall clock of the zone
    quiet_until = models.TimeField(null=True)
    at_night = ArrayField(models.CharField(max_length=30), default=list)  # kinds that wake one
    changed_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "user"], name="subscription_once")
        ]

    def __str__(self) -> str:
        return f"subscription of {self.user_id}"


class Webhook(OwnedModel):
    """Where an organization's machine is told. One each; its secret is sealed, shown once."""

    url = models.URLField(max_length=500)
    kinds = ArrayField(models.CharField(max_length=30), default=list)
    clusters = ArrayField(models.BigIntegerField(), default=list)
    minimum = models.CharField(max_length=10, default=Minimum.ANY)
    allowed_networks = ArrayField(models.CharField(max_length=50), default=list)
    secret = models.BinaryField()
    former_secret = models.BinaryField(null=True)  # signs beside the new one until `former_until`
    former_until = models.DateTimeField(null=True)
    is_enabled = models.BooleanField(default=True)
    pause = models.JSONField(null=True, default=None)  # why the portal gave it up, a fact
    created_at = models.DateTimeField()
    last_success_at = models.DateTimeField(null=True)
    failure = models.JSONField(null=True, default=None)  # how it failed last, a fact
    failing_since = models.DateTimeField(null=True)
    failure_count = models.PositiveIntegerField(default=0)
    told_failing = models.BooleanField(default=False)  # the admins know of this failure
    rests_until = models.DateTimeField(null=True)  # back-off of the address, not of one message
    claimed_until = models.DateTimeField(null=True)  # lease of the one turn that runs

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization"], name="webhook_once")
        ]

    def __str__(self) -> str:
        return f"webhook of {self.organization_id}"


class IncidentCursor(OwnedModel):
    """What an organization was last told of an incident: the watermark that news is measured by."""

    incident = models.ForeignKey("incidents.Incident", on_delete=models.CASCADE, related_name="+")
    seen_revision = models.PositiveIntegerField()
    seen_status = models.CharField(max_length=10)
    seen_settled = models.BooleanField(default=False)
    seen_steps = models.PositiveIntegerField(default=0, db_default=0)  # of people, all parties'
    told = models.JSONField(null=True)  # telling.Summary; None: nothing was told yet
    step = models.PositiveIntegerField(default=0)  # counts what was told
    # Of a stop that says again what was told: how many there were since. They are told together.
    repeats = models.PositiveIntegerField(default=0, db_default=0)
    waiting_since = models.DateTimeField(null=True)  # a change that may still move on
    due_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "notices_told"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "incident"], name="told_once")
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["organization", "due_at"],
                condition=models.Q(due_at__isnull=False),
                name="told_due",
            )
        ]

    def __str__(self) -> str:
        return f"incident {self.incident_id} told to {self.organization_id}"


class SourceLiveness(OwnedModel):
    """Whether a source, or one kind of log of a cluster, is heard; with hysteresis."""

    subject = models.CharField(max_length=120)  # source:<public id> or log:<cluster>/<kind>
    is_silent = models.BooleanField(default=False)
    first_heard_at = models.DateTimeField()
    last_heard_at = models.DateTimeField()
    looked_at = models.DateTimeField(null=True)
    listening_since = models.DateTimeField(null=True)  # the portal, without a gap of its own
    longest_gap_seconds = models.FloatField(default=0.0)  # of ordinary pauses, learnt
    speaks_since = models.DateTimeField(null=True)  # while silent: how long it is heard again
    silent_since = models.DateTimeField(null=True)
    step = models.PositiveIntegerField(default=0)

    class Meta:
        db_table = "notices_hearing"
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "subject"], name="hearing_once")
        ]

    def __str__(self) -> str:
        return self.subject


class Notification(OwnedModel):
    """Something told to an organization: a header as that organization reads it, no evidence."""

    public_id = models.CharField(max_length=20)
    kind = models.CharField(max_length=30)  # kinds.Kind
    subject = models.CharField(max_length=140)  # what it is about, within the organization
    step = models.PositiveIntegerField()  # of that subject
    incident = models.ForeignKey(
        "incidents.Incident", on_delete=models.CASCADE, null=True, related_name="+"
    )
    cluster = models.ForeignKey(Cluster, on_delete=models.PROTECT, null=True, related_name="+")
    is_simulated = models.BooleanField(default=False)
    body = models.JSONField()  # the webhook's `data`
    created_at = models.DateTimeField()

    class Meta:
        db_table = "notices_notice"
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "kind", "subject", "step"], name="notice_once"
            ),
            models.UniqueConstraint(
                fields=["organization", "public_id"], name="notice_public_id_once"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["organization", "created_at"], name="notice_by_age")
        ]

    def __str__(self) -> str:
        return self.public_id


class Delivery(OwnedModel):
    """A notice on its way to one recipient: once for each, however often it is tried."""

    public_id = models.CharField(max_length=40)  # the webhook-id; the same whenever it is sent
    notice = models.ForeignKey(Notification, on_delete=models.CASCADE, related_name="+")
    channel = models.CharField(max_length=8, choices=Channel.choices)
    user = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="+")
    state = models.CharField(
        max_length=8, choices=DeliveryState.choices, default=DeliveryState.WAITING
    )
    wakes = models.BooleanField(default=True, db_default=True)  # knows no quiet hours
    parcel = models.CharField(max_length=20, blank=True)  # letters that go as one message
    due_at = models.DateTimeField()
    waits_since = models.DateTimeField()  # when it was due first, or was sent again by hand
    claimed_until = models.DateTimeField(null=True)
    attempt_count = models.PositiveSmallIntegerField(default=0)
    sent_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "notice", "channel", "user"],
                nulls_distinct=False,
                name="delivery_once",
            ),
            models.UniqueConstraint(
                fields=["organization", "public_id"], name="delivery_public_id_once"
            ),
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["organization", "channel", "due_at"],
                condition=models.Q(state="waiting"),
                name="delivery_waiting",
            ),
            models.Index(fields=["organization", "-created_at"], name="delivery_by_age"),
        ]

    def __str__(self) -> str:
        return self.public_id


class DeliveryAttempt(OwnedModel):
    """One attempt at a delivery: when, how it went, when the next one is. Nobody's content."""

    delivery = models.ForeignKey(Delivery, on_delete=models.CASCADE, related_name="+")
    at = models.DateTimeField()
    status = models.PositiveSmallIntegerField(null=True)  # of HTTP or SMTP
    is_success = models.BooleanField()
    failure = models.JSONField(null=True, default=None)  # why not, a fact
    seconds = models.FloatField(default=0.0)
    next_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "notices_try"
        indexes: ClassVar = [
            models.Index(fields=["organization", "delivery", "-at"], name="try_by_delivery")
        ]

    def __str__(self) -> str:
        return f"try of {self.delivery_id}"
