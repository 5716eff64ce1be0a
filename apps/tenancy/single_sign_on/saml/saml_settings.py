"""An organization's SAML provider as an admin sets it up: by what it publishes of itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from django.utils.translation import gettext as _

from apps.tenancy.models import IdentityProvider, SignInProtocol
from apps.tenancy.outbound.policy import OutboundRefused, policy_for
from apps.tenancy.outbound.url_validation import check_address
from apps.tenancy.single_sign_on.provider_http import ProviderFailed, ProviderHttp
from apps.tenancy.single_sign_on.provider_settings import (
    CLAIM_LIMIT,
    USUAL_CLAIM,
    BadProvider,
    check_groups,
    check_networks,
)
from apps.tenancy.single_sign_on.saml import toolkit

URL_LIMIT: Final = 2000
PUBLISHED: Final = ("issuer", "sign_in_url", "certificates")


@dataclass(frozen=True, slots=True, kw_only=True)
class WantedSaml:
    """A SAML provider as an admin asks for it. Without metadata the kept one stays."""

    metadata: str = ""  # as it is published: XML
    metadata_url: str = ""  # or where
    group_claim: str = USUAL_CLAIM
    role_by_group: Mapping[str, str] = field(default_factory=dict)
    role_without_group: str = ""
    networks: Sequence[str] = ()
    vouches_for_addresses: bool = False
    is_enabled: bool = True


def published(*, wanted: WantedSaml) -> bytes:
    """Return the metadata that was pasted, or what its address answers; raise BadProvider.

    It may be asked for over the network: hold no scope.
    """
    if wanted.metadata or not wanted.metadata_url:
        return wanted.metadata.encode(errors="replace")
    check_networks(networks=wanted.networks)
    policy = policy_for(allowed_networks=wanted.networks)
    url = wanted.metadata_url[:URL_LIMIT]
    try:
        check_address(url=url, policy=policy)
    except OutboundRefused:
        raise BadProvider("metadata_url", _("The portal may not reach this address.")) from None
    if url.startswith("http:") and not policy.networks:
        words = _("Write https: whoever is on the way could put another key in.")
        raise BadProvider("metadata_url", words)
    try:
        return ProviderHttp(policy=policy).text(url)
    except ProviderFailed:
        raise BadProvider("metadata_url", _("Nothing answers there with metadata.")) from None


def checked_saml(
    *, wanted: WantedSaml, data: bytes, former: IdentityProvider | None
) -> dict[str, Any]:
    """Return the values of a row; raise BadProvider.

    Without metadata, of now or before, it is kept switched off: its addresses are there to be
    entered at the provider, which then has metadata to give.
    """
    if not toolkit.is_installed():
        raise BadProvider("metadata", _("SAML is not installed on this portal."))
    if not wanted.group_claim or len(wanted.group_claim) > CLAIM_LIMIT:
        raise BadProvider("group_claim", _("This is needed."))
    check_networks(networks=wanted.networks)
    check_groups(role_by_group=wanted.role_by_group, role_without_group=wanted.role_without_group)
    known = _known(wanted, data, former)
    return {
        "protocol": SignInProtocol.SAML,
        "client_id": "",
        "secret": b"",
        "scopes": "",
        "group_claim": wanted.group_claim,
        "role_by_group": dict(wanted.role_by_group),
        "role_without_group": wanted.role_without_group,
        "allowed_networks": list(wanted.networks),
        "vouches_for_addresses": wanted.vouches_for_addresses,
        "is_enabled": wanted.is_enabled and bool(known["issuer"]),
        **known,
    }


def _known(wanted: WantedSaml, data: bytes, former: IdentityProvider | None) -> dict[str, str]:
    """Return what is known of the provider by its metadata, of now or before; raise BadProvider."""
    if data:
        return _read(data, may_be_plain=bool(wanted.networks))
    is_kept = former is not None and former.protocol == SignInProtocol.SAML
    return {name: str(getattr(former, name)) if is_kept else "" for name in PUBLISHED}


def _read(data: bytes, *, may_be_plain: bool) -> dict[str, str]:
    from apps.tenancy.single_sign_on.saml.metadata import read_metadata  # noqa: PLC0415  optional
    from apps.tenancy.single_sign_on.saml.strict_xml import Unreadable  # noqa: PLC0415

    try:
        found = read_metadata(data=data)
    except Unreadable:
        words = _("This is no metadata of one provider with a key to sign and an address.")
        raise BadProvider("metadata", words) from None
    if found.sign_in_url.startswith("http:") and not may_be_plain:
        raise BadProvider("metadata", _("People would sign in there without https."))
    return {name: getattr(found, name) for name in PUBLISHED}
