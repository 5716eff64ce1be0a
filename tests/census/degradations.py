"""Failures without a code: something becomes slow, and with it the whole session."""

from collections.abc import Callable

from tests.census.line_writer import Pen

_IB = "node_infiniband_"
_OPERATIONS = ("READ", "WRITE", "GETATTR", "LOOKUP", "ACCESS", "OPEN", "COMMIT")


def drag(*, kind: str, severity: float) -> float:
    """Return the share of a session's speed that a slow member costs all of them."""
    return _DRAG[kind] * severity


def _shape(pen: Pen) -> str:
    return str(pen.rng.choice(["rise", "step", "ramp"]))


def _thermal(pen: Pen) -> None:
    s, shape = pen.severity, _shape(pen)
    temperatures = ("DCGM_FI_DEV_GPU_TEMP", "all_smi_gpu_temperature_celsius")
    pen.effect(temperatures, "add", 6 + 14 * s, shape=shape)
    pen.effect("DCGM_FI_DEV_MEMORY_TEMP", "add", 5 + 10 * s, shape=shape)
    pen.effect("DCGM_FI_DEV_GPU_TEMP_LIMIT", "add", -6 - 14 * s, shape=shape)
    clocks = ("DCGM_FI_DEV_SM_CLOCK", "all_smi_gpu_frequency_mhz")
    pen.effect(clocks, "scale", -0.22 * min(s, 1.3), shape=shape)
    pen.effect("DCGM_FI_DEV_THERMAL_VIOLATION", "add", 4e8 * s, shape=shape)
    pen.effect("DCGM_FI_DEV_CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN_NS", "add", 4e8 * s, shape=shape)
    pen.effect("DCGM_FI_DEV_CLOCKS_EVENT_REASONS", "set", 32.0, shape="step")
    pen.effect("node_hwmon_fan_rpm", "scale", 0.12 * s, shape=shape, whole=True)


def _pcie(pen: Pen) -> None:
    narrow = pen.rng.random() < 0.5
    if narrow:
        names = ("DCGM_FI_DEV_PCIE_LINK_WIDTH", "all_smi_gpu_pcie_width_current")
        pen.effect((*names, "node_pcidevice_current_link_width"), "set", 8.0)
    else:
        names = ("DCGM_FI_DEV_PCIE_LINK_GEN", "all_smi_gpu_pcie_gen_current")
        pen.effect(names, "set", 3.0)
        pen.effect("node_pcidevice_current_link_transfers_per_second", "set", 8e9)
    rates = ("THROUGHPUT", "BYTES")
    for direction in ("TX", "RX"):
        for way, part in zip(("DEV", "PROF"), rates, strict=True):
            pen.effect(f"DCGM_FI_{way}_PCIE_{direction}_{part}", "scale", -0.4 * pen.severity)
    pen.trickle(("DCGM_FI_DEV_PCIE_REPLAY_COUNTER",), 400 * pen.severity)
    pen.trickle(("DCGM_FI_DEV_PCIE_CORRECTABLE_ERROR_TOTAL",), 150 * pen.severity)


def _rail(pen: Pen) -> None:
    s, shape = pen.severity, _shape(pen)
    pen.effect(_IB + "port_transmit_wait_total", "scale", 5 * s, shape=shape)
    for part, amount in (
        ("out_of_sequence_packets_received_total", 12.0),
        ("packet_sequence_errors_total", 20.0),
        ("roce_adp_retransmits_total", 25.0),
        ("port_discards_transmitted_total", 8.0),
        ("duplicate_requests_packets_total", 15.0),
        ("np_cnp_packets_sent_total", 1.5),
    ):
        pen.effect(_IB + part, "scale", amount * s, shape=shape)
    pen.effect("node_ethtool_received_corrected_bits_phy", "scale", 30 * s, shape=shape)
    pen.trickle((_IB + "symbol_error_total", "node_ethtool_received_symbol_err_phy"), 900 * s)
    pen.trickle((_IB + "local_ack_timeout_errors_total",), 200 * s)
    pen.effect("nccl_bus_bandwidth_gbs", "scale", -0.06 * s, shape=shape)


def _memory(pen: Pen) -> None:
    s = pen.severity
    free = ("node_memory_MemFree_bytes", "node_memory_MemAvailable_bytes")
    other = ("all_smi_memory_free_bytes", "all_smi_memory_available_bytes")
    pen.effect((*free, *other), "scale", -min(0.55 + 0.35 * s, 0.97), shape="ramp")
    pen.effect(
        ("node_memory_AnonPages_bytes", "all_smi_memory_used_bytes"), "add", 4e11 * s, shape="ramp"
    )
    pressure = "node_pressure_memory_{}_seconds_total"
    pen.effect(pressure.format("waiting"), "add", 0.06 * s, shape="late")
    pen.effect(pressure.format("stalled"), "add", 0.03 * s, shape="late")
    pen.effect("node_vmstat_pgmajfault", "add", 60 * s, shape="late")
    pen.effect("node_vmstat_pgpgout", "scale", 4 * s, shape="bursts")
    pen.trickle(("node_vmstat_pswpout", "node_vmstat_pswpin"), 5000 * s)


def _nvme(pen: Pen) -> None:
    s, shape = pen.severity, _shape(pen)
    for part, amount in (
        ("io_time_seconds", 8.0),
        ("io_time_weighted_seconds", 16.0),
        ("write_time_seconds", 14.0),
        ("read_time_seconds", 10.0),
        ("flush_requests_time_seconds", 20.0),
    ):
        pen.effect(f"node_disk_{part}_total", "scale", amount * s, shape=shape)
    pen.effect("node_disk_io_now", "add", 5 * s, shape=shape)
    pen.effect("node_procs_blocked", "add", 2.5 * s, shape="bursts")
    pen.effect('node_cpu_seconds_total{mode="iowait"}', "add", 1.2 * s, shape=shape)
    pen.effect("node_pressure_io_waiting_seconds_total", "add", 0.12 * s, shape=shape)
    pen.effect("node_pressure_io_stalled_seconds_total", "add", 0.09 * s, shape=shape)


def _power_cap(pen: Pen) -> None:
    s = min(pen.severity, 1.3)
    pen.effect(("DCGM_FI_DEV_SM_CLOCK", "all_smi_gpu_frequency_mhz"), "scale", -0.28 * s)
    brake = "DCGM_FI_DEV_CLOCKS_EVENT_REASON_HW_POWER_BRAKE_SLOWDOWN_NS"
    pen.effect((brake, "DCGM_FI_DEV_POWER_VIOLATION"), "add", 6e8 * s)
    pen.effect("DCGM_FI_DEV_CLOCKS_EVENT_REASONS", "set", 128.0)
    power = ("DCGM_FI_DEV_POWER_USAGE", "all_smi_gpu_power_consumption_watts")
    pen.effect(power, "scale", -0.3 * s)
    if pen.rng.random() < 0.5:
        limits = ("DCGM_FI_DEV_ENFORCED_POWER_LIMIT", "all_smi_gpu_power_limit_current_watts")
        pen.effect(limits, "set", 700.0)


def _nfs_client(pen: Pen) -> None:
    s, shape = pen.severity, _shape(pen)
    for operation in _OPERATIONS:
        for part, amount in (("response", 5.0), ("queue", 9.0), ("request", 6.0)):
            name = f"node_mountstats_nfs_operations_{part}_time_seconds_total"
            pen.effect(f'{name}{{operation="{operation}"}}', "scale", amount * s, shape=shape)
    for part in ("backlog", "pending", "sending"):
        pen.effect(f"node_mountstats_nfs_transport_{part}_queue_total", "scale", 4 * s, shape=shape)
    pen.trickle(("node_nfs_rpc_retransmissions_total",), 400 * s)
    pen.effect("node_netstat_Tcp_RetransSegs", "add", 2.5 * s, shape="bursts")
    pen.effect('node_cpu_seconds_total{mode="iowait"}', "add", 0.5 * s, shape=shape)


def _cpu(pen: Pen) -> None:
    s, shape = pen.severity, _shape(pen)
    pen.effect('node_cpu_seconds_total{mode="user"}', "add", 70 * s, shape=shape)
    pen.effect('node_cpu_seconds_total{mode="idle"}', "add", -70 * s, shape=shape)
    pen.effect(("node_load1", "node_load5", "node_load15"), "add", 80 * s, shape=shape)
    pen.effect(
        ("node_procs_running", 'node_processes_state{state="R"}'), "add", 60 * s, shape=shape
    )
    pen.effect("node_schedstat_waiting_seconds_total", "add", 9 * s, shape=shape)
    pen.effect("node_pressure_cpu_waiting_seconds_total", "add", 0.18 * s, shape=shape)
    pen.effect(
        ("all_smi_cpu_utilization", "all_smi_cpu_socket_utilization"), "add", 31 * s, shape=shape
    )
    pen.effect("node_context_switches_total", "add", 4e4 * s, shape=shape)


WRITERS: dict[str, Callable[[Pen], None]] = {
    "thermal": _thermal,
    "pcie": _pcie,
    "rail": _rail,
    "memory": _memory,
    "nvme": _nvme,
    "power-cap": _power_cap,
    "nfs-client": _nfs_client,
    "cpu": _cpu,
}
_DRAG = {
    "thermal": 0.05,
    "pcie": 0.04,
    "rail": 0.06,
    "memory": 0.02,
    "nvme": 0.005,
    "power-cap": 0.07,
    "nfs-client": 0.01,
    "cpu": 0.03,
}
