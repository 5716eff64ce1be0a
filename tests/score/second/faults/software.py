"""The program: exceptions, collectives that differ, NaN, GPU memory, loaders, timeouts."""

from collections.abc import Callable, Mapping

from tests.score.second import aftermath
from tests.score.second.draft import SessionDraft
from tests.score.second.launchers import over
from tests.score.second.lines import errors, torch
from tests.score.second.lines.errors import traceback
from tests.score.second.outcome import Outcome, either, named

EXCEPTIONS = (
    "KeyError: 'input_ids'",
    "ValueError: Attention mask should be of size (1, 1, 4096, 4096), but is torch.Size([1, 1, 4096, 4097])",  # noqa: E501
    "IndexError: index 50257 is out of bounds for dimension 0 with size 50257",
    "json.decoder.JSONDecodeError: Expecting ',' delimiter: line 1 column 884 (char 883)",
    "UnicodeDecodeError: 'utf-8' codec can't decode byte 0x92 in position 17: invalid start byte",
    "AttributeError: 'NoneType' object has no attribute 'shape'",
    "AssertionError: sequence length 4097 exceeds the position embeddings 4096",
    "RuntimeError: mat1 and mat2 shapes cannot be multiplied (8192x4096 and 5120x4096)",
    "zipfile.BadZipFile: File is not a zip file",
    "FileNotFoundError: [Errno 2] No such file or directory: '/data/v3/manifest.json'",
)


def exception(draft: SessionDraft) -> Outcome:
    """One rank meets an exception of its own program and ends."""
    _host, rank = draft.victim()
    last = draft.rng.choice(EXCEPTIONS)
    aftermath.crash(draft, draft.stops, rank, traceback(draft, rank, [last]), 1)
    return Outcome(
        answers=named("software"),
        kind="program",
        telling=last.split(":", maxsplit=1)[0],
        places=(),
    )


def exception_caught(draft: SessionDraft) -> Outcome:
    """A rank prints its exception and stays: the others wait for it until they give up."""
    _host, rank = draft.victim()
    at = draft.stops
    last = draft.rng.choice(EXCEPTIONS)
    draft.say(at, rank, *traceback(draft, rank, [last]))
    aftermath.hang(draft, at, [rank])
    return Outcome(
        answers=named("software"), kind="program", telling="exception, then all others wait"
    )


def collectives_differ(draft: SessionDraft) -> Outcome:
    """TORCH_DISTRIBUTED_DEBUG=DETAIL finds that ranks call different collectives."""
    at = draft.stops
    _, rank = draft.victim()
    shape = draft.rng.choice(("[4096]", "[1853171]", "[32, 128]"))
    options = "TensorOptions(dtype=float (default), device=cuda, layout=Strided (default), requires_grad=false (default), pinned_memory=false (default), memory_format=(nullopt))"  # noqa: E501
    number = aftermath.sequence(draft)

    def print_of(kind: str, size: str) -> str:
        return (
            f"CollectiveFingerPrint(SequenceNumber={number}, OpType={kind}, TensorShape={size}, "
            f"TensorDtypes=Float, TensorDeviceTypes={options})"
        )

    text = (
        f"RuntimeError: Detected mismatch between collectives on ranks. Rank {rank} is running "
        f"collective: {print_of('ALLREDUCE', shape)}, but Rank 0 is running collective: "
        f"{print_of('BROADCAST', '[1]')}.Collectives differ in the following aspects: \t Op type: "
        "ALLREDUCEvs BROADCAST"
    )
    aftermath.crash(draft, at, rank, traceback(draft, rank, [text]), 1)
    return Outcome(answers=named("software", "collective-mismatch", "uneven-data"), kind="program")


def collectives_by_number(draft: SessionDraft) -> Outcome:
    """Some ranks wait in one collective and the rest in another: the watchdogs' words differ."""
    rig = draft.rig
    number, given_up = aftermath.sequence(draft), draft.stops + draft.rig.timeout
    split = draft.rng.randrange(1, rig.size)
    for rank in range(rig.size):
        seen = given_up + draft.soon(0, 1.5)
        kind, count = ("_ALLGATHER_BASE", 33_554_432) if rank < split else ("ALLREDUCE", 1)
        draft.say(seen, rank, *torch.timed_out(draft, seen, rank, number, kind, count))
    over(draft, given_up + 4, 0, aftermath.ABORTED)
    return Outcome(
        answers=named("software", "collective-mismatch", "uneven-data"),
        kind="program",
        telling="same number, two operations",
    )


def not_a_number(draft: SessionDraft) -> Outcome:
    """A guard against NaN ends the run."""
    _, rank = draft.victim()
    texts = {
        "megatron": f"RuntimeError: Unexpected result nan on rank {rank} at iteration "
        f"#{draft.rig.first_step + 512} invocation #1 (message='found NaN in local forward loss "
        "calculation')",
        "deepspeed": "Exception: Current loss scale already at minimum - cannot decrease scale "
        "anymore. Exiting run.",
    }
    last = texts.get(
        draft.rig.framework,
        f"FloatingPointError: loss is nan at step {draft.rig.first_step + 512}, stopping",
    )
    aftermath.crash(draft, draft.stops, rank, traceback(draft, rank, [last]), 1)
    return Outcome(answers=named("software"), kind="program")


def gpu_memory(draft: SessionDraft) -> Outcome:
    """A rank asks for more GPU memory than there is."""
    _host, rank = draft.victim()
    aftermath.crash(draft, draft.stops, rank, errors.out_of_memory(draft, rank), 1)
    return Outcome(answers=named("software", "cuda-oom"), kind="program")


def loader_crashed(draft: SessionDraft) -> Outcome:
    """A worker of a rank's loader crashes in a library."""
    host, rank = draft.victim()
    at, pid = draft.stops, draft.rig.pid_of(rank) + 90
    draft.kernel(
        at,
        host.place,
        f"pt_data_worker[{pid}]: segfault at 18 ip 00007f{draft.hexed(10)} sp 00007ff{draft.hexed(9)} "  # noqa: E501
        "error 4 in libturbojpeg.so.0.2.0[7f31ac200000+8d000]",
    )
    last = f"RuntimeError: DataLoader worker (pid {pid}) is killed by signal: Segmentation fault. "
    aftermath.crash(draft, at + 0.3, rank, traceback(draft, rank, [last]), 1)
    return Outcome(answers=named("software"), kind="program", telling="a loader's worker")


def short_timeout(draft: SessionDraft) -> Outcome:
    """Rank 0 evaluates for longer than the others may wait, and goes on when they are gone."""
    at = draft.stops
    draft.say(
        at, 0, "***** Running Evaluation *****", "  Num examples = 184,220", "  Batch size = 8"
    )
    for share in (12, 31, 58, 77):
        draft.say(
            at + draft.rig.timeout * share / 80,
            0,
            f"{share:3d}%|{'█' * (share // 10):<10}| {share * 230}/23028 [00:00<?, 30.1it/s]",
        )
    aftermath.hang(draft, at, [0])
    return Outcome(
        answers=either(
            named("software", "timeout-too-small", "uneven-data"), named("straggler", "slow-member")
        ),
        kind="program",
        telling="evaluation on rank 0 alone",
    )


def device_assert(draft: SessionDraft) -> Outcome:
    """An index out of range trips an assertion in a kernel."""
    _host, rank = draft.victim()
    block = draft.rng.randrange(900)
    lines = [
        f"/pytorch/aten/src/ATen/native/cuda/Indexing.cu:1553: indexSelectLargeIndex: block: "
        f"[{block},0,0], thread: [{lane},0,0] Assertion `srcIndex < srcSelectDimSize` failed."
        for lane in range(4)
    ]
    at = draft.stops
    aftermath.crash(draft, at, rank, [*lines, *errors.cuda(draft, rank, "assert")], 1)
    return Outcome(answers=named("software", "kernel-bug", "rank-exception"), kind="program")


def slow_input(draft: SessionDraft) -> Outcome:
    """One rank's reader waits for its data source; it says so, and the others wait for it."""
    _host, rank = draft.victim()
    at = draft.stops
    for turn in range(4):
        draft.say(
            at + 60 * turn,
            rank,
            f"WARNING: batch queue empty for {60 * turn + 60} s, waiting for prefetch of shard "
            f"s3://corpus/v7/{draft.rng.randrange(10**4):05d}.tar",
        )
    aftermath.hang(draft, at, [rank])
    return Outcome(
        answers=either(named("storage", "dataloader-stall"), named("straggler", "slow-member")),
        places=(),
        kind="program",
    )


def wrong_size(draft: SessionDraft) -> Outcome:
    """Fewer ranks than the launcher was told come to the store."""
    draft.stops = draft.rig.began
    at = draft.rig.began + 600
    here, all_ = draft.rig.size - draft.rig.per_host, draft.rig.size
    last = (
        f"torch.distributed.DistStoreError: Timed out after 601 seconds waiting for clients. "
        f"{here}/{all_} clients joined."
    )
    aftermath.crash(draft, at, 0, traceback(draft, 0, [last]), 1, peers=False)
    return Outcome(
        answers=either(
            named("software", "wrong-world-size"), named("network", "rendezvous-unreachable")
        ),
        kind="program",
    )


FAULTS: Mapping[str, Callable[[SessionDraft], Outcome]] = {
    "soft-exception": exception,
    "soft-exception-then-wait": exception_caught,
    "soft-fingerprints-differ": collectives_differ,
    "soft-operations-differ": collectives_by_number,
    "soft-not-a-number": not_a_number,
    "soft-gpu-memory": gpu_memory,
    "soft-loader-crash": loader_crashed,
    "soft-short-timeout": short_timeout,
    "soft-device-assert": device_assert,
    "soft-slow-input": slow_input,
    "soft-ranks-missing": wrong_size,
}
# What only torch.distributed prints.
OF_TORCH = frozenset({"soft-fingerprints-differ", "soft-operations-differ", "soft-ranks-missing"})
