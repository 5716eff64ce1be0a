"""The history of a node has what was changed on it, as far as its reader reads of it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.sharing.terms import Level, SharingRule
from apps.tenancy.models import Organization
from tests.cast.agreements import agreed
from tests.cast.changes import changed
from tests.cast.clients import member
from tests.cast.failing_nodes import LEMON, weeks
from tests.cast.incidents import Cast
from tests.web.markup import one_line

pytestmark = pytest.mark.django_db


@pytest.fixture
def told(cast: Cast) -> Cast:
    """A node that fails again, and was changed."""
    now = timezone.now()  # noqa: TID251  pages look at the clock
    weeks(cast, now=now)
    at = now - timedelta(days=2)
    changed(cast.operator, cast.cluster, starts_at=at, hosts=(LEMON,))
    everywhere = {"hosts": (), "title": "ON-ALL"}
    changed(cast.operator, cast.cluster, key="b", starts_at=at, **everywhere)
    other = {"hosts": ("gpu999",), "title": "ELSEWHERE"}
    changed(cast.operator, cast.cluster, key="c", starts_at=at, **other)
    return cast


def _page(cast: Cast, who: Organization) -> str:
    answer = member(who).client.get(f"/o/{who.slug}/nodes/{cast.cluster.slug}/{LEMON}/")
    assert answer.status_code == 200, answer.content
    return one_line(answer.content.decode())


def test_its_changes_stand_on_the_line_and_in_the_list(told: Cast) -> None:
    page = _page(told, told.operator)
    assert page.count('class="history-changed ') == 2
    assert page.count("CHANGE-TITLE") == 2
    assert "ON-ALL" in page
    assert "ELSEWHERE" not in page


def test_a_tenant_reads_none_without_an_agreement_and_a_signal_is_no_nodes(told: Cast) -> None:
    assert "history-changed" not in _page(told, told.tenant)
    rule = SharingRule(data="changes:*", level=Level.SIGNAL)
    agreed(told.operator, told.tenant, told.cluster, terms={told.operator.slug: [rule]})
    page = _page(told, told.tenant)
    assert "history-changed" not in page
    assert "CHANGE-" not in page
