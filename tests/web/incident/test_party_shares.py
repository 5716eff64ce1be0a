"""What each party contributed, on the page of an incident."""

import re
from html import unescape

import pytest
from django.test import Client

from apps.incidents.models import Hypothesis, Incident
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast.agreements import agreed
from tests.cast.incidents import Cast
from tests.web.conftest import Browser
from tests.web.incident.incident_pages import page

CARD = re.compile(r'<section class="card" id="party-shares".*?</section>')
CELL = re.compile(r"<td[^>]*>(.*?)</td>")


def rows(client: Client, reader: Organization, incident: Incident) -> list[tuple[str, ...]]:
    """Return the cells of the card, without markup; no rows where there is no card."""
    found = CARD.search(page(client, reader, incident))
    cells = [re.sub(r"<[^>]+>", " ", each) for each in CELL.findall(found[0] if found else "")]
    told = [unescape(" ".join(each.split())) for each in cells]
    return [tuple(told[start : start + 4]) for start in range(0, len(told), 4)]


def test_each_party_reads_who_holds_what_of_the_leading_explanation(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    operator, tenant = cast.operator.name, cast.tenant.name

    assert rows(browser(cast.tenant), cast.tenant, incident) == [
        (operator, "GPU", "1 item hidden by policy", "+3.0"),
        (tenant, "GPU", "1 item you hold it", "+1.0"),
    ]
    assert rows(browser(cast.operator), cast.operator, incident) == [
        (operator, "GPU", "1 item you hold it", "+3.0"),
        (tenant, "GPU", "1 item hidden by policy", "+1.0"),
    ]


def test_an_agreement_changes_what_is_read_of_it_and_not_who_holds_it(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    agreed(cast.operator, cast.tenant, cast.cluster, preset="open-book")

    shown = rows(browser(cast.tenant), cast.tenant, incident)

    assert shown[0] == (cast.operator.name, "GPU", "1 item shown to you", "+3.0")
    assert "OPERATOR-WORDS" not in str(shown)


@pytest.mark.parametrize("change", [{"cause": "unknown", "layer": "unknown"}, {"held": []}])
def test_there_is_no_card_where_nothing_is_established_or_one_party_holds_all(
    cast: Cast, incident: Incident, browser: Browser, change: dict[str, object]
) -> None:
    with organization_scope(*cast.ids):
        Hypothesis.objects.filter(incident=incident).update(**change)

    assert rows(browser(cast.tenant), cast.tenant, incident) == []
