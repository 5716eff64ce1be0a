"""Hosts that save to one NFS export, as counters that an exporter serves."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from apps.diagnosis.stats import Floats
from tests.apps.telemetry.prometheus_server import Sample, World

EXPORT = "nas1:/ckpt"


@dataclass(frozen=True, slots=True, kw_only=True)
class SavingTime:
    """One save of all hosts: begin and end in Unix seconds, bytes a second of each host."""

    begins: float
    ends: float
    bytes_per_second: float


def saving_hosts(
    world: World, *, hosts: Sequence[str], saves: Sequence[SavingTime], export: str = EXPORT
) -> None:
    """Serve the counters of hosts that write at these times, and next to nothing beside them.

    A request is 1 MiB and takes 1,621 ms, 93.1 % of them in the queue; at rest 112 ms and no queue.
    """
    for host in hosts:
        place = {"instance": f"{host}:9100", "export": export}
        written = _written(saves, rest=1e6)
        world.add("node_mountstats_nfs_total_write_bytes_total", written, **place)
        world.add("node_mountstats_nfs_total_read_bytes_total", _grows(1e5), **place)
        world.add("node_mountstats_nfs_transport_backlog_queue_total", _in(saves, 900.0), **place)
        world.add("node_mountstats_nfs_transport_sends_total", _in(saves, 22.0), **place)
        world.add("node_mountstats_nfs_transport_maximum_rpc_slots", 128.0, **place)
        for name, saving, resting in (
            ("requests", 1.0, 1.0),
            ("queue_time_seconds", 1.621 * 0.931, 0.0),
            ("response_time_seconds", 1.621 * 0.069, 0.112),
            ("request_time_seconds", 1.621, 0.112),
        ):
            world.add(
                f"node_mountstats_nfs_operations_{name}_total",
                _timed(saves, saving=saving, resting=resting),
                operation="WRITE",
                **place,
            )


def saving_adapters(
    world: World, *, hosts: Sequence[str], saves: Sequence[SavingTime], beside: float = 0.0
) -> None:
    """Serve what the adapters of these hosts carry: the saves, and so many bytes a second beside.

    A bond of two interfaces, whose members each carry half, and a bridge that leads nowhere.
    """
    for host in hosts:
        sent = _written(saves, rest=beside)
        for device, part in (("bond0", 1.0), ("eth0", 0.5), ("eth1", 0.5), ("docker0", 9.0)):
            place = {"instance": f"{host}:9100", "device": device}
            world.add("node_network_transmit_bytes_total", _part(sent, part), **place)
            world.add("node_network_receive_bytes_total", _grows(1e6), **place)


def _part(whole: Sample, part: float) -> Sample:
    return lambda at: whole(at) * part


def _timed(saves: Sequence[SavingTime], *, saving: float, resting: float) -> Sample:
    """Return a counter that grows by so much with each MiB that is written."""
    of_saves, at_rest = _written(saves, rest=0.0), _grows(1e6)
    return lambda at: (of_saves(at) * saving + at_rest(at) * resting) / 2**20


def _written(saves: Sequence[SavingTime], *, rest: float) -> Sample:
    def value(at: Floats) -> Floats:
        spans = [np.clip(at, each.begins, each.ends) - each.begins for each in saves]
        moved = [span * each.bytes_per_second for span, each in zip(spans, saves, strict=True)]
        return np.asarray(sum(moved, start=(at - 1.7e9) * rest), dtype=np.float64)

    return value


def _grows(rate: float) -> Sample:
    return lambda at: (at - 1.7e9) * rate


def _in(saves: Sequence[SavingTime], rate: float) -> Sample:
    per_byte = [SavingTime(begins=s.begins, ends=s.ends, bytes_per_second=rate) for s in saves]
    return _written(per_byte, rest=0.0)
