"""What tools, schedulers, clients and runtimes say about GPUs, hosts and storage: the phrase counts,
not who prints it."""
# ruff: noqa: E501  lines of logs keep their length

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Origin, Stream, Verdict, VerdictStatus
from apps.diagnosis.signatures.read import read_source

SAYING = {
    "gpu-off-bus": [
        "Unable to determine the device handle for GPU 0000:9B:00.0: GPU is lost.  Reboot the system to recover this GPU",
        "Unable to determine the device handle for GPU0000:9B:00.0: Unknown Error",
        "pynvml.NVMLError_GpuIsLost: GPU is lost",
        "9b:00.0 3D controller: NVIDIA Corporation GH100 [H100 SXM5 80GB] (rev ff)",
        "error: _slurm_rpc_node_registration node=n31: gres/gpu count reported lower than configured (7 < 8)",
    ],
    "gpu-ecc-uncorrectable": [
        "Detected 3 volatile double-bit ECC error(s) in GPU 5.",
        "RuntimeError: CUDA error: uncorrectable ECC error encountered",
        "GPU 4 had uncorrectable memory errors and row remapping failed.",
        "            DRAM Uncorrectable            : 9",
        "|   5  NVIDIA A100-SXM4-80GB          On  |   00000000:9B:00.0 Off |                    7 |",
    ],
    "gpu-ecc-correctable-storm": [
        "More than 10 single-bit ECC error(s) detected in GPU 3 Volatile SBEs: 14021",
    ],
    "gpu-nvlink": [
        "GPU 3's NvLink link 7 is currently down",
        "systemd[1]: nvidia-fabricmanager.service: Failed with result 'exit-code'.",
        "cuInit(0) returned 802: CUDA_ERROR_SYSTEM_NOT_READY",
    ],
    "gpu-throttling": [
        "Detected clocks event due to thermal violation in GPU 6.",
        "        HW Slowdown                       : Active",
    ],
    "gpu-other": [
        "RuntimeError: CUDA error: hardware stack error",
        "HW Exception by GPU node-2 (Agent handle: 0x55d0a0) reason :GPU Hang",
        "    GPU Recovery Action               : Reset",
        "WARNING: infoROM is corrupted at gpu 0000:9B:00.0",
        "Allocate failed due to no healthy devices present; cannot allocate unhealthy devices nvidia.com/gpu, which is unexpected",
    ],
    "gpu-gsp-timeout": [
        "node problem: GSP RPC timeout on GPU 2",
    ],
    "host-oom": [
        "trainer-3   0/1   OOMKilled   0   31m",
        "slurmstepd: error: Detected 2 oom_kill events in StepId=88.0. Some of the step tasks have been OOM Killed.",
        "numpy.core._exceptions._ArrayMemoryError: Unable to allocate 61.2 GiB for an array with shape (9, 9)",
        "terminate called after throwing an instance of 'std::bad_alloc'",
        "RuntimeError: DataLoader worker (pid 4021) is killed by signal: Killed.",
        "bash: fork: Cannot allocate memory",
        'earlyoom[611]: sending SIGTERM to process 4021 uid 1000 "python3": oom_score 910',
        "RuntimeError: One of the subprocesses has abruptly died during map operation.",
    ],
    "shm-exhausted": [
        "RuntimeError: unable to write to file </torch_4021_99>: No space left on device (28)",
        "OSError: [Errno 28] No space left on device: '/dev/shm/torch_4021_99'",
        "RuntimeError: DataLoader worker (pid 4021) is killed by signal: Bus error. It is possible that dataloader's workers are out of shared memory. Please try to raise your shared memory limit.",
        "[n07:4021 :0:4044] Caught signal 7 (Bus error: nonexistent physical address)",
        "shm              64M   64M     0 100% /dev/shm",
    ],
    "container-limits": [
        "RuntimeError: received 0 items of ancdata",
        "OSError: [Errno 24] Too many open files",
        "libgomp: Thread creation failed: Resource temporarily unavailable",
        "BlockingIOError: [Errno 11] Resource temporarily unavailable",
        "set_mempolicy: Operation not permitted",
        "Failed to initialize NVML: Unknown Error",
        'docker: Error response from daemon: could not select device driver "" with capabilities: [[gpu]].',
        "Unable to open /dev/kfd read-write: Permission denied",
    ],
    "process-killed": [
        "slurmstepd: error: *** JOB 88 ON n31 CANCELLED AT 2026-11-03T04:11:09 DUE TO PREEMPTION ***",
        "Pod was terminated in response to imminent node shutdown.",
        "EC2 Spot Instance interruption notice received",
        "TERM_RUNLIMIT: job killed after reaching LSF run time limit.",
        "torch.distributed.elastic.multiprocessing.api.SignalException: Process 4021 got signal: 1",
    ],
    "cpu-starvation": [
        "NHC: check_ps_loadavg:  1-minute load average too high:  812 >= 256",
    ],
    "pcie-error": [
        "                LnkSta: Speed 2.5GT/s (downgraded), Width x8 (downgraded)",
    ],
    "node-unreachable": [
        "Reason=Node unexpectedly rebooted [slurm@2026-11-03T04:11:09]",
        "[2026-11-03T04:11:09.123] error: Nodes n31 not responding, setting DOWN",
        "  Ready   Unknown   NodeStatusUnknown   Kubelet stopped posting node status.",
        "The node with node id: 7f12 and address: 10.1.0.9 has been marked dead because the detector has missed too many heartbeats from it.",
        "agent i-n31 heartbeat timeout detected.",
        "gpu         up 3-00:00:00      1  down* n31",
    ],
    "nfs-unavailable": [
        "ls: cannot access '/mnt/pool': Transport endpoint is not connected",
        "OSError: [Errno 116] Stale file handle: '/mnt/pool/a'",
        "ls: cannot access '/mnt/pool': Host is down",
        "NHC: check_fs_mount:  /mnt/pool not mounted",
        "OSError: [Errno 5] Input/output error: '/mnt/pool/a'",
        "OSError: [Errno 30] Read-only file system: '/mnt/pool/a'",
        "mmfsd: [E] Lost membership in cluster gp1. Unmounting file systems.",
        "beegfs-client: Communication error: Receive timed out from storage node st3",
        "botocore.exceptions.ClientError: An error occurred (SlowDown) when calling the PutObject operation: Please reduce your request rate.",
        "s3fs: HTTP response code 503, returning EIO. Body Text: slow",
        "mount.nfs: access denied by server while mounting filer4:/pool",
    ],
    "disk-full": [
        "OSError: [Errno 28] No space left on device: '/scratch/a.pt'",
        "OSError: [Errno 122] Disk quota exceeded: '/home/a.pt'",
        "RuntimeError: [enforce fail at inline_container.cc:337] . unexpected pos 704 vs 598",
        'safetensors_rust.SafetensorError: Error while serializing: IoError(Os { code: 28, kind: StorageFull, message: "No space left on device" })',
        "/dev/nvme0n1p2   1.8T  1.8T     0 100% /scratch",
        "FileNotFoundError: [Errno 2] No usable temporary directory found in ['/tmp', '/var/tmp', '/usr/tmp']",
    ],
    "checkpoint-slow": [
        "Checkpoint save took 1840.2 seconds",
        "    save-checkpoint ................................: (912345.61, 912399.10)",
        "orbax: checkpoint restore stalled on host 12",
    ],
    "dataloader-stall": [
        "RuntimeError: DataLoader timed out after 300 seconds",
        "Your program is HIGHLY input-bound because 81.4% of the step time is waiting",
    ],
    "version-mismatch": [
        "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.",
    ],
}
REPORTING = {
    "host-oom": [
        "pod trainer-2 exceeded its memory limit and was OOM killed",
        "container exited with code 137 (OOM)",
        "dmesg: Out of memory: Killed process 4021 (python)",
        "Out of memory: Kill process 4021 (python3.8) score 900 or sacrifice child",
        "node ran out of RAM while loading the checkpoint on every rank",
        "RAM usage reached 100% and the process was killed",
        "torch.multiprocessing.spawn.ProcessExitedException: process 0 terminated with signal SIGKILL",
        "subprocess.CalledProcessError: Command '['python', 'train.py']' died with <Signals.SIGKILL: 9>.",
        "E worker exited with signal 9",
        "RuntimeError: [enforce fail at alloc_cpu.cpp:75] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate 98304000000 bytes. Error code 12 (Cannot allocate memory)",
        "MemoryError",
        "slurmstepd: error: Exceeded job memory limit at some point.",
        "slurmstepd: error: StepId=1.0 exceeded memory limit (10000 > 9000), being killed",
        "State                OUT_OF_MEMORY",
        "srun: error: n31: task 2: Out Of Memory",
    ],
    "shm-exhausted": [
        "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).",
        "NCCL WARN Error while creating shared memory segment /dev/shm/nccl-aBc123 (size 9637888)",
        "include/shm.h:48 NCCL WARN Call to posix_fallocate failed : No space left on device",
        "[1234.5] Signal: Bus error (7)",
        "docker's default /dev/shm of 64 MB is too small for NCCL",
    ],
    "disk-full": [
        "OSError: [Errno 28] No space left on device",
        "wandb: ERROR Error while writing: no space left on device",
        "RuntimeError: PytorchStreamWriter failed writing file data/12: file write failed",
        "RuntimeError: basic_ios::clear: iostream error",
        "/scratch is full on n31",
        "Disk quota exceeded",
        "write failed, user block limit reached.",
        "lfs quota: user over quota on /scratch",
        "The node was low on resource: ephemeral-storage. Container trainer was using 80Gi",
        "RuntimeError: [enforce fail at inline_container.cc:745] . PytorchStreamWriter failed writing central directory",
    ],
    "nfs-unavailable": [
        "NFS server did not answer for 10 minutes",
        "NFS server filer4 not responding still trying",
        "OSError: [Errno 107] Transport endpoint is not connected: '/mnt/gcs'",
        "OSError: [Errno 5] Input/output error",
        "OSError: [Errno 121] Remote I/O error",
        "bash: /lustre/run.sh: Cannot send after transport endpoint shutdown",
        "Lustre: scratch-OST0003-osc: Connection to scratch-OST0003 was lost; in progress operations using this service will wait",
        "df: /data: Stale file handle",
        "processes stuck in D state on /mnt/nfs",
        "task python3 in uninterruptible sleep (D) waiting for NFS",
        "ceph: mds0 hung",
        "OSError: [Errno 116] Stale file handle",
    ],
    "checkpoint-slow": [
        "checkpoint write to Lustre took 1900 s",
        "rank 0 was still saving the checkpoint when the other ranks timed out",
        "torch.save took 2100 seconds",
    ],
    "dataloader-stall": [
        "data loading takes 8 s per step, GPUs idle",
        "dataloader workers blocked on reads from NFS",
        "GPU utilization 0%, waiting on dataloader",
    ],
    "gpu-off-bus": [
        "GPU 3 fell off the bus",
        "GPU at 9b:00.0 is missing from nvidia-smi after the crash",
        "nvidia-smi shows 7 GPUs instead of 8",
        "Xid 79 on GPU 5",
    ],
    "gpu-other": [
        "No devices were found",
        "RuntimeError: CUDA error: all CUDA-capable devices are busy or unavailable",
        "RuntimeError: CUDA error: unknown error",
    ],
    "gpu-ecc-uncorrectable": [
        "GPU 4 has a pending row remap",
        "Xid 94 contained ECC error",
        "DBE on GPU 3",
        "Volatile Uncorr. ECC is 5 on GPU 3",
    ],
    "gpu-nvlink": [
        "NVLink error on GPU 2",
        "fabric manager not running",
        "Error 802: system not yet initialized",
        "nvidia-smi nvlink -s shows link 3 inactive",
        "NVSwitch fatal error SXid 20034",
    ],
    "gpu-throttling": [
        "GPU 5 thermal throttling, 345 MHz",
        "GPU temperature 92C, clocks reduced",
        "power brake slowdown active on node",
        "GPU 3 power capped at 200W",
    ],
    "node-unreachable": [
        "node n31 rebooted",
        "node n31 lost power",
        "slurmctld: error: Node n31 not responding",
        "JobState=NODE_FAIL Reason=NodeDown",
        "Warning NodeNotReady node/n31 Node n31 status is now: NodeNotReady",
        "srun: error: Node failure on n31",
        "kernel panic on n31",
        "host n31 unreachable by ping and ssh",
        "The actor died because its node has died. Node Id: 7f12",
        "server crashed with a machine check exception",
    ],
    "process-killed": [
        "slurmstepd: error: *** JOB 1 ON n1 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***",
        "job preempted by higher priority job",
        "Received SIGHUP, the terminal was closed",
        "KeyboardInterrupt",
        "State=PREEMPTED",
        "JobState=CANCELLED Reason=None",
        "SIGTERM received, preemption notice",
        "user cancelled the job",
    ],
    "container-limits": [
        "Failed to initialize NVML: Unknown Error after systemctl daemon-reload",
        "OpenBLAS blas_thread_init: pthread_create failed for thread 22 of 48: Resource temporarily unavailable",
        "RuntimeError: Too many open files. Communication with the workers is no longer possible. Please increase the limit using `ulimit -n` in the shell",
        "RuntimeError: can't start new thread",
        "mbind: Operation not permitted",
        "nvidia-container-cli: mount error: failed to add device rules: unable to find any existing device filters attached to the cgroup",
        "open /dev/nvidiactl: Operation not permitted",
        "PermissionError: [Errno 13] Permission denied: '/dev/shm/nccl-abc'",
    ],
    "cpu-starvation": [
        "watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [python:4021]",
        "container is limited to 4 CPUs but runs 64 threads, throttled 80% of the time",
        "rcu: INFO: rcu_sched self-detected stall on CPU",
        "all processes bound to core 0",
    ],
    "pcie-error": [
        "pcieport 0000:40:01.0: AER: Uncorrected (Fatal) error received: 0000:40:01.0",
        "PCIe Bus Error: severity=Uncorrected (Fatal), type=Transaction Layer",
        "GPU 3 PCIe link is x8 instead of x16",
        "PCIe AER errors on slot 5",
    ],
}
SAYING_NOTHING = [
    "    GPU Recovery Action               : None",
    "        Uncorrectable Error               : 0",
    "| 33%   41C    P0    71W / 300W |  1024MiB / 16160MiB |      0%      Default |",
    "amdgpu 0000:c1:00.0: amdgpu: MEM ECC is active.",
    "[rank3]: Sending process 4021 closing signal SIGTERM",
    "slurmctld: sched: Allocate JobId=50917 NodeList=n[1-4] #CPUs=256 Partition=gpu",
    "Checkpoint saved in 31 s",
    "Saving checkpoint at step 900 to /pool/ckpt",
    "Loaded checkpoint shards in 48 seconds",
    "INFO: data loading workers: 8, prefetch 4",
    "Epoch: [0][0/5005]\tTime 12.2 (12.2)\tData 9.9 (9.9)",
    "tmpfs            64G  120M   64G   1% /dev/shm",
    "/dev/loop3        64M   64M     0 100% /snap/core20/2318",
    "docker run --gpus all --shm-size=64g --ulimit memlock=-1 --cap-add SYS_PTRACE trainer",
    "export NCCL_DEBUG=INFO; ulimit -n 65536",
    "resource_tracker: There appear to be 6 leaked shared_memory objects to clean up at shutdown",
    "[WARNING] Setting OMP_NUM_THREADS environment variable for each process to be 1 in default, to avoid your system being overloaded",
    "NCCL INFO Using network IB",
    "Mem: 2015 GB total, 1800 GB free; out of host memory check passed",
    "cuda memory: 40 GB of 80 GB used",
    "Spot price 12.4 USD",
    "slurmd: node n31 registered",
    "Node n31 status is now: NodeReady",
    "kubelet Started container trainer",
    "Normal  Killing  3s  kubelet  Stopping container trainer",
    "Restarting worker group, 3 attempts left",
    "lustre: mounted scratch at /scratch",
    "weka mount options: net=mlx5_0, num_cores=4",
    "reading 81 files from s3://bucket/data",
    "Downloading shards from gs://bucket/x: 100%",
    "NVRM: loading NVIDIA UNIX x86_64 Kernel Module  535.129.03",
    "nvidia-fabricmanager.service: Started NVIDIA fabric manager service",
    "dcgmi diag: | Memory                    | Pass - All                                     |",
    "GPU 3 temperature 61 C power 402 W clocks 1980 MHz",
    "iteration 900/9000 | elapsed time per iteration (ms): 8123.4 | data time: 0.01",
    "Trainer: using CPU affinity 0-31 for rank 0, NUMA node 0",
    "warning: the dataloader, train_dataloader, does not have many workers which may be a bottleneck",
    "WARNING: could not open optional file /etc/x.cfg",
    "step 900: loss 2.3, waiting for checkpoint thread: 0.1 s",
    "Process group watchdog thread terminated with exception: NCCL error: unhandled system error",
    "RuntimeError: Connection reset by peer",
    "torch.distributed.DistBackendError: NCCL error in: ProcessGroupNCCL.cpp:1970, remote process exited or there was a network error",
    "Exit code: 1",
    "job finished, exit status 0",
]


def verdict(*lines: str) -> Verdict:
    """Return what is said of a session that printed only `lines`."""
    origin = Origin(source="session", stream=Stream.SESSION)
    return diagnose(readings=[read_source(origin=origin, text="\n".join(lines))]).verdict


def signatures(text: str) -> list[str]:
    """Return the signatures of a text."""
    return [one.signature for one in read_source(origin=Origin(source="log"), text=text).events]


@pytest.mark.parametrize(
    ("cause", "line"), [(cause, line) for cause, lines in SAYING.items() for line in lines]
)
def test_one_telling_line_names_its_cause(cause: str, line: str) -> None:
    assert verdict(line).cause == cause


@pytest.mark.parametrize(
    ("cause", "line"), [(cause, line) for cause, lines in REPORTING.items() for line in lines]
)
def test_a_sentence_of_a_report_or_a_shortened_line_names_its_cause(cause: str, line: str) -> None:
    assert verdict(line).cause == cause


@pytest.mark.parametrize("line", SAYING_NOTHING)
def test_a_line_of_everyday_or_of_an_echo_blames_nobody(line: str) -> None:
    said = verdict(line)
    assert said.status in {VerdictStatus.UNKNOWN, VerdictStatus.NO_FAILURE}


@pytest.mark.parametrize("address", ["0000:3b:00", "0009:01:00"])
@pytest.mark.parametrize("code", [31, 48, 62, 74, 79, 95, 119, 145])
def test_an_xid_stays_an_xid_whatever_words_follow_it(code: int, address: str) -> None:
    words = "GPU has fallen off the bus, uncorrectable ECC error, row remapping failed, Timeout after 6s of waiting for RPC response from GPU"
    (signature,) = signatures(f"[88.1] NVRM: Xid (PCI:{address}): {code}, {words}")
    assert signature.startswith("nvrm-xid")


def test_a_node_that_left_is_named() -> None:
    lines = {
        "[2026-11-03T04:11:09.123] error: Nodes n31 not responding, setting DOWN",
        "[2026-11-03T04:11:09.123] error: agent/is_node_resp: node:n31 RPC:REQUEST_PING : Communication connection failure",
        "agent i-n31 heartbeat timeout detected.",
        '{"event": "agent_terminated", "source": "i-n31", "reason": "agent-lost"}',
        "Warning  Rebooted  2m  kubelet  Node n31 has been rebooted, boot id: 7f12ab",
    }
    told = [read_source(origin=Origin(source="log"), text=line).events for line in lines]
    assert {event.fields.get("host") for events in told for event in events} == {"n31"}


def test_what_ray_lists_as_possible_is_no_word_of_a_kill() -> None:
    line = "(raylet) A worker died or was killed while executing a task by an unexpected system error. There are some potential root causes. (1) The process is killed by SIGKILL by OOM killer due to high memory usage."
    assert verdict(line).status is VerdictStatus.UNKNOWN


def test_routine_notes_of_a_kernel_starve_nobody() -> None:
    lines = (
        "[88.1] perf: interrupt took too long (3201 > 3177), lowering kernel.perf_event_max_sample_rate to 62000",
        "[88.9] workqueue: nv_drm_handle_hotplug_event hogged CPU for >10000us 8 times, consider switching to WQ_UNBOUND",
    )
    assert signatures("\n".join(lines)) == []
