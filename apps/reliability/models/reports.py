"""Reports as they were issued, each party's own copy, and when the next ones are due."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.fleet.models import Cluster
from apps.tenancy.models import Organization, OwnedModel


class ReportRhythm(models.TextChoices):
    """How often a report is issued by itself."""

    WEEKLY = "weekly"  # of Monday to Sunday
    MONTHLY = "monthly"


class Report(OwnedModel):
    """One revision of a report. It is never changed: what is otherwise later is a new revision.

    Of a report that all parties of a cluster read each has a copy with the same document.
    """

    public_id = models.CharField(max_length=20)
    revision = models.PositiveIntegerField()
    audience = models.CharField(max_length=10)  # reliability.period.scopes.Audience
    cluster = models.ForeignKey(Cluster, on_delete=models.PROTECT, null=True, related_name="+")
    starts_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    is_simulated = models.BooleanField(default=False)
    document = models.JSONField()
    digest = models.CharField(max_length=64)  # of the document
    changes = models.JSONField(default=list)  # against the revision before
    issuer = models.ForeignKey(Organization, on_delete=models.PROTECT, related_name="+")
    issuer_name = models.CharField(max_length=150, blank=True)  # of the person; its own copy alone
    issued_at = models.DateTimeField()
    # Organizations that have a copy, so that each can name who has not signed yet.
    readers = ArrayField(models.BigIntegerField(), default=list, db_default=[])

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "public_id", "revision"], name="report_revision_once"
            ),
            models.UniqueConstraint(
                fields=[
                    *("organization", "audience", "cluster", "starts_at", "ends_at", "revision"),
                ],
                nulls_distinct=False,
                name="report_range_once",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["organization", "-issued_at"], name="report_by_issue")
        ]

    def __str__(self) -> str:
        return f"{self.public_id} revision {self.revision}"


class ReportStance(models.TextChoices):
    """What a party says of a revision."""

    SETTLED = "settled"
    DISSENT = "dissent"


class ReportSignature(OwnedModel):
    """What a party said of one revision: a copy for each who has it. The last of a party stands."""

    public_id = models.CharField(max_length=20)
    revision = models.PositiveIntegerField()
    digest = models.CharField(max_length=64)  # of the document that was signed
    party = models.ForeignKey(Organization, on_delete=models.PROTECT, related_name="+")
    number = models.PositiveIntegerField()  # of what this party said of this revision, from 1
    stance = models.CharField(max_length=10, choices=ReportStance.choices)
    reason = models.TextField(blank=True)
    signer_name = models.CharField(max_length=150, blank=True)  # of the person; own copy alone
    signed_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "public_id", "revision", "party", "number"],
                name="report_signature_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.stance} {self.public_id} revision {self.revision}"


class ReportSchedule(OwnedModel):
    """That a report is issued by itself, and who is told of it."""

    public_id = models.CharField(max_length=20)
    audience = models.CharField(max_length=10)
    cluster = models.ForeignKey(Cluster, on_delete=models.PROTECT, null=True, related_name="+")
    rhythm = models.CharField(max_length=10, choices=ReportRhythm.choices)
    recipients = ArrayField(models.BigIntegerField(), default=list)  # users, members of it
    to_webhook = models.BooleanField(default=False)
    issued_until = models.DateTimeField()  # end of the last range that needs no report any more
    changed_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "audience", "cluster", "rhythm"],
                nulls_distinct=False,
                name="report_schedule_once",
            ),
            models.UniqueConstraint(
                fields=["organization", "public_id"], name="report_schedule_public_id_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rhythm} {self.audience}"
