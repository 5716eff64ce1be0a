"""Tables and bare phrases that people paste: what their numbers and words say by themselves."""
# ruff: noqa: E501  lines of logs keep their length

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Origin, Stream, Verdict, VerdictStatus
from apps.diagnosis.signatures.read import read_source

MATRIX = """Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)
   D\\D     0      1      2
     0 810.20  21.15  21.20
     1  20.99 811.20  22.20
     2  21.00  21.98 812.78
Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)
   D\\D     0      1      2
     0 810.49  {pair}  {pair}
     1  {pair} 811.33  {pair}
     2  {pair}  {pair} 812.78
P2P=Disabled Latency Matrix (us)
"""
FAULT = "[{up}] NVRM: Xid (PCI:0000:b7:00): 13, Graphics SM Warp Exception on (GPC {gpc}, TPC 1, SM 1): MMU Fault"


def verdict(text: str, stream: Stream = Stream.SESSION) -> Verdict:
    """Return what is said of a text that nothing else stands beside."""
    return diagnose(
        readings=[read_source(origin=Origin(source="log", stream=stream), text=text)]
    ).verdict


def test_direct_access_that_is_slower_than_none_is_diverted() -> None:
    assert verdict(MATRIX.format(pair=" 2.60")).cause == "p2p-topology"


@pytest.mark.parametrize("pair", ["21.00", "56.12", "241.40"])
def test_direct_access_that_is_no_slower_says_nothing(pair: str) -> None:
    said = verdict(MATRIX.format(pair=pair)).status
    assert said in {VerdictStatus.UNKNOWN, VerdictStatus.NO_FAILURE}


def test_faults_all_over_a_gpu_at_once_speak_for_the_program() -> None:
    text = "\n".join(FAULT.format(up=f"70331.{gpc}", gpc=gpc) for gpc in (1, 2, 6))
    assert verdict(text, Stream.KERNEL).cause == "kernel-bug"


def test_a_fault_in_one_unit_speaks_for_nobody() -> None:
    text = "\n".join(FAULT.format(up=f"70331.{place}", gpc=4) for place in (1, 2, 6))
    assert verdict(text, Stream.KERNEL).status is VerdictStatus.UNKNOWN


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ("RuntimeError: DataLoader worker (pid ...) is killed by signal: Killed", "host-oom"),
        ("kernel: Memory cgroup out of memory", "host-oom"),
        ("watchdog: BUG: soft lockup - CPU#12 stuck for 22s!", "cpu-starvation"),
        ("Warning  Evicted  9s  kubelet  Pod ephemeral local storage usage exceeds the total limit of containers 9Gi.", "disk-full"),
        ("[2026-09-14T17:05:10.123] _job_complete: JobId=50917 WTERMSIG 9", "process-killed"),
        ("(autoscaler +4m) Instance k-77 (node IP: 10.1.2.3) will be terminated soon (reason: pod-termination).", "process-killed"),
        ("fsspec.exceptions.FSTimeoutError: Caught FSTimeoutError in DataLoader worker process 3.", "dataloader-stall"),
        ("free(): invalid next size (normal)", "rank-exception"),
        ("[app][error] RegisterRdmaMemoryRegion failed! size:4096 errno:22", "rdma-registration"),
        ("n3:1:2 [0] net.h:31 WARN Socket creation failed : Address family not supported by protocol", "wrong-interface"),
        ("NCCL WARN NET/IB : Got async event : local catastrophic error", "link-down"),
        ("world_size 8 > num_shards 4", "uneven-data"),
        ("| DCGM_FI_DEV_ECC_SBE_VOL_TOTAL | 81,231,900 |", "gpu-ecc-correctable-storm"),
        ("=== slowest ranks of step 12: 144 145 146 147", "slow-member"),
    ],
)  # fmt: skip
def test_a_phrase_names_its_cause(line: str, cause: str) -> None:
    assert verdict(line).cause == cause
