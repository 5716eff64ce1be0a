"""An organization's provider as an admin sets it up."""

import ipaddress
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import F
from django.utils.translation import gettext as _

from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.credentials import reseal, seal
from apps.tenancy.models import (
    IdentityProvider,
    MemberRole,
    Organization,
    ProviderIdentity,
    SignInProtocol,
    User,
)
from apps.tenancy.outbound.policy import OutboundRefused, policy_for
from apps.tenancy.outbound.url_validation import check_address

ISSUER_LIMIT, CLIENT_LIMIT, SECRET_LIMIT, SCOPES_LIMIT = 500, 255, 1000, 150
CLAIM_LIMIT, GROUP_LIMIT, GROUPS_AT_MOST, NETWORKS_AT_MOST = 100, 200, 100, 20
USUAL_CLAIM = "groups"


class BadProvider(ValueError):
    """What was typed can't be used; `field` says which part, the text is for people."""

    def __init__(self, field_name: str, message: str) -> None:
        super().__init__(message)
        self.field = field_name


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedProvider:
    """A provider as an admin asks for it. Without a secret the kept one stays."""

    issuer: str
    client_id: str
    secret: str = field(default="", repr=False)
    scopes: str = ""
    group_claim: str = USUAL_CLAIM
    role_by_group: Mapping[str, str] = field(default_factory=dict)
    role_without_group: str = ""
    networks: Sequence[str] = ()
    vouches_for_addresses: bool = False
    is_enabled: bool = True


def provider_of(*, actor: Actor) -> IdentityProvider | None:
    """Return the provider of the actor's organization, if it has one. Needs the scope."""
    actor.require(Right.MANAGE)
    return provider_row(organization=actor.organization)


def provider_row(*, organization: Organization) -> IdentityProvider | None:
    """Return the provider of an organization, if it has one. Needs the scope."""
    return IdentityProvider.objects.for_organization(organization).defer("secret").first()


def checked(*, wanted: WantedProvider, former: IdentityProvider | None) -> dict[str, Any]:
    """Return the values of a row, the secret sealed or left out; raise BadProvider."""
    _check_texts(wanted)
    check_networks(networks=wanted.networks)
    _check_issuer(wanted)
    check_groups(role_by_group=wanted.role_by_group, role_without_group=wanted.role_without_group)
    # A kept secret goes to the issuer that it was entered for, and to no other.
    is_kept = former is not None and former.protocol == SignInProtocol.OPENID_CONNECT
    is_elsewhere = former is None or not is_kept or former.issuer != wanted.issuer
    if is_elsewhere and not wanted.secret:
        raise BadProvider("secret", _("Enter the client secret for this issuer."))
    values: dict[str, Any] = {
        "protocol": SignInProtocol.OPENID_CONNECT,
        "issuer": wanted.issuer,
        "client_id": wanted.client_id,
        "scopes": " ".join(wanted.scopes.split()),
        "group_claim": wanted.group_claim,
        "role_by_group": dict(wanted.role_by_group),
        "role_without_group": wanted.role_without_group,
        "allowed_networks": list(wanted.networks),
        "is_enabled": wanted.is_enabled,
        "vouches_for_addresses": wanted.vouches_for_addresses,
        "sign_in_url": "",
        "certificates": "",
    }
    return values | ({"secret": seal(secret=wanted.secret)} if wanted.secret else {})


def set_provider(*, organization: Organization, values: Mapping[str, Any], now: datetime) -> bool:
    """Make or change the provider, and say whether it is new. Needs the scope."""
    own = IdentityProvider.objects.for_organization(organization)
    if own.update(**values):
        return False
    IdentityProvider.objects.create(
        organization=organization,
        public_id=secrets.token_hex(8),
        created_at=now,
        **values,
    )
    return True


def remove_provider(*, actor: Actor) -> None:
    """Forget the provider with its secret, and end the sessions of whom it could sign in.

    They stay members. It may be removed because somebody else holds it. Needs the scope.
    """
    actor.require(Right.MANAGE)
    removed, _rows = IdentityProvider.objects.for_organization(actor.organization).delete()
    if not removed:
        raise NotFound
    identities = ProviderIdentity.objects.for_organization(actor.organization)
    connected = list(identities.values_list("user_id", flat=True))
    User.objects.filter(pk__in=connected).update(session_epoch=F("session_epoch") + 1)


def reseal_all(*, organization: Organization) -> int:
    """Encrypt the secret with the first key; return how many there are. Needs the scope."""
    rows = list(IdentityProvider.objects.for_organization(organization).select_for_update())
    rows = [row for row in rows if row.secret]  # SAML has none
    for row in rows:
        row.secret = reseal(sealed=row.secret)
        row.save(update_fields=["secret"])
    return len(rows)


def _check_texts(wanted: WantedProvider) -> None:
    texts = (
        ("client_id", wanted.client_id, CLIENT_LIMIT, True),
        ("secret", wanted.secret, SECRET_LIMIT, False),
        ("scopes", wanted.scopes, SCOPES_LIMIT, False),
        ("group_claim", wanted.group_claim, CLAIM_LIMIT, True),
    )
    for name, text, most, is_needed in texts:
        if is_needed and not text:
            raise BadProvider(name, _("This is needed."))
        if len(text) > most or not text.isprintable():
            raise BadProvider(
                name, _("At most %(count)d characters in one line.") % {"count": most}
            )


def check_networks(*, networks: Sequence[str]) -> None:
    """Raise BadProvider for what is no list of networks."""
    if len(networks) > NETWORKS_AT_MOST:
        raise BadProvider("networks", _("Too many networks."))
    for text in networks:
        try:
            ipaddress.ip_network(text, strict=False)
        except ValueError:
            words = _("%(text)s is no network like 10.1.0.0/16.") % {"text": text[:50]}
            raise BadProvider("networks", words) from None


def _check_issuer(wanted: WantedProvider) -> None:
    policy = policy_for(allowed_networks=wanted.networks)
    if len(wanted.issuer) > ISSUER_LIMIT or "?" in wanted.issuer or "#" in wanted.issuer:
        raise BadProvider(
            "issuer", _("Write the issuer's address, like https://login.example.org.")
        )
    try:
        check_address(url=wanted.issuer, policy=policy)
    except OutboundRefused:
        raise BadProvider("issuer", _("The portal may not reach this address.")) from None
    if wanted.issuer.startswith("http:") and not policy.networks:
        raise BadProvider("issuer", _("Write https: the secret would travel in clear."))


def check_groups(*, role_by_group: Mapping[str, str], role_without_group: str) -> None:
    """Raise BadProvider for roles that there are not, or where nobody would get one."""
    if role_without_group not in {"", *MemberRole.values}:
        raise BadProvider("role_without_group", _("Choose one of these."))
    if len(role_by_group) > GROUPS_AT_MOST:
        raise BadProvider("groups", _("Too many groups."))
    for group, role in role_by_group.items():
        if not group or len(group) > GROUP_LIMIT or not group.isprintable():
            raise BadProvider("groups", _("Write one group a line, like: gpu-oncall = responder"))
        if role not in MemberRole.values:
            words = _("%(group)s: a role is viewer, responder or admin.") % {"group": group}
            raise BadProvider("groups", words)
    if not role_by_group and not role_without_group:
        words = _("Nobody would get in: give a group a role, or all others one.")
        raise BadProvider("groups", words)
