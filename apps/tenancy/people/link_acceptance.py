"""What follows when somebody opens a link that works once: membership, or a password."""

from datetime import datetime

from django.core.cache import cache
from django.db.models import Q
from django.utils.translation import gettext as _

from apps.tenancy.audit.audit_log import AuditAction, record
from apps.tenancy.credentials import digest_of
from apps.tenancy.lookups import memberships_of
from apps.tenancy.models import (
    Invitation,
    Membership,
    Organization,
    OwnedQuerySet,
    ProviderIdentity,
    User,
)
from apps.tenancy.people import email_addresses
from apps.tenancy.people.account import (
    BadAccount,
    NameTaken,
    NewAccount,
    checked_password,
    keep_account,
    prepared_account,
)
from apps.tenancy.people.invitations import PER, is_good
from apps.tenancy.scope import organization_scope

CODE_LIMIT = 120
NAMES_TOLD = 20  # in that time: that a name is taken is told to few
NOBODYS = Organization(pk=0)  # no rows are in its scope


class LinkGone(Exception):
    """The link was used, revoked, is too old or never was. Which of these is nobody's business."""


class MemberAlready(Exception):
    """Whoever holds the link belongs to the organization: it stays good for somebody else."""


class OpenedByProvider(BadAccount):
    """An organization's provider opens the account: it belongs to that organization alone."""

    def __init__(self) -> None:
        text = _(
            "Your organization signs you in, so this account belongs to it alone. Sign out, then"
            " make another account with this link."
        )
        super().__init__("reader", text)


class TooManyNames(BadAccount):
    """Many names were taken that holders of an organization's links asked for."""

    def __init__(self) -> None:
        text = _("Too many names were tried that somebody has. Wait an hour, then try another one.")
        super().__init__("username", text)


def look_at(*, code: str, now: datetime) -> Invitation:
    """Return the invitation that a code opens, unused; raise LinkGone. Opens its scope."""
    organization, digest = _parts(code)
    with organization_scope(organization.pk):
        return _found(organization, digest=digest, now=now)


def accept_as_new(
    *, code: str, account: NewAccount, remote_address: str | None, now: datetime
) -> User:
    """Make a person and a member of whoever holds the link; raise LinkGone, BadAccount."""
    organization, digest = _parts(code)
    with organization_scope(organization.pk):
        link = _found(organization, digest=digest, now=now)
    if link.user is not None:
        raise LinkGone
    user = _prepared(link, account)
    with organization_scope(organization.pk):
        invitation = _claim(organization, digest=digest, now=now, sets_password=False)
        keep_account(user=user)
        _trust(invitation, user=user, digest=digest)
        _join(invitation, user=user, remote_address=remote_address, now=now)
    return user


def accept_as(*, code: str, user: User, remote_address: str | None, now: datetime) -> None:
    """Make a member of a person who has an account; raise LinkGone, MemberAlready, BadAccount."""
    organization, digest = _parts(code)
    _refuse_of_provider(user, organization)
    with organization_scope(organization.pk):
        if Membership.objects.for_organization(organization).filter(user=user).exists():
            raise MemberAlready
        invitation = _claim(organization, digest=digest, now=now, sets_password=False)
        _trust(invitation, user=user, digest=digest)
        _join(invitation, user=user, remote_address=remote_address, now=now)


def accept_password(*, code: str, password: str, remote_address: str | None, now: datetime) -> User:
    """Set the password of the person a link is for; raise LinkGone, BadAccount."""
    organization, digest = _parts(code)
    with organization_scope(organization.pk):
        user = _found(organization, digest=digest, now=now).user
    if user is None or not user.is_active:
        raise LinkGone
    user.set_password(checked_password(text=password, user=user))  # takes long: in no scope
    with organization_scope(organization.pk):
        invitation = _claim(organization, digest=digest, now=now, sets_password=True)
        user.save(update_fields=["password"])
        _trust(invitation, user=user, digest=digest)
        end_password_links(user=user, now=now)
        _note(invitation, "password.set", user, remote_address, now)
    return user


def end_password_links(*, user: User, now: datetime) -> None:
    """End every link that sets a person's password, wherever it was made. Opens scopes."""
    for organization_id in memberships_of(user_id=user.pk):
        with organization_scope(organization_id):
            own = Invitation.objects.for_organization(organization_id).filter(user=user)
            own.filter(used_at=None, revoked_at=None).update(revoked_at=now)


def _refuse_of_provider(user: User, organization: Organization) -> None:
    # Else one organization's provider would open another one's pages.
    for organization_id in set(memberships_of(user_id=user.pk)) - {organization.pk}:
        with organization_scope(organization_id):
            own = ProviderIdentity.objects.for_organization(organization_id)
            if own.filter(user=user).exists():
                raise OpenedByProvider


def _prepared(link: Invitation, account: NewAccount) -> User:
    """Return the person to be; tell of few names to the holders of an organization's links."""
    key = f"names:{link.organization_id}"
    if cache.get(key, 0) >= NAMES_TOLD:
        raise TooManyNames
    try:
        return prepared_account(wish=account)
    except NameTaken:
        cache.add(key, 0, timeout=int(PER.total_seconds()))
        cache.incr(key)
        raise


def _trust(invitation: Invitation, *, user: User, digest: bytes) -> None:
    # The secret that was mailed is known to who reads that mailbox and to nobody else.
    if invitation.mail_digest is not None and bytes(invitation.mail_digest) == digest:
        email_addresses.confirm_directly(user=user, email=invitation.email)


def _join(invitation: Invitation, *, user: User, remote_address: str | None, now: datetime) -> None:
    Membership.objects.get_or_create(
        organization=invitation.organization, user=user, defaults={"role": invitation.role}
    )
    _note(invitation, "member.joined", user, remote_address, now)


def _claim(
    organization: Organization, *, digest: bytes, now: datetime, sets_password: bool
) -> Invitation:
    """Use the link up: of two who come at once one finds it gone."""
    own = _with(organization, digest)
    wanted = own.filter(is_good(now), user__isnull=not sets_password)
    if not wanted.update(used_at=now):
        raise LinkGone
    return own.select_related("organization", "user").get()


def _found(organization: Organization, *, digest: bytes, now: datetime) -> Invitation:
    own = _with(organization, digest).filter(is_good(now))
    found = own.select_related("organization", "user").first()
    if found is None:
        raise LinkGone
    return found


def _with(organization: Organization, digest: bytes) -> OwnedQuerySet[Invitation]:
    own = Invitation.objects.for_organization(organization)
    return own.filter(Q(digest=digest) | Q(mail_digest=digest))


def _parts(code: str) -> tuple[Organization, bytes]:
    """Return whose link it may be. For a name that nobody has the same is looked up in vain."""
    slug, secret = code[:CODE_LIMIT].partition(".")[::2]
    organization = Organization.objects.filter(slug=slug).first() or NOBODYS
    return organization, digest_of(secret if len(code) <= CODE_LIMIT else "")


def _note(
    invitation: Invitation, action: str, user: User, remote_address: str | None, now: datetime
) -> None:
    act = AuditAction(
        action=action,
        subject=invitation.public_id,
        actor=user.label,
        remote_address=remote_address,
    )
    record(organization_id=invitation.organization_id, act=act, now=now)
