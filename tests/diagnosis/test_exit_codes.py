"""Exit codes as launchers tell them: by rank, by the place on a node, by a signal, by a list."""

import pytest

from apps.diagnosis.exit_codes import codes_of, rank_left, ranks_listed, signal_of
from apps.diagnosis.exits import first_out
from apps.diagnosis.model import Event, SessionFacts
from tests.diagnosis.events import event

NODE = event("deepspeed-node", num_local="8", node_rank="1", number=1)
LEFT = event("deepspeed-launcher-killed", local_rank="3", exitcode="-9", number=9)
SIGNALLED = event("mpi-exit-signal", fields={"rank": "2", "signal": "11"})


def _listed(*ranks: str) -> list[Event]:
    return [
        event("ray-error-snippet", fields={"rank": rank}, number=at)
        for at, rank in enumerate(ranks, 1)
    ]


@pytest.mark.parametrize(
    ("events", "codes"),
    [
        ([NODE, LEFT], {11: -9}),
        ([LEFT], {}),  # of which node, nobody says
        ([SIGNALLED], {2: -11}),
        (_listed("1", "1", "4"), {1: 1, 4: 1}),
    ],
)
def test_codes_are_those_of_ranks_of_the_session(
    events: list[Event], codes: dict[int, int]
) -> None:
    assert codes_of(events=events, facts=SessionFacts()) == codes


def test_only_a_launcher_that_says_so_tells_of_a_signal() -> None:
    assert signal_of(SIGNALLED) == 11
    assert signal_of(event("slurm-task-exit", signal="11")) is None


def test_a_line_without_a_rank_is_of_the_process_that_a_table_names() -> None:
    worker = event("torchrun-worker-failed", pid="4021", exitcode="1")
    assert rank_left(worker, {4021: 7}) == 7
    assert rank_left(worker, {}) is None


def test_the_only_rank_of_a_list_left_first_and_of_several_none_did() -> None:
    assert first_out(events=_listed("1", "1"), facts=SessionFacts()) == {1}
    assert ranks_listed(events=_listed("1", "4")) == {1, 4}
    assert first_out(events=_listed("1", "4"), facts=SessionFacts()) == set()
