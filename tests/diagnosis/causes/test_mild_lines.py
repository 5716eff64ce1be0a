"""Lines that tell of no failure establish none; those that end a process without a reason, too."""

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Diagnosis
from apps.offline.cases import case_readings

NOTES = """\
Allocator (GPU_0_bfc) ran out of memory. The caller indicates that this is not a failure
systemd-logind[801]: Failed to abandon scope, ignoring: Transport endpoint is not connected
WARNING: The object store is using /tmp: /dev/shm has only 67108864 bytes available.
audit: type=1400 apparmor="DENIED" operation="open" profile="snap.editor"
NOTE: The SHMEM allocation limit is set to the default of 64MB.
libibverbs: Warning: couldn't open config directory '/etc/libibverbs.d'.
libibverbs: Warning: couldn't load driver 'libmlx5-rdmav34.so': cannot open shared object file
vmnet2: sent link down event."""
NO_REASON = """\
EI0002: [PID: 4021] The wait execution of the Notify register times out.
RuntimeError: synStatus=20 [Device already acquired] Device acquire failed.
Possible Cause: 1. An exception on some cards. 2. Packet loss on the communication link. failed
n4:71:99 [0] misc/ibvwrap.cc:212 NCCL WARN Call to ibv_open_device failed
EI0009: [PID: 4021] 2026-09-14-17:04:10.853.447 Transport init error.
n4 kernel: python3[40]: segfault at 58 ip 7fff11 sp 7fff12 error 4 in libcuda.so.570.86[7f+d0]"""
TOLD = """\
host-oom: RayOutOfMemoryError: More than 95% of the memory on node n31 is used (120.5 / 125.6 GB).
node-unreachable: job preempted (node failure)
container-limits: RuntimeError: unable to open shared memory object </torch_4021_7> in read-write
shm-exhausted: RuntimeError: unable to write to file </torch_4021_7>
gpu-gsp-timeout: amdgpu 0000:c5:00.0: amdgpu: MES failed to respond to msg=REMOVE_QUEUE
collective-mismatch: EI0005: The arguments are inconsistent between ranks: tag [HcclAllReduce]
version-mismatch: EI0008: [PID: 4021] The CANN versions are inconsistent: tag [world]
gpu-ecc-uncorrectable: RuntimeError: HBM MULTI BIT ECC ERROR.
rdma-retry-exceeded: EI0013: [PID: 4021] An error CQE occurred during operator execution.
rendezvous-unreachable: The client socket has failed to connect to any network address of (n1, 29)
rendezvous-unreachable: include/socket.h:185 WARN Call to connect failed : Connection refused"""


@pytest.mark.parametrize("line", [*NOTES.splitlines(), *NO_REASON.splitlines()])
def test_it_leaves_the_question_open(line: str) -> None:
    assert _of(line).verdict.status.value in {"unknown", "no-failure"}


@pytest.mark.parametrize("told", TOLD.splitlines())
def test_it_tells_its_cause(told: str) -> None:
    cause, line = told.split(": ", 1)
    assert _of(line).verdict.cause == cause


def test_the_shell_says_that_it_was_killed() -> None:
    """With a time before it, and with its columns closed up."""
    verdict = _of("2026-09-14 17:04:10 ./run.sh: line 12: 4021 Killed sh start.sh").verdict
    assert verdict.layer.value == "host"


def _of(line: str) -> Diagnosis:
    log = {"stream": None, "host": None, "rank": None, "text": line}
    return diagnose(readings=case_readings(case={"logs": [log]}))
