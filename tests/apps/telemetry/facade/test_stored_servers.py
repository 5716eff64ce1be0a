"""A stored source as a command asks it: its owner's alone, its secret unsealed."""

import pytest

from apps.telemetry.facade.stored_servers import stored_server
from apps.telemetry.models import Source
from apps.tenancy.credentials import seal
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast

pytestmark = pytest.mark.django_db


def _source(cast: Cast, kind: str = "prometheus") -> Source:
    with organization_scope(cast.operator.pk):
        return Source.objects.create(
            organization=cast.operator,
            public_id="SRC-1",
            cluster=cast.cluster,
            kind=kind,
            name="metrics",
            url="https://metrics.example",
            auth="basic",
            credential=seal(secret="reader:secret"),  # noqa: S106  of this test
            label_map={"instance": "host"},
            created_at=make.AT,
        )


def test_a_source_is_found_by_its_id_and_by_its_number(cast: Cast) -> None:
    source = _source(cast)
    with organization_scope(cast.operator.pk):
        owner = cast.operator.pk
        found = stored_server(organization_id=owner, public_id="SRC-1")
        by_number = stored_server(organization_id=owner, public_id="", number=source.pk)
        other = stored_server(organization_id=owner, public_id="SRC-1", number=source.pk + 1)
    assert found is not None
    assert found == by_number
    assert other is None
    assert (found.cluster_id, found.label_map) == (cast.cluster.pk, {"instance": "host"})
    assert found.address is not None
    credential = found.address.credential
    assert (credential.user, credential.secret) == ("reader", "secret")


def test_one_that_is_pushed_to_has_no_address_to_ask(cast: Cast) -> None:
    _source(cast, kind="push-metrics")
    with organization_scope(cast.operator.pk):
        found = stored_server(organization_id=cast.operator.pk, public_id="SRC-1")
    assert found is not None
    assert found.address is None


def test_nobody_else_finds_it(cast: Cast) -> None:
    _source(cast)
    with organization_scope(cast.tenant.pk):
        assert stored_server(organization_id=cast.tenant.pk, public_id="SRC-1") is None
