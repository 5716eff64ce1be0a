"""How an organization's own provider signs its people in: the provider, domains, identities."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.tenancy.models.memberships import MemberRole
from apps.tenancy.models.organizations import OwnedModel
from apps.tenancy.models.people import User


class IdentityProvider(OwnedModel):
    """An OpenID Connect provider of one organization. Its client secret is sealed."""

    public_id = models.CharField(max_length=24)  # random: the link to sign in holds it
    issuer = models.CharField(max_length=500)
    client_id = models.CharField(max_length=255)
    secret = models.BinaryField(max_length=2000)
    scopes = models.CharField(max_length=200)  # beside openid, profile and email
    group_claim = models.CharField(max_length=100)
    role_by_group = models.JSONField(default=dict)
    role_without_group = models.CharField(max_length=16, blank=True)  # empty: no access
    allowed_networks = ArrayField(models.CharField(max_length=50), default=list)
    is_enabled = models.BooleanField(default=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization"], name="identity_provider_once"),
            models.CheckConstraint(
                condition=models.Q(role_without_group__in=["", *MemberRole.values]),
                name="identity_provider_role",
            ),
        ]

    def __str__(self) -> str:
        return self.public_id


class MailDomain(OwnedModel):
    """A domain whose mail addresses an organization's provider may vouch for, once confirmed."""

    domain = models.CharField(max_length=253)
    asked_at = models.DateTimeField()
    confirmed_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "domain"], name="mail_domain_once")
        ]

    def __str__(self) -> str:
        return self.domain


class ProviderIdentity(OwnedModel):
    """Whom a provider means by a subject: one account, which belongs to this organization alone."""

    issuer = models.CharField(max_length=500)
    subject = models.CharField(max_length=255)
    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="+")
    connected_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True)
    barred_at = models.DateTimeField(null=True)  # an admin removed the member

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "issuer", "subject"], name="provider_identity_once"
            ),
            models.UniqueConstraint(
                fields=["organization", "user"], name="provider_identity_of_user"
            ),
        ]

    def __str__(self) -> str:
        return f"identity of {self.user_id}"
