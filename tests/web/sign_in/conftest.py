"""An organization with a provider of its own."""

from collections.abc import Iterator

import pytest

from apps.tenancy.models import MemberRole, Organization
from tests.cast import identity_provider, make
from tests.cast.identity_provider import ProviderServer


@pytest.fixture
def server() -> Iterator[ProviderServer]:
    """A provider that behaves until it is told otherwise."""
    yield from identity_provider.serving()


@pytest.fixture
def aurora(db: None) -> Organization:
    """Whose provider it is."""
    made = make.organization("aurora")
    make.user(organization=made, role=MemberRole.ADMIN, name="local-admin")
    return made


@pytest.fixture
def code(aurora: Organization, server: ProviderServer) -> str:
    """What stands in its link."""
    return identity_provider.provider(organization=aurora, issuer=server.issuer)


@pytest.fixture(autouse=True)
def soon_after() -> None:
    """Leave the clock as it is: providers are programs of their own, with the machine's."""
