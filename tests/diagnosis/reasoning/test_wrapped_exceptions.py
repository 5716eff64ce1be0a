"""A driver that says its workers failed reports about others: its exception is not a rank's own."""

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Origin, Stream, Verdict, VerdictStatus
from apps.diagnosis.signatures.read import read_source

RAISED = """Traceback (most recent call last):
  File "/app/driver.py", line 41, in <module>
    main()
{exception}
"""


@pytest.mark.parametrize(
    "exception",
    [
        "ray.train.base_trainer.TrainingFailedError: the run did not end well",
        "ray.exceptions.ActorDiedError: The actor died unexpectedly before it ended its task.",
        "ray.exceptions.WorkerCrashedError: The worker died unexpectedly while it ran a task.",
    ],
)
def test_that_others_failed_names_no_cause(exception: str) -> None:
    verdict = _verdict(exception)
    assert verdict.status is VerdictStatus.UNKNOWN


def test_what_the_driver_did_itself_is_its_own() -> None:
    assert _verdict("TypeError: main() takes 0 positional arguments").cause == "rank-exception"


def _verdict(exception: str) -> Verdict:
    origin = Origin(source="driver.log", stream=Stream.SESSION)
    text = RAISED.format(exception=exception)
    return diagnose(readings=[read_source(origin=origin, text=text)]).verdict
