"""Sample data: in one click, marked, apart from everything real, gone in one click."""

from datetime import timedelta
from time import monotonic

import pytest
from django.test import Client
from django.utils import timezone

from apps.fleet.models import Cluster, Participation, ParticipationRole, Session
from apps.incidents.correlation import touched_windows
from apps.incidents.correlation.attempts import due_attempts
from apps.incidents.correlation.correlate import correlate_attempt
from apps.incidents.models import Incident
from apps.telemetry.logs.interpretation import drain
from apps.telemetry.models import Batch
from apps.telemetry.sample_data.sample_organization import MOST_A_DAY, PREFIX, sample_of
from apps.telemetry.sample_data.story import sample_tar
from apps.tenancy.models import MemberRole, Membership, Organization, User
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast
from tests.web.conftest import Browser
from tests.web.pressing import read


def begin(browser: Browser, who: Organization) -> tuple[Client, str]:
    """Click, as somebody of an organization; return the browser and where it led."""
    client = browser(who)
    answer = client.post(f"/o/{who.slug}/sample/", {"act": "begin"})
    return client, answer.headers["Location"]


def made() -> Organization:
    """Return the one sample that there is."""
    return Organization.objects.get(slug__startswith=PREFIX)


def work_off(organization: Organization) -> None:
    """Do what the workers do, without waiting for what they let settle."""
    now = timezone.now()  # noqa: TID251  that of the time machine
    drain.take_turn(organization_id=organization.pk, clock=monotonic, now=lambda: now)
    touched_windows.map_windows(organization_id=organization.pk, now=now)
    later = now + timedelta(seconds=5)
    for attempt_id in due_attempts.claim_due(organization_id=organization.pk, now=later):
        correlate_attempt(owner_id=organization.pk, attempt_id=attempt_id, now=later)


def test_one_click_leads_to_how_it_is_read(cast: Cast, browser: Browser) -> None:
    client, led_to = begin(browser, cast.tenant)
    sample = made()
    assert led_to.startswith(f"/o/{sample.slug}/upload/")
    assert "Reading the lines…" in read(client, led_to)
    with organization_scope(sample.pk):
        assert Batch.objects.for_organization(sample).count() >= 1


def test_it_is_marked_as_simulated_and_its_reader_may_only_read(
    cast: Cast, browser: Browser
) -> None:
    client, _ = begin(browser, cast.tenant)
    sample = made()
    assert sample.is_simulated
    assert Cluster.objects.get(slug=sample.slug).is_simulated
    with organization_scope(sample.pk):
        assert [each.role for each in Membership.objects.for_organization(sample)] == ["viewer"]
    page = read(client, f"/o/{sample.slug}/")
    assert "imulated" in page
    assert "This is sample data" in page
    assert client.post(f"/o/{sample.slug}/upload/", {}).status_code == 404


def test_nobody_else_sees_it_and_its_cluster_is_no_one_elses(cast: Cast, browser: Browser) -> None:
    begin(browser, cast.tenant)
    sample = made()
    for who in (cast.tenant, cast.operator):
        assert browser(who, MemberRole.ADMIN).get(f"/o/{sample.slug}/").status_code == 404
        assert sample.slug not in read(browser(who), f"/o/{who.slug}/")
    with organization_scope(*cast.ids):
        assert not Batch.objects.exists()
        assert not Participation.objects.filter(cluster__slug=sample.slug).exists()


@pytest.mark.parametrize(("act", "status"), [("begin", 404), ("remove", 404), ("other", 404)])
def test_a_viewer_makes_none_and_nobody_removes_what_is_not_there(
    cast: Cast, browser: Browser, act: str, status: int
) -> None:
    client = browser(cast.tenant, MemberRole.VIEWER)
    assert "Look around with sample data" not in read(client, f"/o/{cast.tenant.slug}/")
    assert client.post(f"/o/{cast.tenant.slug}/sample/", {"act": act}).status_code == status
    assert not Organization.objects.filter(slug__startswith=PREFIX).exists()


def test_an_outsider_can_t_ask_in_another_organization(cast: Cast, browser: Browser) -> None:
    client = browser(cast.operator, MemberRole.ADMIN)
    assert client.post(f"/o/{cast.tenant.slug}/sample/", {"act": "begin"}).status_code == 404
    assert not Organization.objects.filter(slug__startswith=PREFIX).exists()


def test_a_second_click_makes_no_second_sample(cast: Cast, browser: Browser) -> None:
    client, _ = begin(browser, cast.tenant)
    answer = client.post(f"/o/{cast.tenant.slug}/sample/", {"act": "begin"})
    assert answer.headers["Location"] == f"/o/{made().slug}/"
    assert "Open the sample data" in read(client, f"/o/{cast.tenant.slug}/")


def test_who_makes_and_removes_it_again_and_again_fills_no_tables(
    cast: Cast, browser: Browser
) -> None:
    client = browser(cast.tenant)
    for _ in range(MOST_A_DAY + 2):
        client.post(f"/o/{cast.tenant.slug}/sample/", {"act": "begin"})
        client.post(f"/o/{cast.tenant.slug}/sample/", {"act": "remove"})
    assert Organization.objects.filter(slug__startswith=PREFIX).count() == MOST_A_DAY
    assert "often enough here today" in read(client, f"/o/{cast.tenant.slug}/")
    # Another organization's are its own.
    begin(browser, cast.operator)
    assert Organization.objects.filter(slug__startswith=PREFIX).count() == MOST_A_DAY + 1


@pytest.mark.parametrize("is_from_inside", [True, False])
def test_one_click_takes_it_away(cast: Cast, browser: Browser, *, is_from_inside: bool) -> None:
    client, _ = begin(browser, cast.tenant)
    sample = made()
    place = sample.slug if is_from_inside else cast.tenant.slug
    assert client.post(f"/o/{place}/sample/", {"act": "remove"}).status_code == 302
    assert client.get(f"/o/{sample.slug}/").status_code == 404
    user = User.objects.get(pk=client.session["_auth_user_id"])
    assert sample_of(user=user) is None
    with organization_scope(sample.pk):
        assert not Participation.objects.for_organization(sample).exists()
    assert "Look around with sample data" in read(client, f"/o/{cast.tenant.slug}/")


def test_another_persons_sample_stays(cast: Cast, browser: Browser) -> None:
    client, _ = begin(browser, cast.tenant)
    sample = made()
    other = browser(cast.tenant)
    assert other.post(f"/o/{cast.tenant.slug}/sample/", {"act": "remove"}).status_code == 404
    assert client.get(f"/o/{sample.slug}/").status_code == 200


@pytest.mark.django_db
def test_who_signs_in_is_led_to_what_is_real(browser: Browser) -> None:
    zeta = make.organization("zeta")
    client, _ = begin(browser, zeta)
    assert made().name < zeta.name
    assert client.get("/").headers["Location"] == "/o/zeta/"


def test_the_same_instant_makes_the_same_logs() -> None:
    assert sample_tar(ended_at=make.AT) == sample_tar(ended_at=make.AT)


def test_what_is_read_of_it_names_the_node_and_is_simulated(cast: Cast, browser: Browser) -> None:
    client, _ = begin(browser, cast.tenant)
    sample = made()
    work_off(sample)
    with organization_scope(sample.pk):
        session = Session.objects.for_organization(sample).get()
        incident = Incident.objects.get()
        assert session.is_simulated
        assert incident.is_simulated
        assert (incident.layer, incident.cause) == ("gpu", "gpu-off-bus")
    page = read(client, f"/o/{sample.slug}/incidents/{incident.public_id}/")
    assert "sample003" in page
    assert browser(cast.operator).get(
        f"/o/{cast.operator.slug}/incidents/{incident.public_id}/"
    ).status_code == 404  # fmt: skip


def test_what_is_only_called_like_a_sample_nobody_removes(db: None, browser: Browser) -> None:
    named = make.organization("sample-motors")
    Organization.objects.filter(pk=named.pk).update(is_simulated=True)
    cluster = make.cluster()
    make.participation(organization=named, cluster=cluster, part=ParticipationRole.OPERATOR)
    client = browser(named, MemberRole.VIEWER)

    assert client.post(f"/o/{named.slug}/sample/", {"act": "remove"}).status_code == 404

    assert client.get(f"/o/{named.slug}/").status_code == 200
    with organization_scope(named.pk):
        assert Participation.objects.for_organization(named).exists()
