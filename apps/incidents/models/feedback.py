"""What parties say of a verdict."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.incidents.models.incidents import Incident
from apps.incidents.states import Judgement
from apps.tenancy.models import OwnedModel


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
