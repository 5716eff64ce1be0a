"""A stored source → how it is reached. Apart from `metrics`, which needs no models."""

from apps.telemetry.models import Source
from apps.telemetry.sources.address import Address, Credential
from apps.tenancy.credentials import unseal
from apps.tenancy.outbound.policy import policy_for


def address_of(*, source: Source) -> Address:
    """Return how a stored source is reached, its secret unsealed."""
    secret = unseal(sealed=source.credential) if source.credential else ""
    user, _, password = secret.partition(":")
    is_basic = source.auth == "basic"
    return Address(
        name=source.name,
        url=source.url,
        policy=policy_for(allowed_networks=source.allowed_networks),
        credential=Credential(
            kind=source.auth, user=user if is_basic else "", secret=password if is_basic else secret
        ),
        verify_tls=source.verify_tls,
        ca_pem=source.ca_pem,
    )
