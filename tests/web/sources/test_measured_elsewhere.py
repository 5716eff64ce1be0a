"""A vendor without metrics of its own reads what others measure as theirs, not as absent."""

import pytest
from django.utils import timezone

from apps.fleet.models import ParticipationRole
from apps.sharing.terms import Level, Place, SharingRule
from apps.telemetry.models import MetricMinute
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.agreements import agreed
from tests.cast.clients import member
from tests.cast.fleet_world import FleetWorld, build
from tests.web.markup import one_line

pytestmark = pytest.mark.django_db
TITLE = "Measured by others"


@pytest.fixture
def world(db: None) -> FleetWorld:
    return build(now=timezone.now())  # noqa: TID251  minutes are of now


def _page(who: Organization, role: MemberRole = MemberRole.ADMIN) -> str:
    answer = member(who, role).client.get(f"/o/{who.slug}/sources/")
    assert answer.status_code == 200
    return one_line(answer.content.decode())


def _show(world: FleetWorld, level: Level, where: Place, data: str = "metrics:gpu") -> None:
    rule = SharingRule(data=data, level=level, where=where)
    agreed(world.operator, world.vendor, world.cluster, terms={world.operator.slug: [rule]})


def test_what_is_not_shared_is_said_and_may_be_asked_for(world: FleetWorld) -> None:
    text = _page(world.vendor)
    assert f"what {world.operator.name} measures is not shared with you" in text
    assert f"?cluster={world.cluster.slug}&amp;counterpart={world.operator.slug}" in text


def test_what_is_not_shared_reads_the_same_whether_it_is_there_or_not(world: FleetWorld) -> None:
    before = _page(world.vendor)
    with organization_scope(world.operator.pk):
        MetricMinute.objects.all().delete()
    after = _page(world.vendor)
    start, end = 'id="elsewhere-title"', "</section>"
    assert before.split(start)[1].split(end)[0] == after.split(start)[1].split(end)[0]


def test_what_an_agreement_shows_is_measured_by_its_giver(world: FleetWorld) -> None:
    _show(world, Level.FULL, Place.CLUSTER)
    text = _page(world.vendor)
    assert f"measured by {world.operator.name}, shown to you" in text
    with organization_scope(world.operator.pk):
        MetricMinute.objects.all().delete()
    assert "measured nothing of it lately" in _page(world.vendor)


def test_what_is_shown_around_incidents_alone_says_not_whether_it_is_there(
    world: FleetWorld,
) -> None:
    _show(world, Level.FULL, Place.BLAMED)
    text = _page(world.vendor)
    assert "is shown to you around incidents alone" in text
    assert "lately" not in text


def test_layers_of_which_the_same_is_said_stand_on_one_line(world: FleetWorld) -> None:
    make.participation(
        organization=world.vendor, cluster=world.cluster, part=ParticipationRole.NETWORK_VENDOR
    )
    _show(world, Level.FULL, Place.BLAMED, data="metrics:*")
    text = _page(world.vendor)
    said = f"what {world.operator.name} measures is shown to you around incidents alone"
    assert text.count(said) == 1
    assert f"<b>{world.cluster.name}: GPU, Network</b>" in text


def test_the_way_to_an_agreement_is_said_in_words(world: FleetWorld) -> None:
    _show(world, Level.FULL, Place.BLAMED)
    text = _page(world.vendor).split('id="elsewhere-title"')[1].split("</section>")[0]
    assert "Open the agreement" in text
    assert "> AGR-" not in text


def test_another_layer_that_is_shown_is_not_the_vendors(world: FleetWorld) -> None:
    _show(world, Level.FULL, Place.CLUSTER, data="metrics:storage")
    assert "is not shared with you" in _page(world.vendor)


def test_who_measures_itself_and_who_is_no_vendor_has_no_such_list(world: FleetWorld) -> None:
    for other in (world.operator, world.tenant):
        assert TITLE not in _page(other)


def test_a_viewer_is_offered_no_proposal(world: FleetWorld) -> None:
    text = _page(world.vendor, MemberRole.VIEWER)
    assert TITLE in text
    assert "counterpart=" not in text
