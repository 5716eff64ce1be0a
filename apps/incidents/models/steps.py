"""What people did to work on an incident together."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.incidents.models.incidents import Incident
from apps.incidents.states import StepKind
from apps.tenancy.models import Organization, OwnedModel

TICKET_LIMIT = 80


class IncidentStep(OwnedModel):
    """One step of a hand-over, a resolution or an action. Append-only: the last one stands.

    Owned by whoever took it, read by the parties in `audience`, so it holds no text: words are an
    annotation of their own. A ticket number is read by the two sides alone.
    """

    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, related_name="+")
    number = models.PositiveIntegerField()  # among all steps of the incident
    kind = models.CharField(max_length=12, choices=StepKind.choices)
    subject = models.CharField(max_length=20)  # which hand-over, proposal or action
    state = models.CharField(max_length=20)  # after it
    reason = models.CharField(max_length=20, blank=True)
    sender = models.ForeignKey(
        Organization, on_delete=models.PROTECT, null=True, related_name="+"
    )  # of a hand-over
    recipient = models.ForeignKey(
        Organization, on_delete=models.PROTECT, null=True, related_name="+"
    )
    due_at = models.DateTimeField(null=True)
    ticket = models.CharField(max_length=TICKET_LIMIT, blank=True)
    note = models.CharField(max_length=20, blank=True)  # public id of the annotation
    author_name = models.CharField(max_length=150)
    audience = ArrayField(models.BigIntegerField(), default=list)
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "incident", "number"], name="incident_step_once"
            )
        ]
        indexes: ClassVar = [
            models.Index(fields=["incident", "number"], name="incident_step_by_incident")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject} {self.state}"
