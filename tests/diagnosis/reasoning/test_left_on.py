"""An error that says neither host nor rank is of the one process that left with an error."""

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Diagnosis, Origin
from apps.diagnosis.signatures.read import read_source

LOADER = (
    "ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient "
    "shared memory (shm)."
)
NAMED = "[rank{rank}]: " + LOADER


def _exit(rank: int, host: str, code: int) -> str:
    return (
        "  time      : 2026-04-26_20:03:12\n"
        f"  host      : {host}\n"
        f"  rank      : {rank} (local_rank: {rank % 8})\n"
        f"  exitcode  : {code} (pid: {10_000 + rank})\n"
        "  error_file: <N/A>\n"
    )


def _said(*lines: str) -> Diagnosis:
    head = "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:\ntrain.py FAILED\n"
    text = lines[0] + "\n" + head + "".join(lines[1:])
    return diagnose(readings=[read_source(origin=Origin(source="slurm-1.out"), text=text)])


def _blamed(said: Diagnosis) -> list[tuple[str, str | None]]:
    assert said.verdict.cause == "shm-exhausted"
    return [(one.kind, one.host) for one in said.verdict.culprits]


def test_the_host_of_the_only_process_with_an_error_of_its_own_is_named() -> None:
    said = _said(LOADER, _exit(3, "n1", -15), _exit(26, "n4", 1))
    assert _blamed(said) == [("node", "n4")]


@pytest.mark.parametrize("other", [_exit(3, "n1", 1), ""])
def test_nobody_is_named_where_several_hosts_or_none_had_one(other: str) -> None:
    ends = [_exit(26, "n4", 1), other, *(_exit(rank, "n2", 1) for rank in range(8, 12))]
    said = _said(LOADER, *(ends if other else ["nobody left\n"]))
    assert _blamed(said) == []


def test_a_line_that_says_its_rank_is_not_laid_at_another_ones_door() -> None:
    said = _said(NAMED.format(rank=3), _exit(26, "n4", 1))
    assert ("node", "n4") not in _blamed(said)


def _tasks(*lines: str) -> Diagnosis:
    text = "\n".join(["RuntimeError: CUDA error: uncorrectable ECC error encountered", *lines])
    return diagnose(readings=[read_source(origin=Origin(source="slurm-1.out"), text=text)])


OWN, ENDED = "srun: error: n4: task 26: Exited with exit code 1", "srun: error: n1: tasks 0-7: "


def test_the_one_task_that_left_with_an_error_before_its_launcher_ended_the_rest_is_named() -> None:
    said = _tasks(OWN, ENDED + "Terminated")
    assert [one.host for one in said.verdict.culprits] == ["n4"]


@pytest.mark.parametrize(
    "rest", [(), (ENDED + "Exited with exit code 1",), (ENDED + "Aborted (core dumped)",)]
)
def test_of_tasks_that_all_left_by_themselves_none_is_named(rest: tuple[str, ...]) -> None:
    assert [one.host for one in _tasks(OWN, *rest).verdict.culprits if one.host == "n4"] == []
