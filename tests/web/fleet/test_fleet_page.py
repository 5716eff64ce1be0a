"""The fleet of a cluster: who sees which part measure what, at which time."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from apps.fleet.models import ParticipationRole
from apps.tenancy.models import Organization
from tests.cast import make
from tests.cast.fleet_world import (
    HOT,
    OURS,
    POWER,
    REPLAYS,
    SILENT,
    TEMPERATURE,
    THEIRS,
    FleetWorld,
    xid,
)
from tests.web.conftest import Browser
from tests.web.markup import one_line

pytestmark = pytest.mark.django_db


def _path(world: FleetWorld, reader: Organization, more: str = "") -> str:
    return f"/o/{reader.slug}/fleet/{world.cluster.slug}/{more}"


def _page(world: FleetWorld, browser: Browser, reader: Organization, **query: str) -> str:
    answer = browser(reader).get(_path(world, reader), query)
    assert answer.status_code == 200
    return one_line(answer.content.decode())


def _values(
    world: FleetWorld, browser: Browser, reader: Organization, at: datetime, **query: str
) -> dict[str, Any]:
    asked = {"metric": TEMPERATURE, "at": at.isoformat(), **query}
    answer = browser(reader).get(_path(world, reader, "values/"), asked)
    assert answer.status_code == 200
    found: dict[str, Any] = answer.json()
    return found


def _of(told: dict[str, Any], host: str) -> list[float | None]:
    """Return the values of a host."""
    node = told["hosts"].index(host)
    first = sum(len(each) for each in told["parts"][:node])
    some = told["values"][first : first + len(told["parts"][node])]
    return [None if each is None else each * told["step"] for each in some]


def test_the_only_cluster_is_shown_at_once(world: FleetWorld, browser: Browser) -> None:
    answer = browser(world.operator).get(f"/o/{world.operator.slug}/fleet/")
    assert answer.status_code == 302
    assert answer.headers["Location"] == _path(world, world.operator)
    nothing = browser(world.outsider).get(f"/o/{world.outsider.slug}/fleet/")
    assert "takes part in no cluster" in nothing.content.decode()


def test_the_gpu_unlike_its_peers_stands_first(world: FleetWorld, browser: Browser) -> None:
    page = _page(world, browser, world.operator)
    table = page.partition("Least like their peers first")[2]
    assert table.index(HOT[0]) < table.index("gpu001") < table.index(SILENT)
    assert "2: 93 °C" in table


def test_by_name_the_order_is_that_of_names(world: FleetWorld, browser: Browser) -> None:
    table = _page(world, browser, world.operator, sort="name").partition("Nodes by name")[2]
    places = [table.index(f">{host}<") for host in (*OURS, *THEIRS)]
    assert places == sorted(places)


def test_no_data_is_never_zero(world: FleetWorld, browser: Browser) -> None:
    told = _values(world, browser, world.operator, world.at)
    assert _of(told, SILENT) == [None] * 4
    assert told["standing"][told["hosts"].index(SILENT)] == "n"
    assert 0 not in told["values"]


def test_any_time_shows_what_was_measured_then(world: FleetWorld, browser: Browser) -> None:
    host, gpu = HOT
    assert _of(_values(world, browser, world.operator, world.at), host)[gpu] == 93
    before = _values(world, browser, world.operator, world.at - timedelta(minutes=20))
    assert _of(before, host)[gpu] == 62
    long_before = _values(world, browser, world.operator, world.at - timedelta(hours=3))
    assert set(long_before["values"]) <= {None}


def test_what_stands_over_the_grid_comes_with_the_values(
    world: FleetWorld, browser: Browser
) -> None:
    before = world.at - timedelta(hours=3)
    now, then = (_values(world, browser, world.operator, at) for at in (world.at, before))
    assert now["heading"] == f"At {now['when']}: 8 nodes, 7 with values, 1 without data."
    assert then["heading"].startswith(f"At {then['when']}: ")
    assert "0 with values" in then["heading"]


def test_newest_keeps_what_else_is_asked(world: FleetWorld, browser: Browser) -> None:
    asked = {"metric": POWER, "sort": "name", "host": "gpu"}
    page = _page(world, browser, world.operator, at=world.at.isoformat(), **asked)
    link = page.partition("data-newest")[0].rpartition("href=")[2]
    assert all(f"{name}={value}" in link for name, value in asked.items())
    assert "at=" not in link


def test_a_value_tells_its_age(world: FleetWorld, browser: Browser) -> None:
    told = _values(world, browser, world.operator, world.at + timedelta(minutes=3))
    assert set(told["ages"].values()) == {3}
    assert _of(told, "gpu001")[0] == 60


def test_a_counter_is_shown_as_growth_a_second(world: FleetWorld, browser: Browser) -> None:
    told = _values(world, browser, world.operator, world.at, metric=REPLAYS)
    assert _of(told, "gpu001") == [1.0] * 4
    assert told["unit"].endswith("/s")


def test_the_same_values_are_not_sent_twice(world: FleetWorld, browser: Browser) -> None:
    client = browser(world.operator)
    path = _path(world, world.operator, "values/")
    asked = {"metric": TEMPERATURE, "at": world.at.isoformat()}
    first = client.get(path, asked)
    again = client.get(path, asked, headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 304
    assert again.content == b""
    short = client.get(path, {**asked, "layout": first.json()["layout"]}).json()
    assert "hosts" not in short
    assert short["values"] == first.json()["values"]
    other = client.get(
        path, {**asked, "metric": POWER}, headers={"If-None-Match": first.headers["ETag"]}
    )
    assert other.status_code == 200


@pytest.mark.parametrize("more", ["values/", "nodes/gpu001/"])
def test_without_a_question_the_newest_is_answered_and_none_that_can_not_be_meant(
    world: FleetWorld, browser: Browser, more: str
) -> None:
    client, path = browser(world.operator), _path(world, world.operator, more)
    assert client.get(path).status_code == 200
    for query in ({"metric": "gpu.none"}, {"metric": TEMPERATURE, "at": "soon"}):
        answer = client.get(path, query)
        assert answer.status_code == 400
        assert "a metric of the catalog" in answer.content.decode()


def test_a_session_that_did_not_run_then_shows_no_node_and_is_said(
    world: FleetWorld, browser: Browser
) -> None:
    page = _page(world, browser, world.operator, session="SES-NONE")
    assert "“SES-NONE” is no session that you know to have run then" in page


def test_what_can_not_be_read_is_told_and_the_newest_shown(
    world: FleetWorld, browser: Browser
) -> None:
    page = _page(world, browser, world.operator, at="soon", metric="gpu.tempxrature")
    assert "“soon” is no time: the newest values are shown." in page
    assert "“gpu.tempxrature” is no metric of the catalog" in page
    assert "93 °C" in page


def test_a_session_or_a_host_narrows_the_nodes(world: FleetWorld, browser: Browser) -> None:
    session = world.session.public_id
    told = _values(world, browser, world.operator, world.at, session=session)
    assert tuple(told["hosts"]) == OURS
    told = _values(world, browser, world.operator, world.at, host="GPU00", session=session)
    assert tuple(told["hosts"]) == OURS
    assert _values(world, browser, world.operator, world.at, host="008")["hosts"] == ["gpu008"]


def test_an_xid_marks_the_gpu_that_it_hit(world: FleetWorld, browser: Browser) -> None:
    at = world.at - timedelta(minutes=5)
    xid(world, host="gpu002", pci="0000:83:00.0", code=79, at=at)
    told = _values(world, browser, world.operator, world.at)
    assert told["xids"] == {
        str(told["hosts"].index("gpu002")): [[1, "79", int(at.timestamp()), 1, 1]]
    }
    assert _values(world, browser, world.operator, at - timedelta(minutes=1))["xids"] == {}
    assert _values(world, browser, world.tenant, world.at)["xids"] == {}


def test_without_a_source_the_page_says_what_to_connect(browser: Browser) -> None:
    lonely, cluster = make.organization(), make.cluster()
    make.participation(organization=lonely, cluster=cluster, part=ParticipationRole.OPERATOR)
    answer = browser(lonely).get(f"/o/{lonely.slug}/fleet/{cluster.slug}/")
    page = one_line(answer.content.decode())
    assert "No metrics of this cluster are connected." in page
    assert f"/o/{lonely.slug}/sources/connect/" in page
    assert "data-grid" not in page


def test_whom_nothing_is_shown_reads_why_and_no_controls(
    world: FleetWorld, browser: Browser
) -> None:
    page = _page(world, browser, world.vendor)
    assert f"nothing that {world.operator.name} may hold of its nodes is shown to you now" in page
    assert f'href="/o/{world.vendor.slug}/sharing/"' in page.partition("<main")[2]
    controls = ("data-play", "data-grid", 'type="range"', "fleet-key", "<table", "Connect metrics")
    assert not any(each in page for each in controls)
    assert "No node is known by this filter." in _page(world, browser, world.vendor, host="gpu")


def test_a_table_without_values_is_folded(world: FleetWorld, browser: Browser) -> None:
    before = (world.at - timedelta(hours=3)).isoformat()
    page = _page(world, browser, world.operator, at=before)
    assert "<summary>8 nodes, none with values</summary>" in page
    assert "<summary>8 nodes" not in _page(world, browser, world.operator)


def test_the_panel_tells_of_a_node(world: FleetWorld, browser: Browser) -> None:
    at = world.at - timedelta(minutes=5)
    xid(world, host="gpu002", pci="0000:83:00.0", code=79, at=at)
    client = browser(world.operator)
    query = {"metric": REPLAYS, "at": world.at.isoformat()}
    answer = client.get(_path(world, world.operator, "nodes/gpu002/"), query)
    panel = one_line(answer.content.decode())
    assert "<main" not in panel
    assert "board-one" in panel
    assert "Xid 79 · GPU 1" in panel
    assert "61 °C" in panel
    assert world.session.name in panel
    assert client.get(_path(world, world.operator, "nodes/gpu999/"), query).status_code == 404


def test_the_panel_of_a_tenant_names_no_other_session(world: FleetWorld, browser: Browser) -> None:
    query = {"at": world.at.isoformat()}
    path = _path(world, world.tenant, "nodes/gpu006/")
    assert browser(world.tenant).get(path, query).status_code == 404
    answer = browser(world.tenant).get(_path(world, world.tenant, "nodes/gpu002/"), query)
    panel = answer.content.decode()
    assert world.session.name in panel
    assert "hidden by policy" in panel
    assert "°C" not in panel
