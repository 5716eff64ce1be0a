"""Wordings of many programs for one kind of fault: what counts is the phrase, not who prints it."""
# ruff: noqa: E501  lines of logs keep their length

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Origin, Stream, Verdict, VerdictStatus
from apps.diagnosis.signatures.read import read_source

SAYING = {
    "cuda-oom": [
        "[rank6]: torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 512.00 MiB. GPU  has a total capacity of 79.1 GiB",
        "RuntimeError: CUDA out of memory. Tried to allocate 3.02 GiB (GPU 5; 31.7 GiB total capacity; 2.1 GiB already allocated)",
        "RuntimeError: HIP out of memory. Tried to allocate 96.00 MiB.",
        "jax.errors.JaxRuntimeError: RESOURCE_EXHAUSTED: Out of memory allocating 913741824 bytes.",
        "OP_REQUIRES failed at matmul_op.cc:12 : Resource exhausted: OOM when allocating tensor with shape[64,9]",
        "[TRT] [E] 1: [alloc.cpp::allocate::31] Error Code 1: Cuda Runtime (out of memory)",
        "mxnet.base.MXNetError: cudaMalloc retry failed: out of memory",
        "ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization`.",
        "RuntimeError: cuda runtime error (2) : out of memory at /src/THCStorage.cu:58",
        "n7:91:95 [3] NCCL WARN Cuda failure 2 'out of memory'",
    ],
    "kernel-bug": [
        "RuntimeError: CUDA error: device-side assert triggered",
        "/src/Indexing.cu:9: kernel: block: [2,0,0], thread: [7,0,0] Assertion `i < n` failed.",
        "triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 9, Hardware limit: 8.",
        "RuntimeError: CUDA error: misaligned address",
        "========= Invalid __shared__ read of size 2 bytes",
    ],
    "nccl-bug": [
        "n7:91:95 [3] proxy.cc:420 NCCL WARN Proxy append out of bounds",
        "n7:91:95 [3] graph/paths.cc:66 NCCL WARN No path computed to go from GPU/0 to NET/1",
        "this hang is a known issue in NCCL 2.18.1",
    ],
    "collective-mismatch": [
        "Mismatched BROADCAST root ranks: One rank specified root rank 0, but another rank specified root rank 1.",
        "error msg: Culprit rank 7; Error type: COLLECTIVE_TYPE_MISMATCH, Expected collective type: 'all_gather'",
        "[enforce fail at gloo/transport/tcp/pair.cc:446] op.preamble.length <= op.nbytes. 4096 vs 64",
        "An unexpected peer shows up in the launch group with a different launch id than the current group leader.",
        "RuntimeError: disagreement between rank0 and rank3: rank0: [1], rank3: [2]",
        "RuntimeError: tensor shapes mismatch across ranks: rank 0 [4], rank 1 [5]",
        "rank 2 is stuck in all_gather_object while rank 0 is in barrier",
        "DDP expects same model across all ranks, but Rank 2 has 120 params, while rank 0 has inconsistent 118 params.",
    ],
    "uneven-data": [
        "RuntimeError: Detected at least one rank that exhausted inputs. Throwing across all ranks.",
        "WARNING dataloader length differs across ranks: 812 vs 811",
        "ranks got different number of batches: [812, 811]",
    ],
    "wrong-world-size": [
        "[W socket.cpp:401] [c10d] The server socket has failed to bind to [::]:29500 (errno: 98 - Address already in use).",
        "OSError: [Errno 98] Address already in use",
        "Timed out initializing process group in store based barrier on rank: 1, for key: a (world_size=4, worker_count=8, timeout=0:30:00)",
        "MisconfigurationException: You requested gpu: [0, 1, 2, 3] But your machine only has: [0, 1]",
        "There are not enough slots available in the system to satisfy the 16",
        "ValueError: Error initializing torch.distributed using env:// rendezvous: environment variable RANK expected, but not set",
        "ValueError: Invalid rank 8, rank should be in the interval [0, 7]",
        "RuntimeError: Only 4 GPUs available, but 8 processes requested",
        "jaxlib.xla_extension.XlaRuntimeError: ALREADY_EXISTS: Duplicate task registration with task_name=/job:w/replica:0/task:1",
    ],
    "version-mismatch": [
        "nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.6, please update your driver",
        "RuntimeError: CUDA error: invalid device function",
        "nvcc fatal   : Unsupported gpu architecture 'compute_90'",
        "RuntimeError: The detected CUDA version (11.2) mismatches the version that was used to compile PyTorch (10.2).",
        "ImportError: /lib/libstdc++.so.6: version `GLIBCXX_3.4.32' not found (required by /opt/x/a.so)",
        "RuntimeError: Version mismatch: The cluster was started with: Ray: 2.9.0 Python: 3.10.12",
        "Unexpected error from cudaGetDeviceCount(). Error 804: compatibility is not given (CUDA)",
        "RuntimeError: torch 2.1 requires NCCL >= 2.18 but found 2.14",
        "ValueError: numpy.dtype size changed, may indicate binary incompatibility.",
    ],
    "rank-exception": [
        "[rank3]: KeyError: 'input_ids'",
        "E   TypeError: forward() takes 2 positional arguments but 3 were given",
        "[1,3]<stderr>:IndexError: list index out of range",
        "ray.exceptions.RayTaskError(ValueError): ray::Trainer.fit() (pid=4411, ip=10.0.0.4)",
        "RuntimeError: Expected to have finished reduction in the prior iteration before starting a new one.",
        "Exception: Current loss scale already at minimum - cannot decrease scale anymore. Exiting run.",
        "KeyError: Caught KeyError in DataLoader worker process 3.",
    ],
    "slow-member": [
        "GPU 3 on n03 runs 30% slower than its peers",
        "rank 13 is a straggler: 1.9x of the median",
    ],
}

ECHOES = [
    "RuntimeError: CUDA error: an illegal memory access was encountered",
    "RuntimeError: CUDA error: unspecified launch failure",
    "RuntimeError: cuda runtime error (4) : unspecified launch failure",
    "RuntimeError: CUDA error: CUBLAS_STATUS_EXECUTION_FAILED when calling `cublasGemmEx( handle, opa, opb)`",
    "ConnectionResetError: [Errno 104] Connection reset by peer",
    "EOFError",
    "subprocess.CalledProcessError: Command '['python']' returned non-zero exit status 1.",
    "ray.exceptions.RayActorError: The actor died unexpectedly before finishing this task.",
    "ray.exceptions.NodeDiedError: Task failed due to the node dying.",
    "XlaRuntimeError: UNAVAILABLE: The following tasks are unhealthy (stopped sending heartbeats):",
    "XlaRuntimeError: DEADLINE_EXCEEDED: Barrier timed out. Barrier_id: sync7",
    "HorovodInternalError: Horovod has been shut down. This was caused by an exception on one of the ranks",
    "requests.exceptions.ConnectionError: HTTPSConnectionPool(host='hub', port=443): Max retries exceeded",
    "DDP expects same model across all ranks, but Rank 2 has 120 params, while rank 0 has inconsistent 0 params.",
    "Timed out initializing process group in store based barrier on rank: 1, for key: a (world_size=8, worker_count=4, timeout=0:30:00)",
    "MPI_ABORT was invoked on rank 3 in communicator MPI_COMM_WORLD",
    "RuntimeError: open of uverbs0: No such device",
]

HARMLESS = [
    "n7:91:95 [3] NCCL INFO TUNER/Plugin: Plugin load returned 2 : libnccl-net.so: cannot open shared object file: No such file or directory",
    "n7:91:95 [3] NCCL INFO dlvsym failed on mlx5dv_reg_dmabuf_mr - /lib/libmlx5.so.1: undefined symbol: mlx5dv_reg_dmabuf_mr, version MLX5_1.25",
    "WARNING[XFORMERS]: xFormers was built for: PyTorch 2.1.2+cu121 with CUDA 1201 (you have 2.2.0+cu121)",
    "torchaudio 2.0 requires torch==2.0.0, but you have torch 2.1.0 which is incompatible.",
    "AssertionError: can only test a child process",
    "UserWarning: resource_tracker: There appear to be 1 leaked semaphore objects to clean up at shutdown",
    "[default0]: No stragglers detected.",
    "Evaluating: 100%|###| 3000/3000 [10:09<00:00,  3.30it/s]",
    "nohup: ignoring input and redirecting stderr to stdout",
    "gradient overflow. Skipping step, loss scaler 0 reducing loss scale to 4096.0",
]

STUCK = "[rank1]:[E1109 03:12:44.5 ProcessGroupNCCL.cpp:616] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=1, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=1800000) ran for 1800001 milliseconds before timing out."


def verdict(*lines: str) -> Verdict:
    reading = read_source(
        origin=Origin(source="run.log", stream=Stream.SESSION), text="\n".join(lines)
    )
    return diagnose(readings=[reading]).verdict


@pytest.mark.parametrize(
    ("cause", "line"), [(cause, line) for cause, lines in SAYING.items() for line in lines]
)
def test_one_telling_line_names_its_cause(cause: str, line: str) -> None:
    assert verdict(line).cause == cause


@pytest.mark.parametrize("line", ECHOES)
def test_a_line_that_only_echoes_names_nothing(line: str) -> None:
    assert verdict(line).status is VerdictStatus.UNKNOWN


@pytest.mark.parametrize("line", HARMLESS)
def test_a_harmless_line_blames_nobody(line: str) -> None:
    assert verdict(line).status in {VerdictStatus.UNKNOWN, VerdictStatus.NO_FAILURE}


def test_a_telling_line_beats_the_waits_it_caused() -> None:
    oom = "[rank0]: torch.OutOfMemoryError: CUDA out of memory."
    assert verdict(oom, STUCK).cause == "cuda-oom"


@pytest.mark.parametrize(
    ("elapsed", "cause"), [("30:09", "timeout-too-small"), ("02:09", "unknown")]
)
def test_preparation_is_blamed_only_when_it_ran_as_long_as_the_timer(
    elapsed: str, cause: str
) -> None:
    bar = f"Running tokenizer on dataset:  41%|####      | 3100000/7511963 [{elapsed}<41:02, 1711.20 examples/s]"
    assert verdict(bar, STUCK).cause == cause


def test_a_crash_with_frames_of_nccl_is_of_nccl() -> None:
    crash = "[n03:4411] Signal: Segmentation fault (11)"
    frame = "[n03:4411] [ 1] /opt/lib/libnccl.so.2(+0x3533c)[0x7f8e]"
    assert verdict(crash, frame).cause == "nccl-bug"
    assert verdict(crash).cause != "nccl-bug"


def test_a_damaged_file_is_never_called_likely() -> None:
    line = "RuntimeError: PytorchStreamReader failed reading zip archive: failed finding central directory"
    assert verdict(line).status is VerdictStatus.POSSIBLE
