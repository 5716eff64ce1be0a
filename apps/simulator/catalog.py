"""Which metrics exist, on what they are measured, and how they follow the activity.

Names and units: dcgm-exporter 4.8 (legacy names), node_exporter 1.12, the VAST exporter.
"""

from apps.simulator.metric_family import Family, constant, counter, gauge, still

_GPU = (
    gauge("gpu", "DCGM_FI_DEV_SM_CLOCK", "power", 1200, 1935, noise=24),
    constant("gpu", "DCGM_FI_DEV_MEM_CLOCK", 3996),
    gauge("gpu", "DCGM_FI_DEV_GPU_TEMP", "power", 33, 61, spread=5, noise=1.6),
    gauge("gpu", "DCGM_FI_DEV_MEMORY_TEMP", "power", 36, 68, spread=5, noise=1.6),
    gauge("gpu", "DCGM_FI_DEV_POWER_USAGE", "power", 142, 905, spread=22, noise=34, decimals=3),
    counter("gpu", "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", "power", 142e3, 905e3, spread=9e11),
    constant("gpu", "DCGM_FI_DEV_ENFORCED_POWER_LIMIT", 1000),
    gauge("gpu", "DCGM_FI_DEV_GPU_UTIL", "util", 0, 100, noise=1.4),
    gauge("gpu", "DCGM_FI_DEV_MEM_COPY_UTIL", "power", 0, 44, noise=5),
    gauge("gpu", "DCGM_FI_DEV_FB_USED", "memory", 812, 151_800, spread=900, noise=6),
    gauge("gpu", "DCGM_FI_DEV_FB_FREE", "memory", 182_100, 31_100, spread=900, noise=6),
    constant("gpu", "DCGM_FI_DEV_FB_RESERVED", 628),
    gauge("gpu", "DCGM_FI_PROF_GR_ENGINE_ACTIVE", "util", 0, 0.97, noise=0.02, decimals=4),
    gauge("gpu", "DCGM_FI_PROF_SM_ACTIVE", "power", 0, 0.86, noise=0.03, decimals=4),
    gauge("gpu", "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "power", 0, 0.47, noise=0.03, decimals=4),
    gauge("gpu", "DCGM_FI_PROF_DRAM_ACTIVE", "power", 0, 0.41, noise=0.03, decimals=4),
    gauge("gpu", "DCGM_FI_PROF_PCIE_TX_BYTES", "rdma", 2e4, 2.1e10, noise=8e8),
    gauge("gpu", "DCGM_FI_PROF_PCIE_RX_BYTES", "rdma", 2e4, 1.9e10, noise=8e8),
    gauge("gpu", "DCGM_FI_PROF_NVLINK_TX_BYTES", "rdma", 0, 2.4e11, noise=6e9),
    gauge("gpu", "DCGM_FI_PROF_NVLINK_RX_BYTES", "rdma", 0, 2.4e11, noise=6e9),
    counter("gpu", "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", "rdma", 0.0, 240_000.0, spread=1e9),
    constant("gpu", "DCGM_FI_DEV_PCIE_LINK_GEN", 5),
    constant("gpu", "DCGM_FI_DEV_PCIE_LINK_WIDTH", 16),
    constant("gpu", "DCGM_FI_DEV_PSTATE", 0),
    constant("gpu", "DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", 0),
    constant("gpu", "DCGM_FI_DEV_CLOCKS_EVENT_REASONS", 0),
    constant("gpu", "DCGM_FI_DEV_XID_ERRORS", 0),
    constant("gpu", "DCGM_FI_DEV_GPU_RECOVERY_ACTION", 0),
    constant("gpu", "DCGM_FI_DEV_ROW_REMAP_FAILURE", 0),
    constant("gpu", "DCGM_FI_DEV_ROW_REMAP_PENDING", 0),
    constant("gpu", "DCGM_FI_DEV_FABRIC_MANAGER_STATUS", 3),
    counter("gpu", "DCGM_FI_DEV_POWER_VIOLATION", "power", 0.0, 2.0e4, spread=1e9),
    *(
        still("gpu", f"DCGM_FI_DEV_{name}", spread=spread)
        for name, spread in (
            ("THERMAL_VIOLATION", 0.0),
            ("PCIE_REPLAY_COUNTER", 4.0),
            ("PCIE_CORRECTABLE_ERROR_TOTAL", 4.0),
            ("ECC_SBE_VOL_TOTAL", 3.0),
            ("ECC_DBE_VOL_TOTAL", 0.0),
            ("ECC_SBE_AGG_TOTAL", 30.0),
            ("ECC_DBE_AGG_TOTAL", 1.6),
            ("CORRECTABLE_REMAPPED_ROWS", 2.2),
            ("UNCORRECTABLE_REMAPPED_ROWS", 1.1),
            ("NVLINK_CRC_FLIT_ERROR_COUNT_TOTAL", 6.0),
            ("NVLINK_CRC_DATA_ERROR_COUNT_TOTAL", 2.0),
            ("NVLINK_REPLAY_ERROR_COUNT_TOTAL", 2.0),
            ("NVLINK_RECOVERY_ERROR_COUNT_TOTAL", 0.0),
        )
    ),
)
_PORT = (
    counter(
        "port", "node_infiniband_port_data_received_bytes_total", "rdma", 400.0, 2.1e10, spread=9e15
    ),
    counter(
        "port",
        "node_infiniband_port_data_transmitted_bytes_total",
        "rdma",
        400.0,
        2.1e10,
        spread=9e15,
    ),
    counter("port", "node_infiniband_port_packets_received_total", "rdma", 4.0, 5.2e6, spread=2e12),
    counter(
        "port", "node_infiniband_port_packets_transmitted_total", "rdma", 4.0, 5.2e6, spread=2e12
    ),
    counter("port", "node_infiniband_port_transmit_wait_total", "rdma", 0.0, 9e4, spread=1e9),
    counter("port", "node_infiniband_np_cnp_packets_sent_total", "rdma", 0.0, 2.4, spread=9e5),
    constant("port", "node_infiniband_state_id", 4),
    constant("port", "node_infiniband_physical_state_id", 5),
    constant("port", "node_infiniband_rate_bytes_per_second", 5e10),
    *(
        still("port", f"node_infiniband_{name}_total", spread=spread)
        for name, spread in (
            ("link_downed", 2.0),
            ("link_error_recovery", 2.0),
            ("symbol_error", 8.0),
            ("port_errors_received", 3.0),
            ("local_ack_timeout_errors", 20.0),
            ("out_of_sequence_packets_received", 90.0),
            ("packet_sequence_errors", 40.0),
        )
    ),
)
_NETDEV = (
    constant("netdev", "node_network_up", 1),
    constant("netdev", "node_network_carrier", 1),
    still("netdev", "node_network_carrier_changes_total", spread=5.0),
    still("netdev", "node_network_receive_errs_total", spread=3.0),
    counter("netdev", "node_network_receive_bytes_total", "nfs", 9e3, 3.1e8, spread=9e13),
)
_NODE = (
    gauge("node", "node_load1", "host", 2.1, 118.0, spread=6, noise=5, decimals=2),
    gauge("node", "node_load5", "host", 2.1, 118.0, spread=6, noise=2, decimals=2),
    gauge("node", "node_procs_running", "host", 2, 96, noise=12),
    constant("node", "node_procs_blocked", 0),
    constant("node", "node_memory_MemTotal_bytes", 2.164e12),
    gauge(
        "node", "node_memory_MemAvailable_bytes", "memory", 2.09e12, 1.62e12, spread=3e10, noise=4e9
    ),
    gauge("node", "node_memory_Cached_bytes", "memory", 2.1e10, 2.2e11, spread=2e10, noise=1e9),
    gauge("node", "node_memory_Dirty_bytes", "nfs", 2e6, 6.1e9, noise=2e6),
    gauge("node", "node_memory_Writeback_bytes", "nfs", 0, 8.2e8, noise=0),
    still("node", "node_vmstat_oom_kill", spread=1.3),
    counter("node", "node_pressure_cpu_waiting_seconds_total", "host", 0.001, 0.03, spread=9e4),
    counter("node", "node_pressure_memory_waiting_seconds_total", "host", 0.0, 0.0004, spread=900),
    counter("node", "node_pressure_io_waiting_seconds_total", "nfs", 0.0005, 0.06, spread=9e4),
    counter("node", "node_context_switches_total", "host", 9e3, 4.1e5, spread=9e11),
    counter("node", "node_nfs_rpcs_total", "nfs", 2.0, 900.0, spread=9e9),
    still("node", "node_nfs_rpc_retransmissions_total", spread=30.0),
    still("node", "node_kernel_hung_tasks_total"),
    counter("node", "node_netstat_Tcp_RetransSegs", "host", 0.02, 0.4, spread=9e5),
    constant("node", "node_timex_sync_status", 1),
    gauge("node", "node_filefd_allocated", "host", 9_100, 61_000, spread=900, noise=300),
    *(
        Family(name=name, entity="node", kind="gauge", level=level)
        for name, level in (
            ("node_timex_offset_seconds", "clock"),
            ("node_time_seconds", "now"),
            ("node_boot_time_seconds", "boot"),
        )
    ),
)
_OTHER = (
    counter("cpu", "node_cpu_seconds_total", "host", 0.06, 0.52, spread=9e5),
    still("memory", "node_edac_correctable_errors_total", spread=3.0),
    still("memory", "node_edac_uncorrectable_errors_total"),
    gauge(
        "filesystem", "node_filesystem_avail_bytes", "host", 2.9e12, 2.8e12, spread=4e11, noise=1e8
    ),
    constant("filesystem", "node_filesystem_size_bytes", 3.84e12),
    constant("filesystem", "node_filesystem_readonly", 0),
    counter("disk", "node_disk_io_time_seconds_total", "host", 0.001, 0.02, spread=9e4),
    counter("disk", "node_disk_written_bytes_total", "host", 2e4, 3e6, spread=9e12),
    constant("target", "up", 1),
    gauge(
        "target", "scrape_duration_seconds", "none", 0.21, 0.21, spread=0.06, noise=0.05, decimals=4
    ),
    gauge("target", "scrape_samples_scraped", "none", 640, 640),
    *(
        counter(
            "op", f"node_mountstats_nfs_operations_{name}_total", "save", idle, busy, spread=spread
        )
        for name, idle, busy, spread in (
            # While a node saves, its 128 slots are under way and each write is answered as fast as
            # at rest: what it moves is bound by slots.
            ("requests", 0.4, 560.0, 9e7),
            ("transmissions", 0.4, 560.0, 9e7),
            ("queue_time_seconds", 0.0002, 3.1, 9e4),
            ("response_time_seconds", 0.09, 126.0, 9e5),
            ("request_time_seconds", 0.0904, 130.0, 9e5),
            ("sent_bytes", 90.0, 5.87e8, 9e13),
        )
    ),
    still("op", "node_mountstats_nfs_operations_major_timeouts_total", spread=2.0),
    *(
        counter(
            "mount",
            f"node_mountstats_nfs_transport_{name}_total",
            "save",
            idle,
            busy,
            spread=spread,
        )
        for name, idle, busy, spread in (
            ("backlog_queue", 0.0, 40.0, 9e6),
            ("sending_queue", 0.1, 90.0, 9e7),
            ("pending_queue", 0.1, 310.0, 9e7),
            ("sends", 0.8, 565.0, 9e8),
            ("receives", 0.8, 565.0, 9e8),
        )
    ),
    constant("mount", "node_mountstats_nfs_transport_maximum_rpc_slots", 128),
)
_STRATA = tuple(
    Family(
        name=f"vast_cnode_metrics_{name}",
        entity="cnode",
        kind=kind,
        level="nfs",
        idle=idle,
        busy=busy,
        spread=spread,
        noise=noise,
        party="strata",
    )
    for name, kind, idle, busy, spread, noise in (
        ("ProtoMetrics_read_latency_count", "counter", 40.0, 9e3, 9e9, 0.0),
        ("ProtoMetrics_read_latency_sum", "counter", 2.4e4, 7e6, 9e12, 0.0),
        ("ProtoMetrics_write_latency_count", "counter", 40.0, 2.2e4, 9e9, 0.0),
        ("ProtoMetrics_write_latency_sum", "counter", 3.1e4, 3.4e7, 9e12, 0.0),
        ("ProtoMetrics_rd_md_iops", "gauge", 900.0, 7e3, 60.0, 90.0),
        ("ProtoMetrics_wr_md_iops", "gauge", 300.0, 9e3, 60.0, 90.0),
        ("ProtoMetrics_md_iops", "gauge", 1200.0, 1.6e4, 90.0, 150.0),
        ("ProtoConnectionMetrics_nfs3_tcp_pool", "gauge", 126.0, 126.0, 0.0, 0.0),
        ("ProtoConnectionMetrics_nfs_conn_rejected", "gauge", 0.0, 0.0, 0.0, 0.0),
        ("SchedulerMetrics_queue_latency_ns_fiber_avg", "gauge", 2.1e5, 4.4e6, 9e3, 4e4),
        ("NfsMetrics_nfs_write_latency_count", "counter", 38.0, 2.1e4, 9e9, 0.0),
        ("NfsMetrics_nfs_write_latency_sum", "counter", 3.0e4, 3.3e7, 9e12, 0.0),
        ("NfsMetrics_nfs_read_latency_count", "counter", 30.0, 8e3, 9e9, 0.0),
        ("NfsMetrics_nfs_read_latency_sum", "counter", 2.1e4, 6e6, 9e12, 0.0),
    )
)
FAMILIES: tuple[Family, ...] = _GPU + _PORT + _NETDEV + _NODE + _OTHER + _STRATA
