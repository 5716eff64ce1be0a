# ruff: noqa: E501  the vendors' lines are long
"""Programs that fail: memory, exceptions, crashes, illegal accesses, wrong sizes."""

from tests.score.sessions import c10d, cascade, frameworks, launchers, life, nccl
from tests.score.sessions.kernel import xid
from tests.score.sessions.scene import Scene
from tests.score.sessions.truth import Told
from tests.score.truth import Answer

HEAD = (
    "Traceback (most recent call last):",
    '  File "/workspace/train.py", line 412, in <module>',
    "    main()",
    '  File "/workspace/engine/step.py", line 188, in train_step',
)


def cuda_oom(scene: Scene) -> Told:
    """One rank runs out of GPU memory; the others learn of it in their own ways."""
    one, rng = life.run(scene), scene.rng
    rank = rng.randrange(scene.world.size)
    at = one.stopped_at + rng.uniform(0.3, 2)
    gib = rng.uniform(0.5, 9)
    if scene.world.torch in {"1.13", "2.1"}:
        text = f"torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate {gib:.2f} GiB (GPU {rank % 8}; 79.15 GiB total capacity; 71.02 GiB already allocated; {gib / 2:.2f} GiB free; 76.31 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF"
    else:
        text = f"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {gib:.2f} GiB. GPU {rank % 8} has a total capacity of 79.10 GiB of which {gib / 2:.2f} GiB is free. Including non-PyTorch memory, this process has 76.44 GiB memory in use. Of the allocated memory 71.02 GiB is allocated by PyTorch, and 3.20 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)"
    telling = cascade.crash(scene, one, rank, at, [*HEAD, "    loss.backward()", text])
    return Told(
        answers=(Answer(layer="software", causes=("cuda-oom",)),), kind="rank", telling=telling
    )


EXCEPTIONS = (
    "KeyError: 'input_ids'",
    "ValueError: Expected input batch_size (4096) to match target batch_size (4095).",
    "IndexError: index 50304 is out of bounds for dimension 0 with size 50304",
    "AssertionError: Rank {rank}: found NaN in local grad norm for bucket #3 in backward pass before data-parallel communication collective. Device: {local}, node: {node}",
    "json.decoder.JSONDecodeError: Expecting ',' delimiter: line 1 column 8192 (char 8191)",
    "UnicodeDecodeError: 'utf-8' codec can't decode byte 0x9f in position 1023: invalid start byte",
    "RuntimeError: The size of tensor a (2048) must match the size of tensor b (2047) at non-singleton dimension 1",
)


def exception(scene: Scene) -> Told:
    """One rank raises an exception of the program."""
    one, rng = life.run(scene), scene.rng
    rank = rng.randrange(scene.world.size)
    at = one.stopped_at + rng.uniform(0.3, 2)
    text = rng.choice(EXCEPTIONS).format(rank=rank, local=rank % 8, node=scene.host(rank).name)
    telling = cascade.crash(scene, one, rank, at, [*HEAD, "    batch = next(data_iterator)", text])
    return Told(
        answers=(Answer(layer="software", causes=("rank-exception",)),),
        kind="rank",
        telling=telling,
    )


def segfault(scene: Scene) -> Told:
    """One rank dies of a segmentation fault in a library."""
    one, rng = life.run(scene), scene.rng
    rank = rng.randrange(scene.world.size)
    at = one.stopped_at + rng.uniform(0.3, 2)
    telling = rng.choice(("faulthandler", "kernel", "nccl-library"))
    library = "libnccl.so.2" if telling == "nccl-library" else "libtorch_cuda.so"
    lines = [
        "Fatal Python error: Segmentation fault",
        "",
        "Thread 0x00007f7c12fd7c30 (most recent call first):",
        '  File "/usr/local/lib/python3.10/threading.py", line 320 in wait',
        "",
        "Current thread 0x00007f7c8a3ff740 (most recent call first):",
        '  File "/workspace/ops/fused_adam.py", line 77 in step',
        '  File "/workspace/train.py", line 201 in train',
    ]
    pid = scene.host_pid(rank)
    if telling != "faulthandler":
        scene.kernel(
            rank // 8,
            at,
            f"pt_main_thread[{pid}]: segfault at 7f797fe00000 ip 00007f7c7ac69996 sp 00007f7c12fd7c30 error 4 in {library}[7f7c7ac00000+d3d3000]",
        )
    cascade.crash(scene, one, rank, at + 0.2, lines if telling == "faulthandler" else (), code=-11)
    causes = (
        ("nccl-bug", "rank-exception")
        if telling == "nccl-library"
        else ("rank-exception", "nccl-bug", "kernel-bug")
    )
    needs = () if telling == "faulthandler" else (rank // 8,)
    return Told(
        answers=(Answer(layer="software", causes=causes),),
        kind="rank",
        needs_kernel=needs,
        telling=telling,
    )


def illegal_access(scene: Scene) -> Told:
    """A kernel of the program reads where it must not: every GPU faults in the same second."""
    one, rng = life.run(scene), scene.rng
    at = one.stopped_at + rng.uniform(0.3, 2)
    telling = rng.choice(("mmu-all", "assert"))
    if telling == "assert":
        rank = rng.randrange(scene.world.size)
        for thread in range(rng.randrange(3, 30)):
            scene.rank(
                rank,
                at,
                f"../aten/src/ATen/native/cuda/Indexing.cu:1292: indexSelectLargeIndex: block: [{thread},0,0], thread: [{thread * 3 % 64},0,0] Assertion `srcIndex < srcSelectDimSize` failed.",
            )
        cascade.crash(
            scene, one, rank, at + 0.5, cascade.cuda_error(scene, "device-side assert triggered")
        )
        answers = (Answer(layer="software", causes=("kernel-bug", "rank-exception")),)
        return Told(answers=answers, kind="rank", telling=telling)
    address = f"0x7f{rng.getrandbits(8):02x}_{rng.getrandbits(16) << 16:08x}"
    for rank in range(scene.world.size):
        moment = at + rng.uniform(0, 0.4)
        pid, pci = scene.host_pid(rank), scene.host(rank).gpu(rank % 8)
        scene.kernel(
            rank // 8,
            moment,
            xid(
                pci,
                31,
                f"Ch 00000008, intr 00000000. MMU Fault: ENGINE GRAPHICS GPCCLIENT_T1_{rank % 6} faulted @ {address}. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ",
                pid=pid,
            ),
        )
        scene.kernel(rank // 8, moment + 0.5, xid(pci, 43, "Ch 00000008", pid=pid))
        cascade.cuda_watchdog(
            scene, rank, moment + rng.uniform(0.5, 2), "an illegal memory access was encountered"
        )
    cascade.aborted(scene, list(range(scene.world.size)), at + 3)
    places = tuple(host.place for host in scene.world.hosts)
    answers = (Answer(layer="software", causes=("kernel-bug",)),)
    return Told(answers=answers, kind="program", needs_kernel=places, telling=telling)


def world_size(scene: Scene) -> Told:
    """The launch does not fit: duplicate GPUs, a number of ranks that does not divide."""
    rng = scene.rng
    at = life.launch(scene, scene.world.started_at) + 3
    telling = rng.choice(("duplicate", "divide", "counts"))
    ranks = list(range(scene.world.size))
    if telling == "divide":
        text = f"AssertionError: world_size ({scene.world.size}) is not divisible by total_model_size (tensor_model_parallel_size=12 * pipeline_model_parallel_size=1 * context_parallel_size=1)"
        for rank in ranks:
            c10d.traceback(scene, rank, at + rng.uniform(0, 1), [*HEAD[:3], text])
        for host in scene.world.hosts:
            mine = scene.world.ranks_of(host.place)
            launchers.workers_failed(
                scene,
                host.place,
                at + rng.uniform(2, 5),
                {mine[0]: 1},
                others=dict.fromkeys(mine[1:], 1),
            )
        cascade.job_killed(scene, [host.place for host in scene.world.hosts], at + 7)
    elif telling == "duplicate":
        place = scene.pick_host()
        here = list(scene.world.ranks_of(place))
        text = f"Duplicate GPU detected : rank {here[1]} and rank {here[0]} both on CUDA device {int(scene.world.hosts[place].buses[0], 16):x}000"
        for rank in here:
            nccl.warn(scene, rank, at + 3, ("init.cc:737", "initTransportsRank"), text)
        cascade.victims(scene, [], here, at + 4, text, number=5)
    else:
        text = f"Bootstrap Root : mismatch in rank count from procs {scene.world.size} : {scene.world.size - 8}"
        nccl.warn(scene, 0, at + 3, ("bootstrap.cc:142", "bootstrapRoot"), text)
        cascade.victims(scene, [], list(range(8)), at + 5, text, number=3)
    answers = (Answer(layer="software", causes=("wrong-world-size",)),)
    return Told(answers=answers, kind="program", telling=telling)


def nccl_bug(scene: Scene) -> Told:
    """An NCCL of one version trips over itself, in a way its notes describe."""
    rng = scene.rng
    at = life.launch(scene, scene.world.started_at) + 3
    nccl.init(scene, at)
    frameworks.header(scene, at + 15)
    text = rng.choice(
        (
            "socketFinalizeAccept: wrong type 5 != 3",
            "Message truncated : received 1024 bytes instead of 256",
        )
    )
    where = (
        ("misc/socket.cc:442", "socketFinalizeAccept")
        if "wrong type" in text
        else ("bootstrap.cc:224", "socketRecv")
    )
    ranks = rng.sample(range(scene.world.size), 6)
    for rank in ranks:
        nccl.warn(scene, rank, at + 14 + rng.uniform(0, 1), where, text)
    cascade.victims(scene, [], sorted(ranks), at + 16, text, number=3)
    answers = (
        Answer(layer="software", causes=("nccl-bug", "wrong-world-size", "collective-mismatch")),
        Answer(layer="host", causes=("version-mismatch",)),
    )
    return Told(answers=answers, kind="program", telling=text[:16])


FAULTS = {
    "cuda-oom": cuda_oom,
    "rank-exception": exception,
    "segfault": segfault,
    "illegal-access": illegal_access,
    "world-size": world_size,
    "nccl-bug": nccl_bug,
}
