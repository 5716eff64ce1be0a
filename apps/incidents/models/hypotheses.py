"""What may explain an incident, and the evidence for and against it."""

from typing import ClassVar

from django.db import models

from apps.fleet.models import Attempt
from apps.incidents.models.incidents import Incident
from apps.tenancy.database.reported_times import ReportedTimeField
from apps.tenancy.models import OwnedModel


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
    ruled_out = models.JSONField(null=True, default=None)  # a fact: why it fell
    held = models.JSONField(
        default=list
    )  # [{"organization": id, "side", "layer", "count", "weight", "claimed"}]

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
    statement = models.JSONField()  # what it tells
    text = models.TextField()  # the same in English
    source = models.CharField(max_length=300, blank=True)
    line = models.PositiveBigIntegerField(null=True)
    at = ReportedTimeField(null=True)
    reference = models.CharField(max_length=60, blank=True)  # event:<id> anomaly:<id>
    is_claimed = models.BooleanField(default=False)  # its holder does not run what it tells of
    # {"signature", "code", "device", "host", "ranks", "fields"}; rows of former versions have none
    fact = models.JSONField(null=True, default=None)

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
