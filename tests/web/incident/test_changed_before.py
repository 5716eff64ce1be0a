"""What parties changed around an incident: on its timeline, and said plainly if just before."""

from datetime import timedelta

import pytest

from apps.fleet.models import ChangedThing, Participation
from apps.incidents.models import Incident
from apps.sharing.terms import Level, Place, SharingRule
from apps.tenancy.models import MemberRole, Membership
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.agreements import agreed
from tests.cast.changes import changed
from tests.cast.incidents import Cast
from tests.web.conftest import Browser
from tests.web.incident.incident_pages import HOSTILE, address, page

pytestmark = pytest.mark.django_db
NOTE = 'id="changed-before"'


def broke(incident: Incident, *, minutes: float) -> dict[str, object]:
    """Return that a change was made so long before it broke."""
    assert incident.started_at is not None
    return {"starts_at": incident.started_at - timedelta(minutes=minutes)}


def show(cast: Cast, level: Level, where: Place = Place.CLUSTER) -> None:
    rule = SharingRule(data="changes:*", level=level, where=where)
    terms = {cast.operator.slug: [rule]}
    agreed(cast.operator, cast.tenant, cast.cluster, terms=terms)


def test_a_change_of_the_same_hosts_is_said_plainly_and_claims_no_cause(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    changed(cast.operator, cast.cluster, **broke(incident, minutes=14))
    text = page(browser(cast.operator), cast.operator, incident, "?span=30m")
    said = (
        "Changed 14 min before it broke: driver 550.54 → 560.35 (CHANGE-TITLE) on gpu001, by "
        f"{cast.operator.name}."
    )
    assert said in text
    assert "does not make it the cause" in text
    assert 'data-lane="changes"' in text
    assert "CHG-REFERENCE" in text


@pytest.mark.parametrize("minutes", [61, -3])
def test_one_that_is_older_or_later_stands_on_the_lane_alone(
    cast: Cast, incident: Incident, browser: Browser, minutes: float
) -> None:
    changed(cast.operator, cast.cluster, **broke(incident, minutes=minutes))
    text = page(browser(cast.operator), cast.operator, incident, "?span=6h")
    assert "CHANGE-TITLE" in text
    assert NOTE not in text


@pytest.mark.parametrize(("minutes", "is_lesser"), [(14, False), (0, False), (-3, True)])
def test_one_after_the_stop_is_drawn_smaller_than_one_before(
    cast: Cast, incident: Incident, browser: Browser, minutes: float, *, is_lesser: bool
) -> None:
    changed(cast.operator, cast.cluster, **broke(incident, minutes=minutes))
    text = page(browser(cast.operator), cast.operator, incident, "?span=6h")
    assert "CHANGE-TITLE" in text
    assert ("glyph-lesser" in text) is is_lesser
    assert ('width="8" height="8"' in text) is is_lesser


def test_one_of_other_hosts_is_no_circumstance(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    changed(cast.operator, cast.cluster, hosts=("gpu055",), **broke(incident, minutes=14))
    text = page(browser(cast.operator), cast.operator, incident, "?span=30m")
    assert "CHANGE-TITLE" not in text
    assert NOTE not in text


def test_one_of_the_whole_cluster_is_said_so(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    kind = {"kind": ChangedThing.CONFIGURATION, "hosts": (), "before": "", "after": ""}
    changed(cast.tenant, cast.cluster, **kind, **broke(incident, minutes=2))
    text = page(browser(cast.tenant), cast.tenant, incident)
    assert "configuration (CHANGE-TITLE) on the whole cluster" in text


def test_as_a_signal_others_read_that_there_was_one_by_whom_and_nothing_else(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    changed(cast.operator, cast.cluster, kind=ChangedThing.DEPLOY, **broke(incident, minutes=14))
    show(cast, Level.SIGNAL)
    text = page(browser(cast.tenant), cast.tenant, incident, "?span=30m")
    assert f"deploy, nodes hidden by policy, by {cast.operator.name}." in text
    assert "CHANGE-" not in text
    assert "550.54" not in text


def test_a_signal_is_told_whatever_hosts_it_was_of(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    changed(cast.operator, cast.cluster, hosts=("gpu055",), **broke(incident, minutes=14))
    show(cast, Level.SIGNAL)
    assert "nodes hidden by policy" in page(browser(cast.tenant), cast.tenant, incident)


def test_without_an_agreement_nobody_else_reads_of_it(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    changed(cast.operator, cast.cluster, **broke(incident, minutes=14))
    for other in (cast.tenant, cast.vendor):
        response = browser(other).get(address(other, incident) + "?span=30m")
        assert response.status_code == 200
        assert NOTE not in response.content.decode()
        assert "CHANGE-" not in response.content.decode()


def test_a_viewer_reads_it_and_a_former_member_and_an_outsider_do_not(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    changed(cast.operator, cast.cluster, **broke(incident, minutes=14))
    viewer = browser(cast.operator, MemberRole.VIEWER)
    assert NOTE in page(viewer, cast.operator, incident)
    with organization_scope(cast.operator.pk):
        Membership.objects.filter(organization=cast.operator).delete()
    assert viewer.get(address(cast.operator, incident)).status_code == 404
    outsider = browser(cast.stranger)
    assert outsider.get(address(cast.stranger, incident)).status_code == 404


def test_when_its_holder_left_the_cluster_it_is_shown_no_more(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    changed(cast.operator, cast.cluster, **broke(incident, minutes=14))
    show(cast, Level.FULL)
    assert NOTE in page(browser(cast.tenant), cast.tenant, incident)
    with organization_scope(cast.operator.pk):
        Participation.objects.filter(organization=cast.operator).delete()
    assert NOTE not in page(browser(cast.tenant), cast.tenant, incident)


def test_what_a_sender_wrote_is_text(cast: Cast, incident: Incident, browser: Browser) -> None:
    changed(cast.operator, cast.cluster, title=HOSTILE, **broke(incident, minutes=14))
    text = page(browser(cast.operator), cast.operator, incident, "?span=30m")
    assert "&lt;script&gt;alert(1)" in text
    assert "<script>alert(1)" not in text


def test_what_was_changed_days_before_is_left_out(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    changed(cast.operator, cast.cluster, starts_at=make.AT - timedelta(days=5))
    text = page(browser(cast.operator), cast.operator, incident)
    assert "CHANGE-TITLE" not in text


def test_a_signal_of_the_minute_in_which_it_broke_is_not_said_to_be_before_it(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    assert incident.started_at is not None
    minute = incident.started_at.replace(second=0, microsecond=0)
    with organization_scope(cast.tenant.pk):
        Incident.objects.filter(pk=incident.pk).update(started_at=minute + timedelta(seconds=20))
    changed(cast.operator, cast.cluster, starts_at=minute + timedelta(seconds=50))
    show(cast, Level.SIGNAL)
    text = page(browser(cast.tenant), cast.tenant, incident, "?span=30m")
    assert 'data-lane="changes"' in text
    assert NOTE not in text
