"""People, and how their addresses are confirmed."""

import secrets
from typing import ClassVar

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils.crypto import salted_hmac

from apps.tenancy.database.connections import return_connection

# The salt of Django's own, so that sessions from before epochs go on.
SESSION_SALT = "django.contrib.auth.models.AbstractBaseUser.get_session_auth_hash"


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
