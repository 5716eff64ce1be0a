"""Who is a member of an organization and in which role, and who is invited."""

from typing import ClassVar

from django.db import models

from apps.tenancy.models.organizations import OwnedModel
from apps.tenancy.models.people import User


class MemberRole(models.TextChoices):
    """What a member may do: read; read and act; also manage sources, tokens and people."""

    VIEWER = "viewer"
    RESPONDER = "responder"
    ADMIN = "admin"


class Membership(OwnedModel):
    """A person's part in an organization."""

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    role = models.CharField(max_length=16, choices=MemberRole.choices)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "user"], name="membership_once"),
            models.CheckConstraint(
                condition=models.Q(role__in=MemberRole.values), name="membership_role"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.organization_id}"


class Invitation(OwnedModel):
    """A link that works once: it makes a member, or sets the password of `user`.

    Only the digest of its secret is kept.
    """

    public_id = models.CharField(max_length=20)
    digest = models.BinaryField(max_length=32)
    name = models.CharField(max_length=150, blank=True)  # as whoever invites calls the person
    email = models.EmailField(blank=True)
    role = models.CharField(max_length=16, choices=MemberRole.choices)
    user = models.ForeignKey(User, on_delete=models.CASCADE, null=True, related_name="+")
    invited_by = models.CharField(max_length=120)  # Actor.label
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    mail_due_at = models.DateTimeField(null=True)  # a letter with the link waits
    mail_digest = models.BinaryField(max_length=32, null=True)  # of the secret that was mailed
    mailed_at = models.DateTimeField(null=True)
    mail_said = models.CharField(max_length=200, blank=True, default="", db_default="")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "public_id"], name="invitation_public_id_once"
            ),
            models.UniqueConstraint(fields=["organization", "digest"], name="invitation_once"),
            models.CheckConstraint(
                condition=models.Q(role__in=MemberRole.values), name="invitation_role"
            ),
        ]

    def __str__(self) -> str:
        return self.public_id
