"""What one party of an incident asks another to show it, and what came of it. Rows are only added.

A row is its writer's and read by the other side, too, so neither can write what the other said.
"""

from typing import ClassVar

from django.db import models

from apps.incidents.models.incidents import Incident
from apps.incidents.states import RequestActKind
from apps.sharing.terms import Level
from apps.tenancy.models import Organization, OwnedModel


class EvidenceRequest(OwnedModel):
    """One class of data that its owner asks another party of the incident for."""

    incident = models.ForeignKey(Incident, on_delete=models.CASCADE, related_name="+")
    counterpart = models.ForeignKey(Organization, on_delete=models.PROTECT, related_name="+")
    public_id = models.CharField(max_length=20)
    data = models.CharField(max_length=40)  # logs:kernel metrics:gpu events:network
    level = models.CharField(max_length=10, choices=[(str(each), str(each)) for each in Level])
    host = models.CharField(max_length=255, blank=True)  # empty: of all
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    until = models.DateTimeField()  # when it ends by itself, answered or not
    reason = models.CharField(max_length=500)
    by = models.CharField(max_length=150)
    at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "public_id"], name="evidence_request_id_once"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["incident"], name="evidence_request_incident"),
            models.Index(fields=["counterpart", "-at"], name="evidence_request_counterpart"),
        ]

    def __str__(self) -> str:
        return self.public_id


class EvidenceRequestAct(OwnedModel):
    """What a side did with a request; of a grant, what it shows."""

    request = models.ForeignKey(EvidenceRequest, on_delete=models.CASCADE, related_name="+")
    counterpart = models.ForeignKey(Organization, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=10, choices=RequestActKind.choices)
    level = models.CharField(max_length=10, blank=True)
    starts_at = models.DateTimeField(null=True)
    ends_at = models.DateTimeField(null=True)
    until = models.DateTimeField(null=True)
    reason = models.CharField(max_length=500, blank=True)
    by = models.CharField(max_length=150)
    at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "request", "kind"], name="evidence_request_act_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.request_id}"
