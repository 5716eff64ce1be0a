"""Kept metrics on the page and over REST: told while awaited, there when the source is gone."""

from collections.abc import Iterator
from datetime import timedelta

import numpy as np
import pytest

from apps.incidents.correlation import capture_orders
from apps.incidents.models import Incident
from apps.telemetry.evidence import capture
from apps.telemetry.models import EvidenceCapture, Source
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.prometheus_server import World, serving
from tests.cast import make
from tests.cast.incidents import Cast
from tests.web.conftest import Browser
from tests.web.incident.incident_pages import page

NOW = make.AT + timedelta(minutes=7)


@pytest.fixture
def world() -> Iterator[World]:
    """Eight hosts; one GPU of the blamed one is hotter than all others and vanishes at the end."""
    made = World()
    for number in range(1, 9):
        for index in range(2):
            labels = {
                "Hostname": f"gpu{number:03}",
                "gpu": str(index),
                "UUID": f"GPU-{number}{index}",
            }
            made.add("DCGM_FI_DEV_GPU_TEMP", 60.0 + index, **labels)
    hot = {"Hostname": "gpu001", "gpu": "3", "UUID": "GPU-13"}
    gone = make.AT.timestamp() + 60
    made.add("DCGM_FI_DEV_GPU_TEMP", lambda at: np.where(at < gone, 91.0, np.nan), **hot)
    yield made
    made.hold.set()


def ordered(cast: Cast, incident: Incident, url: str) -> Source:
    """Connect a source of the operator and order the captures of the incident."""
    with organization_scope(cast.operator.pk):
        source = Source.objects.create(
            organization=cast.operator,
            public_id="SRC-1",
            cluster=cast.cluster,
            kind="prometheus",
            name="site metrics",
            url=url,
            allowed_networks=["127.0.0.1/32"],
            is_simulated=True,
            created_at=make.AT,
        )
    capture_orders.request(incident=incident, now=NOW)
    with organization_scope(cast.operator.pk):
        for row in EvidenceCapture.objects.all():
            row.request["attempt_hosts"] = [f"gpu{number:03}" for number in range(1, 9)]
            row.save()
    return source


def carried_out(cast: Cast) -> list[str]:
    """Carry out what is due."""
    with organization_scope(cast.operator.pk):
        due = capture.due_capture_ids(organization_id=cast.operator.pk, now=NOW)
    return [
        capture.capture(organization_id=cast.operator.pk, capture_id=each, now=NOW) for each in due
    ]


def test_a_capture_that_is_due_is_told_and_is_not_held_by_nobody(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    ordered(cast, incident, "http://127.0.0.1:9")
    text = page(browser(cast.operator), cast.operator, incident)
    assert "are being read now" in text
    assert "holds no metrics" not in text


def test_a_capture_that_failed_is_told_with_the_reason_and_the_next_try(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    ordered(cast, incident, "http://127.0.0.1:9")
    assert carried_out(cast) == ["failed"]
    text = page(browser(cast.operator), cast.operator, incident)
    assert "site metrics could not be read yet" in text
    assert "the portal does not go there" in text
    assert "holds no metrics" not in text
    other = page(browser(cast.tenant), cast.tenant, incident)
    assert "site metrics" not in other


def test_charts_stay_on_page_and_over_rest_when_the_source_is_gone(
    cast: Cast, incident: Incident, world: World, browser: Browser
) -> None:
    with serving(world) as url:
        source = ordered(cast, incident, url)
        assert carried_out(cast) == ["captured"]
    with organization_scope(cast.operator.pk):
        Source.objects.get(pk=source.pk).delete()
    client = browser(cast.operator)
    text = page(client, cast.operator, incident)
    assert "GPU temperature" in text
    assert "peers" in text
    path = f"/api/v1/o/{cast.operator.slug}/incidents/{incident.public_id}/evidence/"
    answer = client.get(path).json()
    (hot,) = [
        each
        for each in answer["results"]
        if (each["signal"], each["entity"]["index"]) == ("gpu.temperature", 3)
    ]
    assert hot["entity"]["uuid"] == "13"
    assert (hot["values"][0], hot["values"][-1], hot["unit"]) == (91.0, None, "°C")
    assert (hot["peers"]["p5"][0], hot["peers"]["p95"][0]) == (60.0, 61.0)
    assert [each["state"] for each in answer["captures"]] == ["captured", "removed"]
    assert answer["captures"][0]["byte_count"] > 0


def test_nobody_else_reads_the_kept_metrics(
    cast: Cast, incident: Incident, world: World, browser: Browser
) -> None:
    with serving(world) as url:
        ordered(cast, incident, url)
        carried_out(cast)
    path = f"incidents/{incident.public_id}/evidence/"
    answer = browser(cast.tenant).get(f"/api/v1/o/{cast.tenant.slug}/{path}").json()
    assert (answer["captures"], answer["results"]) == ([], [])
    stranger = browser(cast.stranger).get(f"/api/v1/o/{cast.stranger.slug}/{path}")
    assert stranger.status_code == 404


def test_a_page_that_collects_shows_charts_as_soon_as_they_are_kept(
    cast: Cast, incident: Incident, world: World, browser: Browser
) -> None:
    client = browser(cast.operator)
    with serving(world) as url:
        ordered(cast, incident, url)
        before = page(client, cast.operator, incident)
        query = "?seen=" + before.split('data-seen="')[1].split('"')[0]
        address = f"/o/{cast.operator.slug}/incidents/{incident.public_id}/"
        assert client.get(address + query).status_code == 204
        carried_out(cast)
    answer = client.get(address + query)
    assert answer.status_code == 200
    assert "GPU temperature" in answer.content.decode()
    assert "plotly-basic" in before
