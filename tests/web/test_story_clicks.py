"""Each piece of the demo's story is two clicks from Home for whom it concerns, and for nobody else.

A small state is told by the parties over HTTP, as the demo's simulator tells it.
"""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.fleet.models import ParticipationRole, Session
from apps.operations.demo_story import clicks_to
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.pushes import Cast, cast, push_json
from tests.cast.recovery_events import SESSION, story, tell
from tests.web.conftest import Browser

pytestmark = pytest.mark.django_db

CHAIN, SLOW = "solar-100b-1", "solar-vl-1"
LEMON, OUT = "gpu021", "gpu046"
HOSTS = ["gpu001", "gpu002"]


@pytest.fixture
def people() -> Cast:
    """Three sessions, one node that was drained three times, and one that is out."""
    made = cast()
    for number, state in ((1, "failed"), (2, "failed"), (3, "running")):
        _attempt(made, CHAIN, number, state)
    _attempt(made, SLOW, 1, "finished")
    _attempt(made, SESSION, 1, "running")
    tell(made, story())
    drains = [_drain(LEMON, days, until=days - 1) for days in (23, 14, 6)]
    body = {"exclusions": [*drains, _drain(OUT, 0.01)]}
    answer = push_json("/api/v1/exclusions", made.token(made.operator), body)
    assert answer.json()["accepted"] == 7  # four drains, three ends
    return made


def _ago(days: float) -> str:
    return (timezone.now() - timedelta(days=days)).isoformat()  # noqa: TID251  pages read the clock


def _attempt(people: Cast, session: str, number: int, state: str) -> None:
    told: dict[str, Any] = {"session": session, "attempt": number, "project": "solar"}
    began = 1 - 0.1 * number
    events = [told | {"state": "running", "at": _ago(began), "hosts": HOSTS, "world_size": 16}]
    if state != "running":
        events.append(told | {"state": state, "at": _ago(began - 0.05)})
    for event in events:
        answer = push_json("/api/v1/session-events", people.token(people.platform), event)
        assert answer.status_code == 200


def _drain(host: str, days: float, *, until: float | None = None) -> dict[str, str]:
    drain = {"host": host, "kind": "drain", "at": _ago(days), "reason": "Xid 79"}
    return drain if until is None else drain | {"until": _ago(until)}


def _reader(browser: Browser, who: Organization) -> Callable[[str], str]:
    client = browser(who)
    return lambda path: str(client.get(path, follow=True).content.decode())


def _clicks(browser: Browser, who: Organization, path: str) -> int | None:
    address = f"/o/{who.slug}/{path}"
    return clicks_to(path=address, home=f"/o/{who.slug}/", read=_reader(browser, who))


def _session_path(people: Cast, name: str) -> str:
    with organization_scope(people.tenant.pk):
        return f"sessions/{Session.objects.get(name=name).public_id}/"


@pytest.mark.parametrize("name", [CHAIN, SLOW, SESSION])
def test_its_tenant_finds_a_session_and_another_tenant_does_not(
    people: Cast, browser: Browser, name: str
) -> None:
    path = _session_path(people, name)
    assert _clicks(browser, people.tenant, path) in {1, 2}
    assert _clicks(browser, people.other, path) is None
    assert browser(people.other).get(f"/o/{people.other.slug}/{path}").status_code == 404


@pytest.mark.parametrize("host", [LEMON, OUT])
def test_who_runs_the_cluster_finds_the_node_that_is_or_was_left_out(
    people: Cast, browser: Browser, host: str
) -> None:
    path = f"nodes/{people.cluster.slug}/{host}/"
    assert _clicks(browser, people.operator, path) == 2
    assert "Xid 79" in _reader(browser, people.operator)(f"/o/{people.operator.slug}/{path}")


def test_a_tenant_is_told_that_a_node_is_out_and_not_why(people: Cast, browser: Browser) -> None:
    path = f"/o/{people.tenant.slug}/nodes/{people.cluster.slug}/{OUT}/"
    page = _reader(browser, people.tenant)(path)
    assert "hidden by policy" in page
    assert "Xid 79" not in page


def test_the_storage_path_is_found_by_its_vendor_and_by_the_tenant(
    people: Cast, browser: Browser
) -> None:
    vendor = make.organization()
    part = ParticipationRole.STORAGE_VENDOR
    make.participation(organization=vendor, cluster=people.cluster, part=part)
    for who in (vendor, people.tenant):
        assert _clicks(browser, who, "storage-path/") == 2
        answer = browser(who).get(f"/o/{who.slug}/storage-path/")
        assert answer["Location"] == f"/o/{who.slug}/clusters/{people.cluster.slug}/storage-path/"
    stranger = make.organization()
    path = f"/o/{stranger.slug}/clusters/{people.cluster.slug}/storage-path/"
    assert browser(stranger).get(path).status_code == 404
