"""Codes of the driver on the page of an incident without a known cause: its holder reads them."""

import pytest

from apps.incidents.models import Incident
from apps.incidents.timeline import append
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, telling
from tests.web.conftest import Browser
from tests.web.incident.incident_pages import page

pytestmark = pytest.mark.django_db
DETAIL = {
    "host": "gpu017",
    "code": {"xid": 63},
    "fields": {"action": "ignore"},
    "device": {"kind": "gpu", "host": "gpu017", "pci": "0000:4b:00.0"},
}


def told(cast: Cast, incident: Incident, *, status: str) -> None:
    with organization_scope(*cast.ids):
        Incident.objects.filter(pk=incident.pk).update(verdict_status=status)
        noticed = telling(cast.operator, "REMAPPED", detail=DETAIL)
        append(incident=incident, tellings=[noticed], now=make.AT)


def test_a_code_is_told_with_what_it_does_and_what_to_do(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    told(cast, incident, status="unknown")
    text = page(browser(cast.operator), cast.operator, incident)
    part = text.partition('id="noticed-codes"')[2].partition("</ul>")[0]
    assert "Xid 63" in part
    assert "gpu017 0000:4b:00.0" in part
    assert "programs go on. Nothing to do at once." in part


def test_the_same_page_of_another_party_has_none_of_it(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    told(cast, incident, status="unknown")
    text = page(browser(cast.tenant), cast.tenant, incident)
    assert 'id="noticed-codes"' not in text
    assert "0000:4b:00.0" not in text


def test_beside_a_known_cause_it_is_evidence_and_not_told_apart(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    told(cast, incident, status="likely")
    text = page(browser(cast.operator), cast.operator, incident)
    assert 'id="noticed-codes"' not in text
