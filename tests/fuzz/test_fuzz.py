"""No value makes an answer of 500, stops a worker, or hides what somebody else is to read."""

import os
import traceback
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any
from urllib.parse import quote

import pytest
from django.core.signals import got_request_exception
from django.db import transaction
from django.test import Client
from django.utils import timezone

from apps.telemetry.models import Batch, BatchState
from apps.tenancy.models import MemberRole
from apps.tenancy.scope import organization_scope
from tests.api.receivers.pushing import token as ingest_token
from tests.api.v1.asking import Asking, member, token
from tests.contracts.route_matrix import inside
from tests.contracts.world import World, build
from tests.fuzz import bodies, doors
from tests.fuzz.bodies import Pushed
from tests.fuzz.drain import drained

pytestmark = pytest.mark.django_db
SEED = int(os.environ.get("PORTAL_FUZZ_SEED", "11"))
# How many times as much as `make test` asks for.
TIMES = int(os.environ.get("PORTAL_FUZZ_TIMES", "1"))
PROBLEM = "application/problem+json"
OTLP = ("/v1/logs", "/v1/metrics")


class Watched:
    """The errors that nobody caught, by where they come from."""

    def __init__(self) -> None:
        self.found: Counter[str] = Counter()
        self.examples: dict[str, str] = {}
        self.last = ""

    def note(self, **told: Any) -> None:
        """Keep an error that is being handled."""
        import sys

        error = sys.exc_info()[1]
        if error is not None:
            self.keep(error)

    def keep(self, error: BaseException) -> None:
        """Keep an error under its place in the code."""
        frames = traceback.extract_tb(error.__traceback__)
        ours = [f for f in frames if "/apps/" in f.filename or "/portal/" in f.filename]
        last = (ours or frames)[-1]
        where = f"{type(error).__name__} {last.filename.rpartition('/wt-')[2]}:{last.lineno} {str(error)[:100]!r}"
        self.found[where] += 1
        self.examples.setdefault(where, self.last)

    def __str__(self) -> str:
        return "\n".join(
            f"{count} x {where}\n      {self.examples[where][:300]}"
            for where, count in self.found.most_common()
        )


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


def test_no_push_is_answered_by_an_error_of_the_server(world: World, watched: Watched) -> None:
    random, now = Random(SEED), timezone.now()
    senders = [world.cast.tenant, world.cast.operator]
    tokens = {each.pk: ingest_token(each, world.cast.cluster) for each in senders}
    bad = []
    for _ in range(900 * TIMES):
        sender, push = random.choice(senders), _push(random, now)
        watched.last = f"{push.address} {push.body[:200]!r}"
        answer = _sent(push, tokens[sender.pk])
        if answer.status_code >= 500 or not _is_said(push, answer):
            bad.append((answer.status_code, watched.last))
    print(watched)
    assert not bad, bad[:10]
    failed = drained(organizations=senders, now=timezone.now())
    assert failed == []
    assert _read_everything(world, watched) == []


def test_no_question_of_a_machine_is_answered_by_an_error(world: World, watched: Watched) -> None:
    random, bad = Random(SEED + 1), []
    askers = [token(each) for each in (world.cast.tenant, world.cast.operator)]
    for route in doors.interface() * 3 * TIMES:
        asking = random.choice(askers)
        bad += _asked(asking, _read(route, asking, world, random), watched)
    paths = [path for path in doors.described()["paths"] if "{organization}" in path]
    for path in paths * 6 * TIMES:
        asking = random.choice(askers)
        for ask in doors.calls(
            path=path, slug=asking.organization.slug, ids=world.ids, random=random
        ):
            bad += _asked(asking, ask, watched)
    print(watched)
    assert bad == []
    assert _read_everything(world, watched) == []


def test_no_form_is_answered_by_an_error(world: World, watched: Watched) -> None:
    random, bad = Random(SEED + 2), []
    askers = [member(each, MemberRole.ADMIN) for each in (world.cast.tenant, world.cast.operator)]
    known: dict[str, dict[str, list[str]]] = {}
    for asking in askers:
        for route in doors.pages():
            path = route.path(asking.organization.slug, world.ids)
            answer = asking.client.get(path)
            if answer.status_code == 200:
                known |= doors.forms(page=answer.content)
    for route in doors.pages() * 4 * TIMES:
        asking = random.choice(askers)
        bad += _asked(asking, _read(route, asking, world, random), watched)
    anything = {name: ["1"] for name in doors.parameters()}
    for route in doors.pages() * 3 * TIMES:
        asking = random.choice(askers)
        path = route.path(asking.organization.slug, world.ids)
        ask = doors.filled(path=path, fields=known.get(path) or anything, random=random)
        bad += _asked(asking, ask, watched)
    for path, fields in list(known.items()) * 4 * TIMES:
        asking = next((a for a in askers if f"/{a.organization.slug}/" in path), askers[0])
        bad += _asked(asking, doors.filled(path=path, fields=fields, random=random), watched)
    print(watched)
    assert bad == []
    assert _read_everything(world, watched) == []


def _read(route: Any, asking: Asking, world: World, random: Random) -> doors.Ask:
    return doors.reads(route=route, slug=asking.organization.slug, ids=world.ids, random=random)


def _asked(asking: Asking, ask: doors.Ask, watched: Watched) -> list[str]:
    """Ask, undo what would take away what others need, and return what was wrong."""
    watched.last = f"{ask.method} {ask.path[:300]} {ask.body[:300]!r}"
    client = asking.client
    client.raise_request_exception = False
    client.cookies["zone"] = "Pacific%2FKiritimati"  # the farthest from UTC
    with transaction.atomic():
        answer = client.generic(ask.method, ask.path, ask.body, content_type=ask.content_type)
        wrong = _wrong(ask.path, answer, watched)
        transaction.set_rollback(not ask.is_kept)
    return [f"{answer.status_code} {watched.last}"] if wrong else []


def _wrong(path: str, answer: Any, watched: Watched) -> bool:
    try:
        body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    except Exception as error:
        watched.keep(error)
        return True
    if answer.status_code >= 500:
        return True
    if answer.status_code < 400 or answer.status_code == 405:
        return False
    if path.startswith("/api/"):
        return answer["Content-Type"] != PROBLEM
    return bool(body) and not answer["Content-Type"].startswith("text/html")


def _read_everything(world: World, watched: Watched) -> list[str]:
    """Read all there is as each party; return what could not be."""
    bad = []
    for organization in (world.cast.tenant, world.cast.operator, world.cast.other_tenant):
        person, machine = member(organization, MemberRole.ADMIN), token(organization)
        for route in inside():
            for ids in _all_ids(machine, route, world):
                path = route.path(organization.slug, ids)
                ask = doors.Ask(method="GET", path=path)
                bad += _asked(person if route.is_page else machine, ask, watched)
    print(watched)
    return bad


def _all_ids(machine: Asking, route: Any, world: World) -> list[dict[str, str]]:
    """Return the ids of the first things of the kinds that a path names."""
    found = [world.ids]
    for kind in route.objects[:1]:
        if kind in {"incidents", "sessions", "sources", "clusters", "episodes", "nodes"}:
            listed = machine.get(f"{kind}/", limit=8).json().get("results", [])
            names = [each.get("id") or each.get("public_id") or each.get("slug") for each in listed]
            found += [{**world.ids, kind: quote(name, safe=":")} for name in names if name]
    return found


def _push(random: Random, now: Any) -> Pushed:
    kind = random.randrange(10)
    if kind < 3:
        return bodies.as_text(random=random)
    if kind < 5:
        path = random.choice(("/loki/api/v1/push", "/api/v1/write", "/v1/logs", "/v1/metrics"))
        return bodies.as_protobuf(path=path, now=now, random=random)
    path = random.choice(sorted(bodies.documents(now=now)))
    return bodies.as_json(path=path, now=now, random=random)


def _sent(push: Pushed, token: str) -> Any:
    client = Client(raise_request_exception=False)
    return client.generic(
        "POST",
        push.address,
        push.body,
        content_type=push.content_type,
        headers={"Authorization": f"Bearer {token}", **push.headers},
    )


def _is_said(push: Pushed, answer: Any) -> bool:
    """Say whether a refusal is told as its protocol has it."""
    return answer.status_code < 400 or push.path in OTLP or answer["Content-Type"] == PROBLEM
