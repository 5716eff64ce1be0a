"""On an incident: how often its host was blamed and left out, what to do, and what to compare."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from apps.incidents.models import Incident
from apps.tenancy.models import Organization
from tests.cast import make
from tests.cast.failing_nodes import LEMON, broken, left_out, weeks
from tests.cast.incidents import Cast
from tests.web.incident.incident_pages import page

pytestmark = pytest.mark.django_db
ADVICE = "gpu071 fails again and again: the third time in 28 days."


def _page(client: Client, who: Organization, incident: Incident) -> str:
    client.force_login(make.user(organization=who))
    return page(client, who, incident)


def test_the_third_time_says_so_and_what_to_do(client: Client, cast: Cast) -> None:
    incident = weeks(cast, now=timezone.now())  # noqa: TID251  any time
    shown = _page(client, cast.operator, incident)
    assert "gpu071 was blamed 2 times in the 28 days before. This is the third time." in shown
    assert "It was left out 2 times." in shown
    assert ADVICE in shown
    node = f"/o/{cast.operator.slug}/nodes/{cast.cluster.slug}/{LEMON}/"
    assert shown.count(f'href="{node}"') == 2
    assert f"/incidents/{incident.public_id}/compare/" in shown


def test_a_tenant_reads_the_same_of_its_own_node_and_no_reason(client: Client, cast: Cast) -> None:
    shown = _page(client, cast.tenant, weeks(cast, now=timezone.now()))  # noqa: TID251  any time
    assert "It was left out 2 times." in shown
    assert "NVLink again" not in shown


def test_the_second_time_is_no_advice_yet(client: Client, cast: Cast) -> None:
    now = timezone.now()  # noqa: TID251  any time
    broken(cast, LEMON, now - timedelta(days=3))
    shown = _page(client, cast.operator, broken(cast, LEMON, now))
    assert "gpu071 was blamed once in the 28 days before. This is the second time." in shown
    assert "It was left out" not in shown
    assert "fails again and again" not in shown


def test_what_came_after_it_broke_or_long_before_counts_not(client: Client, cast: Cast) -> None:
    now = timezone.now()  # noqa: TID251  any time
    left_out(cast, LEMON, now - timedelta(days=40))
    left_out(cast, LEMON, now - timedelta(days=1))
    broken(cast, LEMON, now - timedelta(days=33))
    shown = _page(client, cast.operator, broken(cast, LEMON, now - timedelta(days=2)))
    assert "28 days before" not in shown


def test_where_it_was_only_left_out_before_that_is_said(client: Client, cast: Cast) -> None:
    now = timezone.now()  # noqa: TID251  any time
    left_out(cast, LEMON, now - timedelta(days=3))
    shown = _page(client, cast.operator, broken(cast, LEMON, now))
    assert "gpu071 was not blamed in the 28 days before. It was left out once." in shown
