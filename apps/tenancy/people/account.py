"""A person's own account: what is typed about it is checked here, and changed by nobody else."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from apps.tenancy.audit.audit_log import AuditAction, record_for_person
from apps.tenancy.models import User
from apps.tenancy.people import email_addresses

NAME_LIMIT = 150  # of what a person is called, and of the name to sign in with
EMAIL_LIMIT = 254
PASSWORD_LIMIT = 1024  # hashing megabytes would be a way to keep the portal busy


class BadAccount(ValueError):
    """What was typed can't be used; `field` says which part, the text is for people."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class NameTaken(BadAccount):
    """Somebody has the name that was asked for."""

    def __init__(self) -> None:
        super().__init__("username", _("Somebody has this name already."))


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAccount:
    """An account as somebody asks for it. The password is clear and kept nowhere."""

    username: str
    name: str
    email: str
    password: str


def prepared_account(*, wish: NewAccount) -> User:
    """Return a person who is not kept yet; raise BadAccount. Hashing takes long: hold no scope."""
    user = User(
        username=checked_username(text=wish.username),
        first_name=checked_name(text=wish.name),
        email=checked_email(text=wish.email),
    )
    password = checked_password(text=wish.password, user=user)
    if User.objects.filter(username=user.username).exists():
        raise NameTaken
    user.set_password(password)
    return user


def keep_account(*, user: User) -> None:
    """Keep a prepared person; raise BadAccount."""
    try:
        with transaction.atomic():
            user.save(force_insert=True)
    except IntegrityError:
        raise NameTaken from None


def change_account(
    *,
    user: User,
    name: str,
    email: str,
    language: str,
    remote_address: str | None,
    now: datetime,
) -> None:
    """Change how a person is called and written to; raise BadAccount.

    A new address is written to once its reader followed the link that is sent there.
    """
    user.first_name, user.last_name = checked_name(text=name), ""
    user.email = checked_email(text=email)
    user.language = checked_language(text=language)
    user.save(update_fields=["first_name", "last_name", "email", "language"])
    email_addresses.ask(user=user, now=now)
    _note(user, "account.changed", remote_address, now)


def change_password(
    *, user: User, password: str, remote_address: str | None, now: datetime
) -> None:
    """Give a person another password, which ends all its sessions; raise BadAccount.

    Hashing takes long: hold no scope.
    """
    user.set_password(checked_password(text=password, user=user))
    with transaction.atomic():
        user.save(update_fields=["password"])
        _note(user, "password.changed", remote_address, now)


def checked_username(*, text: str) -> str:
    """Return the name to sign in with; raise BadAccount."""
    username = User.normalize_username(text.strip())
    try:
        User._meta.get_field("username").run_validators(username)  # noqa: SLF001  Django's own door
    except ValidationError:
        username = ""
    if not username or len(username) > NAME_LIMIT:
        words = _("Up to 150 letters, digits and @ . + - _ only.")
        raise BadAccount("username", words)
    return username


def checked_name(*, text: str) -> str:
    """Return what a person is called, in one line; raise BadAccount."""
    name = " ".join(text.split())
    if len(name) > NAME_LIMIT or not name.isprintable():
        raise BadAccount("name", _("At most 150 characters."))
    return name


def checked_email(*, text: str) -> str:
    """Return an address or nothing; raise BadAccount."""
    email = text.strip()
    try:
        if email:
            validate_email(email)
    except ValidationError:
        email = "@" * (EMAIL_LIMIT + 1)
    if len(email) > EMAIL_LIMIT:
        raise BadAccount("email", _("Write an address like name@example.org, or nothing."))
    return email


def checked_language(*, text: str) -> str:
    """Return the language of letters, empty for the portal's own; raise BadAccount."""
    if text and text not in dict(settings.LANGUAGES):
        raise BadAccount("language", _("Choose one of these."))
    return text


def checked_password(*, text: str, user: User) -> str:
    """Return a password that is good enough for this person; raise BadAccount."""
    if len(text) > PASSWORD_LIMIT or "\x00" in text:
        raise BadAccount("password", _("At most 1024 characters."))
    try:
        validate_password(text, user=user)
    except ValidationError as error:
        raise BadAccount("password", " ".join(error.messages)) from None
    return text


def _note(user: User, action: str, remote_address: str | None, now: datetime) -> None:
    act = AuditAction(
        action=action,
        subject=user.label,
        actor=user.label,
        remote_address=remote_address,
    )
    record_for_person(user=user, act=act, now=now)
