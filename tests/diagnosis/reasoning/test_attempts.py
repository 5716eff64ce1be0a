"""Several attempts in one input: each concluded by itself; the last that failed is the answer."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import (
    Diagnosis,
    EndState,
    Event,
    Layer,
    Origin,
    PastFailure,
    Role,
    SessionFacts,
    Stream,
    VerdictStatus,
)
from apps.diagnosis.reasoning.scope.attempts.cuts import Cuts
from apps.diagnosis.signatures.read import read_source
from apps.wording import in_english
from apps.wording.published import to_json
from tests.diagnosis.events import NOON, after, event, readings, watchdog, xid

HOSTS = 4


def _restart(seconds: float, number: int) -> Event:
    return event(
        "torchrun-restart", at=after(seconds), host="n1", role=Role.RECOVERY, number=number
    )


def _launch(seconds: float, number: int) -> list[Event]:
    return [
        event(
            "nccl-version",
            at=after(seconds + host),
            host=f"n{host + 1}",
            role=Role.CONTEXT,
            number=number,
        )
        for host in range(HOSTS)
    ]


def _waits(seconds: float, first: int, *, silent: int = -1) -> list[Event]:
    """Return the waits of all ranks but the silent one; the lines of an attempt have numbers of
    their own."""
    found = []
    for rank in range(HOSTS * 8):
        one = watchdog(rank, at=after(seconds), host=f"n{rank // 8 + 1}")
        line = one.line
        found.append(
            event(
                one.signature,
                at=line.at,
                host=line.host or "",
                rank=rank,
                number=first + rank,
                fields=one.fields,
            )
        )
    return [one for one in found if one.line.rank != silent]


def _two(*more: Event) -> Sequence[Event]:
    """Return two attempts: the first loses a GPU of n2, the second one of n3."""
    return [
        xid(79, at=after(0), host="n2"),
        *_waits(600, 100, silent=9),
        _restart(640, 500),
        *_launch(700, 501),
        xid(79, at=after(4000), host="n3", pci="0000:2a:00.0"),
        *_waits(4600, 600, silent=17),
        *more,
    ]


def _hosts(diagnosis: Diagnosis) -> set[str | None]:
    return {one.host for one in diagnosis.verdict.culprits}


def test_the_verdict_is_on_the_last_failed_attempt_and_the_earlier_one_is_listed() -> None:
    diagnosis = diagnose(readings=readings(_two()))
    assert _hosts(diagnosis) == {"n3"}
    told = [(one.number, one.is_answer, one.verdict.cause) for one in diagnosis.attempts]
    assert told == [(1, False, "gpu-off-bus"), (2, True, "gpu-off-bus")]
    assert {one.host for one in diagnosis.attempts[0].verdict.culprits} == {"n2"}


def test_evidence_of_one_attempt_is_never_joined_to_another() -> None:
    told = [
        xid(79, at=after(0), host="n2"),
        *_waits(600, 100, silent=9),
        _restart(640, 500),
        *_launch(700, 501),
        # Steps between, so that the second attempt got going by itself.
        event("megatron-iteration", at=after(2000), role=Role.PROGRESS, number=550),
        *_waits(2660, 600),
    ]
    diagnosis = diagnose(readings=readings(told))
    assert diagnosis.verdict.status is VerdictStatus.UNKNOWN
    assert diagnosis.attempts[0].verdict.cause == "gpu-off-bus"


def test_a_restart_that_dies_before_its_first_step_tells_of_the_failure_before() -> None:
    again = [one for one in _waits(760, 600) if one.line.rank is not None]
    quick = [
        event(
            "nccl-socket-closed",
            at=one.line.at,
            host=one.line.host or "",
            rank=one.line.rank,
            number=one.line.number,
        )
        for one in again
    ]
    told = [
        xid(79, at=after(0), host="n2"),
        *_waits(600, 100, silent=9),
        _restart(640, 500),
        *_launch(700, 501),
        *quick,
    ]
    diagnosis = diagnose(readings=readings(told))
    assert diagnosis.verdict.cause == "gpu-off-bus"
    because = diagnosis.attempts[0].because
    assert because
    assert "before their first step" in in_english(because)


def test_an_attempt_that_finished_after_failed_ones_is_no_failure() -> None:
    told = [
        xid(79, at=after(0), host="n2"),
        *_waits(600, 100, silent=9),
        _restart(640, 500),
        *_launch(700, 501),
    ]
    facts = SessionFacts(state=EndState.FINISHED, ended_at=after(9000))
    diagnosis = diagnose(readings=readings(told), facts=facts)
    assert diagnosis.verdict.status is VerdictStatus.NO_FAILURE
    assert diagnosis.attempts[0].verdict.cause == "gpu-off-bus"


def test_a_restart_mark_that_nothing_follows_begins_no_attempt() -> None:
    late = event(
        "slurm-nodes-not-responding",
        at=after(800),
        host="n9",
        stream=Stream.SCHEDULER,
        role=Role.CONFIRMATION,
        layer=Layer.HOST,
    )
    told = [*_waits(600, 100, silent=9), _restart(640, 500), late]
    assert diagnose(readings=readings(told)).attempts == ()


def test_one_attempt_is_no_list() -> None:
    diagnosis = diagnose(readings=readings([xid(79), *_waits(600, 100, silent=3)]))
    assert to_json(diagnosis=diagnosis)["attempts"] == []


def test_a_repeat_offender_is_a_prior_that_is_said_as_such() -> None:
    history = [
        PastFailure(host="n2", layer=Layer.GPU, cause="gpu-off-bus", at=NOON - timedelta(days=day))
        for day in (1, 9)
    ]
    plain = diagnose(readings=readings([xid(79, host="n2"), *_waits(600, 100, silent=9)]))
    known = diagnose(
        readings=readings([xid(79, host="n2"), *_waits(600, 100, silent=9)]), history=history
    )
    texts = [in_english(one.statement) for one in known.hypotheses[0].supporting]
    assert any("n2 was to blame for 2 failures before" in text for text in texts)
    weights = [sum(e.weight for e in one.hypotheses[0].supporting) for one in (plain, known)]
    assert 0 < weights[1] - weights[0] <= 0.8


def test_history_alone_is_never_a_verdict() -> None:
    history = [
        PastFailure(host="n2", layer=Layer.GPU, cause="gpu-off-bus", at=NOON - timedelta(days=day))
        for day in range(1, 30)
    ]
    diagnosis = diagnose(readings=readings(_waits(600, 100)), history=history)
    assert diagnosis.verdict.status is VerdictStatus.UNKNOWN


def test_the_same_gpu_faulting_in_an_earlier_attempt_speaks_against_the_program() -> None:
    def fault(seconds: float, pid: str) -> Event:
        one = xid(31, at=after(seconds), host="n2", pid=pid)
        return replace(one, line=replace(one.line, number=int(pid)))

    told = [
        fault(0, "811"),
        *_waits(600, 100, silent=9),
        _restart(640, 500),
        *_launch(700, 501),
        event("megatron-iteration", at=after(2000), role=Role.PROGRESS, number=550),
        fault(2100, "911"),
        *_waits(2700, 600, silent=9),
    ]
    diagnosis = diagnose(readings=readings(told))
    assert diagnosis.hypotheses[0].cause == "gpu-memory-fault"


def test_a_script_that_starts_the_program_again_parts_attempts_without_times() -> None:
    lines = (
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
        "[job.sh] program ended with status 1, attempt 2 of 4 in 30 s",
        "n1:41:99 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>",
        "[rank3]: ValueError: odd number of shards",
    )
    origin = Origin(source="session/n1.log", stream=Stream.SESSION, host="n1")
    found = diagnose(readings=[read_source(origin=origin, text="\n".join(lines))])
    assert [one.verdict.cause for one in found.attempts][:1] == ["cuda-oom"]
    assert found.verdict.cause != "cuda-oom"


def test_a_line_without_a_time_below_a_restart_is_of_the_attempt_that_it_begins() -> None:
    told = [event("x", number=number) for number in (1, 3, 4, 6)]
    source = told[0].line.origin.source
    cuts = Cuts(
        at=[after(60)],
        labels=(),
        lines={source: [3]},
        heard={source: [(2, after(0)), (5, after(70))]},
        left={},
        sure=0,
    )
    assert [cuts.of_event(one, None) for one in told] == [0, 0, 1, 1]
    assert cuts.of_event(event("x", number=4), after(10)) == 0


def test_launchers_of_many_hosts_in_one_log_start_one_attempt_again() -> None:
    again = "[default] Detected 1 new nodes from group_rank={}; will restart worker group"
    lines = [
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
        *(again.format(number) for number in range(4)),
        "n1:41:99 [0] NCCL INFO Bootstrap : Using eth0:10.0.0.1<0>",
        "[rank3]: ValueError: odd number of shards",
    ]
    origin = Origin(source="session.log", stream=Stream.SESSION)
    found = diagnose(readings=[read_source(origin=origin, text="\n".join(lines))])
    assert len(found.attempts) == 2
