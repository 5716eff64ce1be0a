"""What belongs to one party is met by no other: not in pages, REST, exports, errors or rows."""

import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from copy import deepcopy
from itertools import chain
from typing import Any

import pytest
import redis
from django.apps import apps
from django.conf import settings
from django.db import connection
from django.test import Client

from apps.fleet.models import ParticipationRole
from apps.operations.process_log.log_lines import JsonLines
from apps.tenancy.models import MemberRole, Membership, Organization, OwnedModel
from apps.tenancy.scope import organization_scope
from apps.web.shell.address_filters import PARAMETERS
from tests.apps.incidents.leaving import leave
from tests.cast.clients import member, token
from tests.cast.standing import standing
from tests.contracts.canaries import KINDS, Planted, plant
from tests.contracts.canary_paths import paths_of
from tests.contracts.route_matrix import Route, inside
from tests.contracts.shared_canaries import canary
from tests.contracts.told_canaries import step_of

pytestmark = pytest.mark.sweep
READERS = ("operator", "platform", "tenant", "other tenant", "vendor", "stranger")
ODD = "?status=x&limit=-1&cursor=x&format=x&since=x"
# Rows that several parties read: what they say must be nobody's own.
SHARED = ("incidents_incident", "incidents_hypothesis", "incidents_incidentparty")


sown = standing(plant)


class LogLines(logging.Handler):
    """What the portal's processes would write to their log."""

    def __init__(self) -> None:
        super().__init__()
        self.told: list[str] = []
        self.setFormatter(JsonLines())

    def emit(self, record: logging.LogRecord) -> None:
        """Keep the line."""
        self.told.append(self.format(record))


@pytest.fixture
def log_lines() -> Iterator[LogLines]:
    """Lines that are logged during a test."""
    kept = LogLines()
    logging.getLogger().addHandler(kept)
    yield kept
    logging.getLogger().removeHandler(kept)


@pytest.fixture
def planted(sown: Planted, db: None) -> Planted:
    """Words of every party wherever its things are kept."""
    return deepcopy(sown)


@pytest.mark.parametrize("reader", READERS)
def test_nobody_meets_the_words_of_others(
    reader: str,
    planted: Planted,
    log_lines: LogLines,
    record_property: Callable[[str, object], None],
) -> None:
    organization = planted.everyone[reader]
    forbidden = planted.forbidden(organization)
    # Both ways of asking run through the same door: each route is asked in its usual one.
    person = member(organization, MemberRole.ADMIN).client
    machine = token(organization).client

    bodies = [
        (path, body)
        for route in inside()
        for path in paths_of(route, organization, planted)
        for body in (_shown(person, path) if route.is_page else _answered(machine, route, path))
    ]
    record_property("counted", len(bodies))
    assert {(path, word) for path, body in bodies for word in forbidden if word in body} == set()
    assert log_lines.told
    assert [line for line in log_lines.told if "CANARY-" in line] == []
    assert "CANARY-" not in _cached()


@pytest.mark.parametrize("standing_as", ["viewer", "responder", "left party", "former member"])
def test_nobody_else_meets_the_words_of_others(standing_as: str, planted: Planted) -> None:
    # Who may do less than an admin, or is gone: asked for each page and thing, in its usual way.
    organization, person = _stands_as(standing_as, planted)
    forbidden = planted.forbidden(organization)
    if standing_as == "former member":
        forbidden |= {canary(organization, what) for what in KINDS}

    met = {
        (path, word)
        for route in inside()
        for path in paths_of(route, organization, planted, last=True)
        for body in [_text(person.get(path))]
        for word in forbidden
        if word in body
    }
    assert met == set()


def _stands_as(standing_as: str, planted: Planted) -> tuple[Organization, Client]:
    cast = planted.cast
    if standing_as == "viewer":
        return planted.platform, member(planted.platform, MemberRole.VIEWER).client
    if standing_as == "responder":
        return cast.operator, member(cast.operator, MemberRole.RESPONDER).client
    if standing_as == "left party":
        person = member(cast.vendor, MemberRole.ADMIN).client
        leave(cast.vendor, cast, ParticipationRole.GPU_VENDOR)
        return cast.vendor, person
    person = member(cast.operator, MemberRole.ADMIN).client
    with organization_scope(cast.operator.pk):
        Membership.objects.for_organization(cast.operator).filter(
            user=person.session["_auth_user_id"]
        ).delete()
    return cast.operator, person


@pytest.mark.parametrize("reader", ["operator", "platform", "tenant", "other tenant", "vendor"])
def test_a_party_meets_its_own_words(reader: str, planted: Planted) -> None:
    # Else the test above would pass on an empty portal.
    organization = planted.everyone[reader]
    shared = planted.incidents[1].public_id
    asking = member(organization)

    body = _text(asking.get(f"incidents/{shared}/export"))
    assert all(canary(organization, what) in body for what in ("EVIDENCE", "FILE", "MOMENT"))
    assert canary(organization, "NOTE") in body
    assert canary(organization, "LINE") not in body
    read = _text(asking.get(f"incidents/{shared}/hypotheses/"))
    assert canary(organization, "LINE") in read
    assert canary(organization, "SOURCE") in _text(asking.get("sources/"))
    assert canary(organization, "VALUE") in _text(asking.get("warnings/"))


@pytest.mark.parametrize("reader", ["tenant", "other tenant"])
def test_a_tenant_meets_what_its_own_jobs_told(reader: str, planted: Planted) -> None:
    organization = planted.everyone[reader]
    number = ("tenant", "other tenant").index(reader)
    session = planted.sessions[number].public_id
    asking = member(organization)

    run = _text(asking.get(f"sessions/{session}/runs/1/"))
    assert str(step_of(organization)) in run
    recovery = _text(asking.get(f"sessions/{session}/recovery/1/"))
    assert canary(organization, "REPLICA") in recovery
    assert str(step_of(organization)) in recovery
    traces = _text(asking.get(f"sessions/{session}/stragglers/"))
    assert str(step_of(organization)) in traces
    assert str(step_of(organization)) in _text(asking.get("reliability/"))
    cluster = planted.cast.cluster.slug
    assert str(step_of(organization)) in _text(asking.get(f"clusters/{cluster}/storage-path/"))


@pytest.mark.parametrize("reader", ["operator", "platform", "tenant", "other tenant", "vendor"])
def test_a_party_meets_what_it_told_of_the_cluster(reader: str, planted: Planted) -> None:
    organization, cluster = planted.everyone[reader], planted.cast.cluster.slug
    asking = member(organization)

    assert canary(organization, "MOUNT") in _text(asking.get(f"clusters/{cluster}/storage-path/"))
    assert canary(organization, "REASON") in _text(asking.get(f"nodes/{cluster}:gpu001/history/"))
    own = [_text(asking.get(f"reports/{name}/")) for name in planted.reports]
    assert sum(canary(organization, "REPORT") in each for each in own) == 2


def test_two_parties_meet_what_they_say_to_each_other(planted: Planted) -> None:
    both = (planted.cast.operator, planted.platform)
    for reader in both:
        asking = member(reader)
        for folder, what in (("agreements", "AGREED"), ("evidence-requests", "ASKED")):
            read = _text(asking.get(f"{folder}/{planted.shared[folder]}/"))
            assert [canary(each, what) in read for each in both] == [True, True]
    assert canary(both[0], "GIVEN") in _text(member(both[0]).get("bundles/"))


@pytest.mark.django_db
@pytest.mark.parametrize("table", SHARED)
def test_a_shared_row_holds_nobodys_words(table: str, planted: Planted) -> None:
    with organization_scope(*(each.pk for each in planted.everyone.values())):
        rows = _as_text(table)

    assert rows
    assert "CANARY-" not in rows


@pytest.mark.django_db
def test_raw_sql_in_the_scope_of_one_reads_no_words_of_others(planted: Planted) -> None:
    for reader in planted.everyone.values():
        with organization_scope(reader.pk):
            read = "".join(_as_text(model._meta.db_table) for model in _owned())
        assert {word for word in planted.forbidden(reader) if word in read} == set()


@pytest.mark.parametrize("what", ["SECRET"])
def test_a_credential_is_nowhere_in_clear(what: str, planted: Planted) -> None:
    with organization_scope(*(each.pk for each in planted.everyone.values())):
        read = "".join(_as_text(model._meta.db_table) for model in _owned())

    assert "CANARY-" in read
    assert f"CANARY-{what}" not in read
    assert canary(planted.cast.operator, what).encode().hex() not in read


def _shown(person: Client, path: str) -> Iterator[str]:
    """Ask for a page, whole and as a script asks for its parts; none knows of other formats."""
    answer = person.get(path)
    yield _text(answer)
    if answer.status_code != 405:  # what is never read takes no question
        yield _text(person.get(path + ODD))
        yield _text(person.get(path, headers={"HX-Request": "true"}))
    yield _text(person.post(path, '{"text": 1}', content_type="application/json"))


def _answered(machine: Client, route: Route, path: str) -> Iterator[str]:
    answer = machine.get(path)
    yield _text(answer)
    if answer.status_code != 405:
        if "format" in route.parameters:
            yield _text(machine.get(f"{path}?format=csv"))
        yield _text(machine.get(path + ODD))
    yield _text(machine.post(path, '{"text": 1}', content_type="application/json"))


def _text(answer: Any) -> str:
    body: bytes = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return body.decode(errors="replace")


def _cached() -> str:
    """Return everything that the cache holds: names and values."""
    held = redis.Redis.from_url(settings.PORTAL_REDIS_URL)
    with closing(held):
        keys = list(held.scan_iter())
        values = [each for key in keys for each in _values(held, key)]
    return "\n".join(each.decode(errors="replace") for each in (*keys, *values))


def _values(held: Any, key: bytes) -> Iterable[bytes]:
    """Return what is under a key of the cache; nothing under one that ended meanwhile."""
    ways: dict[bytes, Callable[[], Iterable[bytes]]] = {
        b"none": tuple,
        b"string": lambda: filter(None, [held.get(key)]),
        b"list": lambda: held.lrange(key, 0, -1),
        b"set": lambda: held.smembers(key),
        b"zset": lambda: held.zrange(key, 0, -1),
        b"hash": lambda: chain.from_iterable(held.hgetall(key).items()),
    }
    return ways[held.type(key)]()


def _as_text(table: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT to_jsonb(t)::text FROM {table} t")  # noqa: S608  our own names
        return "\n".join(row for (row,) in cursor.fetchall())


def _owned() -> list[type[OwnedModel]]:
    return [model for model in apps.get_models() if issubclass(model, OwnedModel)]


def test_no_page_takes_a_format() -> None:
    # Else pages have to be asked for each above.
    assert "format" not in {name for names in PARAMETERS.values() for name in names}


def test_every_kind_of_word_is_planted(planted: Planted) -> None:
    with organization_scope(*(each.pk for each in planted.everyone.values())):
        read = "".join(_as_text(model._meta.db_table) for model in _owned())

    packed = {"REPLICA"}  # in blocks that are compressed: see what its tenant reads
    kinds = {*KINDS, "SESSION", "JOB"} - packed
    assert {what for what in kinds if f"CANARY-{what}-" not in read} == set()
