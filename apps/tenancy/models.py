"""Organizations, people, memberships, tokens and the audit record."""

import secrets
from typing import ClassVar, Self, TypeVar

from django.contrib.auth.models import AbstractUser
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.crypto import salted_hmac

from apps.tenancy.database.connections import return_connection

# The salt of Django's own, so that sessions from before epochs go on.
SESSION_SALT = "django.contrib.auth.models.AbstractBaseUser.get_session_auth_hash"


class Organization(models.Model):
    """A party: one tenant of the portal. Carries no secrets and no policy."""

    slug = models.SlugField(max_length=40, unique=True)
    name = models.CharField(max_length=80)
    is_simulated = models.BooleanField(default=False)
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return self.slug

    @property
    def mark(self) -> str:
        """The letter that stands for the organization where its name has no room."""
        return self.name[:1].upper()


def new_reference() -> str:
    """Return a random name for records; the number of a row counts all organizations' people."""
    return f"p{secrets.token_hex(6)}"


class User(AbstractUser):
    """A person. What one may do comes from memberships, never from staff flags."""

    reference = models.CharField(max_length=20, unique=True, default=new_reference)
    # Sessions that began under a lower number are over.
    session_epoch = models.PositiveIntegerField(default=0, db_default=0)
    # The address that its owner confirmed: another one in `email` is not confirmed by that.
    confirmed_email = models.EmailField(blank=True, default="", db_default="")
    language = models.CharField(max_length=8, blank=True, default="", db_default="")  # of letters

    REQUIRED_FIELDS: ClassVar[list[str]] = []

    @property
    def label(self) -> str:
        """Name the person in records, which outlive the account."""
        return f"user:{self.reference}"

    @property
    def is_reachable(self) -> bool:
        """Whether letters may go to its address."""
        return bool(self.email) and self.email == self.confirmed_email

    def set_password(self, raw_password: str | None) -> None:
        """Hash a password, and keep no connection of others meanwhile: it takes long."""
        return_connection()
        super().set_password(raw_password)

    def check_password(self, raw_password: str | None) -> bool:
        """Compare a password with the hash, and keep no connection of others meanwhile."""
        return_connection()
        return super().check_password(raw_password)

    def _get_session_auth_hash(self, secret: str | bytes | None = None) -> str:
        # Django compares it on each request: another epoch ends a session as another password does.
        value = f"{self.password}:{self.session_epoch}" if self.session_epoch else self.password
        return salted_hmac(SESSION_SALT, value, secret=secret, algorithm="sha256").hexdigest()


class Confirmation(models.Model):
    """A letter that asks whether an address is this person's, and how many went before it.

    Only the digest of the link's secret is kept, and only until it is used.
    """

    user = models.OneToOneField(User, on_delete=models.CASCADE, related_name="+")
    email = models.EmailField()
    asked_at = models.DateTimeField()
    due_at = models.DateTimeField(null=True)  # the letter waits
    digest = models.BinaryField(max_length=32, null=True, db_index=True)
    digest_at = models.DateTimeField(null=True)
    sent_at = models.DateTimeField(null=True)
    letter_count = models.PositiveSmallIntegerField(default=0)
    said = models.CharField(max_length=200, blank=True)  # why the last try failed

    def __str__(self) -> str:
        return f"confirmation by {self.user_id}"


Owned = TypeVar("Owned", bound=models.Model)


class OwnedQuerySet(models.QuerySet[Owned]):
    """Queries that name the organization whose rows they mean."""

    def for_organization(self, organization: Organization | int) -> Self:
        """Keep the rows owned by one organization."""
        return self.filter(organization=organization)


OwnedManager = models.Manager.from_queryset(OwnedQuerySet)


class OwnedModel(models.Model):
    """A row that belongs to exactly one organization; its table is under row-level security."""

    organization = models.ForeignKey(Organization, on_delete=models.PROTECT, related_name="+")

    objects = OwnedManager()

    class Meta:
        abstract = True


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


class TokenScope(models.TextChoices):
    """What a token may do."""

    INGEST = "ingest"
    READ = "read"
    WRITE = "write"


class Token(OwnedModel):
    """A machine's credential. Only its digest is kept."""

    name = models.CharField(max_length=80)
    prefix = models.CharField(max_length=16)
    digest = models.BinaryField(max_length=32, db_index=True)
    scopes = ArrayField(models.CharField(max_length=16, choices=TokenScope.choices))
    clusters = ArrayField(models.BigIntegerField(), default=list)  # ids of clusters it may write to
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "name"], name="token_name_once"),
            models.UniqueConstraint(fields=["organization", "digest"], name="token_digest_once"),
        ]

    def __str__(self) -> str:
        return self.prefix


class AuditEntry(OwnedModel):
    """Who did what, when and from where. Append-only for the application.

    `digest` seals the entry together with the one before it in the same organization.
    """

    sequence = models.BigIntegerField()
    digest = models.BinaryField(max_length=32)
    at = models.DateTimeField()
    actor = models.CharField(max_length=120)  # user:<reference> token:<prefix> anonymous
    action = models.CharField(max_length=60)
    subject = models.CharField(max_length=120, blank=True)
    remote_address = models.GenericIPAddressField(null=True)
    count = models.PositiveIntegerField(default=1, db_default=1)  # the same again within a minute

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization", "sequence"], name="audit_sequence_once")
        ]
        indexes: ClassVar = [models.Index(fields=["organization", "-at"], name="audit_by_time")]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%dT%H:%M:%SZ} {self.action}"


class RefusalCount(OwnedModel):
    """How often somebody was refused the same thing within a minute, until the record has it."""

    actor = models.CharField(max_length=120)
    subject = models.CharField(max_length=120)
    remote_address = models.GenericIPAddressField(null=True)  # of the last one
    minute = models.DateTimeField()
    count = models.PositiveIntegerField(default=1)  # the first is in the record at once

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "actor", "subject", "minute"], name="refusal_count_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.count} x {self.subject}"


class AuditPoint(OwnedModel):
    """Up to where an organization's record was read and found whole; signed by the portal."""

    sequence = models.BigIntegerField()
    digest = models.BinaryField(max_length=32)
    signature = models.CharField(max_length=100)
    proven_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["organization"], name="audit_point_once")
        ]

    def __str__(self) -> str:
        return f"entry {self.sequence} of {self.organization_id}"


class KeptAnswer(OwnedModel):
    """The answer to a creating request with a key; without a status it is still being made."""

    credential = models.CharField(max_length=120)  # Actor.label
    key = models.CharField(max_length=200)
    digest = models.BinaryField(max_length=32)  # of path and body
    status = models.PositiveSmallIntegerField(null=True)
    body = models.TextField(blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "credential", "key"], name="kept_answer_once"
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["organization", "created_at"], name="kept_answer_by_age")
        ]

    def __str__(self) -> str:
        return f"answer {self.pk}"


class FailedWork(OwnedModel):
    """A unit of work that is being tried, or failed. One that went well leaves no row.

    Says what kind of error it was and where, never its text: that may quote what was sent.
    """

    kind = models.CharField(max_length=20)
    subject = models.CharField(max_length=80)  # the row or message that the work is about
    attempt_count = models.PositiveIntegerField(default=0)
    error = models.CharField(max_length=200, blank=True)
    began_at = models.DateTimeField()
    tried_at = models.DateTimeField()
    set_aside_at = models.DateTimeField(null=True)
    edition = models.CharField(max_length=16)  # of the code that tried it last

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["organization", "kind", "subject"], name="failed_work_once"
            )
        ]
        indexes: ClassVar = [
            models.Index(
                fields=["organization", "-set_aside_at"],
                condition=models.Q(set_aside_at__isnull=False),
                name="failed_work_set_aside",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"
