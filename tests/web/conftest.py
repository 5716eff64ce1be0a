"""A cast on one cluster, an incident of its tenant, and browsers signed in as members."""

from collections.abc import Callable

import pytest
from django.test import Client

from apps.incidents.models import Incident
from apps.tenancy.models import MemberRole, Organization
from tests import make
from tests.apps.incidents.cast import Cast, assemble, attempt_of, stop_of

Browser = Callable[..., Client]


@pytest.fixture
def cast(db: None) -> Cast:
    """Assemble the parties."""
    return assemble()


@pytest.fixture
def incident(cast: Cast) -> Incident:
    """Record a stop of the tenant."""
    return stop_of(cast, attempt_of(cast, cast.tenant))


@pytest.fixture
def browser() -> Browser:
    """Return a way to sign in as a member of an organization."""

    def signed_in(
        organization: Organization, role: MemberRole = MemberRole.RESPONDER, *, strict: bool = False
    ) -> Client:
        client = Client(enforce_csrf_checks=strict)
        client.force_login(
            make.user(organization=organization, role=role),
            backend="django.contrib.auth.backends.ModelBackend",
        )
        return client

    return signed_in
