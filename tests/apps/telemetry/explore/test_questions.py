"""Questions to one's own sources: what is answered, what is refused, and in which words."""

from collections.abc import Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler
from typing import Any

import numpy as np
import pytest

from apps.telemetry.explore import signal_questions
from apps.telemetry.explore.refusals import without_addresses
from apps.telemetry.facade.explore import (
    MetricSpan,
    QueryRefusal,
    QuestionRefused,
    ask_promql,
    ask_signal,
)
from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.models import Organization
from tests.apps.telemetry.prometheus_server import World, serving
from tests.cast.metrics import NOW, Cast, source

HOUR = MetricSpan(starts_at=NOW - timedelta(hours=1), ends_at=NOW)


@pytest.fixture
def url(world: World) -> Iterator[str]:
    """Where the healthy cluster's server is."""
    with serving(world) as address:
        yield address


def actor(organization: Organization) -> Actor:
    """Return a member who may read."""
    return Actor(organization=organization, rights=frozenset({Right.READ}))


@pytest.mark.django_db(transaction=True)
def test_a_signal_is_answered_by_host_and_gpu(people: Cast, url: str) -> None:
    made = source(people, url)
    asked: dict[str, Any] = {
        "actor": actor(people.operator),
        "source": made.public_id,
        "span": HOUR,
    }
    every = ask_signal(signal="gpu.temperature", **asked)
    assert len(every.series) == 32
    one = ask_signal(signal="gpu.temperature", host="gpu003", gpu=2, **asked)
    (line,) = one.series
    assert line.labels["host"] == "gpu003"
    assert set(line.values.tolist()) == {62.0}
    assert one.promql.startswith("DCGM_FI_DEV_GPU_TEMP")
    assert (one.step, len(one.at)) == (15, 241)
    assert one.is_simulated


@pytest.mark.django_db(transaction=True)
def test_promql_is_answered_as_it_is_written(people: Cast, url: str) -> None:
    made = source(people, url)
    answer = ask_promql(
        actor=actor(people.operator),
        source=made.public_id,
        query='DCGM_FI_DEV_SM_CLOCK{Hostname="gpu001"}',
        span=HOUR,
    )
    assert [each.labels["gpu"] for each in answer.series] == ["0", "1", "2", "3"]
    assert answer.more_count == 0


@pytest.mark.django_db(transaction=True)
def test_gaps_stay_gaps(people: Cast, world: World, url: str) -> None:
    edge = NOW.timestamp() - 600
    world.add("half_there", lambda at: np.where(at < edge, 5.0, np.nan), instance="gpu001:9100")
    answer = ask_promql(
        actor=actor(people.operator),
        source=source(people, url).public_id,
        query="half_there",
        span=HOUR,
    )
    values = answer.series[0].values
    assert np.isnan(values[-10:]).all()
    assert not np.isnan(values[:10]).any()


@pytest.mark.django_db(transaction=True)
def test_nobody_asks_the_source_of_another(people: Cast, url: str) -> None:
    made = source(people, url)
    asked: dict[str, Any] = {"source": made.public_id, "span": HOUR}
    with pytest.raises(NotFound):
        ask_promql(actor=actor(people.outsider), query="up", **asked)
    with pytest.raises(NotFound):
        ask_signal(actor=actor(people.outsider), signal="gpu.temperature", **asked)
    nobody = Actor(organization=people.operator, rights=frozenset())
    with pytest.raises(NotFound):
        ask_promql(actor=nobody, query="up", **asked)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("span", "query", "kind"),
    [
        (MetricSpan(starts_at=NOW, ends_at=NOW), "up", QueryRefusal.BAD_SPAN),
        (MetricSpan(starts_at=NOW, ends_at=NOW - timedelta(days=1)), "up", QueryRefusal.BAD_SPAN),
        (MetricSpan(starts_at=NOW - timedelta(days=99), ends_at=NOW), "up", QueryRefusal.BAD_SPAN),
        (HOUR, "", QueryRefusal.TOO_LONG),
        (HOUR, "x" * 2001, QueryRefusal.TOO_LONG),
    ],
)
def test_what_cannot_be_asked_is_refused_before_anything_goes_out(
    span: MetricSpan, query: str, kind: QueryRefusal, people: Cast, world: World, url: str
) -> None:
    made = source(people, url)
    with pytest.raises(QuestionRefused) as refused:
        ask_promql(actor=actor(people.operator), source=made.public_id, query=query, span=span)
    assert refused.value.kind is kind
    assert world.asked == []


@pytest.mark.django_db(transaction=True)
def test_the_servers_word_comes_through_without_its_address(
    people: Cast, world: World, url: str
) -> None:
    def refuse(handler: BaseHTTPRequestHandler) -> bool:
        said = (
            '1:5: parse error: unexpected ")" at http://user:pw@10.1.2.3:9090/x, store-1.lan:10901'
        )
        handler.reply(400, {"status": "error", "errorType": "bad_data", "error": said})  # type: ignore[attr-defined]
        return True

    world.broken = refuse
    made = source(people, url, name="metrics")
    with pytest.raises(QuestionRefused) as refused:
        ask_promql(actor=actor(people.operator), source=made.public_id, query="sum(", span=HOUR)
    assert refused.value.kind is QueryRefusal.REFUSED
    assert refused.value.detail == '1:5: parse error: unexpected ")" at … …'
    assert "127.0.0.1" not in refused.value.detail


@pytest.mark.django_db(transaction=True)
def test_a_server_that_is_away_tells_no_address(people: Cast) -> None:
    made = source(people, "http://127.0.0.1:9")
    with pytest.raises(QuestionRefused) as refused:
        ask_promql(actor=actor(people.operator), source=made.public_id, query="up", span=HOUR)
    assert (refused.value.kind, refused.value.detail) == (QueryRefusal.UNREACHABLE, "")


@pytest.mark.django_db(transaction=True)
def test_too_many_series_are_asked_for_by_host_alone(
    people: Cast, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signal_questions, "MOST_UNNAMED", 10)
    asked: dict[str, Any] = {
        "source": source(people, url).public_id,
        "span": HOUR,
        "signal": "gpu.temperature",
    }
    with pytest.raises(QuestionRefused) as refused:
        ask_signal(actor=actor(people.operator), **asked)
    assert refused.value.kind is QueryRefusal.TOO_MANY
    found = ask_signal(actor=actor(people.operator), host="gpu002", **asked)
    assert {each.labels["host"] for each in found.series} == {"gpu002"}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    ("signal", "kind"),
    [("no.such", QueryRefusal.NO_SIGNAL), ("gpu.xid", QueryRefusal.NOT_SERVED)],
)
def test_what_is_not_there_is_said_and_is_no_zero(
    signal: str, kind: QueryRefusal, people: Cast, url: str
) -> None:
    made = source(people, url)
    with pytest.raises(QuestionRefused) as refused:
        ask_signal(actor=actor(people.operator), source=made.public_id, signal=signal, span=HOUR)
    assert refused.value.kind is kind


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("dial tcp 10.0.0.1:9090: connect", "dial tcp …: connect"),
        ("lookup prom.internal.example:9090 failed", "lookup … failed"),
        ("[fd00::12]:9090 away", "… away"),
        ("1:15: parse error: unexpected identifier", "1:15: parse error: unexpected identifier"),
        ("found duplicate series for job:up:sum", "found duplicate series for job:up:sum"),
    ],
)
def test_addresses_are_taken_out_and_places_in_a_query_stay(text: str, left: str) -> None:
    assert without_addresses(text) == left
