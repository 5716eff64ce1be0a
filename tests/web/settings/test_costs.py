"""The price of a GPU-hour: an admin enters it, members read it, the record has it."""

import pytest

from apps.reliability.models import GpuPrice
from apps.tenancy.models import MemberRole
from apps.tenancy.scope import organization_scope
from tests.cast.incidents import Cast
from tests.web.conftest import Browser
from tests.web.settings.audited_deeds import deeds_of

ENTRY = {"per_gpu_hour": "2,50", "currency": "eur"}


def prices(cast: Cast) -> list[tuple[str, str]]:
    """Return what is kept of the tenant."""
    with organization_scope(cast.tenant.pk):
        return [(str(row.per_gpu_hour), row.currency) for row in GpuPrice.objects.all()]


@pytest.mark.django_db
def test_an_admin_enters_changes_and_takes_away_a_price(cast: Cast, browser: Browser) -> None:
    client, path = browser(cast.tenant, MemberRole.ADMIN), f"/o/{cast.tenant.slug}/settings/costs/"
    assert "No price was entered" in client.get(path).content.decode()
    assert "Lost GPU-hours are told" in client.post(path, ENTRY, follow=True).content.decode()
    assert prices(cast) == [("2.5000", "EUR")]
    client.post(path, {"per_gpu_hour": "3", "currency": "USD"})
    assert prices(cast) == [("3.0000", "USD")]
    assert "3 USD" in client.get(path).content.decode()
    client.post(path, {"remove": "1"})
    assert prices(cast) == []
    assert deeds_of(cast.tenant) == ["price.set", "price.set", "price.removed"]
    client.post(path, {"remove": "1"})
    assert deeds_of(cast.tenant) == ["price.set", "price.set", "price.removed"]


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"per_gpu_hour": "much", "currency": "EUR"}, "Enter a price between"),
        ({"per_gpu_hour": "-1", "currency": "EUR"}, "Enter a price between"),
        ({"per_gpu_hour": "NaN", "currency": "EUR"}, "Enter a price between"),
        ({"per_gpu_hour": "1e9", "currency": "EUR"}, "Enter a price between"),
        ({"per_gpu_hour": "2", "currency": "euros"}, "by its three letters"),
        ({"per_gpu_hour": "2", "currency": "€€€"}, "by its three letters"),
        ({}, "Enter a price between"),
    ],
)
def test_what_is_no_price_is_refused_in_words(
    cast: Cast, browser: Browser, entry: dict[str, str], told: str
) -> None:
    client = browser(cast.tenant, MemberRole.ADMIN)
    answer = client.post(f"/o/{cast.tenant.slug}/settings/costs/", entry, follow=True)
    assert told in answer.content.decode()
    assert prices(cast) == []


@pytest.mark.django_db
def test_members_read_the_price_and_do_not_change_it(cast: Cast, browser: Browser) -> None:
    path = f"/o/{cast.tenant.slug}/settings/costs/"
    assert browser(cast.tenant, MemberRole.ADMIN).post(path, ENTRY).status_code == 302
    for role in (MemberRole.RESPONDER, MemberRole.VIEWER):
        client = browser(cast.tenant, role)
        text = client.get(path).content.decode()
        assert "2.5 EUR" in text
        assert 'name="per_gpu_hour"' not in text
        assert client.post(path, {"remove": "1"}).status_code == 404
    assert prices(cast) == [("2.5000", "EUR")]


@pytest.mark.django_db
def test_another_organization_neither_reads_nor_changes_it(cast: Cast, browser: Browser) -> None:
    path = f"/o/{cast.tenant.slug}/settings/costs/"
    browser(cast.tenant, MemberRole.ADMIN).post(path, ENTRY)
    other = browser(cast.operator, MemberRole.ADMIN)
    assert other.get(path).status_code == 404
    assert other.post(path, ENTRY).status_code == 404
    own = other.get(f"/o/{cast.operator.slug}/settings/costs/").content.decode()
    assert "No price was entered" in own
