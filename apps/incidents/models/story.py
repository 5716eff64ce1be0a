"""The append-only story of an incident, and what people wrote beside it."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.fleet.models import Attempt
from apps.incidents.models.incidents import Incident
from apps.tenancy.database.reported_times import ReportedTimeField
from apps.tenancy.models import OwnedModel, User


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
    at = ReportedTimeField(null=True)
    ends_at = ReportedTimeField(null=True)
    clock_error_seconds = models.FloatField(null=True)
    order_key = models.BigIntegerField(default=0)  # place among entries without a time
    statement = models.JSONField()  # what is told
    title = models.CharField(max_length=300)  # the same in English
    # host, count, ranks, source, line, signature, code, device, fields; of the owner alone unless
    # for all parties. Rows of former versions have no code, device and fields.
    detail = models.JSONField(default=dict)
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
    starts_at = ReportedTimeField(null=True)
    ends_at = ReportedTimeField(null=True)
    answers = models.CharField(max_length=20, blank=True, default="", db_default="")  # a public id
    # Organizations of the audience, and people of its own organization.
    mentioned_parties = ArrayField(models.BigIntegerField(), default=list, db_default=[])
    mentioned_people = ArrayField(models.BigIntegerField(), default=list, db_default=[])
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


class AnnotationRead(OwnedModel):
    """That a person has seen a version of an annotation; owned by the person's organization."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    annotation = models.ForeignKey(Annotation, on_delete=models.CASCADE, related_name="+")
    read_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "user", "annotation"], name="annotation_read_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.annotation_id} by {self.user_id}"
