"""What another party would see if the terms that wait were signed: marked, and shown to nobody."""

import pytest
from django.utils import timezone

from apps.incidents.models import Incident
from apps.sharing.terms import Level, SharingRule
from apps.tenancy.models import AuditEntry, MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.projection.shared_reading import of
from tests.cast.agreements import proposed
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.web.conftest import Browser
from tests.web.markup import one_line

MARK = "as if version 1, which waits for a signature, were signed"


@pytest.fixture
def incident(cast: Cast) -> Incident:
    return stop_of(cast, attempt_of(cast, cast.tenant))


def propose(cast: Cast, by: Organization, to: Organization, level: Level = Level.FULL) -> None:
    now = timezone.now()  # noqa: TID251  the pages read the clock, too
    rule = SharingRule(data="events:gpu", level=level)
    proposed(by, to, cast.cluster, terms=of(rule, cast.operator), now=now)


def pages(cast: Cast, incident: Incident, browser: Browser) -> list[str]:
    """Return what the operator sees as the tenant: by what holds, and by what is proposed."""
    admin = browser(cast.operator, MemberRole.ADMIN)
    base = f"/o/{cast.operator.slug}/sharing/as/{cast.tenant.slug}/"
    paths = (f"{base}{each}incidents/{incident.public_id}/" for each in ("", "proposed/"))
    return [one_line(admin.get(path, follow=True).content.decode()) for path in paths]


@pytest.mark.parametrize("level", [Level.FULL, Level.REDACTED])
@pytest.mark.parametrize("is_ours", [True, False])
def test_proposed_terms_show_what_they_would(
    cast: Cast, incident: Incident, browser: Browser, level: Level, *, is_ours: bool
) -> None:
    sides = (cast.operator, cast.tenant) if is_ours else (cast.tenant, cast.operator)
    propose(cast, *sides, level=level)

    holds, would = pages(cast, incident, browser)

    assert ("OPERATOR-WORDS" in holds, MARK in holds) == (False, False)
    assert ("OPERATOR-WORDS" in would, MARK in would) == (True, True)
    assert "With the proposed terms" in holds
    assert "What holds now" in would
    path = f"/o/{cast.tenant.slug}/incidents/{incident.public_id}/"
    assert "OPERATOR-WORDS" not in browser(cast.tenant).get(path).content.decode()
    with organization_scope(cast.operator.pk):
        looks = AuditEntry.objects.filter(action="sharing.viewed_as").order_by("sequence")
        told = looks.values_list("subject", flat=True)
        assert list(told)[-1] == f"{cast.tenant.slug} {incident.public_id} proposed 1"


def test_without_a_proposal_it_leads_to_what_holds(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    holds, would = pages(cast, incident, browser)

    assert "You see this as" in would
    assert ("With the proposed terms" in holds, MARK in would) == (False, False)
