"""Labels and words that no column takes: one odd series stops nothing but itself."""

from datetime import timedelta
from typing import Any

import numpy as np
import orjson
import pytest

from apps.fleet.models import Device, Node
from apps.telemetry.metrics import warnings
from apps.telemetry.metrics.pulls import pull, signal_reading, source_remarks
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.prometheus_server import World, serving
from tests.cast.metrics import (
    HOSTS,
    NOW,
    Cast,
    anomalies,
    reloaded,
    since,
    source,
)

pytestmark = pytest.mark.django_db
LONG = "x" * 4000


@pytest.mark.parametrize(
    "odd",
    [
        {"Hostname": LONG, "gpu": "0"},
        {"Hostname": f"nul\0{LONG}", "gpu": "0"},
        {"Hostname": "nul\0host", "gpu": "0", "UUID": "GPU-\0"},
        {"Hostname": HOSTS[0], "gpu": "9" * 400, "UUID": LONG},
        {"Hostname": HOSTS[0], "gpu": "0", "device": LONG, "pci_bus_id": LONG},
        {"Hostname": "h" * 253, "gpu": "0", "UUID": "u" * 64, "GPU_I_ID": LONG},
    ],
    ids=["host", "host with NUL", "NULs", "uuid", "device", "all that fits"],
)
def test_a_series_with_odd_labels_stops_nobody(
    people: Cast, world: World, odd: dict[str, str]
) -> None:
    world.add("DCGM_FI_DEV_XID_ERRORS", since(600, 79.0), **odd)
    world.add("DCGM_FI_DEV_XID_ERRORS", since(600, 79.0), Hostname=HOSTS[1], gpu="1", UUID="GPU-11")
    with serving(world) as url:
        made = source(people, url)
        pulled = pull.pull_source(organization_id=people.operator.id, source_id=made.pk, now=NOW)
    with organization_scope(people.operator.id):
        warnings.fuse_source(organization_id=people.operator.id, source_id=made.pk, now=NOW)
        names = set(Node.objects.values_list("name", flat=True))
        assert Device.objects.filter(node__name=HOSTS[1]).exists()

    assert pulled.state == "fresh"
    assert HOSTS[1] in {each.host for each in anomalies(people)}
    assert set(HOSTS) <= names


def test_ports_and_exports_of_any_length_are_watched(people: Cast, world: World) -> None:
    ports = {"device": LONG, "port": "1", "instance": f"{HOSTS[2]}:9100"}
    exports = {"export": f"nas1:/{LONG}", "instance": f"{HOSTS[2]}:9100", "operation": LONG}
    grows = np.arange(20.0)
    for labels in (ports, exports):
        for metric in ("node_infiniband_symbol_error_total", "node_mountstats_nfs_total_retry"):
            world.add(metric, lambda at: np.interp(at, at[0] + grows * 60, grows**3), **labels)
            world.add(metric, since(900, 1e6), **labels)
    with serving(world) as url:
        made = source(people, url)
        states = [
            pull.pull_source(
                organization_id=people.operator.id,
                source_id=made.pk,
                now=NOW + timedelta(minutes=minutes),
            ).state
            for minutes in (0, 1)
        ]
    assert states == ["fresh", "fresh"]


def test_metrics_under_whose_name_nothing_can_be_kept_are_not_watched() -> None:
    names = {"node_odd_total", "node_" + "x" * 100 + "_total", "node_\0_total"}

    wanted = signal_reading.wanted_of(names=frozenset(names), types={})

    assert {each.signal.name for each in wanted} == {"node_odd_total"}


def test_what_a_server_says_is_kept_without_what_can_not_be(people: Cast, world: World) -> None:
    said = {"status": "error", "errorType": "bad_data", "error": f"no\0 {LONG}"}

    def refuse(handler: Any) -> bool:
        if "step" not in handler.world.asked[-1][1]:
            return False
        body = orjson.dumps(said)
        handler.send_response(400)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)
        return True

    world.broken = refuse
    with serving(world) as url:
        made = source(people, url)
        pull.pull_source(organization_id=people.operator.id, source_id=made.pk, now=NOW)

    assert reloaded(made).claimed_until is None
    assert reloaded(made).last_error


def test_a_remark_is_kept_as_far_as_it_can_be() -> None:
    assert (
        source_remarks.kept(f"partial: lost\0 {LONG}")
        == f"partial: lost {LONG}"[: source_remarks.LENGTH]
    )
