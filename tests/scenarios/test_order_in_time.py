"""A session that finished is blamed on nothing, and no fault of another day stopped one, whatever
kind of log nobody said each file is.
"""

import pytest

from apps.diagnosis.model import Diagnosis, EndState, VerdictStatus
from apps.telemetry.report import as_text
from tests.scenarios.told_in_order import (
    AFTER,
    BEFORE,
    BOOT,
    COMPLETED,
    DONE,
    EXITED,
    LATER,
    STEPS,
    TRAINED,
    TRAINER,
)
from tests.scenarios.verdicts import diagnosed

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


def test_what_the_scheduler_says_of_its_end_blames_no_gpu() -> None:
    found = _read(FINISHED, BEFORE, **{"slurmctld.log": COMPLETED})
    assert (found.verdict.status, found.end_state) == (
        VerdictStatus.NO_FAILURE,
        EndState.FINISHED,
    )


def test_a_fault_of_two_days_before_did_not_end_the_process_that_a_launcher_names() -> None:
    found = _read(EXITED, BEFORE)
    assert found.verdict.cause != "gpu-off-bus"
    (gpu,) = [one for one in found.hypotheses if one.cause == "gpu-off-bus"]
    assert "before the failure" in (gpu.ruled_out_because or "")
