"""The form for a SAML provider, filled with what is kept or what was typed."""

from collections.abc import Mapping

from apps.tenancy.models import IdentityProvider, SignInProtocol
from apps.tenancy.single_sign_on.saml.saml_settings import WantedSaml
from apps.web.settings.single_sign_on.page import SamlForm, groups_of, role_options


def saml_form_of_row(row: IdentityProvider | None) -> SamlForm:
    """Return the form of what is kept."""
    if row is None or row.protocol != SignInProtocol.SAML:
        return SamlForm(roles=role_options(""))
    return SamlForm(
        issuer=row.issuer,
        sign_in_url=row.sign_in_url,
        group_claim=row.group_claim,
        groups=groups_of(row),
        roles=role_options(row.role_without_group),
        networks="\n".join(row.allowed_networks),
        vouches_for_addresses=row.vouches_for_addresses,
        is_enabled=row.is_enabled,
    )


def saml_form_again(wanted: WantedSaml, *, groups: str, problems: Mapping[str, str]) -> SamlForm:
    """Return the form as it was typed."""
    return SamlForm(
        metadata=wanted.metadata,
        metadata_url=wanted.metadata_url,
        group_claim=wanted.group_claim,
        groups=groups,
        roles=role_options(wanted.role_without_group),
        networks="\n".join(wanted.networks),
        vouches_for_addresses=wanted.vouches_for_addresses,
        is_enabled=wanted.is_enabled,
        problems=problems,
    )
