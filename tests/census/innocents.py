"""What happens and is no failure: noisy nodes, bad minutes of the network, gaps of monitoring."""

import numpy as np

from tests.census.effects import Effect, Gap, Happenings, Reset, Xid
from tests.census.life import DAY, END, GPUS, HOUR, MINUTE, NODES, START, Session
from tests.census.names import names

Chance = np.random.Generator
EXPORTERS = ("dcgm-exporter", "node_exporter", "all-smi")
_NVLINK = "DCGM_FI_DEV_NVLINK_"
_IB = "node_infiniband_"


def live_on(*, seed: int, sessions: tuple[Session, ...], into: Happenings) -> None:
    """Write all innocent happenings of a seed."""
    rng = np.random.default_rng([seed, 41])
    _background(rng, into)
    _writers(rng, into)
    _flapping_port(rng, into)
    _hot_aisle(rng, into)
    _chatty_cards(rng, into)
    _slow_disks(rng, into)
    _bad_minutes_of_a_leaf(rng, into)
    _bad_minutes_of_the_server(rng, into)
    _visitors(rng, into)
    _application_errors(rng, into, sessions)
    _missing_exporters(rng, into)
    _server_outages(rng, into)
    _new_exporter(rng, into)
    _short_of_power(rng, into)
    _leaks_and_clocks(rng, into)


def _span(rng: Chance, low: float, high: float) -> tuple[float, float]:
    """Return a random span of so many seconds."""
    length = float(np.exp(rng.uniform(np.log(low), np.log(high))))
    start = float(rng.uniform(START, END - length))
    return start, start + length


def _background(rng: Chance, into: Happenings) -> None:
    """Let every event counter grow at its everyday rate, on some devices more than on others."""
    for name in names():
        if not name.daily:
            continue
        lots = rng.gamma(0.5, 2.0, NODES)
        for host in np.flatnonzero(rng.poisson(name.daily * 55 * lots)):
            number = max(int(rng.poisson(name.daily * 55 * lots[host])), 1)
            gpu = int(rng.integers(GPUS)) if name.devices > 1 else -1
            for at in rng.uniform(START, END, number):
                spread = int(rng.integers(GPUS)) if rng.random() < 0.3 and gpu >= 0 else gpu
                into.count(name.name, int(host), spread, float(at), int(rng.geometric(0.7)))


def _effect(
    into: Happenings,
    what: tuple[str, ...],
    hosts: tuple[int, ...],
    span: tuple[float, float],
    operation: str,
    amount: float,
    *,
    shape: str = "step",
    gpu: int | None = None,
) -> None:
    into.effects.append(
        Effect(
            names=what,
            hosts=hosts,
            starts_at=span[0],
            ends_at=span[1],
            operation=operation,
            amount=float(amount),
            shape=shape,
            gpu=gpu,
            key=len(into.effects),
        )
    )


def _some(rng: Chance, count: int) -> list[int]:
    return [int(h) for h in rng.choice(NODES, count, replace=False)]


def _writers(rng: Chance, into: Happenings) -> None:
    """A few nodes write logs or local copies in bursts, day after day."""
    for host in _some(rng, 4):
        for _ in range(int(rng.integers(40, 160))):
            span = _span(rng, 4 * MINUTE, 20 * MINUTE)
            pages = ("node_vmstat_pgpgout", "node_disk_written_bytes_total")
            _effect(into, pages, (host,), span, "scale", rng.uniform(4, 90), shape="hump")
            dirty = ("node_memory_Dirty_bytes", "node_disk_io_time_seconds_total")
            _effect(into, dirty, (host,), span, "scale", rng.uniform(1, 9), shape="hump")


def _flapping_port(rng: Chance, into: Happenings) -> None:
    """The management port of two nodes goes down and up again, the work never notices."""
    changes = ("node_network_carrier_changes_total", "node_network_carrier_down_changes_total")
    for host in _some(rng, 2):
        for _ in range(int(rng.integers(8, 30))):
            start = float(rng.uniform(START, END))
            for _ in range(int(rng.integers(1, 7))):
                at = start + float(rng.uniform(0, 25)) * MINUTE
                into.count(changes[0], host, -1, at, 2)
                into.count(changes[1], host, -1, at, 1)
                into.count("node_network_carrier_up_changes_total", host, -1, at + 5, 1)
            span = (start, start + 30 * MINUTE)
            _effect(
                into, ("node_netstat_Tcp_RetransSegs",), (host,), span, "add", 2, shape="bursts"
            )


def _hot_aisle(rng: Chance, into: Happenings) -> None:
    """Eight neighbours get warm air on some afternoons."""
    first = int(rng.integers(0, NODES - 8))
    hosts = tuple(range(first, first + 8))
    heat = (
        "DCGM_FI_DEV_GPU_TEMP",
        "DCGM_FI_DEV_MEMORY_TEMP",
        "all_smi_gpu_temperature_celsius",
        "node_hwmon_temp_celsius",
        "all_smi_cpu_temperature_celsius",
    )
    for day in rng.choice(54, int(rng.integers(6, 18)), replace=False):
        span = (START + float(day) * DAY, START + float(day + 1) * DAY)
        _effect(into, heat, hosts, span, "add", rng.uniform(2, 7), shape="day")
        _effect(into, ("node_hwmon_fan_rpm",), hosts, span, "scale", 0.06, shape="day")


def _chatty_cards(rng: Chance, into: Happenings) -> None:
    """Some cards correct errors, some links retransmit, for weeks and without consequence."""
    prefix = "DCGM_FI_DEV_"
    ecc = (prefix + "ECC_SBE_VOL_TOTAL", prefix + "ECC_SBE_AGG_TOTAL", prefix + "ECC_SBE_VOL_DEV")
    crc = (_NVLINK + "CRC_FLIT_ERROR_COUNT_TOTAL", _NVLINK + "REPLAY_ERROR_COUNT_TOTAL")
    bus = (prefix + "PCIE_REPLAY_COUNTER", prefix + "PCIE_CORRECTABLE_ERROR_TOTAL")
    for host, group in zip(_some(rng, 7), (ecc, ecc, ecc, crc, crc, bus, bus), strict=True):
        gpu, daily = int(rng.integers(GPUS)), float(np.exp(rng.uniform(1.0, 3.6)))
        for _ in range(int(rng.poisson(55 * daily / 6))):
            start = float(rng.uniform(START, END))
            for _ in range(int(rng.geometric(0.17))):
                at = start + float(rng.exponential(20)) * MINUTE
                for name in group:
                    into.count(name, host, gpu, at, int(rng.geometric(0.6)))


def _slow_disks(rng: Chance, into: Happenings) -> None:
    """A disk is slow for an hour or two, as disks are."""
    times = tuple(f"node_disk_{p}_time_seconds_total" for p in ("io", "io", "write", "read"))
    for host in _some(rng, 3):
        for _ in range(int(rng.integers(3, 12))):
            span = _span(rng, 15 * MINUTE, 3 * HOUR)
            _effect(into, times[1:], (host,), span, "scale", rng.uniform(1, 6), shape="hump")


def _bad_minutes_of_a_leaf(rng: Chance, into: Happenings) -> None:
    """Sixteen nodes below one pair of switches see congestion that goes away."""
    marked = (_IB + "np_cnp_packets_sent_total", _IB + "np_ecn_marked_roce_packets_received_total")
    lost = (
        _IB + "out_of_sequence_packets_received_total",
        _IB + "packet_sequence_errors_total",
        _IB + "roce_adp_retransmits_total",
        _IB + "port_transmit_wait_total",
    )
    for _ in range(int(rng.integers(14, 30))):
        leaf = int(rng.integers(4))
        hosts = tuple(range(leaf * 16, min(leaf * 16 + 16, NODES)))
        span = _span(rng, 3 * MINUTE, 40 * MINUTE)
        _effect(into, marked, hosts, span, "scale", rng.uniform(1, 8), shape="hump")
        _effect(into, lost, hosts, span, "scale", rng.uniform(0.5, 12), shape="hump")


def _bad_minutes_of_the_server(rng: Chance, into: Happenings) -> None:
    """The file server answers everybody slowly for a while."""
    slow = tuple(
        n.name
        for n in names()
        if "mountstats" in n.name
        and n.name.endswith("}")
        and "_time_" in n.name
        and "queue" not in n.name
    )
    hosts = tuple(range(NODES))
    for _ in range(int(rng.integers(5, 14))):
        span = _span(rng, 4 * MINUTE, 50 * MINUTE)
        _effect(into, slow, hosts, span, "scale", rng.uniform(1, 7), shape="hump")


def _visitors(rng: Chance, into: Happenings) -> None:
    """Somebody looks at a node: a shell, a profiler, a copy, a compile."""
    for _ in range(int(rng.integers(30, 70))):
        host, span = int(rng.integers(NODES)), _span(rng, 3 * MINUTE, 90 * MINUTE)
        load = rng.uniform(2, 30)
        _effect(into, ('node_cpu_seconds_total{mode="user"}',), (host,), span, "add", load)
        busy = ("node_load1", "node_procs_running")
        _effect(into, busy, (host,), span, "add", load, shape="hump")
        _effect(into, ("node_forks_total",), (host,), span, "add", rng.uniform(1, 60))
        traffic = ("node_network_receive_bytes_total", "node_network_transmit_bytes_total")
        _effect(into, traffic, (host,), span, "scale", rng.uniform(0, 40), shape="bursts")


def _application_errors(rng: Chance, into: Happenings, sessions: tuple[Session, ...]) -> None:
    """Programs fault: code 31 or 43 on one GPU, or all of a node, when a session ends in error."""
    for session in sessions:
        if session.end != "error" or rng.random() < 0.45:
            continue
        at = next(p.starts_at for p in session.phases if p.kind == "stall")
        host, code = int(rng.choice(session.hosts)), int(rng.choice([31, 43]))
        gpus = range(GPUS) if rng.random() < 0.3 else [int(rng.integers(GPUS))]
        into.xids += [Xid(host=host, gpu=gpu, at=at, code=code) for gpu in gpus]


def _missing_exporters(rng: Chance, into: Happenings) -> None:
    """One exporter of one node hangs or is restarted now and then."""
    for _ in range(int(rng.integers(50, 90))):
        host, what = int(rng.integers(NODES)), str(rng.choice(EXPORTERS, p=(0.45, 0.3, 0.25)))
        start, end = _span(rng, 1.5 * MINUTE, 6 * HOUR)
        into.gaps.append(Gap(host=host, what=what, starts_at=start, ends_at=end))
        if what == "node_exporter":
            into.resets.append(Reset(host=host, at=end, what="exporter"))
    for _ in range(int(rng.integers(10, 25))):  # an update that goes over all nodes
        host, start = int(rng.integers(NODES)), float(rng.uniform(START, END))
        into.gaps.append(
            Gap(host=host, what="dcgm-exporter", starts_at=start, ends_at=start + 2 * MINUTE)
        )


def _server_outages(rng: Chance, into: Happenings) -> None:
    """The server that scrapes is down: nothing is known of anybody."""
    for _ in range(int(rng.integers(2, 6))):
        start, end = _span(rng, 3 * MINUTE, 3 * HOUR)
        into.gaps.append(Gap(host=None, what="server", starts_at=start, ends_at=end))


def _new_exporter(rng: Chance, into: Happenings) -> None:
    """Somebody rolls a new node_exporter out over all nodes within an hour."""
    begins = float(rng.uniform(START + DAY, END - DAY))
    for host in range(NODES):
        start = begins + float(rng.uniform(0, HOUR))
        end = start + float(rng.uniform(20, 150))
        into.gaps.append(Gap(host=host, what="node_exporter", starts_at=start, ends_at=end))
        into.resets.append(Reset(host=host, at=end, what="exporter"))


def _short_of_power(rng: Chance, into: Happenings) -> None:
    """The site asks for less for an hour or two: all nodes draw and do a little less."""
    everyone = tuple(range(NODES))
    work = (
        "DCGM_FI_DEV_POWER_USAGE",
        "DCGM_FI_DEV_POWER_USAGE_INSTANT",
        "all_smi_gpu_power_consumption_watts",
        "node_hwmon_power_average_watt",
    )
    for _ in range(int(rng.integers(1, 4))):
        span = _span(rng, 0.5 * HOUR, 3 * HOUR)
        _effect(into, work, everyone, span, "scale", -rng.uniform(0.03, 0.09))
        clocks = ("DCGM_FI_DEV_SM_CLOCK", "all_smi_gpu_frequency_mhz")
        _effect(into, clocks, everyone, span, "scale", -rng.uniform(0.01, 0.04))
    for host in _some(rng, 16):  # whose hungriest GPU touches its limit now and then
        for _ in range(int(rng.integers(5, 40))):
            span = _span(rng, 2 * MINUTE, 2 * HOUR)
            gpu = int(rng.integers(GPUS))
            reasons = ("DCGM_FI_DEV_CLOCKS_EVENT_REASONS",)
            _effect(into, reasons, (host,), span, "add", 4.0, gpu=gpu)
            cap = ("DCGM_FI_DEV_POWER_VIOLATION",)
            _effect(into, cap, (host,), span, "add", rng.uniform(1e7, 1.5e8), gpu=gpu)


def _leaks_and_clocks(rng: Chance, into: Happenings) -> None:
    """Memory that nobody gives back for days, and clocks that lose their server for a while."""
    for host in _some(rng, 3):
        span = _span(rng, 2 * DAY, 12 * DAY)
        slab = ("node_memory_Slab_bytes", "node_memory_SUnreclaim_bytes")
        _effect(into, slab, (host,), span, "scale", rng.uniform(0.3, 2.5), shape="ramp")
    for host in _some(rng, 4):
        span = _span(rng, HOUR, 20 * HOUR)
        error = ("node_timex_maxerror_seconds", "node_timex_estimated_error_seconds")
        _effect(into, error, (host,), span, "scale", rng.uniform(1, 12), shape="ramp")
    for host in _some(rng, 6):  # the exporter of a busy driver is slow to answer
        for _ in range(int(rng.integers(2, 12))):
            span = _span(rng, 3 * MINUTE, 45 * MINUTE)
            slow = ('scrape_duration_seconds{job="dcgm-exporter"}',)
            _effect(into, slow, (host,), span, "add", rng.uniform(0.1, 1.5), shape="bursts")
