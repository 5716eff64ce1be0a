"""Two exporters that name one GPU differently end as one entity, from the first pull on."""

import numpy as np
import pytest

from apps.diagnosis.detection.metrics.identity import NamedDevice
from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import Device, Frame
from apps.telemetry.metrics import device_resolution
from apps.telemetry.metrics.device_resolution import DeviceRecord
from apps.telemetry.metrics.pulls import pull
from apps.telemetry.models import Anomaly
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.prometheus_server import World, serving
from tests.cast.metrics import HOSTS, NOW, cast, healthy, since, source

HOST = HOSTS[2]
FULL = Device(kind="gpu", host=HOST, index=1, uuid="21", pci="0000:1b:00.0")


def frame(*entities: Device) -> Frame:
    return Frame(
        signal=catalog().signals["gpu.power"],
        entities=entities,
        start=0.0,
        step=30.0,
        values=np.ones((len(entities), 4)),
    )


@pytest.mark.django_db
def test_series_complete_each_other_and_the_record_completes_both() -> None:
    people = cast()
    made = source(people, "http://127.0.0.1:9")
    by_uuid = Device(kind="gpu", host=HOST, uuid="21")
    by_index = Device(kind="gpu", host=HOST, index=1)
    both = Device(kind="gpu", host=HOST, index=1, uuid="21")
    frames = [frame(by_uuid), frame(by_index), frame(both)]
    told = device_resolution.unified(source=made, frames=frames, record=DeviceRecord(at=NOW))
    assert {each.entities for each in told} == {(both,)}
    record = DeviceRecord(at=NOW, parts=(NamedDevice(device=FULL),), hosts=frozenset({HOST}))
    known = device_resolution.unified(source=made, frames=frames, record=record)
    assert {each.entities for each in known} == {(FULL,)}
    new = Device(kind="gpu", host=HOST, index=1, uuid="99")
    after = device_resolution.unified(
        source=made, frames=[frame(new), frame(by_index)], record=record
    )
    assert {each.entities for each in after} == {(new,)}


@pytest.mark.django_db
def test_an_anomaly_of_an_exporter_that_knows_the_uuid_alone_names_index_and_address() -> None:
    people, world = cast(), World()
    healthy(world)
    where = {"Hostname": HOST, "gpu": "1", "UUID": "GPU-21", "pci_bus_id": "00000000:1B:00.0"}
    world.add("DCGM_FI_DEV_POWER_USAGE", 400.0, **where)
    world.add(
        "DCGM_FI_DEV_XID_ERRORS", since(300, 79.0), hostname=f"{HOST}.cl.local", gpu_uuid="GPU-21"
    )
    with serving(world) as url:
        made = source(people, url)
        pull.pull_source(organization_id=people.operator.id, source_id=made.pk, now=NOW)
    with organization_scope(people.operator.id):
        (xid,) = Anomaly.objects.filter(signal="gpu.xid")
    assert xid.entity == {
        "kind": "gpu",
        "host": HOST,
        "index": 1,
        "uuid": "21",
        "pci": "0000:1b:00.0",
    }
