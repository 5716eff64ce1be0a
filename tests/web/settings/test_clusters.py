"""The clusters tab: who takes part, whose projects, what hosts are called."""

import pytest
from django.test import Client

from apps.fleet.hosts.host_aliases import add_aliases
from apps.fleet.models import Node, ProjectTenant
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast
from tests.web.conftest import Browser
from tests.web.settings.audited_deeds import deeds_of


def there(organization: Organization) -> str:
    """Return where its clusters are."""
    return f"/o/{organization.slug}/settings/clusters/"


@pytest.fixture
def operator(cast: Cast, browser: Browser) -> Client:
    """An admin of the operator, who has two hosts."""
    with organization_scope(cast.operator.pk):
        add_aliases(
            organization_id=cast.operator.pk,
            cluster=cast.cluster,
            hosts={"gpu001": [], "gpu002": []},
            now=make.AT,
        )
    return browser(cast.operator, MemberRole.ADMIN)


def test_a_tenant_sees_who_serves_the_cluster_and_no_other_tenant(
    cast: Cast, browser: Browser
) -> None:
    page = browser(cast.tenant, MemberRole.ADMIN).get(there(cast.tenant)).content.decode()

    for who in (cast.operator, cast.tenant, cast.vendor):
        assert who.name in page
    assert cast.other_tenant.name not in page
    acts = page.partition("<main")[2].partition("</main>")[0].split("<form")[1:]
    assert [each for each in acts if "/leave/" not in each] == []


def test_who_takes_part_nowhere_is_told_what_that_means(cast: Cast, browser: Browser) -> None:
    page = browser(cast.stranger).get(there(cast.stranger)).content.decode()

    assert "takes part in no cluster" in page


def test_the_operator_gives_a_project_and_takes_it_away(cast: Cast, operator: Client) -> None:
    where = f"{there(cast.operator)}{cast.cluster.slug}/projects/"
    wish = {"project": "solar", "tenant": cast.tenant.slug}
    assert operator.post(where, wish).status_code == 302
    with organization_scope(cast.tenant.pk):
        assert ProjectTenant.objects.get().project == "solar"
    answer = operator.post(where, {**wish, "tenant": cast.other_tenant.slug})

    assert answer.status_code == 422
    assert f"solar belongs to {cast.tenant.slug}" in answer.content.decode()
    assert operator.get(where).headers["Location"] == there(cast.operator)
    assert operator.post(where, {"act": "take", "project": "solar"}).status_code == 302
    with organization_scope(cast.tenant.pk):
        assert not ProjectTenant.objects.exists()
    assert deeds_of(cast.operator)[-2:] == ["project.mapped", "project.unmapped"]


def test_names_of_a_host_are_changed_and_wrong_ones_kept_in_the_form(
    cast: Cast, operator: Client
) -> None:
    where = f"{there(cast.operator)}{cast.cluster.slug}/hosts/"
    operator.post(where, {"host": "gpu001", "names": "10.0.0.7, node-1"})
    answer = operator.post(where, {"host": "gpu002", "names": "node-2 node-1"})

    assert answer.status_code == 422
    assert "node-1 names gpu001 already" in answer.content.decode()
    assert "node-2 node-1" in answer.content.decode()
    with organization_scope(cast.operator.pk):
        assert Node.objects.get(name="gpu001").aliases == ["10.0.0.7", "node-1"]
        assert Node.objects.get(name="gpu002").aliases == []
    assert "gpu002" not in operator.get(f"{where}?q=node-1").content.decode()
    assert deeds_of(cast.operator)[-1] == "host.named"


def test_names_of_many_hosts_are_saved_with_one_button(cast: Cast, operator: Client) -> None:
    where = f"{there(cast.operator)}{cast.cluster.slug}/hosts/"
    page = operator.get(where).content.decode()
    assert page.count("Save all names") == 1
    sent = {"host": ["gpu001", "gpu002"], "names": ["node-1", "node-2 10.0.0.8"]}
    assert operator.post(where, sent).status_code == 302

    with organization_scope(cast.operator.pk):
        names = dict(Node.objects.values_list("name", "aliases"))
    assert names == {"gpu001": ["node-1"], "gpu002": ["10.0.0.8", "node-2"]}
    assert deeds_of(cast.operator)[-2:] == ["host.named", "host.named"]


@pytest.mark.parametrize("role", [MemberRole.VIEWER, MemberRole.RESPONDER])
def test_who_does_not_manage_changes_nothing(
    cast: Cast, browser: Browser, operator: Client, role: MemberRole
) -> None:
    client, where = browser(cast.operator, role), f"{there(cast.operator)}{cast.cluster.slug}/"
    page = client.get(f"{where}hosts/").content.decode()

    assert "gpu001" in page
    assert 'method="post"' not in page.partition("<main")[2].partition("</main>")[0]
    wish = {"project": "solar", "tenant": cast.tenant.slug}
    assert client.post(f"{where}projects/", wish).status_code == 404
    assert client.post(f"{where}hosts/", {"host": "gpu001", "names": "x"}).status_code == 404


def test_a_name_with_a_nul_in_it_is_nobodys(cast: Cast, operator: Client) -> None:
    where = f"{there(cast.operator)}{cast.cluster.slug}/"
    taken = operator.post(f"{where}projects/", {"act": "take", "project": "so\x00lar"})

    assert taken.status_code == 302
    assert operator.post(f"{where}hosts/", {"host": "gpu\x00", "names": "x"}).status_code == 404


def test_a_tenant_names_no_host_and_gives_no_project(cast: Cast, browser: Browser) -> None:
    client = browser(cast.tenant, MemberRole.ADMIN)
    where = f"{there(cast.tenant)}{cast.cluster.slug}/"

    wish = {"project": "solar", "tenant": cast.tenant.slug}
    assert client.post(f"{where}projects/", wish).status_code == 404
    assert client.post(f"{where}hosts/", {"host": "gpu001", "names": "x"}).status_code == 404
