"""Whose project is whose, and who may see and change it."""

from threading import Barrier, Event, Thread

import pytest
from django.db import connection

from apps.fleet.authority.project_owners import (
    NoTenant,
    ProjectNameBad,
    ProjectTaken,
    access_projects,
    access_tenants,
    map_project,
    unmap_project,
)
from apps.fleet.inventory import InventoryReport, record
from apps.fleet.models import ParticipationRole
from apps.fleet.parties.participants import participants
from apps.tenancy.access import NotFound
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, actor, assemble


def give(cast: Cast, who: Organization, project: str, tenant: Organization) -> bool:
    """Map a project as an admin of an organization."""
    with organization_scope(who.pk):
        return map_project(
            actor=actor(who, MemberRole.ADMIN),
            cluster=cast.cluster,
            project=project,
            tenant=tenant.slug,
        )


def seen(cast: Cast, who: Organization) -> dict[str, str]:
    """Return project → tenant as a member of an organization sees it."""
    with organization_scope(who.pk):
        found = access_projects(actor=actor(who), cluster=cast.cluster)
    return {each.project: each.tenant.slug for each in found}


def test_the_operator_maps_and_each_tenant_sees_its_own(cast: Cast) -> None:
    assert give(cast, cast.operator, " solar ", cast.tenant)
    assert give(cast, cast.operator, "lantern", cast.other_tenant)
    assert not give(cast, cast.operator, "solar", cast.tenant)

    mine, other = cast.tenant.slug, cast.other_tenant.slug
    assert seen(cast, cast.operator) == {"solar": mine, "lantern": other}
    assert seen(cast, cast.tenant) == {"solar": mine}
    assert seen(cast, cast.vendor) == {}


def test_a_platform_may_map_too(cast: Cast) -> None:
    platform = make.organization()
    make.participation(organization=platform, cluster=cast.cluster, part=ParticipationRole.PLATFORM)

    assert give(cast, platform, "solar", cast.tenant)


def test_tenants_vendors_strangers_and_responders_map_nothing(cast: Cast) -> None:
    for who in (cast.tenant, cast.vendor, cast.stranger):
        with pytest.raises(NotFound):
            give(cast, who, "solar", who)
    with organization_scope(cast.operator.pk):
        responder = actor(cast.operator)
        with pytest.raises(NotFound):
            map_project(
                actor=responder, cluster=cast.cluster, project="solar", tenant=cast.tenant.slug
            )
        with pytest.raises(NotFound):
            unmap_project(actor=responder, cluster=cast.cluster, project="solar")
        with pytest.raises(NotFound):
            access_tenants(actor=responder, cluster=cast.cluster)


def test_a_project_has_one_tenant_until_it_is_taken_away(cast: Cast) -> None:
    give(cast, cast.operator, "solar", cast.tenant)
    with pytest.raises(ProjectTaken):
        give(cast, cast.operator, "solar", cast.other_tenant)
    with organization_scope(cast.operator.pk):
        admin = actor(cast.operator, MemberRole.ADMIN)
        assert unmap_project(actor=admin, cluster=cast.cluster, project="solar")
        assert not unmap_project(actor=admin, cluster=cast.cluster, project="solar")

    assert give(cast, cast.operator, "solar", cast.other_tenant)


def test_only_tenants_of_the_cluster_have_projects(cast: Cast) -> None:
    for who in (cast.vendor, cast.stranger, cast.operator):
        with pytest.raises(NoTenant):
            give(cast, cast.operator, "solar", who)
    for name in ("", " ", "x" * 121, "a\nb"):
        with pytest.raises(ProjectNameBad):
            give(cast, cast.operator, name, cast.tenant)


@pytest.mark.django_db(transaction=True)
def test_of_two_who_map_at_once_one_is_refused() -> None:
    cast, together = assemble(), Barrier(2)
    refused: list[str] = []

    def maps(tenant: Organization) -> None:
        try:
            together.wait()
            give(cast, cast.operator, "solar", tenant)
        except ProjectTaken as error:
            refused.append(error.owner)
        finally:
            connection.close()

    threads = [Thread(target=maps, args=(each,)) for each in (cast.tenant, cast.other_tenant)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert list(seen(cast, cast.operator).values()) == refused


@pytest.mark.django_db(transaction=True)
def test_an_upload_waits_for_who_maps_and_makes_no_second_owner() -> None:
    cast, is_given, is_uploaded = assemble(), Event(), Event()

    def maps() -> None:
        try:
            with organization_scope(cast.operator.pk):
                give(cast, cast.operator, "solar", cast.tenant)
                is_given.set()
                is_uploaded.wait(0.5)  # it comes before the commit only if it does not wait
        finally:
            connection.close()

    mapping = Thread(target=maps)
    mapping.start()
    assert is_given.wait(10)
    report = InventoryReport(projects={"solar": cast.other_tenant.slug})
    with organization_scope(cast.operator.pk):
        unmapped = record(
            cluster=cast.cluster, organization=cast.operator, report=report, now=make.AT
        )
    is_uploaded.set()
    mapping.join()

    assert unmapped == ["solar"]
    assert seen(cast, cast.operator) == {"solar": cast.tenant.slug}


def test_tenants_are_shown_to_who_runs_the_cluster_and_to_themselves(cast: Cast) -> None:
    def told(who: Organization) -> set[Organization]:
        with organization_scope(who.pk):
            found = participants(actor=actor(who), cluster=cast.cluster)
        return {each.organization for each in found}

    assert told(cast.operator) == {cast.operator, cast.tenant, cast.other_tenant, cast.vendor}
    assert told(cast.tenant) == {cast.operator, cast.tenant, cast.vendor}
    assert told(cast.vendor) == {cast.operator, cast.vendor}
