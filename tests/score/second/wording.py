"""Templates of lines, and which both generators print since a program's own format forces it."""

import gzip
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

# What collectors put before a line.
HEADS = tuple(
    re.compile(one)
    for one in (
        r"^\[1,\d+\]<std\w+>: ?", r"^\(RayTrainWorker[^)]*\) ", r"^\[pod/\S+\] ",
        r"^\S+T\S+Z std\w+ [FP] ", r"^ *\d+: ", r"^[A-Z][a-z]{2} +\d+ [\d:.]+ \S+ ",
        r"^\d{4}-\S+ \S+ (?=kernel|systemd|\w+\[)", r"^\d{4}-\S+,\d+\S* ", r"^\[[^\]]*\d{4}\] ",
        r"^\[ *\d+\.\d+\] ", r"^kern +:\w+ *: ", r"^\[\d{4}-[^\]]*\] ", r"^[\w.-]+-?\d+: ",
        r"^kernel: (\[ *[\d.]+\] )?",
    )
)  # fmt: skip
NUMBER = re.compile(r"0x[0-9a-f]+|\b[0-9a-f]{6,}\b|\d+(\.\d+)*")
HOST = re.compile(r"^[\w.-]+:\#:\# (?=\[\#\] )|(?<=srun: error: )[^:]+(?=:)|(?<=PCI:)[^)]*")
LEAST = 12  # letters that make a template worth comparing
# Piece of a template → the program that prints it so.
FORCED: Mapping[str, str] = {
    "ProcessGroupNCCL": "pytorch torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp",
    "Process group watchdog thread terminated": "the same",
    "terminate called after throwing": "libstdc++ vterminate.cc",
    "Watchdog caught": "pytorch torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp",
    "ncclRemoteError:": "pytorch torch/csrc/distributed/c10d/NCCLUtils.cpp",
    "ncclSystemError:": "the same",
    "ncclUnhandledCudaError:": "the same",
    "ncclInvalidUsage:": "the same",
    "Last error:": "the same",
    "torch/distributed/elastic": "pytorch torch/distributed/elastic/multiprocessing/api.py",
    "torch.distributed.elastic": "the same",
    "Root Cause (first observed failure)": "pytorch elastic/multiprocessing/errors/__init__.py",
    "NO_OTHER_FAILURES": "the same",
    "traceback : ": "the same",
    "rank : #": "the same",
    "exitcode : ": "the same",
    "error_file: ": "the same",
    " FAILED": "the same, after the name of a project's script",
    '/usr/local/bin/torchrun"': "Python's traceback of pip's entry point",
    "Traceback (most recent call last)": "Python",
    "loss.backward()": "PyTorch's name of the call",
    "CUDA kernel errors might": "pytorch c10/cuda/CUDAMiscFunctions.cpp",
    "For debugging consider passing": "the same",
    "TORCH_USE_CUDA_DSA": "the same",
    "CUDA error: ": "pytorch c10/cuda/CUDAException.cpp, with cudaGetErrorString",
    "DataLoader worker (pid": "pytorch torch/utils/data/_utils/signal_handling.py",
    "TCPStore": "pytorch torch/csrc/distributed/c10d/TCPStore.cpp",
    "torch/utils/checkpoint.py": "pytorch's own deprecation of that release",
    "NCCL version #+cuda#": "nccl src/init.cc",
    "NCCL INFO": "nccl src/debug.cc, init.cc and transport",
    "NCCL WARN": "nccl src/debug.cc and what its callers say",
    "NCCL error: ": "nccl src/misc/utils of ncclGetErrorString",
    "[INFO] [comm.py": "DeepSpeed deepspeed/comm/comm.py",
    "sigkill_handler": "DeepSpeed deepspeed/launcher/launch.py",
    "`Trainer.fit` stopped": "Lightning trainer/call.py",
    "JobId=#": "Slurm src/slurmctld/job_mgr.c, proc_req.c, node_scheduler.c",
    "srun: ": "Slurm src/srun/launch.c, src/api/step_launch.c",
    "slurmstepd: error: ": "Slurm src/slurmd/slurmstepd/req.c",
    "NVRM: Xid (PCI": "NVIDIA kernel_rc.c, and the firmware's words",
    "nvidia-peermem nv_get_p2p_free_callback": "NVIDIA kernel-open/nvidia-peermem",
    "BIOS-provided physical RAM map": "Linux arch/x86/kernel/e820.c",
    "dump_stack_lvl": "Linux lib/dump_stack.c",
    "oom_kill_process": "Linux mm/oom_kill.c",
    "invoked oom-killer": "the same",
    "oom_reaper: reaped process": "the same",
    "of memory: Killed process": "the same",
    "oom-kill:constraint": "the same",
    "request_sock_TCP": "Linux net/ipv4/tcp_input.c",
    "hrtimer: interrupt took": "Linux kernel/time/hrtimer.c",
    "perf: interrupt took too long": "Linux kernel/events/core.c",
    "audit: type=#": "Linux kernel/audit.c and AppArmor's own line at boot",
    "hung_task_timeout_secs": "Linux kernel/hung_task.c",
    "nfs: server": "Linux net/sunrpc/clnt.c",
    "Port module event": "Linux mlx5/core/events.c",
    "link becomes ready": "Linux net/ipv6/addrconf.c",
    "entered forwarding state": "Linux net/bridge/br_stp.c",
    "Started Session # of User root": "systemd",
    "s/it]": "tqdm's bar",
    "Error: failed to extend": "nccl src/misc/shmutils.cc, later src/os/linux.cc",
    "elapsed time per iteration (ms)": "Megatron-LM megatron/training/training.py",
    "[INFO] [timer.py": "DeepSpeed deepspeed/utils/timer.py",
    "[Hardware Error]": "Linux arch/x86/kernel/cpu/mce/core.c",
    "'learning_rate': ": "transformers trainer.py",
}


def templates(*, compose: Callable[..., object], seeds: Iterable[int]) -> frozenset[str]:
    """Return the templates of all lines of the sessions of some seeds."""
    found: set[str] = set()
    for seed in seeds:
        with TemporaryDirectory() as folder:
            compose(seed=seed, folder=Path(folder))
            for path in Path(folder).rglob("*"):
                if path.is_file():
                    found.update(template(line) for line in _text(path).splitlines())
    return frozenset(one for one in found if sum(map(str.isalpha, one)) >= LEAST)


def _text(path: Path) -> str:
    body = path.read_bytes()
    if body.startswith(b"\x1f\x8b"):
        body = gzip.decompress(body)
    return body.decode("utf-8", "replace")


def template(line: str) -> str:
    """Return a line without what collectors add, hosts and numbers."""
    for _ in range(3):
        for head in HEADS:
            line = head.sub("", line, count=1)
    line = HOST.sub("", NUMBER.sub("#", line))
    return " ".join(line.split())


def is_forced(text: str) -> bool:
    """Say whether a program prints a template so, whoever writes it down."""
    return any(piece in text for piece in FORCED)
