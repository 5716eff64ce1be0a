"""A rank that had left by its launcher's word and speaks again was started anew."""

from dataclasses import replace

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Event, Role
from tests.diagnosis.events import after, event, readings, watchdog

# No whole hours: those may be zones.
GAP = 4000.0


def _left(seconds: float, rank: int, *, host: str = "n1", number: int = 40) -> Event:
    return event(
        "torchrun-fail-exitcode",
        at=after(seconds),
        host=host,
        role=Role.CONFIRMATION,
        number=number,
        fields={"exitcode": "1", "rank": str(rank), "host": host},
    )


def _memory(rank: int) -> Event:
    return event(
        "cuda-oom",
        at=after(0),
        rank=rank,
        role=Role.INITIATING,
        number=1,
        causes=("cuda-oom",),
        host="n1",
    )


def _closing(seconds: float) -> Event:
    return event("torchrun-closing", at=after(seconds), role=Role.TEARDOWN, number=900)


def _waits(seconds: float, ranks: range, *, waited: float = 600) -> list[Event]:
    lasted = str(int(waited * 1000))
    return [
        watchdog(rank, at=after(seconds), host="n1", duration_ms=lasted, timeout_ms=lasted)
        for rank in ranks
    ]


def test_what_ended_an_attempt_is_not_why_the_next_one_ended() -> None:
    told = [_memory(3), _left(5, 3), *_waits(2 * GAP, range(8)), _closing(2 * GAP + 5)]
    diagnosis = diagnose(readings=readings(told))
    assert [one.verdict.cause for one in diagnosis.attempts] == ["cuda-oom", "unknown"]
    assert diagnosis.verdict.cause != "cuda-oom"


def test_ranks_that_left_one_after_the_other_end_one_attempt() -> None:
    rows = [_left(5 + 60 * rank, rank, number=40 + rank) for rank in range(4)]
    told = [_memory(3), *rows, *_waits(2 * GAP, range(8)), _closing(2 * GAP + 5)]
    assert len(diagnose(readings=readings(told)).attempts) == 2


def test_one_that_began_again_below_needs_no_clock() -> None:
    again = event("nccl-init-complete", rank=3, role=Role.PROGRESS, number=80)
    row = _left(5, 3)
    row_of_rank = event(
        row.signature, at=row.line.at, rank=3, role=row.role, number=40, fields=row.fields
    )
    told = [_memory(3), row_of_rank, again, *_waits(2 * GAP, range(3))]
    assert len(diagnose(readings=readings(told)).attempts) == 2


@pytest.mark.parametrize(
    "more",
    [
        # Its last words were written down late.
        _waits(60, range(8)),
        # Others waited for it until they gave up.
        [*_waits(2 * GAP, range(3), waited=2 * GAP - 20), _closing(2 * GAP + 5)],
        # No launcher and no order of lines bears out that its clock is the launcher's.
        _waits(2 * GAP, range(8)),
    ],
)
def test_who_does_not_speak_again_was_not_started_again(more: list[Event]) -> None:
    diagnosis = diagnose(readings=readings([_memory(3), _left(5, 3), *more]))
    assert diagnosis.attempts == ()


def test_a_rank_of_that_number_on_another_host_or_in_another_group_is_another() -> None:
    lasted = str(int(2 * GAP - 20) * 1000)
    waits = watchdog(3, at=after(2 * GAP), host="n2", duration_ms=lasted)
    on_other = [waits, _closing(2 * GAP + 5)]
    assert diagnose(readings=readings([_memory(3), _left(5, 3), *on_other])).attempts == ()
    groups = event("torchft-reconfigure", at=after(8), role=Role.CONTEXT, number=50)
    told = [_memory(3), _left(5, 3), groups, *_waits(2 * GAP, range(8)), _closing(2 * GAP + 5)]
    assert diagnose(readings=readings(told)).attempts == ()


def _stopped(seconds: float, host: str) -> Event:
    return event(
        "torchrun-death-signal", at=after(seconds), host=host, role=Role.INITIATING, number=950
    )


def test_an_agent_that_speaks_again_after_its_table_was_started_again() -> None:
    told = [_memory(3), _left(5, 3), _stopped(2 * GAP, "n1")]
    assert len(diagnose(readings=readings(told)).attempts) == 2
    on_other = [_memory(3), _left(5, 3), _stopped(2 * GAP, "n2")]
    assert diagnose(readings=readings(on_other)).attempts == ()


def test_steps_that_go_on_without_a_rank_are_of_another_attempt() -> None:
    step = event("megatron-iteration", at=after(2 * GAP), host="n2", role=Role.PROGRESS, number=90)
    told = [_memory(3), _left(5, 3), step]
    end = event("torchrun-closing", at=after(2 * GAP + 9), host="n2", role=Role.TEARDOWN, number=99)
    assert len(diagnose(readings=readings([*told, end])).attempts) == 2
    # Nobody but the log of the steps says that it was so late.
    assert diagnose(readings=readings(told)).attempts == ()


def test_who_began_to_wait_long_after_a_rank_had_left_waited_in_another_attempt() -> None:
    waits = [watchdog(rank, at=after(2 * GAP), host="n2") for rank in range(3)]
    told = [_memory(3), _left(5, 3), *waits]
    end = event("torchrun-closing", at=after(2 * GAP + 9), host="n2", role=Role.TEARDOWN, number=99)
    found = diagnose(readings=readings([*told, end]))
    assert [one.verdict.cause for one in found.attempts] == ["cuda-oom", "unknown"]


def test_what_a_rank_printed_without_a_time_is_of_the_attempt_in_which_it_left() -> None:
    silent = replace(_memory(3), line=replace(_memory(3).line, at=None))
    told = [silent, _left(5, 3), *_waits(2 * GAP, range(3)), _stopped(2 * GAP + 5, "n1")]
    found = diagnose(readings=readings(told))
    assert [one.verdict.cause for one in found.attempts] == ["cuda-oom", "unknown"]
