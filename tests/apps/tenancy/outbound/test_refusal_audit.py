"""A refused address stands in the record of whose it is, once an hour."""

from datetime import timedelta

import pytest
from django.core.cache import cache
from django.test import override_settings

from apps.telemetry.metrics.pulls.pull import pull_source
from apps.telemetry.models import Source
from apps.tenancy.models import AuditEntry, MemberRole, Organization
from apps.tenancy.outbound.policy import OutboundRefused
from apps.tenancy.outbound.refusal_audit import ACTION, note_refusal
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.clients import member
from tests.cast.incidents import Cast
from tests.web.conftest import Browser, browser

__all__ = ["browser"]
NOW = make.AT


@pytest.fixture(autouse=True)
def _told_of_nothing() -> None:
    cache.clear()


def recorded(organization: Organization) -> list[tuple[str, str]]:
    """Return who was refused an address, and where it stood."""
    with organization_scope(organization.pk):
        own = AuditEntry.objects.for_organization(organization).filter(action=ACTION)
        return list(own.order_by("sequence").values_list("actor", "subject"))


def test_each_place_is_told_of_once(cast: Cast) -> None:
    def note(subject: str, error: Exception) -> None:
        with organization_scope(cast.tenant.pk):
            note_refusal(error=error, organization_id=cast.tenant.pk, subject=subject, now=make.AT)

    for _ in range(3):
        note("webhook", OutboundRefused("no"))
    note("source:SRC-1", OutboundRefused("no"))
    note("source:SRC-2", OSError("something else"))

    assert recorded(cast.tenant) == [("portal", "webhook"), ("portal", "source:SRC-1")]
    assert recorded(cast.operator) == []


@override_settings(PORTAL_OUTBOUND_NETWORKS=[])
def test_a_source_that_may_not_be_read_is_told_of(cast: Cast) -> None:
    with organization_scope(cast.operator.pk):
        source = Source.objects.create(
            organization=cast.operator,
            cluster=cast.cluster,
            name="inside",
            kind="prometheus",
            public_id="SRC-INSIDE",
            url="http://127.0.0.1:9090",
            allowed_networks=["127.0.0.0/8"],
            created_at=NOW,
        )
    for hours in (0, 2):
        done = pull_source(
            organization_id=cast.operator.pk,
            source_id=source.pk,
            now=NOW + timedelta(hours=hours),
        )
        assert "the portal does not go there" in done.error

    assert recorded(cast.operator) == [("portal", "source:SRC-INSIDE")]


def test_an_address_typed_on_a_page_is_told_of_though_the_request_fails(
    cast: Cast, browser: Browser
) -> None:
    client, path = browser(cast.operator, MemberRole.ADMIN), f"/o/{cast.operator.slug}/sources/add/"
    values = {"name": "x", "auth": "none", "cluster": cast.cluster.slug}
    for port in range(9090, 9095):
        client.post(path, values | {"url": f"http://127.0.0.1:{port}"})

    ((who, where),) = recorded(cast.operator)
    assert who.startswith("user:")
    assert where == path


def test_an_address_sent_by_a_program_is_told_of_though_the_request_fails(cast: Cast) -> None:
    asking = member(cast.operator, MemberRole.ADMIN)
    entry = {"cluster": cast.cluster.slug, "name": "x", "url": "http://10.1.2.3", "auth": "none"}
    for _ in range(2):
        assert asking.post("sources/", entry).status_code == 400

    ((who, where),) = recorded(cast.operator)
    assert who.startswith("user:")
    assert where == f"/api/v1/o/{cast.operator.slug}/sources/"
