"""How an organization's own provider signs its people in: the provider, domains, identities."""

from typing import ClassVar

from django.contrib.postgres.fields import ArrayField
from django.db import models

from apps.tenancy.models.memberships import MemberRole
from apps.tenancy.models.organizations import OwnedModel
from apps.tenancy.models.people import User


class SignInProtocol(models.TextChoices):
    """How a provider is spoken to."""

    OPENID_CONNECT = "oidc"
    SAML = "saml"


class IdentityProvider(OwnedModel):
    """The provider of one organization. Its client secret is sealed; SAML has none."""

    public_id = models.CharField(max_length=24)  # random: the link to sign in holds it
    protocol = models.CharField(
        max_length=8,
        choices=SignInProtocol.choices,
        default=SignInProtocol.OPENID_CONNECT,
        db_default=SignInProtocol.OPENID_CONNECT,
    )
    issuer = models.CharField(max_length=500)  # of SAML: the entity ID
    client_id = models.CharField(max_length=255, blank=True)
    secret = models.BinaryField(max_length=2000)
    sign_in_url = models.CharField(max_length=2000, blank=True, db_default="")  # SAML only
    certificates = models.TextField(blank=True, db_default="")  # SAML only: PEM, public
    # It may leave out whether an address is verified: an admin answers for that.
    vouches_for_addresses = models.BooleanField(default=False, db_default=False)
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
            models.CheckConstraint(
                condition=models.Q(protocol__in=SignInProtocol.values),
                name="identity_provider_protocol",
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
    # What an invitation gave, beside the groups; empty: the groups alone decide.
    invited_role = models.CharField(max_length=16, blank=True, default="", db_default="")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "issuer", "subject"], name="provider_identity_once"
            ),
            models.UniqueConstraint(
                fields=["organization", "user"], name="provider_identity_of_user"
            ),
            models.CheckConstraint(
                condition=models.Q(invited_role__in=["", *MemberRole.values]),
                name="provider_identity_invited_role",
            ),
        ]

    def __str__(self) -> str:
        return f"identity of {self.user_id}"
