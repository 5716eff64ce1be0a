"""Parts on the clusters tab: offered, answered, asked back, left."""

import pytest
from django.test import Client

from apps.fleet.models import Participation, ParticipationRole, PartProposal
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast
from tests.web.conftest import Browser
from tests.web.settings.audited_deeds import deeds_of


def there(organization: Organization) -> str:
    """Return where its clusters are."""
    return f"/o/{organization.slug}/settings/clusters/"


def main(client: Client, organization: Organization) -> str:
    """Return what stands on the page itself."""
    page: str = client.get(there(organization)).content.decode()
    return page.partition("<main")[2].partition("</main>")[0]


@pytest.fixture
def operator(cast: Cast, browser: Browser) -> Client:
    """An admin of the operator."""
    return browser(cast.operator, MemberRole.ADMIN)


@pytest.fixture
def stranger(cast: Cast, browser: Browser) -> Client:
    """An admin of an organization that takes part in nothing."""
    return browser(cast.stranger, MemberRole.ADMIN)


def offer(client: Client, cast: Cast, slug: str, part: str = "platform", **more: str) -> int:
    """Offer a part and return the status."""
    where = f"{there(cast.operator)}{cast.cluster.slug}/proposals/"
    return client.post(where, {"slug": slug, "part": part, **more}).status_code


def proposal(cast: Cast) -> str:
    """Return the id of the one proposal."""
    with organization_scope(cast.operator.pk):
        return PartProposal.objects.get().public_id


def test_an_offer_is_accepted_on_the_other_sides_page(
    cast: Cast, operator: Client, stranger: Client
) -> None:
    assert offer(operator, cast, cast.stranger.slug, layer="network") == 302
    page = main(stranger, cast.stranger)
    assert f"{cast.operator.name} offers you to be platform of {cast.cluster.name}" in page
    assert "Network" in page
    assert cast.tenant.name not in page
    where = f"/o/{cast.stranger.slug}/settings/proposals/{proposal(cast)}/"
    assert stranger.post(f"{where}accept/").status_code == 302

    assert cast.tenant.name in main(stranger, cast.stranger)
    assert "accepted" in main(operator, cast.operator)
    assert deeds_of(cast.stranger) == ["participation.offered", "participation.accepted"]
    assert deeds_of(cast.operator) == deeds_of(cast.stranger)


def test_the_page_does_not_tell_who_is_on_the_portal(cast: Cast, operator: Client) -> None:
    where = f"{there(cast.operator)}{cast.cluster.slug}/proposals/"
    pages = []
    for slug in (cast.stranger.slug, "no-such-party"):
        answer = operator.post(where, {"slug": slug, "part": "platform"}, follow=True)
        page = answer.content.decode().partition('id="main"')[2].partition("</main>")[0]
        pages.append(page.replace(slug, "*").count("waits until"))
        with organization_scope(cast.operator.pk):
            PartProposal.objects.all().delete()
    assert pages == [1, 1]


def test_declining_is_told_and_taking_back_ends_it(
    cast: Cast, operator: Client, stranger: Client
) -> None:
    offer(operator, cast, cast.stranger.slug)
    answer = f"settings/proposals/{proposal(cast)}/"
    assert stranger.post(f"/o/{cast.stranger.slug}/{answer}take-back/").status_code == 404
    assert stranger.post(f"/o/{cast.stranger.slug}/{answer}anything/").status_code == 404
    assert stranger.post(f"/o/{cast.stranger.slug}/{answer}decline/").status_code == 302
    assert "declined" in main(operator, cast.operator)
    offer(operator, cast, cast.stranger.slug, "tenant")
    with organization_scope(cast.operator.pk):
        waiting = PartProposal.objects.get(state="open").public_id
    where = f"/o/{cast.operator.slug}/settings/proposals/{waiting}/take-back/"
    assert operator.post(where).status_code == 302
    assert "offers you" not in main(stranger, cast.stranger)


def test_what_can_not_be_offered_is_said_and_stays_in_the_form(
    cast: Cast, operator: Client
) -> None:
    where = f"{there(cast.operator)}{cast.cluster.slug}/proposals/"
    answer = operator.post(where, {"slug": cast.tenant.slug, "part": "tenant"})

    assert answer.status_code == 422
    assert f"{cast.tenant.slug} takes this part already." in answer.content.decode()
    assert f'value="{cast.tenant.slug}"' in answer.content.decode()
    assert offer(operator, cast, "x", "emperor") == 404
    assert offer(operator, cast, "x", kind="order") == 404


def test_a_vendor_gives_its_part_up_when_asked(
    cast: Cast, operator: Client, browser: Browser
) -> None:
    vendor = browser(cast.vendor, MemberRole.ADMIN)
    assert offer(operator, cast, cast.vendor.slug, "gpu_vendor", kind="withdrawal") == 302
    assert "asks you to stop being GPU vendor" in main(vendor, cast.vendor)
    where = f"/o/{cast.vendor.slug}/settings/proposals/{proposal(cast)}/accept/"
    assert vendor.post(where).status_code == 302
    assert "takes part in no cluster" in main(vendor, cast.vendor)


def test_one_leaves_a_part_unless_nobody_else_runs_the_cluster(
    cast: Cast, operator: Client, browser: Browser
) -> None:
    tenant = browser(cast.tenant, MemberRole.ADMIN)
    where = f"{there(cast.tenant)}{cast.cluster.slug}/parts/tenant/leave/"
    assert "Stop being tenant" in main(tenant, cast.tenant)
    assert tenant.post(where).status_code == 302
    assert "takes part in no cluster" in main(tenant, cast.tenant)
    last = f"{there(cast.operator)}{cast.cluster.slug}/parts/operator/leave/"
    assert "Stop being operator" not in main(operator, cast.operator)
    assert operator.post(last).status_code == 302
    assert "Nobody else runs this cluster" in main(operator, cast.operator)
    with organization_scope(cast.operator.pk):
        assert Participation.objects.filter(part=ParticipationRole.OPERATOR).exists()


@pytest.mark.parametrize("role", [MemberRole.VIEWER, MemberRole.RESPONDER])
def test_who_does_not_manage_offers_leaves_and_answers_nothing(
    cast: Cast, browser: Browser, operator: Client, role: MemberRole
) -> None:
    make.participation(organization=cast.stranger, cluster=cast.cluster)
    offer(operator, cast, cast.stranger.slug)
    client = browser(cast.stranger, role)

    assert "offers you" not in main(client, cast.stranger)
    answer = f"/o/{cast.stranger.slug}/settings/proposals/{proposal(cast)}/"
    for act in ("accept", "decline"):
        assert client.post(f"{answer}{act}/").status_code == 404
    leaving = f"{there(cast.stranger)}{cast.cluster.slug}/parts/tenant/leave/"
    assert client.post(leaving).status_code == 404
    assert offer(browser(cast.operator, role), cast, "x") == 404


def test_admins_read_of_an_offer_on_their_first_page(
    cast: Cast, operator: Client, stranger: Client, browser: Browser
) -> None:
    home = f"/o/{cast.stranger.slug}/"
    assert "takes part in no cluster yet" in stranger.get(home).content.decode()
    assert offer(operator, cast, cast.stranger.slug) == 302

    said = f"{cast.operator.name} offers you to be platform of {cast.cluster.name}."
    assert said in stranger.get(home).content.decode()
    assert said not in browser(cast.stranger).get(home).content.decode()
    assert said not in operator.get(f"/o/{cast.operator.slug}/").content.decode()


def test_nobody_offers_a_part_to_itself(cast: Cast, operator: Client) -> None:
    assert offer(operator, cast, cast.operator.slug) == 422
    with organization_scope(cast.operator.pk):
        assert not PartProposal.objects.exists()


@pytest.mark.parametrize(
    "path",
    [
        *("", "incidents/", "sessions/", "warnings/", "sources/", "sources/connect/", "upload/"),
        *("accuracy/", "settings/members/", "settings/clusters/", "settings/tokens/"),
        *("settings/retention/", "settings/notifications/", "settings/audit/"),
    ],
)
def test_pages_work_without_a_part(cast: Cast, stranger: Client, path: str) -> None:
    answer = stranger.get(f"/o/{cast.stranger.slug}/{path}", follow=True)

    assert answer.status_code == 200


def test_a_link_that_opens_nothing_has_the_switch_of_languages(db: None) -> None:
    answer = Client().get("/join/nobody.nothing/")

    assert answer.status_code == 404
    assert 'class="languages"' in answer.content.decode()
