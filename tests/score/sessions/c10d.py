# ruff: noqa: E501  the vendors' lines are long
"""What PyTorch's process groups print when a collective does not end, by version of torch."""

from collections.abc import Iterable
from dataclasses import dataclass

from tests.score.sessions.scene import Scene

GENERIC = (
    "Some NCCL operations have failed or timed out. Due to the asynchronous nature of CUDA kernels, "
    "subsequent GPU operations might run on corrupted/incomplete data."
)
DOWN = "To avoid data inconsistency, we are taking the entire process down."


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The collective somebody waits in."""

    seq: int
    op: str = "ALLREDUCE"
    numel: int = 4194304
    group: int = 0

    def text(self, *, torch: str, timeout: int) -> str:
        """Return it as the watchdog of that version prints it."""
        sizes = "" if torch == "1.13" else f"NumelIn={self.numel}, NumelOut={self.numel}, "
        return f"WorkNCCL(SeqNum={self.seq}, OpType={self.op}, {sizes}Timeout(ms)={timeout * 1000})"


def stamp(scene: Scene, rank: int, at: float, level: str, line: int, file: str = "") -> str:
    """Return the prefix of a line of C++ of that version of torch."""
    torch, file = scene.world.torch, file or "ProcessGroupNCCL.cpp"
    if torch in {"1.13", "2.1"}:
        return f"[{level} {file}:{line}]"
    if torch == "2.3":
        return f"[rank{rank}]:[{level} {file}:{line}]"
    local = scene.local(rank // 8, at)
    nanos = f"{local:%H:%M:%S}.{local.microsecond:06d}{scene.rng.randrange(1000):03d}"
    return f"[rank{rank}]:[{level}{local.month}{local:%d} {nanos} {file}:{line}]"


def group(scene: Scene, work: Work, rank: int) -> str:
    """Return `[PG … Rank r]`, with the rank inside that group."""
    inside, name = (rank, "default_pg") if work.group == 0 else (rank // 8, "mesh_dp")
    if scene.world.torch == "2.4":
        return f"[PG {work.group} Rank {inside}]"
    return f"[PG ID {work.group} PG GUID {work.group}({name}) Rank {inside}]"


def watchdog(
    scene: Scene,
    ranks: Iterable[int],
    begun_at: float,
    work: Work,
    *,
    enqueued: int | None = None,
    timeout: int | None = None,
) -> float:
    """Let ranks that wait in a collective since `begun_at` give up; return when the last did."""
    limit = timeout or scene.world.timeout
    last = begun_at + limit
    for rank in ranks:
        waited = limit + scene.rng.uniform(0.001, 0.9)
        at = begun_at + waited
        inside = rank if work.group == 0 else rank // 8
        said = f"{work.text(torch=scene.world.torch, timeout=limit)} ran for {round(waited * 1000)} milliseconds before timing out."
        what = f"[Rank {inside}] Watchdog caught collective operation timeout: {said}"
        _give_up(scene, rank, at, work, what, enqueued or work.seq)
        last = max(last, at)
    return last


def _give_up(scene: Scene, rank: int, at: float, work: Work, what: str, enqueued: int) -> None:
    torch = scene.world.torch
    if torch == "1.13":
        scene.rank(rank, at, f"{stamp(scene, rank, at, 'E', 737)} {what}")
        scene.rank(
            rank,
            at + 0.2,
            f"{stamp(scene, rank, at, 'E', 414)} {GENERIC} To avoid this inconsistency, we are taking the entire process down.",
        )
        terminate(scene, rank, at + 0.3, what)
        return
    scene.rank(rank, at, f"{stamp(scene, rank, at, 'E', 629)} {what}")
    late = at + scene.rng.uniform(0.01, 0.4)
    if torch == "2.4":
        inside = group(scene, work, rank)
        scene.rank(
            rank,
            late,
            f"{stamp(scene, rank, late, 'E', 1664)} {inside} Exception (either an error or timeout) detected by watchdog at work: {work.seq}, last enqueued NCCL work: {enqueued}, last completed NCCL work: {work.seq - 1}.",
        )
        scene.rank(
            rank,
            late,
            f"{stamp(scene, rank, late, 'E', 1709)} {inside} Timeout at NCCL work: {work.seq}, last enqueued NCCL work: {enqueued}, last completed NCCL work: {work.seq - 1}.",
        )
    if torch == "2.7":
        inside = group(scene, work, rank)
        scene.rank(
            rank,
            late,
            f"{stamp(scene, rank, late, 'E', 2168)} {inside}  failure detected by watchdog at work sequence id: {work.seq} PG status: last enqueued work: {enqueued}, last completed work: {work.seq - 1}",
        )
        scene.rank(
            rank,
            late,
            f"{stamp(scene, rank, late, 'E', 667)} Stack trace of the failed collective not found, potentially because FlightRecorder is disabled. You can enable it by setting TORCH_NCCL_TRACE_BUFFER_SIZE to a non-zero value.",
        )
        scene.rank(
            rank,
            late,
            f"{stamp(scene, rank, late, 'E', 2070)} {inside} First PG on this rank to signal dumping.",
        )
    down = late + scene.rng.uniform(0.3, 15.0 if torch == "2.7" else 1.0)
    tag = "" if torch in {"2.1", "2.3"} else f"[Rank {rank}] "
    scene.rank(rank, down, f"{stamp(scene, rank, down, 'E', 681)} {tag}{GENERIC}")
    scene.rank(rank, down, f"{stamp(scene, rank, down, 'E', 695)} {tag}{DOWN}")
    end(scene, rank, down + 0.01, what)


def end(scene: Scene, rank: int, at: float, what: str) -> None:
    """Let the watchdog thread of a rank end with a reason, and the process with it."""
    torch = scene.world.torch
    if torch in {"2.1", "2.3"}:
        said = f"[Rank {rank}] NCCL watchdog thread terminated with exception: {what}"
        number = 916
    else:
        said = f"[PG ID 0 PG GUID 0(default_pg) Rank {rank}] Process group watchdog thread terminated with exception: {what}"
        number = 1895
    if torch != "1.13":
        scene.rank(rank, at, f"{stamp(scene, rank, at, 'E', number)} {said}")
        frames(scene, rank, at + 0.001)
    terminate(scene, rank, at + 0.01, said if torch != "1.13" else what)


def terminate(scene: Scene, rank: int, at: float, what: str) -> None:
    """Print what the C++ run time says of an exception nobody caught."""
    kind = "std::runtime_error" if scene.world.torch in {"1.13", "2.1"} else "c10::DistBackendError"
    scene.rank(
        rank, at, f"terminate called after throwing an instance of '{kind}'\n  what():  {what}"
    )


def frames(scene: Scene, rank: int, at: float) -> None:
    """Print where C++ raised it; only some ranks of a large session, to stay readable."""
    if scene.world.torch in {"1.13", "2.1"} or rank % 4:
        return
    base = "/usr/local/lib/python3.10/dist-packages/torch/lib"
    scene.rank(
        rank,
        at,
        "Exception raised from checkTimeout at ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:632 (most recent call first):\n"
        f"frame #0: c10::Error::Error(c10::SourceLocation, std::string) + 0x96 (0x7f2bb9f6c446 in {base}/libc10.so)\n"
        f"frame #1: c10d::ProcessGroupNCCL::watchdogHandler() + 0x233 (0x7f2b6f26b1b3 in {base}/libtorch_cuda.so)\n"
        "frame #2: <unknown function> + 0xdc253 (0x7f2bba0b0253 in /lib/x86_64-linux-gnu/libstdc++.so.6)\n",
    )


def dump_signal(
    scene: Scene, ranks: Iterable[int], at: float, source: int, *, enqueued: int, completed: int
) -> None:
    """Let ranks that are alive but not in that collective answer the call for dumps."""
    if scene.world.torch not in {"2.4", "2.7"}:
        return
    for rank in ranks:
        moment = at + scene.rng.uniform(0.2, 2)
        inside = group(scene, Work(seq=1), rank)
        head = stamp(scene, rank, moment, "E", 1684)
        if scene.world.torch == "2.4":
            scene.rank(
                rank,
                moment,
                f"{head} {inside} Observed flight recorder dump signal from another rank via TCPStore.",
            )
        scene.rank(
            rank,
            moment,
            f"{head} {inside} Received a dump signal due to a collective timeout from  rank {source} and we will try our best to dump the debug info. Last enqueued NCCL work: {enqueued}, last completed NCCL work: {completed}.This is most likely caused by incorrect usages of collectives, e.g., wrong sizes used across ranks, the order of collectives is not same for all ranks or the scheduled collective, for some reason, didn't run. Additionally, this can be caused by GIL deadlock or other reasons such as network errors or bugs in the communications library (e.g. NCCL), etc. ",
        )


def remote_error(
    scene: Scene, rank: int, at: float, last: str, *, number: int = 6, late: float = 0.0
) -> None:
    """Let a rank raise the error of a NCCL call: 6 remote, 2 system, 1 cuda, 3 internal."""
    name, text, hint = {
        6: (
            "ncclRemoteError",
            "remote process exited or there was a network error",
            "A call failed possibly due to a network error or a remote process exiting prematurely.",
        ),
        2: (
            "ncclSystemError",
            "unhandled system error (run with NCCL_DEBUG=INFO for details)",
            "System call (e.g. socket, malloc) or external library call failed or device error. ",
        ),
        1: (
            "ncclUnhandledCudaError",
            "unhandled cuda error (run with NCCL_DEBUG=INFO for details)",
            "Call to CUDA function failed.",
        ),
        5: (
            "ncclInvalidUsage",
            "invalid usage (run with NCCL_DEBUG=WARN for details)",
            "This usually reflects invalid usage of NCCL library.",
        ),
        3: (
            "ncclInternalError",
            "internal error - please report this issue to the NCCL developers",
            "Internal check failed.",
        ),
    }[number]
    version = scene.world.nccl
    error = (
        "RuntimeError"
        if scene.world.torch in {"1.13", "2.1"}
        else "torch.distributed.DistBackendError"
    )
    lines = [
        *(
            "Traceback (most recent call last):",
            '  File "/workspace/train.py", line 412, in <module>',
            "    main()",
        ),
        f'  File "/usr/local/lib/python3.10/dist-packages/torch/distributed/distributed_c10d.py", line {2000 + rank % 7}, in all_reduce',
        "    work = group.allreduce([tensor], opts)",
        f"{error}: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1970, {text}, NCCL version {version}",
        f"{name}: {hint}",
        "Last error:",
        last,
    ]
    traceback(scene, rank, at, lines, late=late)


def traceback(
    scene: Scene, rank: int, at: float, lines: Iterable[str], *, late: float = 0.0
) -> None:
    """Print a block of Python, each line with the rank where that version of torch does so."""
    tag = f"[rank{rank}]: " if scene.world.torch in {"2.3", "2.4", "2.7"} else ""
    scene.rank(rank, at, "\n".join(f"{tag}{line}" for line in lines), late=late)


def store_lost(scene: Scene, ranks: Iterable[int], at: float) -> None:
    """Let ranks find that the store on the first host has gone."""
    for rank in ranks:
        moment = at + scene.rng.uniform(0.1, 4)
        port = scene.rng.randrange(32000, 60999)
        scene.rank(
            rank,
            moment,
            f"{stamp(scene, rank, moment, 'W', 106, 'TCPStore.cpp')} [c10d] sendBytes failed on SocketImpl(fd=3, addr=[{scene.world.called(rank // 8)}]:{port}, remote=[{scene.world.called(0)}]:{scene.world.master_port}): Broken pipe",
        )
        if scene.world.torch in {"2.4", "2.7"}:
            scene.rank(
                rank,
                moment + 1,
                f'{stamp(scene, rank, moment + 1, "W", 1771)} [PG ID 0 PG GUID 0(default_pg) Rank {rank}] Failed to check the "should dump" flag on TCPStore, (maybe TCPStore server has shut down too early), with error: Broken pipe',
            )
