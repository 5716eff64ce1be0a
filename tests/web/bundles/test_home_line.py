"""The first page names evidence that came in and that nobody has looked at yet."""

from apps.incidents.models import Incident
from apps.tenancy.models import MemberRole, Organization
from tests.cast.bundles import made, sent
from tests.cast.clients import member
from tests.cast.incidents import Cast


def _get(organization: Organization, path: str = "") -> str:
    answer = member(organization, MemberRole.VIEWER).client.get(f"/o/{organization.slug}/{path}")
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_a_bundle_is_news_until_somebody_of_its_recipient_opens_it(
    cast: Cast, incident: Incident
) -> None:
    said = f"{cast.operator.name} shared a bundle"
    made(cast.operator, cast.tenant)
    assert said not in _get(cast.tenant)  # nothing was sent yet

    public_id = sent(cast.operator, cast.tenant)
    page = _get(cast.tenant)
    assert said in page
    assert f"/o/{cast.tenant.slug}/sharing/bundles/{public_id}/" in page
    assert "shared a bundle" not in _get(cast.operator)
    assert "shared a bundle" not in _get(cast.vendor)

    _get(cast.tenant, f"sharing/bundles/{public_id}/")
    assert said not in _get(cast.tenant)


def test_the_ledger_leads_to_the_bundle_that_was_looked_at(cast: Cast, incident: Incident) -> None:
    public_id = sent(cast.operator, cast.tenant)
    _get(cast.tenant, f"sharing/bundles/{public_id}/")
    page = _get(cast.operator, "sharing/ledger/")
    assert f'href="/o/{cast.operator.slug}/sharing/bundles/{public_id}/"' in page


def test_of_a_week_without_stops_no_interval_is_shown(cast: Cast) -> None:
    page = _get(cast.tenant)
    assert "n = 0" in page
    assert "95 %" not in page
