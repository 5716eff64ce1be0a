"""Exclusions go as events do, from their end; what is left out still stays."""

from datetime import timedelta

import pytest
from django.conf import LazySettings

from apps.fleet.models import ExclusionKind, NodeExclusion, NodeReturn
from apps.telemetry.retention.purge.facts import drop_exclusions
from apps.tenancy.scope import organization_scope
from tests.apps.fleet.exclusions.told_exclusions import back, left_out, tell
from tests.cast import make
from tests.cast.incidents import Cast

pytestmark = pytest.mark.django_db


def test_what_was_over_long_ago_goes_and_what_stands_stays(
    cast: Cast, settings: LazySettings
) -> None:
    settings.PORTAL_KEEP_EVENTS_DAYS = 30
    tell(
        cast,
        cast.operator,
        left_out("gpu001"),
        back("gpu001", hours=1),
        left_out("gpu002"),
        left_out("gpu003"),
        back("gpu003", hours=24 * 20),
        left_out("gpu004", kind=ExclusionKind.JOB, session="4711"),
    )
    now = make.AT + timedelta(days=40)
    for who, count in ((cast.tenant, 0), (cast.operator, 3)):
        with organization_scope(who.pk):
            assert drop_exclusions(organization_id=who.pk, now=now).row_count == count
    with organization_scope(cast.operator.pk):
        assert set(NodeExclusion.objects.values_list("host", flat=True)) == {"gpu002", "gpu003"}
        assert NodeReturn.objects.count() == 1
