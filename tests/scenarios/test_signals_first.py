"""Launchers of several nodes: who left first by a signal began, others lost connections."""

import pytest

from apps.diagnosis.model import EndState
from tests.scenarios.child_failed import child_failed
from tests.scenarios.verdicts import diagnosed

LOST = """[rank0]: Traceback (most recent call last):
[rank0]:   File "/app/train.py", line 92, in main
[rank0]:     loss.backward()
[rank0]: RuntimeError: [/build/gloo/transport/tcp/pair.cc:545] Read error [10.4.0.2]:40576: Connection reset by peer. This is typically caused by a remote worker hanging or bugs in the application.
"""  # noqa: E501  a line of a log
AGENT = "E1120 03:20:{second}.365000 4242 torch/distributed/elastic/multiprocessing/api.py:1002] failed (exitcode: {code}) local_rank: 0 (pid: {pid}) of binary: /usr/bin/python3\n"  # noqa: E501  a line of a log


def _agent(*, second: int, code: int, pid: int, host: str, rank: int) -> str:
    table = child_failed(at=f"2026-11-20_03:20:{second}", host=host, rank=rank, code=code, pid=pid)
    return AGENT.format(second=second, code=code, pid=pid) + table


def _texts(code: int, lost: str = LOST) -> dict[str, str]:
    failed = _agent(second=55, code=1, pid=4100, host="n05", rank=0)
    gone = _agent(second=45, code=code, pid=4300, host="n06", rank=1)
    return {"session/n05.log": lost + failed, "session/n06.log": gone}


@pytest.mark.parametrize(
    ("code", "causes"), [(-9, {"host-oom", "process-killed"}), (-15, {"process-killed"})]
)
def test_the_rank_that_a_signal_ended_first_is_named(code: int, causes: set[str]) -> None:
    found = diagnosed(texts=_texts(code))
    assert found.first_stopper is not None
    assert (found.first_stopper.ranks, found.first_stopper.hosts) == ((1,), ("n06",))
    assert (found.verdict.layer.value, found.end_state) == ("host", EndState.FAILED)
    assert found.verdict.cause in causes


def test_a_rank_that_is_told_to_end_after_anothers_own_error_did_not_begin() -> None:
    own = "[rank0]: ValueError: the shards of the two folders do not match\n"
    found = diagnosed(texts=_texts(-15, lost=own))
    assert found.verdict.cause != "process-killed"
    assert found.first_stopper is None or found.first_stopper.ranks == (0,)
