"""Which words each version of PyTorch, NCCL, a trainer and a scheduler prints, and from when on."""

from dataclasses import replace
from typing import Any

import pytest

from apps.simulator.world.log_templates import c10d, kernel, nccl, scheduler, torchrun, trainers
from apps.simulator.world.story import PrintedLine, SimulatedAttempt
from apps.simulator.world.streams import grouped, key_of, texts_of
from tests.apps.simulator.worlds import EPOCH, world

ATTEMPT = world().plan.attempts[0]
CLUSTER = world().plan.cluster
NODE = CLUSTER.by_name[ATTEMPT.hosts[0]]
OTHER = CLUSTER.by_name[ATTEMPT.hosts[1]]


def styled(**style: Any) -> SimulatedAttempt:
    """Return an attempt of other versions."""
    return replace(ATTEMPT, style=replace(ATTEMPT.style, **style))


def of(**style: Any) -> dict[str, Any]:
    """Return what every line of rank 0 is made with."""
    return {"attempt": styled(**style), "node": NODE, "at": EPOCH}


@pytest.mark.parametrize(
    ("torch", "head"),
    [
        ((2, 2), "[E a.cpp:1] text"),
        ((2, 3), "[rank0]:[E"),
        ((2, 4), "[rank0]:[E"),
    ],
)
def test_pytorch_says_rank_and_time_from_2_3_on(torch: tuple[int, int], head: str) -> None:
    assert c10d.say(rank=0, source="a.cpp:1", text="text", **of(torch=torch)).startswith(head)
    agent = torchrun.say(place="torch/api.py:1", text="text", **of(torch=torch))
    assert agent.startswith("[20") is (torch < (2, 3))
    assert ("ProcessGroupNCCL.cpp:475" if torch < (2, 3) else ":632") in c10d.watchdog_timeout(
        rank=0, described="x", ran_ms=1, **of(torch=torch)
    )


@pytest.mark.parametrize(
    ("torch", "head"),
    [
        ((2, 2), "[Rank 7]"),
        ((2, 3), "[PG 0 (default_pg) Rank 7]"),
        ((2, 4), "[PG 0 (default_pg) Rank 7]"),
        ((2, 5), "[PG ID 0 PG GUID 0(default_pg) Rank 7]"),
    ],
)
def test_a_group_names_itself_by_its_version(torch: tuple[int, int], head: str) -> None:
    assert c10d.group(attempt=styled(torch=torch), rank=7) == head


@pytest.mark.parametrize(
    ("torch", "words"),
    [
        ((2, 4), "Timeout at NCCL work: 9"),
        ((2, 5), "detected by watchdog at work: 9"),
        ((2, 6), "failure detected by watchdog at work sequence id: 9"),
    ],
)
def test_how_far_a_group_came_is_worded_by_its_version(torch: tuple[int, int], words: str) -> None:
    assert words in c10d.failure_status(rank=0, seq=9, **of(torch=torch))


@pytest.mark.parametrize(("torch", "who"), [((2, 3), "NCCL"), ((2, 4), "Process group")])
def test_the_watchdog_calls_itself_by_its_version(torch: tuple[int, int], who: str) -> None:
    said = c10d.watchdog_error(rank=0, error="x", **of(torch=torch))
    assert f"{who} watchdog thread terminated" in said


def test_a_collective_gives_out_what_it_took_in_unless_it_says_otherwise() -> None:
    said = [c10d.work(seq=1, op="X", numel=8, timeout_ms=1, out=out) for out in (None, 0, 64)]
    assert [one.split("NumelOut=")[1].split(",")[0] for one in said] == ["8", "0", "64"]


def test_each_line_of_a_traceback_has_its_rank_where_one_is_known() -> None:
    frames = ('File "a.py", line 1', "x()")
    plain = c10d.traceback(rank=None, frames=frames, final="E: a\nb")
    assert plain.splitlines() == [
        *("Traceback (most recent call last):", '  File "a.py", line 1', "    x()", "E: a", "b")
    ]
    ranked = c10d.traceback(rank=0, frames=frames, final="E: a\nb")
    assert ranked.splitlines() == [f"[rank0]: {line}" for line in plain.splitlines()]


@pytest.mark.parametrize(
    ("version", "is_dated", "place", "cuda"),
    [
        ((2, 19, 4), False, " misc/socket.cc:49 NCCL WARN", "12.2"),
        ((2, 20, 0), False, " misc/socket.cc:71 NCCL WARN", "12.9"),
        ((2, 25, 9), False, " misc/socket.cc:71 NCCL WARN", "12.9"),
        ((2, 26, 0), True, " misc/socket.cc:71 NCCL WARN", "12.9"),
        ((2, 30, 0), True, " os/linux.cc:371 (ncclOsSocketProgressOpt) NCCL WARN", "12.9"),
    ],
)
def test_a_warning_of_nccl_has_time_and_function_by_its_version(
    version: tuple[int, int, int], place: str, cuda: str, *, is_dated: bool
) -> None:
    said = nccl.peer_closed(rank=0, peer=OTHER, **of(nccl=version))
    assert said.startswith("\n[20") is is_dated
    assert place in said
    assert (OTHER.ip in said) is (version < (2, 20, 0) or version >= (2, 30, 0))
    assert nccl.version(attempt=styled(nccl=version)).endswith(f"+cuda{cuda}")
    plain = nccl.warn(rank=0, place="a.cc:1", text="x", **of(nccl=version))
    assert " a.cc:1 NCCL WARN x" in plain
    failure = nccl.cuda_failure(rank=0, code=700, text="x", **of(nccl=version))
    assert ("Cuda failure 700 'x'" in failure) is (version >= (2, 20, 0))
    assert ("nvlsAllocateMem" in failure) is (version >= (2, 30, 0))


@pytest.mark.parametrize("trainer", ["megatron", "deepspeed", "titan"])
def test_each_trainer_speaks_its_own_way(trainer: str) -> None:
    mark = {"megatron": "iteration", "deepspeed": "global_step", "titan": "[titan]"}
    given = of(trainer=trainer)
    step = trainers.iteration(step=5, seconds=2.0, **given)
    assert [name for name, word in mark.items() if word in step] == [trainer]
    banner = " ".join(trainers.banner(**given))
    assert ("ZeRO" in banner, "tensor-model-parallel" in banner, "Starting job" in banner) == (
        trainer == "deepspeed",
        trainer == "megatron",
        trainer == "titan",
    )
    beat = trainers.beat(rank=3, step=5, seconds=2.0, lag=0.0, **given)
    assert ("grad-sync" in beat, "bwd_allreduce" in beat, "comm wait" in beat) == (
        trainer == "megatron",
        trainer == "deepspeed",
        trainer == "titan",
    )
    saving = trainers.save_started(step=5, **given)
    saved = trainers.save_finished(step=5, seconds=9.0, **given)
    assert ("torch_dist" in saving, "[Torch] Saving" in saving, "staging" in saving) == (
        trainer == "megatron",
        trainer == "deepspeed",
        trainer == "titan",
    )
    assert ("successfully saved" in saved, "[Torch] Saved" in saved) == (
        trainer == "megatron",
        trainer == "deepspeed",
    )


@pytest.mark.parametrize(
    ("kind", "state", "words"),
    [
        ("slurm", "walltime", "Time limit exhausted"),
        ("slurm", "finished", "WEXITSTATUS 0"),
        ("slurm", "cancelled", "WTERMSIG 15"),
        ("slurm", "failed", "WEXITSTATUS 1"),
        ("backend.ai", "walltime", "idle-session-lifetime status=TERMINATED result=FAILURE"),
        ("backend.ai", "finished", "task-finished status=TERMINATED result=SUCCESS"),
        ("backend.ai", "failed", "self-terminated status=TERMINATED result=FAILURE"),
    ],
)
def test_a_scheduler_says_how_it_ended(kind: str, state: str, words: str) -> None:
    attempt = styled(scheduler=kind)
    assert words in " ".join(scheduler.ended(attempt=attempt, state=state))
    assert ("Allocate JobId" in scheduler.started(attempt=attempt)) is (kind == "slurm")
    line = scheduler.say(node=NODE, attempt=attempt, at=EPOCH, text="x")
    assert line.startswith("[20") is (kind == "slurm")


def test_a_kernel_writes_as_its_collector_does() -> None:
    heads = {"journald": f"{NODE.name} kernel: x", "syslog": "] x", "dmesg": "] x"}
    for form, tail in heads.items():
        said = kernel.say(node=replace(NODE, kernel_format=form), at=EPOCH, text="x")
        assert said.endswith(tail)
        assert (NODE.name in said) is (form != "dmesg")
        assert ("kernel: [" in said) is (form == "syslog")


@pytest.mark.parametrize(
    ("wording", "severities", "received"),
    [
        ("old", ("Correctable", "Uncorrectable (Fatal)"), "error received:"),
        ("new", ("Corrected", "Uncorrected (Fatal)"), "error message received from"),
    ],
)
def test_an_aer_record_is_worded_by_its_kernel(
    wording: str, severities: tuple[str, str], received: str
) -> None:
    for is_fatal, severity in zip((False, True), severities, strict=True):
        first, second, *_ = kernel.aer(gpu=0, is_fatal=is_fatal, wording=wording)
        assert f"AER: {severity} {received}" in first
        assert f"severity={severity}, type=Physical Layer, (Receiver ID)" in second
    other = kernel.aer(gpu=0, is_fatal=False, wording=wording, kind="Data Link Layer")
    assert "(Transmitter ID)" in other[1]


def _line(stream: str, layout: str, rank: int | None, *, is_of_attempt: bool = True) -> PrintedLine:
    attempt = styled(layout=layout) if is_of_attempt else None
    return PrintedLine(
        at=EPOCH, stream=stream, host=NODE.name, text="a\nb", attempt=attempt, rank=rank
    )


@pytest.mark.parametrize(
    ("stream", "layout", "rank", "head", "path"),
    [
        ("session", "rank", 9, "", f"session/{NODE.name}/rank9.log"),
        ("session", "srun", 9, "9: ", f"session/{NODE.name}.log"),
        ("session", "tee", 9, "[default1]:", f"session/{NODE.name}.log"),
        ("session", "srun", None, "", f"session/{NODE.name}.log"),
        ("session", "tee", None, "", f"session/{NODE.name}.log"),
        ("scheduler", "srun", 9, "", "scheduler.log"),
        ("kernel", "rank", 9, "", f"kernel/{NODE.name}.log"),
    ],
)
def test_a_line_is_headed_and_filed_by_the_layout_of_its_session(
    stream: str, layout: str, rank: int | None, head: str, path: str
) -> None:
    line = _line(stream, layout, rank)
    assert list(texts_of(line)) == [f"{head}a", f"{head}b"]
    key = key_of(cluster=CLUSTER, line=line)
    assert key.path == path
    assert ("session" in key.labels) is (stream != "kernel")
    assert ("rank" in key.labels) is (path.endswith("rank9.log"))
    ((_, rows),) = grouped(cluster=CLUSTER, lines=[line]).items()
    assert [text for _, text in rows] == [f"{head}a", f"{head}b"]


def test_what_is_of_no_session_is_labelled_by_its_host_alone() -> None:
    for stream in ("session", "scheduler", "storage"):
        labels = key_of(cluster=CLUSTER, line=_line(stream, "rank", 9, is_of_attempt=False)).labels
        assert {"session", "attempt", "rank"}.isdisjoint(labels)
        assert (labels["host"], labels["tz"]) == (NODE.name, NODE.zone)
