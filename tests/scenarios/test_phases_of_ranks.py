"""What a session was doing when it stopped, where one rank tells of steps and another fails."""

import pytest

from apps.diagnosis.model import Phase
from tests.scenarios.verdicts import diagnosed

STEP = " [2026-05-03 10:0{n}:00] iteration        {n}/    500 | consumed samples:   10 | elapsed time per iteration (ms): 11002.1 | learning rate: 1.0E-04 | global batch size:    16 | lm loss: 2.1E+00 | number of skipped iterations:   0 | number of nan iterations:   0 |"  # noqa: E501  a line of a log
BAR = "Epoch 0: :   1%|          | {n}/1000 [0{n}:10<3:01:10, v_num=, reduced_train_loss=2.197, global_step={n}.0, consumed_samples=58.0, train_step_timing in s=3.02]"  # noqa: E501  a line of a log
FAILED = (
    "Traceback (most recent call last):\n"
    '  File "/w/train.py", line 12, in <module>\n'
    "    batch['text']\n"
    "KeyError: 'text'\n"
)


def set_up(rank: int, *, lines_before: int = 0) -> str:
    """Return what NCCL prints of a rank while it sets up, behind so many other lines."""
    return "\n" * lines_before + (
        f"n1:{70 + rank}:{70 + rank} [{rank}] NCCL INFO Bootstrap : Using ib0:10.0.0.1<0>\n"
        f"n1:{70 + rank}:{90 + rank} [{rank}] NCCL INFO comm 0x5 rank {rank} nranks 4 cudaDev "
        f"{rank} nvmlDev {rank} busId 1b000 commId 0x9d - Init COMPLETE\n"
    )


def steps(line: str) -> str:
    return "".join(line.format(n=n) + "\n" for n in (1, 2, 3))


@pytest.mark.parametrize("line", [STEP, BAR], ids=["megatron", "nemo"])
@pytest.mark.parametrize("lines_before", [0, 40])
@pytest.mark.parametrize("world", [1, 2, 4])
def test_steps_of_one_rank_are_steps_of_the_session(
    line: str, lines_before: int, world: int
) -> None:
    texts = {
        f"session/n1/rank{rank}.log": set_up(rank, lines_before=lines_before * (rank + 1 < world))
        + (steps(line) if rank == world - 1 else "")
        + (FAILED if rank == 0 else "")
        for rank in range(world)
    }
    assert diagnosed(texts=texts).phase is Phase.ITERATE


def test_a_session_of_which_no_rank_made_a_step_was_being_set_up() -> None:
    texts = {f"session/n1/rank{rank}.log": set_up(rank) for rank in range(4)}
    texts["session/n1/rank0.log"] += FAILED
    assert diagnosed(texts=texts).phase is Phase.INIT


def test_in_one_log_the_last_line_counts() -> None:
    texts = {"session/n1/rank0.log": steps(STEP) + set_up(0) + FAILED}
    assert diagnosed(texts=texts).phase is Phase.INIT


def test_of_two_logs_with_times_the_later_one_counts() -> None:
    saving = "[2026-05-03 10:0{n}:30] saving checkpoint at iteration {n} to /ckpt in torch format\n"
    texts = {
        "session/n1/rank0.log": set_up(0) + saving.format(n=2),
        "session/n1/rank3.log": set_up(3) + steps(STEP) + FAILED,
    }
    assert diagnosed(texts=texts).phase is Phase.ITERATE
