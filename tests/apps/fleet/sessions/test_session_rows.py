"""Whose session a report or a label means, what completes it, and which hosts a label adds."""

from typing import Any

import pytest

from apps.fleet.models import Attempt, ParticipationRole, ProjectTenant, Session
from apps.fleet.sessions.session_lookup import find, find_for_log
from apps.fleet.sessions.session_reports import SessionReport
from apps.fleet.sessions.session_rows import (
    OwnerUnknown,
    attempt_of,
    find_or_create,
    note_hosts,
    record_report,
)
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.make import AT
from tests.cast.pushes import Cast, cast

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> Cast:
    """Two tenants, and who runs their cluster."""
    return cast()


def told(people: Cast, reporter: Organization, session: str = "s-1", **said: object) -> Attempt:
    report = SessionReport(session=session, **said)  # type: ignore[arg-type]
    return record_report(cluster=people.cluster, reporter=reporter, report=report, now=AT).attempt


def row_of(people: Cast, owner: Organization, name: str = "s-1") -> Session:
    with organization_scope(owner.pk):
        return Session.objects.for_organization(owner).get(name=name)


def test_what_a_session_lacks_is_completed_and_what_it_has_stays(people: Cast) -> None:
    told(people, people.platform, project="solar")
    told(people, people.platform, project="solar", job="first", scheduler="slurm")
    told(people, people.platform, project="solar", job="second", scheduler="slurm")
    row = row_of(people, people.tenant)
    assert (row.scheduler, row.job, row.project, row.is_asserted) == (
        *("slurm", "first", "solar"),
        True,
    )


def test_a_tenant_tells_of_its_own_sessions_alone_until_the_platform_does(people: Cast) -> None:
    told(people, people.other, job="x", aliases=("alias",))
    row = row_of(people, people.other)
    assert (row.organization, row.is_asserted, row.aliases) == (people.other, False, ["alias"])
    told(people, people.platform, project="lunar", aliases=("named",))
    row = row_of(people, people.other)
    assert (row.is_asserted, row.job, row.project, row.aliases) == (True, "x", "lunar", ["named"])
    told(people, people.other, aliases=("again",))
    assert row_of(people, people.other).aliases == ["named"]
    told(people, people.platform, project="lunar", aliases=("more", "named"))
    assert row_of(people, people.other).aliases == ["named", "more"]


def test_without_a_project_the_platforms_own_earlier_word_names_the_owner(people: Cast) -> None:
    with pytest.raises(OwnerUnknown):
        told(people, people.platform)
    told(people, people.other)  # a tenant's word names nobody
    with pytest.raises(OwnerUnknown):
        told(people, people.platform)
    told(people, people.platform, project="solar")
    assert told(people, people.platform).organization == people.tenant


def test_who_was_first_to_tell_of_an_attempt_is_each_only_once(people: Cast) -> None:
    report = SessionReport(session="s-1", project="solar", world_size=8)
    for reporter in (people.platform, people.tenant):
        firsts = [
            record_report(
                cluster=people.cluster, reporter=reporter, report=report, now=AT
            ).is_first_of_reporter
            for _ in range(2)
        ]
        assert firsts == [True, False]


def test_a_label_adds_hosts_until_a_report_names_them(people: Cast) -> None:
    owner = people.tenant
    with organization_scope(owner.pk):
        session = find_or_create(
            organization_id=owner.pk, cluster=people.cluster, name="s-1", now=AT, simulated=False
        )
        attempt = attempt_of(session=session, number=None)
        for hosts in (["n1"], ["n1", "n2"], []):
            note_hosts(attempt=attempt, hosts=hosts)
        attempt.refresh_from_db()
        assert (attempt.hosts, attempt.hosts_asserted) == (["n1", "n2"], False)
    told(people, people.platform, project="solar", hosts=("n7",))
    with organization_scope(owner.pk):
        note_hosts(attempt=attempt, hosts=["n3"])
        attempt.refresh_from_db()
        assert (attempt.hosts, attempt.hosts_asserted) == (["n7"], True)


def test_an_agreed_word_about_hosts_counts_from_the_first_host_on(people: Cast) -> None:
    owner = people.tenant
    make.agreed(organization=owner, cluster=people.cluster)
    with organization_scope(owner.pk):
        session = find_or_create(
            organization_id=owner.pk, cluster=people.cluster, name="s-1", now=AT, simulated=False
        )
        for number, before in ((1, []), (2, ["n0"])):
            attempt = attempt_of(session=session, number=number)
            Attempt.objects.filter(pk=attempt.pk).update(hosts=before)
            for host in ("n1", "n2"):
                note_hosts(attempt=attempt, hosts=[host])
            attempt.refresh_from_db()
            assert attempt.hosts == [*before, "n1", "n2"]
            assert attempt.hosts_asserted is not bool(before)


def test_without_a_number_the_latest_attempt_is_meant(people: Cast) -> None:
    with organization_scope(people.tenant.pk):
        session = find_or_create(
            organization_id=people.tenant.pk, cluster=None, name="run", now=AT, simulated=True
        )
        assert session.is_simulated
        assert [attempt_of(session=session, number=each).number for each in (None, 3, 2, None)] == [
            *(1, 3, 2, 3)
        ]


def test_a_job_name_finds_its_owners_session_and_nobody_elses(people: Cast) -> None:
    told(people, people.platform, project="solar", job="train")
    told(people, people.platform, "s-2", project="solar", job="twice")
    told(people, people.platform, "s-3", project="solar", job="twice")
    with organization_scope(people.tenant.pk, people.other.pk):
        where = {"cluster_id": people.cluster.pk}
        found = find(**where, name="train", owner_id=people.tenant.pk)
        assert found is not None
        assert found.name == "s-1"
        assert find(**where, name="twice", owner_id=people.tenant.pk) is None
        assert find(**where, name="train", owner_id=people.other.pk) is None
        assert find(**where, name="train") is None
        assert find(**where, name="s-1") == found
    with organization_scope(people.tenant.pk):
        log: dict[str, Any] = {"organization_id": people.tenant.pk, "cluster": people.cluster}
        assert find_for_log(**log, name="train") == found
        assert find_for_log(**log, name="gone") is None


def test_the_platforms_log_finds_by_name_what_was_told_and_the_only_tenants_own(
    people: Cast,
) -> None:
    alone = make.cluster()
    for one, part in (
        (people.platform, ParticipationRole.PLATFORM),
        (people.tenant, ParticipationRole.TENANT),
    ):
        make.participation(organization=one, cluster=alone, part=part)
    for cluster in (alone, people.cluster):
        with organization_scope(people.tenant.pk):
            find_or_create(
                organization_id=people.tenant.pk,
                cluster=cluster,
                name="own",
                now=AT,
                simulated=False,
            )
    both = organization_scope(people.platform.pk, people.tenant.pk)
    with both:
        log: dict[str, Any] = {"organization_id": people.platform.pk, "name": "own"}
        assert find_for_log(**log, cluster=people.cluster) is None
        found = find_for_log(**log, cluster=alone)
    assert found is not None
    assert found.cluster == alone
    assert ProjectTenant.objects.count() == 0
