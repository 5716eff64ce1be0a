"""A set-up whose parties agree on a preset from the first day."""

from pathlib import Path

import pytest
from django.utils import timezone

from apps.operations.management.commands.demo import PARTIES, make_parties
from apps.operations.setup.create import Made, make
from apps.operations.setup.description_file import read_text
from apps.operations.setup.parties import BadParties
from apps.sharing.agreements import access_agreements, versions_of
from apps.sharing.states import in_force
from apps.tenancy.models import AuditEntry, MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast.incidents import actor

TEXT = """
cluster: {slug: m, agreements: joint-operations}
organizations:
  - {slug: op, name: Op, parts: [operator], admin: anna}
  - {slug: gpu, name: Gpu, parts: [gpu_vendor], admin: gil}
  - {slug: one, name: One, parts: [tenant], admin: ole}
  - {slug: two, name: Two, parts: [tenant], admin: tim}
"""


def run(text: str, *, is_dry: bool = False) -> Made:
    now = timezone.now()  # noqa: TID251  as the command does
    return make(described=read_text(text=text), now=now, is_dry=is_dry)


def held(slug: str) -> dict[str, str]:
    """Return other side → preset of what holds for an organization."""
    own = Organization.objects.get(slug=slug)
    now = timezone.now()  # noqa: TID251  as the command does
    with organization_scope(own.pk):
        rows = list(access_agreements(actor=actor(own, MemberRole.VIEWER)))
        found = versions_of(agreements=rows)
        holding = {row: in_force(versions=found[row.pk], now=now) for row in rows}
    sides = {row: {row.organization.slug, row.counterpart.slug} - {slug} for row in rows}
    return {sides[row].pop(): version.preset for row, version in holding.items() if version}


@pytest.mark.django_db
def test_all_that_may_know_each_other_agree_by_their_admins() -> None:
    made = run(TEXT)

    preset = "joint-operations"
    assert held("op") == {"gpu": preset, "one": preset, "two": preset}
    assert held("gpu") == {"op": preset, "one": preset, "two": preset}
    assert held("one") == {"op": preset, "gpu": preset}
    lines = [str(each) for each in made.changes if "agreement" in str(each)]
    assert len(lines) == 5
    assert "+ gpu and op: agreement joint-operations in m, signed for both by their admins" in lines
    own = Organization.objects.get(slug="op")
    with organization_scope(own.pk):
        signed = AuditEntry.objects.for_organization(own).filter(action__startswith="agreement.")
        assert signed.filter(actor__startswith="user:").exists()


@pytest.mark.django_db
def test_a_second_run_makes_no_more_and_a_dry_one_none() -> None:
    assert "agreement joint-operations" in str(
        [str(each) for each in run(TEXT, is_dry=True).changes]
    )
    assert not Organization.objects.filter(slug="op").exists()

    run(TEXT)
    assert [str(each) for each in run(TEXT).changes if "agreement" in str(each)] == []


@pytest.mark.django_db
def test_nothing_is_agreed_that_nobody_asked_for() -> None:
    run(TEXT.replace("joint-operations", "closed"))
    assert held("op") == {}
    run(TEXT.replace(", agreements: joint-operations", ""))
    assert held("op") == {}


@pytest.mark.django_db
def test_who_has_no_admin_signs_nothing_and_is_named() -> None:
    made = run(TEXT.replace(", admin: tim", ""))

    assert held("op") == {"gpu": "joint-operations", "one": "joint-operations"}
    said = "= no agreements of two: without an admin nobody signs"
    assert said in [str(each) for each in made.changes]


def test_a_preset_that_is_not_there_is_refused_with_its_line() -> None:
    with pytest.raises(BadParties, match=r"line 2.*unknown preset"):
        read_text(text=TEXT.replace("joint-operations", "joint"))


@pytest.mark.django_db
def test_the_demo_runs_under_joint_operations(tmp_path: Path) -> None:
    make_parties(var=tmp_path, base_url="http://127.0.0.1:8000", prometheus_port=9090)

    tenants = {slug for slug, _, parts, _ in PARTIES if parts == ["tenant"]}
    others = {slug for slug, *_ in PARTIES} - tenants
    assert held("aurora").keys() == {slug for slug, *_ in PARTIES} - {"aurora"}
    for tenant in tenants:
        assert held(tenant).keys() == others
