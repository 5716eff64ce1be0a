"""What is kept of a signal around an incident: one's own, and others' as far as they show it."""

import pytest

from apps.incidents.models import Incident
from apps.sharing.models import LedgerEntry
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.agreements import agreed
from tests.cast.incidents import Cast, assemble, attempt_of, stop_of
from tests.cast.kept_charts import keep
from tests.web.conftest import Browser


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    """The parties of a cluster."""
    return assemble()


@pytest.fixture
def incident(cast: Cast) -> Incident:
    """A stop of which the operator keeps metrics."""
    made = stop_of(cast, attempt_of(cast, cast.tenant))
    keep(cast, made)
    return made


def address(organization: Organization, incident: Incident) -> str:
    """Return what asks for a signal of an incident."""
    query = f"?signal=gpu.temperature&incident={incident.public_id}"
    return f"/o/{organization.slug}/explore/{query}"


def looks(owner: Organization) -> int:
    """Return how many looks an organization's ledger has."""
    with organization_scope(owner.pk):
        return LedgerEntry.objects.for_organization(owner).count()


def test_the_holder_reads_its_own(cast: Cast, incident: Incident, browser: Browser) -> None:
    page = browser(cast.operator).get(address(cast.operator, incident))
    assert page.status_code == 200
    assert "figure-explore" in page.content.decode()


def test_another_party_reads_what_is_shown_to_it_and_its_look_is_recorded(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    client, before = browser(cast.tenant), looks(cast.operator)
    assert client.get(address(cast.tenant, incident)).status_code == 422
    assert looks(cast.operator) == before
    agreed(cast.operator, cast.tenant, cast.cluster, preset="joint-operations")
    page = client.get(address(cast.tenant, incident))
    assert page.status_code == 200
    assert "figure-explore" in page.content.decode()
    assert looks(cast.operator) > before


def test_there_is_no_promql_of_what_others_keep(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    agreed(cast.operator, cast.tenant, cast.cluster, preset="joint-operations")
    page = browser(cast.tenant).get(address(cast.tenant, incident) + "&q=up")
    assert page.status_code == 422
    assert "only signals can be asked" in page.content.decode()


def test_an_outsider_finds_no_incident(cast: Cast, incident: Incident, browser: Browser) -> None:
    outsider = make.organization()
    assert browser(outsider).get(address(outsider, incident)).status_code == 404
