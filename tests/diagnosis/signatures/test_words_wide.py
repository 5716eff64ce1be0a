"""Wordings of many makers and tools, a line each: the layer is named, or left open where it must be."""
# ruff: noqa: E501  lines of logs keep their length

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Layer, Origin, Stream, Verdict, VerdictStatus
from apps.diagnosis.signatures.read import read_source

SAYING = {
    Layer.NETWORK: [
        "i40e 0000:3d:00.1: link down detected, resetting the adapter",
        "check_ib: mlx5_6 port 1 is in state Polling, expected LinkUp",
        "mlx5_0 port 1 uses RoCE v1 while its peer uses RoCE v2",
        "Device=0 CANNOT Access Peer Device=1",
        "NCCL WARN socketPollConnect poll() returned timeout for 10.3.0.2<5000>",
        "GPUDirect-TCPX: failed to connect to rxdm",
        "The firewall blocked port 6379 between head node and workers",
        "ValueError: Interface ib0 not found among ['lo', 'eno1']",
    ],
    Layer.GPU: [
        "nvidia-smi only lists 7 of 8 GPUs",
        "DCGM_FI_DEV_ECC_DBE_VOL_TOTAL 4",
        "Fabric State: In Progress for more than 20 minutes",
        "Thermal violation count increased by 44000 on GPU-5",
        "amdgpu 0000:2b:00.0: amdgpu: ring gfx_0.0.0 timeout, signaled seq=12, emitted seq=14",
        "dcgmi diag: SM Stress of GPU 3: Fail, GPU fault",
    ],
    Layer.HOST: [
        "cudaErrorMemoryAllocation in cudaHostAlloc: 120 GB of host memory",
        "Pod was evicted for the preemption by a higher-priority workload",
        "Terminated by the spot instance reclaim",
        "GPU 5 pcie link width is x8, expected x16",
        "container is limited to 1 CPU, 64 workers starve",
    ],
    Layer.STORAGE: [
        "mmfsd: GPFS is not mounted on node n12",
        "the NFS export was unmounted while the job ran",
        "reader: read timeout while streaming shard 0012.tar, retrying",
        "quota of the project exhausted, writing stopped",
    ],
    Layer.SOFTWARE: [
        "cuMemAlloc failed: out of memory",
        "CUBLAS_STATUS_INVALID_VALUE when calling cublasGemmEx",
        "hang in ncclCommAbort, known deadlock of NCCL 2.18.3",
        "The order of collectives differs: rank 1 is at ALLGATHER 88, rank 0 at ALLREDUCE 88",
        "rank 3 exhausted its dataloader at step 1021",
        "evaluation on rank 0 took longer than the 10 minute timeout",
        "torchrun was started with --nproc_per_node=8 on a node with 4 GPUs",
        "RuntimeError: Input type (torch.cuda.FloatTensor) and weight type (torch.HalfTensor) should be the same",
    ],
    Layer.STRAGGLER: [
        "node n17 runs all-reduce at 120 GB/s, all other nodes at 370 GB/s",
        "GPU 3 takes 410 ms per step, others 250 ms",
    ],
}
OPEN = [
    "NCCL error: unhandled system error, NCCL version 2.14.3",
    "remote process exited or there was a network error",
    "CUDA error: an illegal memory access was encountered",
    "RuntimeError: Connection reset by peer",
    "[W] TCPStore.cpp: recvValue failed on SocketImpl(fd=3): Connection was likely closed",
    "RayActorError: The actor died unexpectedly before finishing this task.",
    "Timed out initializing process group in store based barrier on rank: 0",
    "NCCL communicator was aborted on rank 2.",
    "exitcode: -6 (pid: 4123) Signal 6 (SIGABRT) received by PID 4123",
]


def verdict(line: str) -> Verdict:
    """Return what is said of a line that nothing else stands beside."""
    origin = Origin(source="log", stream=Stream.SESSION)
    return diagnose(readings=[read_source(origin=origin, text=line)]).verdict


@pytest.mark.parametrize(
    ("layer", "line"), [(layer, line) for layer, lines in SAYING.items() for line in lines]
)
def test_a_wording_names_its_layer(layer: Layer, line: str) -> None:
    assert verdict(line).layer is layer


@pytest.mark.parametrize("line", OPEN)
def test_what_any_failure_ends_in_names_nothing(line: str) -> None:
    assert verdict(line).status is VerdictStatus.UNKNOWN
