"""Who reads which exclusion, and how much of it."""

from datetime import timedelta

import pytest

from apps.fleet.exclusions import exclusion_access
from apps.fleet.exclusions.exclusion_values import ExclusionView, excluded_times
from apps.fleet.models import ExclusionKind, Session
from apps.tenancy.access import NotFound
from apps.tenancy.scope import organization_scope
from tests.apps.fleet.exclusions.told_exclusions import NOW, after, back, left_out, read, tell
from tests.cast import make
from tests.cast.incidents import Cast, attempt_of

pytestmark = pytest.mark.django_db


def _brief(found: tuple[ExclusionView, ...]) -> list[tuple[str, bool, str, str]]:
    return sorted((each.host, each.is_brief, each.reason, each.by) for each in found)


@pytest.fixture
def told(cast: Cast) -> None:
    """Two exclusions that are over, one that stands; the tenant's session ran on gpu001."""
    attempt_of(cast, cast.tenant)
    tell(
        cast,
        cast.operator,
        left_out(reason="NVLink", by="root"),
        left_out("gpu002", reason="fan", by="root"),
        back(hours=1),
        back("gpu002", hours=1),
        left_out("gpu003", hours=2, reason="memory", by="root"),
    )


@pytest.mark.usefixtures("told")
def test_who_runs_the_cluster_reads_all_of_it(cast: Cast) -> None:
    assert _brief(read(cast, cast.operator)) == [
        ("gpu001", False, "NVLink", "root"),
        ("gpu002", False, "fan", "root"),
        ("gpu003", False, "memory", "root"),
    ]


@pytest.mark.usefixtures("told")
def test_a_tenant_reads_that_its_nodes_were_and_which_are_left_out_and_nothing_more(
    cast: Cast,
) -> None:
    assert _brief(read(cast, cast.tenant)) == [("gpu001", True, "", ""), ("gpu003", True, "", "")]
    assert _brief(read(cast, cast.other_tenant)) == [("gpu003", True, "", "")]
    assert all(each.teller is None for each in read(cast, cast.tenant))


@pytest.mark.usefixtures("told")
def test_a_vendor_reads_of_the_nodes_that_it_sees_blamed_alone(cast: Cast) -> None:
    assert read(cast, cast.vendor) == ()
    assert _brief(read(cast, cast.vendor, known=("gpu002",))) == [("gpu002", True, "", "")]


@pytest.mark.usefixtures("told")
def test_a_tenant_whose_log_blames_a_node_where_it_never_ran_reads_nothing_more(
    cast: Cast,
) -> None:
    assert read(cast, cast.tenant, known=("gpu002",)) == read(cast, cast.tenant)


@pytest.mark.usefixtures("told")
def test_who_takes_no_part_is_told_that_there_is_no_such_cluster(cast: Cast) -> None:
    with pytest.raises(NotFound):
        read(cast, cast.stranger)


def test_a_job_of_ones_own_counts_for_who_runs_the_cluster_and_never_for_another_tenant(
    cast: Cast,
) -> None:
    name = attempt_of(cast, cast.tenant).session.name
    job = left_out("gpu009", kind=ExclusionKind.JOB, session=name, reason="slow")
    tell(cast, cast.tenant, job)
    tell(cast, cast.other_tenant, left_out("gpu010", kind=ExclusionKind.JOB, session=name))
    found = read(cast, cast.operator)
    assert [(each.host, each.is_claimed, each.reason) for each in found] == [
        ("gpu009", True, "slow")
    ]
    assert found[0].session_id
    assert read(cast, cast.other_tenant) == ()
    assert [each.host for each in read(cast, cast.tenant)] == ["gpu009"]


def _confirmed(cast: Cast) -> str:
    """Return the name of the tenant's session, of which the scheduler told."""
    session = attempt_of(cast, cast.tenant).session
    with organization_scope(cast.tenant.pk):
        Session.objects.filter(pk=session.pk).update(is_asserted=True)
    return session.name


def test_what_the_operator_tells_of_a_tenants_job_is_that_tenants_to_read(cast: Cast) -> None:
    name = _confirmed(cast)
    tell(cast, cast.operator, left_out("gpu009", kind=ExclusionKind.JOB, session=name, reason="x"))
    assert [each.reason for each in read(cast, cast.tenant)] == ["x"]
    assert read(cast, cast.other_tenant) == ()


def test_who_calls_a_session_like_anothers_job_reads_nothing_of_that_job(cast: Cast) -> None:
    name = _confirmed(cast)
    with organization_scope(cast.other_tenant.pk):
        Session.objects.create(
            organization=cast.other_tenant,
            cluster=cast.cluster,
            public_id="SES-TAKEN",
            name=name,
            created_at=make.AT,
        )
    tell(cast, cast.operator, left_out("gpu009", kind=ExclusionKind.JOB, session=name, reason="x"))
    assert read(cast, cast.other_tenant) == ()
    assert [each.reason for each in read(cast, cast.tenant)] == ["x"]


def test_claims_without_end_hide_nothing_that_others_tell(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exclusion_access, "MOST", 3)
    monkeypatch.setattr(exclusion_access, "MOST_CLAIMED", 2)
    name = attempt_of(cast, cast.tenant).session.name
    tell(cast, cast.operator, left_out("gpu003"))
    claims = [
        left_out(f"gpu1{at:02}", hours=at, kind=ExclusionKind.JOB, session=name)
        for at in range(1, 9)
    ]
    tell(cast, cast.tenant, *claims)
    assert [each.host for each in read(cast, cast.operator)] == ["gpu108", "gpu107", "gpu003"]


def test_what_overlaps_was_left_out_once(cast: Cast) -> None:
    tell(
        cast,
        cast.operator,
        left_out(),
        left_out(hours=1, kind=ExclusionKind.DOWN),
        left_out(hours=2, kind=ExclusionKind.JOB, session="4711"),
        back(hours=3),
        left_out(hours=5),
    )
    times = excluded_times(read(cast, cast.operator))
    assert [(each.starts_at, each.ends_at, len(each.parts)) for each in times] == [
        (after(0), after(3), 2),
        (after(5), None, 1),
    ]


def test_a_planned_end_is_in_force_until_then(cast: Cast) -> None:
    tell(cast, cast.operator, left_out(), back(hours=5))
    (found,) = read(cast, cast.operator)
    assert found.is_in_force(make.AT + timedelta(hours=4))
    assert not found.is_in_force(NOW)
