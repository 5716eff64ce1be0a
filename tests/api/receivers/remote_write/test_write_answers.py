"""POST /api/v1/write: what is refused, and how senders of both versions are told."""

import gzip
from base64 import b64encode
from collections.abc import Callable

import pytest
from django.conf import LazySettings
from hypothesis import HealthCheck, given
from hypothesis import settings as tries
from hypothesis import strategies as st

from apps.telemetry.models import PushedState, Source
from apps.tenancy.models import TokenScope
from apps.tenancy.scope import organization_scope
from tests.api.receivers.remote_write.written_series import UP, WRITTEN, key, state
from tests.api.receivers.writing import V1, V2, Series, snapped, v1, v2, write
from tests.apps.telemetry.samples.windows import NOW_MS, drained, held, sources, waiting
from tests.cast.pushes import Cast, cast, token

pytestmark = pytest.mark.django_db


@pytest.fixture
def people() -> Cast:
    """A cluster and its parties."""
    return cast()


@pytest.mark.parametrize(
    ("content_type", "coding", "status"),
    [
        (V1, "snappy", 204),
        ("application/x-protobuf;proto=prometheus.WriteRequest", "snappy", 204),
        ('application/x-protobuf; proto="prometheus.WriteRequest"', "Snappy", 204),
        ("application/x-protobuf;proto=io.prometheus.write.v3.Request", "snappy", 415),
        ("application/x-protobuf;proto=", "snappy", 204),
        ("application/json", "snappy", 415),
        ("text/plain", "snappy", 415),
        (V1, "gzip", 415),
        (V1, "zstd", 415),
    ],
)
def test_a_sender_learns_which_versions_are_taken(
    people: Cast, content_type: str, coding: str, status: int
) -> None:
    body = snapped(v1([Series(labels=UP, samples=[(NOW_MS, 1.0)])]))

    answer = write(
        people.token(people.operator), body, content_type=content_type, Content_Encoding=coding
    )

    assert answer.status_code == status, answer.content


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"no snappy at all",
        snapped(b"no protobuf at all"),
        snapped(v1([Series(labels=UP, samples=[(NOW_MS, 1.0)])]))[:-3],
        snapped(v1([Series(labels=UP, samples=[(NOW_MS, 1.0)])])[:-3]),
        gzip.compress(v1([Series(labels=UP, samples=[(NOW_MS, 1.0)])]), mtime=0),
    ],
)
def test_bodies_that_will_never_be_right_are_refused_for_ever(people: Cast, body: bytes) -> None:
    for content_type in (V1, V2):
        answer = write(people.token(people.operator), body, content_type=content_type)

        assert answer.status_code == 400
    assert sources(people.operator) == []


@pytest.mark.parametrize(("encode", "content_type"), [(v1, V2), (v2, V1)])
def test_one_version_does_not_pass_for_an_empty_body_of_the_other(
    people: Cast, encode: Callable[..., bytes], content_type: str
) -> None:
    body = encode([Series(labels=UP, samples=[(NOW_MS, 1.0)])])

    answer = write(people.token(people.operator), snapped(body), content_type=content_type)

    assert answer.status_code == 400
    assert "Content-Type" in answer.json()["detail"]


def test_a_body_with_nothing_in_it_is_fine_and_leaves_nothing_behind(people: Cast) -> None:
    for content_type in (V1, V2):
        answer = write(people.token(people.operator), snapped(b""), content_type=content_type)

        assert answer.status_code == 204
    assert sources(people.operator) == []


@pytest.mark.parametrize(
    "labels",
    [
        {"instance": "nameless"},
        {"__name__": ""},
        {"__name__": "up", "": "x"},
        {"__name__": "up", "x" * 400: "x"},
        {"__name__": "up", "x": "y" * 5000},
        {"__name__": "up", "x": "a\0b"},
    ],
)
@pytest.mark.parametrize("encode", [v1, v2])
def test_what_is_right_of_a_bad_body_is_kept_and_the_sender_told(
    people: Cast, labels: dict[str, str], encode: Callable[..., bytes]
) -> None:
    series = [Series(labels=each, samples=[(NOW_MS, 1.0)]) for each in (UP, labels)]
    body, content_type = (v1(series), V1) if encode is v1 else (v2(series), V2)

    answer = write(people.token(people.operator), snapped(body), content_type=content_type)

    assert answer.status_code == 400
    assert answer.json()["code"] == "partly_refused"
    assert answer.get(WRITTEN.format("Samples")) == (None if encode is v1 else "1")
    assert drained(people.operator) == 1
    (source,) = sources(people.operator)
    assert list(held(source, '{__name__=~".*"}')) == [key(UP)]


def test_a_source_that_was_switched_off_takes_nothing(people: Cast) -> None:
    body = snapped(v1([Series(labels=UP, samples=[(NOW_MS, 1.0)])]))
    write(people.token(people.operator), body)
    with organization_scope(people.operator.pk):
        Source.objects.update(is_enabled=False)

    answer = write(people.token(people.operator), body)

    assert (answer.status_code, answer.json()["code"]) == (403, "source_refused")


def test_only_an_ingest_token_writes_and_only_its_own_organization_sees(people: Cast) -> None:
    body = snapped(v1([Series(labels=UP, samples=[(NOW_MS, 1.0)])]))
    reader = token(people.operator, people.cluster, scope=TokenScope.READ)

    assert write(reader, body).status_code == 403
    assert write("flt_unknown", body).status_code == 401
    assert write(people.token(people.operator), body).status_code == 204
    drained(people.operator)

    assert sources(people.other) == []
    with organization_scope(people.other.pk):
        assert PushedState.objects.count() == 0
    # The same series of somebody else is somebody else's series.
    write(people.token(people.other), snapped(v1([Series(labels=UP, samples=[(NOW_MS, 9.0)])])))
    drained(people.other)
    assert held(sources(people.operator)[0], "up") == {key(UP): [(NOW_MS, 1.0)]}
    assert held(sources(people.other)[0], "up") == {key(UP): [(NOW_MS, 9.0)]}


def test_a_password_is_as_good_as_a_bearer_token(people: Cast) -> None:
    pair = b64encode(f"anyone:{people.token(people.operator)}".encode()).decode()
    body = snapped(v1([Series(labels=UP, samples=[(NOW_MS, 1.0)])]))

    assert write("", body, Authorization=f"Basic {pair}").status_code == 204


def test_a_block_that_announces_gigabytes_is_refused_before_it_is_unpacked(people: Cast) -> None:
    header = b"\xff\xff\xff\xff\x0f"  # 4 GiB less one byte
    for body in (header + b"\0" * 100, snapped(b"\0" * (16 * 2**20 + 1))):
        answer = write(people.token(people.operator), body)

        assert (answer.status_code, answer.json()["code"]) == (413, "too_big")


def test_over_quota_is_later_not_never(people: Cast, settings: LazySettings) -> None:
    settings.PORTAL_MAX_PENDING_BYTES = 10
    bodies = [v1([Series(labels=UP, samples=[(NOW_MS - n, 1.0)])]) for n in range(2)]
    first, second = (write(people.token(people.operator), snapped(each)) for each in bodies)

    assert (first.status_code, second.status_code) == (204, 429)
    assert int(second["Retry-After"]) > 0
    drained(people.operator)
    assert write(people.token(people.operator), snapped(bodies[1])).status_code == 204


def test_more_series_than_allowed_are_counted_and_known_ones_go_on(
    people: Cast, settings: LazySettings
) -> None:
    settings.PORTAL_MAX_WINDOW_SERIES = 2
    for at, names in ((2, "ab"), (1, "abcd")):
        series = [Series(labels=UP | {"job": name}, samples=[(NOW_MS - at, 1.0)]) for name in names]
        write(people.token(people.operator), snapped(v1(series)))
        drained(people.operator)

    (source,) = sources(people.operator)
    assert {len(samples) for samples in held(source, "up").values()} == {2}
    assert state(people.operator).refused_count == 2


@tries(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_garbage_is_never_an_error_of_ours(people: Cast, data: st.DataObject) -> None:
    series = Series(labels=UP, samples=[(NOW_MS, 1.0)], exemplar_count=1, kind="gauge", unit="s")
    is_first = data.draw(st.booleans())
    good = bytearray(v1([series]) if is_first else v2([series]))
    for _ in range(data.draw(st.integers(0, 4))):
        good[data.draw(st.integers(0, len(good) - 1))] = data.draw(st.integers(0, 255))
    body = bytes(good) + data.draw(st.binary(max_size=20))
    packed = snapped(body) if data.draw(st.booleans()) else body

    answer = write(people.token(people.operator), packed, content_type=V1 if is_first else V2)

    assert answer.status_code in {204, 400, 413}
    drained(people.operator)
    assert waiting(people.operator) == []
