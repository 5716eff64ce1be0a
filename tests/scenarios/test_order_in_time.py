"""A session that finished is blamed on nothing, and no fault of another day stopped one, whatever
kind of log nobody said each file is.
"""

from datetime import datetime, timedelta

import pytest

from apps.diagnosis.model import Diagnosis, EndState, VerdictStatus
from apps.offline.report import as_text
from apps.wording import in_english
from tests.scenarios.told_in_order import (
    AFTER,
    BEFORE,
    BOOT,
    COMPLETED,
    DONE,
    ECC,
    EXITED,
    INIT,
    LATER,
    STEPS,
    TRAINED,
    TRAINER,
    gone_on,
)
from tests.scenarios.verdicts import diagnosed, reason_of

STOP = datetime(2026, 11, 10, 3, 26, 33)  # noqa: DTZ001  as logs print it
FINISHED = STEPS + DONE


def _read(session: str, kernel: str, **more: str) -> Diagnosis:
    return diagnosed(texts={"train.log": session, "kernel.log": kernel, **more})


@pytest.mark.parametrize(
    ("session", "kernel"),
    [
        (FINISHED, BEFORE),
        (FINISHED, AFTER),
        (FINISHED, BEFORE + LATER),
        (FINISHED, BEFORE + BOOT + LATER),
        (TRAINER + TRAINED, BEFORE),
    ],
    ids=["days-before", "days-after", "kernel-goes-on", "rebooted-since", "no-times"],
)
def test_a_session_that_finished_is_blamed_on_no_gpu(session: str, kernel: str) -> None:
    found = _read(session, kernel)
    assert found.verdict.status is VerdictStatus.NO_FAILURE
    assert (found.end_state, found.verdict.culprits) == (EndState.FINISHED, ())
    assert found.restart.exclude_hosts == ()
    said = as_text(diagnosis=found).split("\n\n", 1)[0]
    assert "it finished its work" in said


@pytest.mark.parametrize(
    "told",
    [
        "kernel: python[4115]: segfault at 0 ip 00007f11 sp 00007f12 error 4 in libc.so.6",
        "kernel: python3: training failed: CUDA error",
        "systemd[1]: train.service: Main process exited, code=exited, status=1/FAILURE",
        "slurmd[201]: error: _step_setup: job failed",
    ],
)
@pytest.mark.parametrize("name", ["kernel.log", "node.log"])
def test_words_of_sessions_in_a_hosts_log_of_another_day_are_not_its_end(
    told: str, name: str
) -> None:
    line = f"2026-11-20T12:11:03+09:00 gpu-n01 {told}\n"
    found = diagnosed(texts={"train.log": FINISHED, name: line})
    assert found.verdict.status is VerdictStatus.NO_FAILURE
    assert found.end_state is EndState.FINISHED


def test_what_the_scheduler_says_of_its_end_blames_no_gpu() -> None:
    found = _read(FINISHED, BEFORE, **{"slurmctld.log": COMPLETED})
    assert (found.verdict.status, found.end_state) == (
        VerdictStatus.NO_FAILURE,
        EndState.FINISHED,
    )


@pytest.mark.parametrize("names", [("train.log", "kernel.log"), ("session/a.log", "kernel/b.log")])
def test_a_fault_beside_a_session_without_times_is_possible_at_most(names: tuple[str, str]) -> None:
    found = diagnosed(texts=dict(zip(names, (TRAINER, BEFORE + LATER), strict=True)))
    assert (found.verdict.status, found.verdict.cause) == (VerdictStatus.POSSIBLE, "gpu-off-bus")
    assert any("when it ran" in in_english(one.statement) for one in found.hypotheses[0].opposing)
    said = " ".join(as_text(diagnosis=found).split())
    assert "would say when the session ran, and on which hosts" in said


def test_a_process_that_both_logs_name_ties_a_fault_to_a_session_without_times() -> None:
    xid = BEFORE.replace("'<unknown>'", "7102")
    found = _read(INIT.format(pid=7102) + TRAINER, xid)
    assert (found.verdict.status, found.verdict.cause) == (VerdictStatus.LIKELY, "gpu-off-bus")
    other = _read(INIT.format(pid=7103) + TRAINER, xid)
    assert other.verdict.status is VerdictStatus.POSSIBLE
    assert "the session's log does not say when it ran" in {
        in_english(one.statement) for one in other.hypotheses[0].opposing
    }


def test_what_a_session_without_times_says_itself_leads_another_hosts_fault() -> None:
    found = _read(TRAINER + ECC, BEFORE)
    assert found.verdict.cause == "gpu-ecc-uncorrectable"


def test_what_ends_whoever_uses_a_gpu_is_ruled_out_by_steps_minutes_after_it() -> None:
    found = diagnosed(texts=gone_on(stop=STOP, gap=timedelta(minutes=6)))
    assert (found.verdict.status, found.verdict.cause) == (VerdictStatus.LIKELY, "rank-exception")
    (gpu,) = [one for one in found.hypotheses if one.cause == "gpu-off-bus"]
    assert reason_of(gpu) == "the session made further steps after it"


def test_two_causes_within_a_hair_are_both_answered_and_acted_on() -> None:
    # Ranks may print a step late, so the steps after it rule this fault out no more.
    found = diagnosed(texts=gone_on(stop=STOP, gap=timedelta(seconds=40)))
    assert (found.verdict.status, found.verdict.cause) == (VerdictStatus.POSSIBLE, "gpu-off-bus")
    first, second = found.hypotheses[:2]
    assert (second.cause, second.ruled_out_because) == ("rank-exception", None)
    assert first.cause_probability == second.cause_probability
    assert [(one.owner, one.hosts) for one in found.actions if one.rival] == [
        ("tenant", ("gpu-n01",))
    ]
    said = " ".join(as_text(diagnosis=found).split())
    assert "As likely: the program raised an exception or crashed" in said
    assert "tenant: if it was rank-exception: Fix that exception (gpu-n01)." in said
    assert "operator: if it was gpu-off-bus: Reboot the node" in said


def test_the_nodes_of_two_causes_within_a_hair_stand_in_question() -> None:
    launcher = EXITED.replace("2026-11-22_13:02:12", f"{STOP:%Y-%m-%d_%H:%M:%S}")
    launcher = launcher.replace("rank      : 5 (local_rank: 5)", "rank      : 1 (local_rank: 1)")
    files = gone_on(stop=STOP, gap=timedelta(seconds=40))
    found = diagnosed(texts={**files, "session/gpu-n01/launcher.log": launcher})
    assert (found.verdict.status, found.verdict.cause) == (VerdictStatus.POSSIBLE, "rank-exception")
    said = " ".join(as_text(diagnosis=found).split())
    assert "No node" not in said
    assert "it may fail the same way. As likely the fault lies on gpu-n02." in said
    assert "Leave out whom? Nobody can say yet: gpu-n02 may be at fault." in said


def test_a_cause_that_is_ahead_has_no_rival() -> None:
    found = diagnosed(texts=gone_on(stop=STOP, gap=timedelta(minutes=6)))
    assert not [one for one in found.actions if one.rival]
    assert "As likely" not in as_text(diagnosis=found)


def test_a_fault_of_two_days_before_did_not_end_the_process_that_a_launcher_names() -> None:
    found = _read(EXITED, BEFORE)
    assert found.verdict.cause != "gpu-off-bus"
    (gpu,) = [one for one in found.hypotheses if one.cause == "gpu-off-bus"]
    assert "before the failure" in reason_of(gpu)
