"""Browsers signed in as members."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.test import Client
from time_machine import TimeMachineFixture

from apps.tenancy.models import MemberRole, Organization
from tests.cast import make

Browser = Callable[..., Client]


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


@pytest.fixture(autouse=True)
def soon_after(time_machine: TimeMachineFixture) -> None:
    """Look an hour after what the cast tells of: Home speaks of seven days, replies have terms."""
    time_machine.move_to(make.AT + timedelta(hours=1))
