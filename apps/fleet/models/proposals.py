"""Parts in a cluster that one party offers another, or asks back."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.fleet.models.clusters import Cluster, ParticipationRole
from apps.tenancy.models import Organization, OwnedModel


class ProposalKind(models.TextChoices):
    """What one party proposes to another: to take a part, or to give one up."""

    OFFER = "offer"
    WITHDRAWAL = "withdrawal"


class ProposalState(models.TextChoices):
    """What became of it."""

    OPEN = "open"
    ACCEPTED = "accepted"
    DECLINED = "declined"
    TAKEN_BACK = "taken_back"


class PartProposal(OwnedModel):
    """A part in a cluster that its operator offers to another organization, or asks back.

    Owned by the operator, read by the recipient too. A slug that nobody has stands without one.
    """

    public_id = models.CharField(max_length=20)
    cluster = models.ForeignKey(Cluster, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=12, choices=ProposalKind.choices)
    part = models.CharField(max_length=20, choices=ParticipationRole.choices)
    layers = ArrayField(models.CharField(max_length=16), default=list)
    slug = models.CharField(max_length=40)  # of the recipient, as it was written
    recipient = models.ForeignKey(
        Organization, on_delete=models.PROTECT, null=True, related_name="+"
    )
    state = models.CharField(max_length=12, choices=ProposalState.choices)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "public_id"], name="proposal_public_id_once"
            ),
            models.UniqueConstraint(
                fields=["organization", "cluster", "kind", "part", "slug"],
                condition=models.Q(state="open"),
                name="proposal_open_once",
            ),
        ]

    def __str__(self) -> str:
        return self.public_id
