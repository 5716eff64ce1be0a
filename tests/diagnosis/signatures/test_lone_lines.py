"""One pasted line: which of several causes of a layer it names, and which it leaves open."""
# ruff: noqa: E501  lines of logs keep their length

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Origin, Verdict, VerdictStatus
from apps.diagnosis.signatures.read import read_source

NAMED = [
    ("gpu-nvlink", "RuntimeError: CUDA error: system not yet initialized"),
    ("gpu-nvlink", "rack tray 4 showed SXID: 20034 twice today"),
    ("gpu-off-bus", "RuntimeError: CUDA error: GPU is lost"),
    ("gpu-off-bus", "watchdog: XID error: 79 on n31"),
    (
        "gpu-off-bus",
        'DCGM_FI_DEV_XID_ERRORS{gpu="5",UUID="GPU-41",Hostname="n31"} 79 1780000000000',
    ),
    ("gpu-ecc-uncorrectable", "burn-in stopped, Xid=48"),
    ("gpu-ecc-uncorrectable", "torch_npu: HBM MULTI BIT ECC, device 6"),
    ("gpu-other", "RuntimeError: CUDA error: unknown error"),
    (
        "gpu-other",
        "Unable to determine the device handle for GPU 0000:9B:00.0: GPU requires reset",
    ),
    (
        "host-oom",
        "Warning  Evicted  3m  kubelet  The node was low on resource: memory. Threshold quantity: 200Mi, available: 80Mi.",
    ),
    ("host-oom", "=>> PBS: job killed: pmem 9437184kb exceeded limit 8388608kb"),
    ("process-killed", "Warning  Evicted  3m  kubelet  pod moved away"),
    ("cuda-oom", "XlaRuntimeError: INTERNAL: Failed to allocate 6442450944 bytes for new constant"),
    ("kernel-bug", "RuntimeError: CUDA error: invalid resource handle"),
    (
        "version-mismatch",
        "nv-fabricmanager[71]: fabric manager NVIDIA GPU driver interface version 550.54.14 don't match with driver version 550.54.15.",
    ),
    (
        "rdma-retry-exceeded",
        "ib_mlx5_log.c:177  UCX  ERROR Transport retry count exceeded on mlx5_2:1/IB (synd 0x15 vend 0x81 hw_synd 0/0)",
    ),
    (
        "roce-gid",
        "ib_mlx5_log.c:177  UCX  ERROR Transport retry count exceeded on mlx5_2:1/RoCE (synd 0x15 vend 0x81 hw_synd 0/0)",
    ),
    (
        "socket-failure",
        "n31:71:99 [0] include/socket.h:403 NCCL WARN Call to connect returned Connection timed out",
    ),
]
OPEN = [
    # What a program lists as possible is no observation.
    "(raylet) Raylet is terminated: ip=10.0.0.9. Termination is unexpected. Possible reasons include: (1) SIGKILL by the user or system OOM killer, (2) Invalid memory access from Raylet causing SIGSEGV or SIGBUS, (3) Other termination signals.",
    # The error number is an earlier call's: the proxy ends because its peer did.
    "n31:71:99 [0] proxy.cc:1498 NCCL WARN [Service thread] Accept failed Resource temporarily unavailable",
    "n31:71:99 [0] misc/nvmlwrap.cc:123 NCCL WARN nvmlDeviceGetNvLinkRemotePciInfo() failed: Not Supported",
    "n31:71:99 [0] transport/p2p.cc:275 NCCL WARN Cuda failure 400 'invalid resource handle'",
    '# Failed to write core dump. Core dumps have been disabled. To enable core dumping, try "ulimit -c unlimited" before starting Java again',
    'DCGM_FI_DEV_XID_ERRORS{gpu="5",UUID="GPU-41",Hostname="n31"} 0',
    "SXid 12028 on tray 4",
    # Neither says why: a worker has its own words, a segment's maker too.
    "RuntimeError: DataLoader worker (pid(s) 40211) exited unexpectedly",
    "n31:71:99 [0] misc/shmutils.cc:129 NCCL WARN Error while attaching to shared memory segment /dev/shm/nccl-Ab3 (size 0), error: No such file or directory (2)",
    "SQLSTATE 25P02, XID=48113902",
]


def verdict(*lines: str) -> Verdict:
    text = "\n".join(lines) + "\n"
    return diagnose(readings=[read_source(origin=Origin(source="pasted"), text=text)]).verdict


@pytest.mark.parametrize(("cause", "line"), NAMED, ids=[line[:60] for _, line in NAMED])
def test_a_lone_line_names_the_narrowest_cause_that_it_tells(cause: str, line: str) -> None:
    assert verdict(line).cause == cause


@pytest.mark.parametrize("line", OPEN, ids=[line[:60] for line in OPEN])
def test_a_lone_line_that_tells_no_cause_stays_open(line: str) -> None:
    assert verdict(line).status is VerdictStatus.UNKNOWN


def test_a_warning_about_locked_memory_is_never_called_likely() -> None:
    said = verdict(
        "libibverbs: Warning: RLIMIT_MEMLOCK is 65536 bytes.",
        "    This will severely limit memory registrations.",
    )
    assert (said.status, said.cause) == (VerdictStatus.POSSIBLE, "rdma-registration")


@pytest.mark.parametrize(
    ("cause", "line"),
    [
        (
            "shm-exhausted",
            "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).",
        ),
        (
            "node-unreachable",
            "The node with ID 7f12 has been marked dead because the monitor has missed too many heartbeats from it.",
        ),
    ],
    ids=["shared memory", "heartbeats"],
)
def test_what_a_program_guesses_is_never_called_likely(cause: str, line: str) -> None:
    said = verdict(line)
    assert (said.status, said.cause) == (VerdictStatus.POSSIBLE, cause)


@pytest.mark.parametrize(
    ("ports", "cause"),
    [("[0]mlx5_0:1/IB [1]mlx5_1:1/IB", "rdma-retry-exceeded"), ("[0]mlx5_0:1/RoCE", "roce-gid")],
    ids=["InfiniBand", "RoCE"],
)
def test_roce_is_configured_wrongly_only_where_there_is_roce(ports: str, cause: str) -> None:
    said = verdict(
        f"n31:71:99 [0] NCCL INFO NET/IB : Using {ports} [RO]; OOB eth0:10.0.0.9<0>",
        "n31:71:99 [0] transport/net_ib.cc:1297 NCCL WARN NET/IB : Got completion from peer 10.0.0.7<51234> with error 12, opcode 0, len 0, vendor err 129",
    )
    assert said.cause == cause
