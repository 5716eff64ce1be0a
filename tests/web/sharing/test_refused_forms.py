"""A refused form shows the incident again: what others show on it stands in their ledger."""

import pytest
from django.utils import timezone

from apps.incidents.models import Incident
from apps.sharing.models import LedgerEntry
from apps.tenancy.models import MemberRole
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.projection.shared_reading import EVENTS, of
from tests.cast.agreements import agreed
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.web.conftest import Browser

FORMS = {
    "feedback/": {"judgement": "nonsense"},
    "hand-overs/": {"to": "nobody"},
    "resolve/": {"reason": ""},
    "annotations/": {"text": ""},
}


@pytest.fixture
def incident(cast: Cast) -> Incident:
    now = timezone.now()  # noqa: TID251  the pages read the clock, too
    agreed(cast.operator, cast.tenant, cast.cluster, terms=of(EVENTS, cast.operator), now=now)
    return stop_of(cast, attempt_of(cast, cast.tenant))


@pytest.mark.parametrize("form", FORMS)
def test_who_is_shown_it_beside_a_refusal_stands_in_the_ledger(
    cast: Cast, incident: Incident, browser: Browser, form: str
) -> None:
    there = f"/o/{cast.tenant.slug}/incidents/{incident.public_id}/{form}"

    answer = browser(cast.tenant, MemberRole.RESPONDER).post(there, FORMS[form])

    with organization_scope(cast.operator.pk):
        assert "OPERATOR-WORDS" in answer.content.decode()
        assert LedgerEntry.objects.for_organization(cast.operator).count() == 1


def test_what_was_refused_leaves_nothing_else(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    before = incident.revision
    there = f"/o/{cast.tenant.slug}/incidents/{incident.public_id}/"
    client = browser(cast.tenant, MemberRole.RESPONDER)

    answer = client.post(f"{there}hand-overs/", {"to": cast.operator.slug, "reason": "nonsense"})

    assert answer.status_code == 422
    with organization_scope(cast.tenant.pk):
        incident.refresh_from_db()
    assert (incident.revision, incident.touched_by_people) == (before, False)
