"""What was pushed goes on to real stores: Prometheus with its receiver, and VictoriaMetrics."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from threading import Event
from time import monotonic, time

import pytest
import requests

from apps.telemetry.models import Source
from apps.telemetry.samples import forward
from apps.tenancy.scope import organization_scope
from tests.api.receivers.writing import V1, V2, Series, snapped, v1, v2, write
from tests.apps.telemetry.samples.windows import drained, sources, waiting
from tests.cast.pushes import cast
from tests.live.real_prometheus import BINARY, needs_prometheus
from tests.live.real_victoria import BINARY as VICTORIA
from tests.live.real_victoria import needs_victoria
from tests.live.serving import free_port, served

pytestmark = [pytest.mark.prometheus, pytest.mark.django_db, pytest.mark.sweep]


def prometheus_arguments(directory: Path, where: str) -> list[str]:
    """Return how Prometheus is started so that it takes remote_write."""
    config = directory / "prometheus.yml"
    config.write_text("global: {}\n")
    return [
        str(BINARY),
        f"--config.file={config}",
        f"--storage.tsdb.path={directory / 'data'}",
        f"--web.listen-address={where}",
        "--web.enable-remote-write-receiver",
    ]


def victoria_arguments(directory: Path, where: str) -> list[str]:
    """Return how VictoriaMetrics is started."""
    data = directory / "data"
    address = f"-httpListenAddr={where}"
    return [str(VICTORIA), f"-storageDataPath={data}", address, "-search.latencyOffset=0"]


STORES = (
    pytest.param((prometheus_arguments, "/-/ready"), marks=needs_prometheus, id="prometheus"),
    pytest.param((victoria_arguments, "/health"), marks=needs_victoria, id="victoria-metrics"),
)


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """A running store; yield its URL."""
    arguments, ready = request.param
    where = f"127.0.0.1:{free_port()}"
    command = arguments(tmp_path, where)
    with served(command=command, log=tmp_path / "log", ready=f"http://{where}{ready}"):
        yield f"http://{where}"


def stored(store: str, *, wanted: int) -> dict[str, list[tuple[float, str]]]:
    """Return the samples of `load` by host, once there are so many series."""
    limit = monotonic() + 20
    while True:
        # VictoriaMetrics shows what came when it is asked to, or seconds later; others answer 404.
        requests.get(f"{store}/internal/force_flush", timeout=5)
        answer = requests.get(f"{store}/api/v1/query", params={"query": "load[10m]"}, timeout=5)
        found = {
            each["metric"]["instance"]: each["values"] for each in answer.json()["data"]["result"]
        }
        if len(found) == wanted or monotonic() > limit:
            return found
        Event().wait(0.1)


def test_both_versions_reach_a_store_that_knows_at_least_one(store: str) -> None:
    people, now = cast(), datetime.fromtimestamp(time(), UTC)
    end = round(now.timestamp()) * 1000
    token = people.token(people.operator)
    for number, is_first in enumerate((True, False, True)):
        series = Series(
            labels={"__name__": "load", "instance": f"gpu{number:03}"},
            samples=[(end - 30_000, number + 0.5), (end - 15_000, number + 1.5)],
        )
        body = snapped(v1([series]) if is_first else v2([series]))
        answer = write(token, body, content_type=V1 if is_first else V2)
        assert answer.status_code == 204
        with organization_scope(people.operator.pk):
            Source.objects.update(
                url=f"{store}/api/v1/write", allowed_networks=["127.0.0.0/8"], is_simulated=True
            )
        # The first came before anybody said where it goes on to.
    drained(people.operator, now=now)
    (source,) = sources(people.operator)

    done = forward.forward(
        organization_id=people.operator.pk, source_id=source.pk, clock=monotonic, now=lambda: now
    )

    assert (done.sent_count, done.refused_count, done.error) == (2, 0, "")
    assert waiting(people.operator) == []
    found = stored(store, wanted=2)
    assert {
        host: [(round(at * 1000), float(value)) for at, value in values]
        for host, values in found.items()
    } == {
        f"gpu{number:03}": [(end - 30_000, number + 0.5), (end - 15_000, number + 1.5)]
        for number in (1, 2)
    }
