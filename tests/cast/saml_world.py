"""An organization that signs in by SAML, and a browser that goes to its provider and comes back."""

from typing import Any

from django.test import Client

from apps.tenancy.models import IdentityProvider, MailDomain, Organization
from apps.tenancy.scope import organization_scope
from apps.tenancy.single_sign_on.provider_lookup import code_of
from apps.tenancy.single_sign_on.provider_settings import set_provider
from apps.tenancy.single_sign_on.saml.saml_settings import WantedSaml, checked_saml
from tests.cast import make
from tests.cast.saml_provider import SamlProvider, encoded


def saml_provider(*, organization: Organization, provider: SamlProvider, **wanted: Any) -> str:
    """Set a provider up, with one confirmed domain; return the code of its link."""
    values: dict[str, Any] = {
        "metadata": provider.metadata(),
        "role_by_group": {"gpu-oncall": "responder", "gpu-admins": "admin"},
        "networks": ["127.0.0.0/8"],
        "vouches_for_addresses": True,
        **wanted,
    }
    wish = WantedSaml(**values)
    with organization_scope(organization.pk):
        row_values = checked_saml(wanted=wish, data=wish.metadata.encode(), former=None)
        set_provider(organization=organization, values=row_values, now=make.AT)
        row = IdentityProvider.objects.for_organization(organization).get()
        MailDomain.objects.get_or_create(
            organization=organization,
            domain="aurora.example",
            defaults={"asked_at": make.AT, "confirmed_at": make.AT},
        )
    return code_of(organization=organization, public_id=row.public_id)


def bring(client: Client, code: str, answer: Any) -> Any:
    """Carry an answer from the provider's page to the portal, as a browser does: no cookies."""
    text = answer if isinstance(answer, str) else encoded(answer)
    led = Client(enforce_csrf_checks=True).post(
        f"/sign-in/with/{code}/saml/", {"SAMLResponse": text, "RelayState": "https://x.example"}
    )
    assert led.status_code == 303
    assert not led.cookies  # whatever another site sends changes nothing in the browser
    return client.get(led["Location"])
