"""What was accepted goes on to a store, as it came, later if not now, and holds nobody up."""

from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Thread
from typing import Any

import cramjam
import orjson
import pytest
from django.conf import LazySettings

from apps.telemetry.formats import remote_write
from apps.telemetry.formats.columns import Columns, labels_of
from apps.telemetry.models import PushedState, Source
from apps.telemetry.samples import forward, retire
from apps.tenancy.credentials import seal
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.api.receivers.writing import V2, Series, export, snapped, v1, v2, write
from tests.apps.telemetry.samples.windows import NOW, NOW_MS, drained, sources, waiting
from tests.cast.pushes import Cast, cast

pytestmark = pytest.mark.django_db
UP = {"__name__": "up", "instance": "gpu001:9100", "job": "node"}


class Store(ThreadingHTTPServer):
    """Takes remote_write, answering as it is told."""

    daemon_threads = True
    block_on_close = False

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Taking)
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.statuses: Iterator[int] = iter(())
        self.words = b""
        self.knows_v2 = True

    @property
    def url(self) -> str:
        """Where it takes."""
        return f"http://127.0.0.1:{self.server_port}/api/v1/write"


class _Taking(BaseHTTPRequestHandler):
    server: Store

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        status = next(self.server.statuses, 204)
        headers = {name.lower(): value for name, value in self.headers.items()}
        is_known = self.server.knows_v2 or "proto=" not in headers["content-type"]
        if status == 204 and is_known:
            self.server.got.append((headers, bytes(cramjam.snappy.decompress_raw(body))))
        self.send_response(status)
        if self.server.knows_v2:
            self.send_header("X-Prometheus-Remote-Write-Samples-Written", "1")
        self.send_header("Content-Length", str(len(self.server.words)))
        self.end_headers()
        self.wfile.write(self.server.words)

    def log_message(self, *_arguments: object) -> None:
        """Stay quiet."""


@pytest.fixture
def store() -> Iterator[Store]:
    """A store on this machine."""
    made = Store()
    thread = Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    made.shutdown()
    thread.join()
    made.server_close()


@pytest.fixture
def people(store: Store) -> Cast:
    """A cluster, its parties, and a source of the operator that forwards to the store."""
    people = cast()
    push(people, v1([Series(labels=UP, samples=[(NOW_MS - 60_000, 0.5)])]))
    drained(people.operator)
    with organization_scope(people.operator.pk):
        Source.objects.update(
            url=store.url,
            allowed_networks=["127.0.0.0/8"],
            is_simulated=True,
            auth="bearer",
            credential=seal(secret="of the store"),  # noqa: S106  opens nothing
        )
    return people


def push(people: Cast, body: bytes, **more: Any) -> None:
    """Push as the operator's sender."""
    assert write(people.token(people.operator), snapped(body), **more).status_code == 204


def forwarded(organization: Organization, *, seconds: float = 0) -> forward.ForwardResult:
    """Forward what waits of the one source, some time later."""
    (source,) = sources(organization)
    ticks = count()
    return forward.forward(
        organization_id=organization.pk,
        source_id=source.pk,
        clock=lambda: float(next(ticks)),
        now=lambda: NOW + timedelta(seconds=seconds),
    )


def state(organization: Organization) -> PushedState:
    """Return how the one source stands."""
    with organization_scope(organization.pk):
        return PushedState.objects.get()


def read(columns: Columns) -> dict[str, list[tuple[int, float]]]:
    """Return metric → its samples."""
    found: dict[str, list[tuple[int, float]]] = {}
    for series, at, value in zip(
        columns.series.tolist(), columns.at.tolist(), columns.values.tolist(), strict=True
    ):
        name = labels_of(columns.keys[series])["__name__"]
        found.setdefault(name, []).append((at, value))
    return found


def test_bodies_go_on_as_they_came_and_in_order(people: Cast, store: Store) -> None:
    first = v1([Series(labels=UP, samples=[(NOW_MS - 2, 1.0)], exemplar_count=1)])
    second = v2([Series(labels=UP, samples=[(NOW_MS - 1, 2.0)], histogram_count=1)])
    push(people, first)
    push(people, second, content_type=V2)
    assert forwarded(people.operator).sent_count == 0  # not before they are in the window
    drained(people.operator)

    done = forwarded(people.operator)

    assert (done.sent_count, done.is_more, done.error) == (2, False, "")
    assert [body for _, body in store.got] == [first, second]
    versions = [headers["x-prometheus-remote-write-version"] for headers, _ in store.got]
    assert versions == ["0.1.0", "2.0.0"]
    assert {headers["authorization"] for headers, _ in store.got} == {"Bearer of the store"}
    assert waiting(people.operator) == []
    now = state(people.operator)
    assert (now.forward_state, now.forwarded_count, now.forward_dropped_count) == ("fresh", 2, 0)


@pytest.mark.parametrize("statuses", [[415], []], ids=["says so", "takes it for empty"])
def test_a_store_that_knows_only_version_one_gets_version_one(
    people: Cast, store: Store, statuses: list[int]
) -> None:
    for at in (2, 1):
        body = v2([Series(labels=UP, samples=[(NOW_MS - at, float(at))])])
        push(people, body, content_type=V2)
    drained(people.operator)
    store.knows_v2, store.statuses = False, iter(statuses)

    assert forwarded(people.operator).sent_count == 2

    found = [read(remote_write.read_v1(body=body)) for _, body in store.got]
    assert found == [{"up": [(NOW_MS - 2, 2.0)]}, {"up": [(NOW_MS - 1, 1.0)]}]


def test_otlp_goes_on_as_remote_write_with_increments_added_up(people: Cast, store: Store) -> None:
    for value, at in ((3, 2000), (4, 1000)):
        points = [{"asInt": str(value), "timeUnixNano": str((NOW_MS - at) * 1_000_000)}]
        metric = {
            "name": "steps",
            "sum": {"aggregationTemporality": 1, "isMonotonic": True, "dataPoints": points},
        }
        document = {"resourceMetrics": [{"scopeMetrics": [{"metrics": [metric]}]}]}
        answer = export(
            people.token(people.operator),
            orjson.dumps(document),
            content_type="application/json",
        )
        assert answer.status_code == 200
    drained(people.operator)

    forwarded(people.operator)

    found = [read(remote_write.read_v1(body=body)) for _, body in store.got]
    assert found == [
        {"steps_total": [(NOW_MS - 2000, 3.0)]},
        {"steps_total": [(NOW_MS - 1000, 7.0)]},
    ]


@pytest.mark.parametrize("status", [429, 500, 503, 401])
def test_what_may_pass_is_tried_again_after_a_pause(
    people: Cast, store: Store, status: int
) -> None:
    push(people, v1([Series(labels=UP, samples=[(NOW_MS, 1.0)])]))
    drained(people.operator)
    store.statuses = iter([status, status])  # the guard itself asks twice

    assert str(status) in forwarded(people.operator).error
    now = state(people.operator)
    assert (now.forward_state, now.forward_failure_count) == ("failing", 1)
    assert forwarded(people.operator, seconds=1) == forward.ForwardResult()
    assert store.got == []
    store.statuses = iter(())
    assert forwarded(people.operator, seconds=3).sent_count == 1
    assert state(people.operator).forward_state == "fresh"


def test_a_store_that_is_away_holds_nobody_up(people: Cast, store: Store) -> None:
    with organization_scope(people.operator.pk):
        Source.objects.update(url="http://127.0.0.1:9/api/v1/write")
    for at in range(3):
        push(people, v1([Series(labels=UP, samples=[(NOW_MS - at, 1.0)])]))
    drained(people.operator)

    assert forwarded(people.operator).error
    assert len(waiting(people.operator)) == 3
    push(people, v1([Series(labels=UP, samples=[(NOW_MS - 9, 1.0)])]))
    assert drained(people.operator) == 1


def test_what_the_store_refuses_for_ever_is_counted_and_the_rest_goes_on(
    people: Cast, store: Store
) -> None:
    for at in (2, 1):
        push(people, v1([Series(labels=UP, samples=[(NOW_MS - at, float(at))])]))
    drained(people.operator)
    store.statuses = iter([400])

    done = forwarded(people.operator)

    assert (done.sent_count, done.refused_count) == (1, 1)
    now = state(people.operator)
    assert (now.forwarded_count, now.forward_dropped_count) == (1, 1)
    assert "400" in now.forward_error


@pytest.mark.parametrize("statuses", [[400], [500, 500]], ids=["refused", "tried again"])
def test_words_of_a_store_that_can_not_be_kept_hold_nothing_up(
    people: Cast, store: Store, statuses: list[int]
) -> None:
    push(people, v1([Series(labels=UP, samples=[(NOW_MS, 1.0)])]))
    drained(people.operator)
    store.statuses, store.words = iter(statuses), b"no \0 \xff\xfe " + b"x" * 900_000

    error = forwarded(people.operator).error

    assert error.startswith(f"HTTP {statuses[0]}: no \N{REPLACEMENT CHARACTER}")
    now = state(people.operator)
    assert (now.forward_error, now.forward_claimed_until) == (error, None)


def test_stores_that_hang_take_two_workers_at_the_most(people: Cast, store: Store) -> None:
    for name in ("a", "b"):
        push(people, v1([Series(labels=UP, samples=[(NOW_MS, 1.0)])]), query=f"?source={name}")
    push(people, v1([Series(labels=UP, samples=[(NOW_MS, 1.0)])]))
    drained(people.operator)
    with organization_scope(people.operator.pk):
        Source.objects.update(url=store.url)
        hanging = PushedState.objects.exclude(key="")
        hanging.update(forward_claimed_until=NOW + forward.LEASE.lasts)
        first = PushedState.objects.get(key="").source_id

    def sent(seconds: float) -> int:
        return forward.forward(
            organization_id=people.operator.pk,
            source_id=first,
            clock=lambda: 0.0,
            now=lambda: NOW + timedelta(seconds=seconds),
        ).sent_count

    assert (sent(0), sent(61)) == (0, 1)


def test_too_much_that_waits_is_given_up_oldest_first(
    people: Cast, store: Store, settings: LazySettings
) -> None:
    for at in (2, 1):
        push(people, v1([Series(labels=UP, samples=[(NOW_MS - at, float(at))])]))
    drained(people.operator)
    settings.PORTAL_MAX_PENDING_BYTES = waiting(people.operator)[1].byte_count

    with organization_scope(people.operator.pk):
        retire.roll(organization_id=people.operator.pk, now=NOW)
    forwarded(people.operator)

    assert [read(remote_write.read_v1(body=body)) for _, body in store.got] == [
        {"up": [(NOW_MS - 1, 1.0)]}
    ]
    assert state(people.operator).forward_dropped_count == 1


def test_an_address_inside_is_not_reached(people: Cast, store: Store) -> None:
    with organization_scope(people.operator.pk):
        Source.objects.update(allowed_networks=[], is_simulated=False)
    push(people, v1([Series(labels=UP, samples=[(NOW_MS, 1.0)])]))
    drained(people.operator)

    assert "not public" in forwarded(people.operator).error
    assert store.got == []


def test_without_a_store_nothing_waits_for_one(people: Cast, store: Store) -> None:
    push(people, v1([Series(labels=UP, samples=[(NOW_MS, 1.0)])]))
    drained(people.operator)
    with organization_scope(people.operator.pk):
        Source.objects.update(url="")

    forwarded(people.operator)

    assert waiting(people.operator) == []
    assert state(people.operator).forward_state == "off"
