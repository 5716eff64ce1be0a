"""Repeat offenders: who reads how much of them, with n and intervals everywhere."""

import pytest
from django.utils import timezone

from apps.tenancy.models import Organization
from tests.cast.clients import member, token
from tests.cast.failing_nodes import LEMON, OTHERS, weeks
from tests.cast.incidents import Cast
from tests.web.markup import one_line

pytestmark = pytest.mark.django_db


@pytest.fixture
def told(cast: Cast) -> Cast:
    """A node that fails again, and one that failed once."""
    weeks(cast, now=timezone.now())  # noqa: TID251  pages look at the clock
    return cast


def _page(cast: Cast, who: Organization, **query: str) -> str:
    path = f"/o/{who.slug}/offenders/{cast.cluster.slug}/"
    answer = member(who).client.get(path, query)
    assert answer.status_code == 200, answer.content
    return one_line(answer.content.decode())


def test_concentration_stands_beside_what_equal_nodes_would_show(told: Cast) -> None:
    page = _page(told, told.operator)
    assert "Which of 21 nodes" in page
    assert "4 on 21 nodes" in page  # incidents
    assert "3 on 21 nodes" in page  # exclusions
    assert "14.3 % in the long run; by chance" in page
    assert page.count("too few to say") == 2
    assert page.count("<polyline") == 2


def test_lemons_hazard_and_nodes_are_listed_and_lead_to_the_node(told: Cast) -> None:
    page = _page(told, told.operator)
    node = f"/o/{told.operator.slug}/nodes/{told.cluster.slug}/{LEMON}/"
    assert page.count(f'href="{node}"') >= 3
    assert "before any incident" in page
    assert "after incident 2" in page
    assert "Times it was taken out: 2" in page


def test_a_tenant_counts_its_own_alone_and_is_told_so(told: Cast) -> None:
    page = _page(told, told.tenant)
    assert "Your organization does not run this cluster" in page
    assert "3 on " in page
    assert OTHERS[3] not in page


def test_a_cluster_of_others_is_not_found(told: Cast) -> None:
    path = f"/o/{told.stranger.slug}/offenders/{told.cluster.slug}/"
    assert member(told.stranger).client.get(path).status_code == 404


def test_the_only_cluster_is_led_to(told: Cast) -> None:
    answer = member(told.operator).client.get(f"/o/{told.operator.slug}/offenders/")
    assert answer.status_code == 302
    assert answer["Location"].endswith(f"/offenders/{told.cluster.slug}/")
    empty = member(told.stranger).client.get(f"/o/{told.stranger.slug}/offenders/")
    assert "takes part in no cluster" in empty.content.decode()


def test_rest_says_the_same_and_the_table_has_one_line_a_node(told: Cast) -> None:
    asking = token(told.operator)
    found = asking.get(f"clusters/{told.cluster.slug}/offenders/", days=90).json()
    assert found["nodes"] == 21
    assert found["whole"] is True
    assert found["incidents"][0]["top_nodes"][0] == {"node": LEMON, "count": 3}
    assert found["exclusions"][0]["count"] == 3
    assert found["lemons"][0]["node"] == LEMON
    assert len(found["lemons"][0]["signals"]) == 7
    assert [each["next_incidents"] for each in found["hazards"]] == [2, 1, 1, 0]
    answer = asking.get(f"clusters/{told.cluster.slug}/offenders.csv")
    lines = b"".join(answer.streaming_content).decode().splitlines()
    assert [line.split(",")[:4] for line in lines[1:]] == [
        [LEMON, "3", "2", "0"],
        [OTHERS[3], "1", "1", "0"],
    ]


def test_rest_of_exclusions_and_of_a_node_follows_who_asks(told: Cast) -> None:
    path = f"clusters/{told.cluster.slug}/exclusions/"
    whole = token(told.operator).get(path).json()["results"]
    assert [(each["host"], each["reason"], each["told_by"]) for each in whole] == [
        (LEMON, "NVLink again", told.operator.slug),
        (OTHERS[3], "fan", told.operator.slug),
        (LEMON, "NVLink again", told.operator.slug),
    ]
    brief = token(told.tenant).get(path).json()["results"]
    assert {(each["host"], each["reason"], each["hidden"]) for each in brief} == {(LEMON, "", True)}
    node = f"nodes/{told.cluster.slug}:{LEMON}/history/"
    history = token(told.operator).get(node).json()
    assert history["incidents_28_days"] == 3
    assert (history["cost"]["gpu_hours"], history["cost"]["absence"]) == (None, "hidden")
    assert len(history["sessions"]) == 3
    assert token(told.stranger).get(node).status_code == 404
    assert token(told.operator).get(f"nodes/{LEMON}/history/").status_code == 404


def test_a_span_that_is_none_is_refused(told: Cast) -> None:
    path = f"clusters/{told.cluster.slug}/offenders/"
    assert token(told.operator).get(path, days=0).status_code == 400
    assert token(told.operator).get(path, day=9).status_code == 400
