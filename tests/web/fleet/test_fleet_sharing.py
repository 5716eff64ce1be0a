"""Who sees which part of a fleet: by agreement, and nobody from outside."""

from datetime import datetime
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.fleet.models import Participation
from apps.sharing.models import LedgerEntry
from apps.sharing.terms import Level, Place, SharingRule
from apps.tenancy.models import Membership, Organization
from apps.tenancy.scope import organization_scope
from tests.cast.agreements import agreed
from tests.cast.fleet_world import (
    HOT,
    OURS,
    TEMPERATURE,
    THEIRS,
    FleetWorld,
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


def _shows(world: FleetWorld, reader: Organization, rule: SharingRule) -> None:
    now = timezone.now()  # noqa: TID251  the page reads the clock
    terms = {world.operator.slug: [rule]}
    agreed(world.operator, reader, world.cluster, terms=terms, now=now)


def test_an_organization_outside_of_the_cluster_finds_nothing(
    world: FleetWorld, browser: Browser
) -> None:
    for more in ("", "values/", "nodes/gpu001/"):
        path = _path(world, world.outsider, more)
        query = {"metric": TEMPERATURE, "at": world.at.isoformat()}
        assert browser(world.outsider).get(path, query).status_code == 404
        assert browser(world.operator).get(_path(world, world.outsider, more)).status_code == 404


def test_who_is_not_signed_in_is_led_to_the_door(world: FleetWorld) -> None:
    for more in ("", "values/", "nodes/gpu001/"):
        answer = Client().get(_path(world, world.operator, more))
        assert answer.status_code == 302
        assert "sign-in" in answer.headers["Location"]


def test_a_tenant_without_an_agreement_reads_that_it_is_hidden(
    world: FleetWorld, browser: Browser
) -> None:
    page = _page(world, browser, world.tenant)
    assert "held by others, hidden by policy" in page
    told = _values(world, browser, world.tenant, world.at)
    assert tuple(told["hosts"]) == OURS
    assert told["standing"] == "xxxx"
    assert told["values"] == []


def test_a_tenant_sees_the_nodes_of_its_own_sessions_as_agreed(
    world: FleetWorld, browser: Browser
) -> None:
    rule = SharingRule(data="metrics:gpu", level=Level.FULL, where=Place.OWN_SESSIONS)
    _shows(world, world.tenant, rule)
    told = _values(world, browser, world.tenant, world.at)
    assert tuple(told["hosts"]) == OURS
    assert _of(told, HOT[0])[HOT[1]] == 93
    with organization_scope(world.operator.pk):
        look = LedgerEntry.objects.get()
    assert (look.subject_kind, look.subject) == ("fleet", world.cluster.slug)
    other = _values(world, browser, world.other, world.at)
    assert tuple(other["hosts"]) == THEIRS
    assert other["values"] == []


def test_what_is_redacted_hides_hosts_of_others(world: FleetWorld, browser: Browser) -> None:
    _shows(world, world.vendor, SharingRule(data="metrics:gpu", level=Level.REDACTED))
    told = _values(world, browser, world.vendor, world.at)
    assert len(told["hosts"]) == 8
    assert not set(told["hosts"]) & {*OURS, *THEIRS}
    assert 93 / told["step"] in told["values"]


def test_of_a_signal_there_is_nothing_to_draw(world: FleetWorld, browser: Browser) -> None:
    _shows(world, world.vendor, SharingRule(data="metrics:gpu", level=Level.SIGNAL))
    assert _values(world, browser, world.vendor, world.at)["values"] == []


def test_a_rule_for_another_layer_shows_no_gpu(world: FleetWorld, browser: Browser) -> None:
    _shows(world, world.vendor, SharingRule(data="metrics:network", level=Level.FULL))
    assert _values(world, browser, world.vendor, world.at)["values"] == []


def test_who_left_the_cluster_reads_nothing_more(world: FleetWorld, browser: Browser) -> None:
    _shows(world, world.vendor, SharingRule(data="metrics:gpu", level=Level.FULL))
    assert _values(world, browser, world.vendor, world.at)["values"]
    with organization_scope(world.vendor.pk):
        Participation.objects.filter(organization=world.vendor).delete()
    path = _path(world, world.vendor, "values/")
    query = {"metric": TEMPERATURE, "at": world.at.isoformat()}
    assert browser(world.vendor).get(path, query).status_code == 404


def test_who_no_longer_belongs_to_the_organization_reads_nothing(
    world: FleetWorld, browser: Browser
) -> None:
    client = browser(world.operator)
    assert client.get(_path(world, world.operator)).status_code == 200
    with organization_scope(world.operator.pk):
        Membership.objects.filter(organization=world.operator).delete()
    assert client.get(_path(world, world.operator)).status_code == 404
