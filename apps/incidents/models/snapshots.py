"""Incidents as somebody last read them who has left the cluster since."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.incidents.models.incidents import Incident
from apps.tenancy.models import OwnedModel


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
