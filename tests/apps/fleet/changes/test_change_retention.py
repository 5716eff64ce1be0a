"""Changes go as events do, from their end; another organization's stay."""

from datetime import timedelta

import pytest
from django.conf import LazySettings

from apps.fleet.models import ClusterChange
from apps.telemetry.retention.purge.facts import drop_changes
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.changes import changed
from tests.cast.incidents import Cast, assemble

pytestmark = pytest.mark.django_db


@pytest.fixture
def cast(db: None) -> Cast:
    return assemble()


def test_what_was_over_long_ago_goes_and_what_went_on_stays(
    cast: Cast, settings: LazySettings
) -> None:
    settings.PORTAL_KEEP_EVENTS_DAYS = 30
    changed(cast.operator, cast.cluster, key="old")
    changed(cast.operator, cast.cluster, key="long", ends_at=make.AT + timedelta(days=20))
    changed(cast.tenant, cast.cluster, key="tenant's")
    now = make.AT + timedelta(days=40)
    with organization_scope(cast.operator.pk):
        assert drop_changes(organization_id=cast.operator.pk, now=now).row_count == 1
        assert [row.key for row in ClusterChange.objects.all()] == ["long"]
    with organization_scope(cast.tenant.pk):
        assert ClusterChange.objects.count() == 1


def test_rows_are_seen_in_the_scope_of_their_owner_alone(cast: Cast) -> None:
    changed(cast.operator, cast.cluster)
    for other in (cast.tenant, cast.vendor, cast.stranger):
        with organization_scope(other.pk):
            assert not ClusterChange.objects.filter(cluster=cast.cluster).exists()
