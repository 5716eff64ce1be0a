"""What is reported of a session is told to open pages where it changes what they show."""

from collections import Counter
from datetime import timedelta

import pytest

from apps.diagnosis.model import EndState
from apps.fleet.sessions.session_reports import SessionReport
from apps.fleet.sessions.session_rows import record_report
from apps.tenancy.models import PageChange, Topic
from apps.tenancy.scope import organization_scope
from tests.cast.make import AT
from tests.cast.pushes import Cast, cast

pytestmark = pytest.mark.django_db
RUNNING = SessionReport(session="s-1", project="solar", state=EndState.RUNNING, at=AT)
FAILED = SessionReport(
    session="s-1", project="solar", state=EndState.FAILED, at=AT + timedelta(hours=1)
)


@pytest.fixture
def people() -> Cast:
    """Two tenants, and who runs their cluster."""
    return cast()


def _told(people: Cast, *reports: SessionReport) -> Counter[int]:
    """Let the platform report, and return how often each organization was told anew."""
    before = _counts(people)
    for report in reports:
        record_report(cluster=people.cluster, reporter=people.platform, report=report, now=AT)
    return _counts(people) - before


def _counts(people: Cast) -> Counter[int]:
    everyone = (people.tenant, people.other, people.platform, people.operator)
    with organization_scope(*(each.pk for each in everyone)):
        rows = PageChange.objects.filter(topic=Topic.SESSION)
        return Counter(rows.values_list("organization_id", flat=True))


def test_its_tenant_and_who_runs_the_cluster_are_told_and_no_other_tenant(people: Cast) -> None:
    told = _told(people, RUNNING)
    assert {*told} == {people.tenant.pk, people.platform.pk, people.operator.pk}


def test_the_same_report_again_and_an_earlier_one_are_no_news(people: Cast) -> None:
    assert _told(people, RUNNING)
    assert _told(people, FAILED)
    assert not _told(people, FAILED, RUNNING, FAILED)
