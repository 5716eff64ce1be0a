"""No value makes an answer of 500, stops a worker, or hides what somebody else is to read.

Seeded, so that a failure comes again. PORTAL_FUZZ_SEED and PORTAL_FUZZ_TIMES ask for others, and
for more of them: `make chaos` sends thirty times as many, of a seed of that day.
"""
# ruff: noqa: S311  chance without secrets

import os
from collections.abc import Iterator, Mapping
from datetime import datetime
from math import inf
from random import Random
from typing import Any
from urllib.parse import quote

import pytest
from django.core.signals import got_request_exception
from django.db import transaction
from django.test import Client
from django.utils import timezone

from apps.incidents.correlation.attempts import diagnosis_cooldown
from apps.telemetry.models import Batch, BatchState
from apps.tenancy.models import FailedWork, MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast.clients import Asking, member, token
from tests.cast.pushes import token as ingest_token
from tests.contracts.route_matrix import Route, inside
from tests.contracts.world import World, build
from tests.fuzz import bodies, doors, values
from tests.fuzz.bodies import Pushed
from tests.fuzz.drain import drained
from tests.fuzz.watched import Watched

pytestmark = [pytest.mark.django_db, pytest.mark.sweep]
SEED = int(os.environ.get("PORTAL_FUZZ_SEED", "11"))
TIMES = int(os.environ.get("PORTAL_FUZZ_TIMES", "1"))
PUSHES = 100
PROBLEM = "application/problem+json"
OTLP = ("/v1/logs", "/v1/metrics")  # their refusals are in their protocol's own words
NOT_INSTALLED = 501  # a format whose extra is missing here says so
LISTED = {"incidents", "sessions", "sources", "clusters", "warnings", "nodes"}
FARTHEST_ZONE = "Pacific%2FKiritimati"


@pytest.fixture
def watched() -> Iterator[Watched]:
    """Whatever a view raises."""
    kept = Watched()
    got_request_exception.connect(kept.note)
    yield kept
    got_request_exception.disconnect(kept.note)


@pytest.fixture
def world(db: None) -> World:
    """One of each kind of thing, and nothing that waits."""
    made = build()
    with organization_scope(made.cast.tenant.pk):
        Batch.objects.update(state=BatchState.INTERPRETED)
    return made


def test_no_push_stops_the_portal_or_hides_an_incident(
    world: World, watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a slow machine a diagnosis rests after a look, by the clock; here it is asked at once.
    monkeypatch.setattr(diagnosis_cooldown, "FREE_SECONDS", inf)
    random, now = Random(SEED), _now()
    victims = world.cast.other_tenant
    before = _victim(world, now)
    senders = [world.cast.tenant, world.cast.operator]
    tokens = {each.pk: ingest_token(each, world.cast.cluster) for each in senders}
    bad = []
    for _ in range(PUSHES * TIMES):
        sender, push = random.choice(senders), _push(random, now)
        watched.asked = f"{push.address} {push.body[:300]!r}"
        answer = _sent(push, tokens[sender.pk])
        if answer.status_code >= 500 or not _is_said(push, answer):
            bad.append(f"{answer.status_code} {watched.asked}")

    assert bad == [], str(watched)
    assert drained(organizations=[*senders, victims], now=_now()) == []
    with organization_scope(*world.cast.ids):
        assert list(FailedWork.objects.values_list("kind", "error")) == []
    assert _incidents(victims) == before
    assert _unread(world, watched) == [], str(watched)


def test_no_question_of_a_machine_is_answered_by_an_error(world: World, watched: Watched) -> None:
    random, bad = Random(SEED + 1), []
    askers = [token(each) for each in (world.cast.tenant, world.cast.operator)]
    for route in doors.interface() * TIMES:
        asking = random.choice(askers)
        bad += _asked(asking, _read(route, asking, world, random), watched)
    paths = [path for path in doors.described()["paths"] if "{organization}" in path]
    for path in paths * TIMES:
        asking = random.choice(askers)
        slug = asking.organization.slug
        for ask in doors.calls(path=path, slug=slug, ids=world.ids, random=random):
            bad += _asked(asking, ask, watched)

    assert bad == [], str(watched)
    assert _unread(world, watched) == [], str(watched)


def test_no_form_is_answered_by_an_error(world: World, watched: Watched) -> None:
    random, bad = Random(SEED + 2), []
    askers = [member(each, MemberRole.ADMIN) for each in (world.cast.tenant, world.cast.operator)]
    known = {
        path: (asking, fields)
        for asking in askers
        for path, fields in _forms(asking, world).items()
    }
    for route in doors.pages() * TIMES:
        asking = random.choice(askers)
        bad += _asked(asking, _read(route, asking, world, random), watched)
    anything = {name: ["1"] for name in doors.parameters()}
    for route in doors.pages() * TIMES:
        asking = random.choice(askers)
        path = route.path(asking.organization.slug, world.ids)
        bad += _asked(asking, doors.filled(path=path, fields=anything, random=random), watched)
    for path, (asking, fields) in list(known.items()) * TIMES:
        bad += _asked(asking, doors.filled(path=path, fields=fields, random=random), watched)

    assert known
    assert bad == [], str(watched)
    assert _unread(world, watched) == [], str(watched)


def test_every_kind_of_value_is_among_those_that_are_sent() -> None:
    # Else a change of the dice could leave the tests above with nothing odd to send.
    random, document = Random(SEED), {"a": {"b": [1, "x"]}, "c": None}
    made = [values.poisoned(document, random) for _ in range(2000)]

    for sign in (b"\\u00b2", b"NaN", b"0001-01-01", b"\\ud800", b"\\u0000", b"__proto__", b"[[["):
        assert any(sign in body for body in made), sign


def _now() -> datetime:
    return timezone.now()  # noqa: TID251  receivers read the clock


def _victim(world: World, now: datetime) -> dict[str, str]:
    """Let a third party have an incident; return its incidents."""
    owner = world.cast.other_tenant
    clear_text = ingest_token(owner, world.cast.cluster)
    told = {"session": "victim", "hosts": ["gpu020"], "at": now.isoformat()}
    line = b"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a"
    pushes = [
        Pushed(path="/api/v1/session-events", body=values.as_json(told | {"state": state}))
        for state in ("running", "failed")
    ]
    labels = {"session": "victim", "host": "gpu020", "rank": "0", "stream": "session"}
    pushes.append(Pushed(path="/api/v1/logs", body=line, content_type="text/plain", query=labels))
    for push in pushes:
        assert _sent(push, clear_text).status_code == 200
    assert drained(organizations=[owner], now=_now()) == []
    found = _incidents(owner)
    assert found
    return found


def _incidents(owner: Organization) -> dict[str, str]:
    """Return id → cause, of the incidents that an organization reads."""
    listed = token(owner).get("incidents/", limit=200).json()["results"]
    return {row["id"]: row["cause"] for row in listed}


def _push(random: Random, now: datetime) -> Pushed:
    kind = random.randrange(10)
    if kind < 3:
        return bodies.as_text(random=random)
    if kind < 5:
        path = random.choice(("/loki/api/v1/push", "/api/v1/write", "/v1/logs", "/v1/metrics"))
        return bodies.as_protobuf(path=path, now=now, random=random)
    path = random.choice(sorted(bodies.documents(now=now)))
    return bodies.as_json(path=path, now=now, random=random)


def _sent(push: Pushed, clear_text: str) -> Any:
    return Client(raise_request_exception=False).generic(
        "POST",
        push.address,
        push.body,
        content_type=push.content_type,
        headers={"Authorization": f"Bearer {clear_text}", **push.headers},
    )


def _is_said(push: Pushed, answer: Any) -> bool:
    """Say whether a refusal is told as its protocol has it."""
    return answer.status_code < 400 or push.path in OTLP or answer["Content-Type"] == PROBLEM


def _read(route: Route, asking: Asking, world: World, random: Random) -> doors.Ask:
    return doors.reads(route=route, slug=asking.organization.slug, ids=world.ids, random=random)


def _forms(asking: Asking, world: World) -> dict[str, dict[str, list[str]]]:
    """Return the forms of all pages that somebody may look at."""
    found: dict[str, dict[str, list[str]]] = {}
    for route in doors.pages():
        answer = asking.client.get(route.path(asking.organization.slug, world.ids))
        found |= doors.forms(page=answer.content) if answer.status_code == 200 else {}
    return {path: fields for path, fields in found.items() if path.startswith("/o/")}


def _asked(asking: Asking, ask: doors.Ask, watched: Watched) -> list[str]:
    """Ask, undo what would take away what others need, and return what was wrong."""
    watched.asked = f"{ask.method} {ask.path[:300]} {ask.body[:300]!r}"
    client = asking.client
    client.raise_request_exception = False
    client.cookies["zone"] = FARTHEST_ZONE
    with transaction.atomic():
        answer = client.generic(ask.method, ask.path, ask.body, content_type=ask.content_type)
        is_wrong = _is_wrong(ask.path, answer, watched)
        transaction.set_rollback(not ask.is_kept)
    return [f"{answer.status_code} {watched.asked}"] if is_wrong else []


def _is_wrong(path: str, answer: Any, watched: Watched) -> bool:
    try:
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    except Exception as error:  # noqa: BLE001  what it is stands in the assertion
        watched.keep(error)
        return True
    if answer.status_code < 400 or answer.status_code == 405:
        return False
    kind = PROBLEM if path.startswith("/api/") else "text/html"
    is_broken = answer.status_code >= 500 and answer.status_code != NOT_INSTALLED
    return is_broken or bool(body and not answer["Content-Type"].startswith(kind))


def _unread(world: World, watched: Watched) -> list[str]:
    """Read all there is as each party; return what could not be."""
    bad = []
    for organization in (world.cast.tenant, world.cast.operator, world.cast.other_tenant):
        person, machine = member(organization, MemberRole.ADMIN), token(organization)
        listed = {kind: _listed(machine, kind) for kind in LISTED}
        for route in inside():
            for ids in _all_ids(route, world, listed):
                ask = doors.Ask(method="GET", path=route.path(organization.slug, ids))
                bad += _asked(person if route.is_page else machine, ask, watched)
    return bad


def _listed(machine: Asking, kind: str) -> list[str]:
    """Return the names of the first things of a kind."""
    rows = machine.get(f"{kind}/", limit=5).json().get("results", [])
    names = [each.get("id") or each.get("public_id") or each.get("slug") for each in rows]
    return [name for name in names if name]


def _all_ids(route: Route, world: World, listed: Mapping[str, list[str]]) -> list[dict[str, str]]:
    """Return the ids of the first things of the kinds that a path names."""
    kinds = set(route.objects[:1]) & LISTED
    named = [{kind: quote(name, safe=":")} for kind in kinds for name in listed[kind]]
    return [world.ids, *({**world.ids, **each} for each in named)]
