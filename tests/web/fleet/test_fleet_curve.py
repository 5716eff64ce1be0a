"""The curve over the scrubber: it tells what the grid tells, minute by minute, to whom it may."""

import re
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.reliability.facade import fleet_curve
from apps.reliability.fleet_grid.values import FleetQuestion
from apps.reliability.fleet_grid.worst_curve import WorstPart
from apps.sharing.models import LedgerEntry
from apps.sharing.terms import Level, Place, SharingRule
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast.agreements import agreed
from tests.cast.fleet_world import (
    HOT,
    OURS,
    REPLAYS,
    TEMPERATURE,
    THEIRS,
    FleetWorld,
    xid,
)
from tests.cast.incidents import actor
from tests.web.conftest import Browser
from tests.web.markup import one_line

pytestmark = pytest.mark.django_db


def _get(
    world: FleetWorld, browser: Browser, reader: Organization, more: str = "curve/", **query: str
) -> Any:
    path = f"/o/{reader.slug}/fleet/{world.cluster.slug}/{more}"
    return browser(reader).get(path, query)


def _curve(world: FleetWorld, browser: Browser, reader: Organization, **query: str) -> str:
    answer = _get(world, browser, reader, **{"metric": TEMPERATURE, **query})
    assert answer.status_code == 200
    return one_line(answer.content.decode())


def _shows(world: FleetWorld, reader: Organization, rule: SharingRule) -> None:
    now = timezone.now()  # noqa: TID251  the page reads the clock
    agreed(world.operator, reader, world.cluster, terms={world.operator.slug: [rule]}, now=now)


@pytest.mark.parametrize("metric", [TEMPERATURE, REPLAYS])
def test_each_point_is_what_the_grid_tells_of_that_minute(
    world: FleetWorld, browser: Browser, metric: str
) -> None:
    with organization_scope(world.operator.pk):
        curve = fleet_curve.fleet_curve(
            actor=actor(world.operator),
            asked=FleetQuestion(cluster=world.cluster.slug, signal=metric, at=world.at),
            channel=None,
            now=world.at,
        )
    assert curve.points[-1].at == world.at
    for point in curve.points[-25::6]:
        asked = {"metric": metric, "at": point.at.isoformat()}
        grid = _get(world, browser, world.operator, "values/", **asked).json()
        assert round(10 * (point.distance or 0)) == max(
            each for each in grid["far"] if each is not None
        )


@pytest.mark.parametrize("metric", [TEMPERATURE, REPLAYS])
def test_seldom_looks_tell_the_same_of_the_minutes_that_they_look_at(
    world: FleetWorld, monkeypatch: pytest.MonkeyPatch, metric: str
) -> None:
    def curve() -> dict[datetime, WorstPart]:
        found = fleet_curve.fleet_curve(
            actor=actor(world.operator),
            asked=FleetQuestion(cluster=world.cluster.slug, signal=metric, at=world.at),
            channel=None,
            now=world.at,
        )
        return {each.at: each for each in found.points if each.distance is not None}

    with organization_scope(world.operator.pk):
        often = curve()
        monkeypatch.setattr(fleet_curve, "MOST_CELLS", 32 * 120)
        seldom = curve()
    assert len(often) > 4 * len(seldom) > 8
    assert all(often[at] == each for at, each in seldom.items())


def test_where_it_was_worst_is_said_and_leads_there(world: FleetWorld, browser: Browser) -> None:
    curve = _curve(world, browser, world.operator)
    place = f"GPU {HOT[1]} on {HOT[0]}: "
    assert re.search(place + r"[0-9.]{3,4} deviations from its peers", curve)
    assert "Furthest from its peers (drawn from 0 to 10.5 robust standard deviations):" in curve
    assert f"at={world.at:%Y-%m-%dT%H}".replace(":", "%3A")[:10] in curve
    assert "of what your sources measured, every 1 min" in curve
    assert "<script" not in curve
    assert "style=" not in curve


def test_a_host_or_a_session_narrows_it_and_its_peers_stay(
    world: FleetWorld, browser: Browser
) -> None:
    assert HOT[0] not in _curve(world, browser, world.operator, host=THEIRS[0])
    assert HOT[0] in _curve(world, browser, world.operator, session=world.session.public_id)
    none = _curve(world, browser, world.operator, session="SES-NONE")
    assert "nothing is known of it in this time" in none
    assert "<svg" not in none  # hatch would say that nobody told
    assert "every" not in none


def test_an_xid_is_marked_where_the_kernel_printed_it(world: FleetWorld, browser: Browser) -> None:
    xid(world, host="gpu002", pci="0000:83:00.0", code=79, at=world.at - timedelta(minutes=5))
    assert "Xid 79 gpu002" in _curve(world, browser, world.operator)
    assert "Xid 79" not in _curve(world, browser, world.tenant)


def test_who_measures_nothing_reads_what_others_show_as_such(
    world: FleetWorld, browser: Browser
) -> None:
    assert "nothing is known of it" in _curve(world, browser, world.tenant)
    rule = SharingRule(data="metrics:gpu", level=Level.FULL, where=Place.OWN_SESSIONS)
    _shows(world, world.tenant, rule)
    curve = _curve(world, browser, world.tenant)
    assert HOT[0] in curve
    assert f"of what {world.operator.name} measured and shows you" in curve
    assert not any(host in curve for host in THEIRS)
    with organization_scope(world.operator.pk):
        look = LedgerEntry.objects.get()  # one look, however many instants it has
    assert (look.subject_kind, look.subject) == ("fleet", world.cluster.slug)
    assert HOT[0] not in _curve(world, browser, world.other)


def test_what_is_redacted_hides_hosts_and_of_a_signal_nothing_is_drawn(
    world: FleetWorld, browser: Browser
) -> None:
    _shows(world, world.vendor, SharingRule(data="metrics:gpu", level=Level.REDACTED))
    curve = _curve(world, browser, world.vendor)
    assert "polyline" in curve
    assert not any(host in curve for host in (*OURS, *THEIRS))
    _shows(world, world.other, SharingRule(data="metrics:gpu", level=Level.SIGNAL))
    assert "polyline" not in _curve(world, browser, world.other)


def test_an_organization_outside_of_the_cluster_finds_no_curve(
    world: FleetWorld, browser: Browser
) -> None:
    assert _get(world, browser, world.outsider, metric=TEMPERATURE).status_code == 404
    assert _get(world, browser, world.operator, metric="gpu.none").status_code == 400


def test_of_many_parts_fewer_instants_are_looked_at_and_that_is_said(
    world: FleetWorld, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fleet_curve, "MOST_CELLS", 32 * 120)
    assert "every 6 min" in _curve(world, browser, world.operator)


def test_the_worst_node_stands_beside_the_grid_from_the_start(
    world: FleetWorld, browser: Browser
) -> None:
    page = one_line(_get(world, browser, world.operator, "").content.decode())
    panel = page.partition('id="fleet-node"')[2].partition("</aside>")[0]
    assert f">{HOT[0]}</h2>" in panel
    assert "Least like its peers" in panel
    assert "93 °C" in panel
    at = world.at - timedelta(minutes=5)
    xid(world, host="gpu005", pci="0000:83:00.0", code=79, at=at)
    page = one_line(_get(world, browser, world.operator, "").content.decode())
    panel = page.partition('id="fleet-node"')[2].partition("</aside>")[0]
    assert ">gpu005</h2>" in panel
    assert "Hit by an Xid in the last hour" in panel
    ask = {"metric": TEMPERATURE, "at": (at - timedelta(minutes=1)).isoformat()}
    unchosen = _get(world, browser, world.operator, f"nodes/{HOT[0]}/", why="1", **ask)
    assert "Least like its peers" in unchosen.content.decode()
    chosen = _get(world, browser, world.operator, f"nodes/{HOT[0]}/", **ask)
    assert "Least like its peers" not in chosen.content.decode()
    hidden = one_line(_get(world, browser, world.tenant, "").content.decode())
    assert "Choose a node in the grid." in hidden


def test_where_nothing_is_told_now_the_last_time_is_named_and_leads_there(
    world: FleetWorld, browser: Browser
) -> None:
    later = (world.at + timedelta(minutes=30)).isoformat()
    path = f"/o/{world.operator.slug}/fleet/{world.cluster.slug}/"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(timezone, "now", lambda: world.at + timedelta(minutes=31))
        page = one_line(browser(world.operator).get(path, {"at": later}).content.decode())
    assert "The last value is of" in page
    assert f"at={world.at:%Y-%m-%dT%H}" in page
