"""Who stopped first where no table of a launcher tells, and runs that began anew."""

from apps.diagnosis.model import EndState, VerdictStatus
from tests.scenarios.child_failed import child_failed
from tests.scenarios.verdicts import blamed_hosts, diagnosed

FRAMES = (
    "Traceback (most recent call last):",
    '  File "/app/train.py", line 9, in <module>',
    "    main()",
    '  File "/app/train.py", line 5, in main',
    "    save(step)",
)


def _raised(words: str) -> str:
    return "\n".join(["a step was made", *FRAMES, words, ""])


def test_the_one_process_that_an_exception_ended_is_the_first() -> None:
    full = _raised("OSError: [Errno 28] No space left on device")
    texts = {"n1/rank0.log": full, "n2/rank1.log": "a step was made\n", "n3/rank2.log": "ready\n"}
    found = diagnosed(texts={f"session/{path}": text for path, text in texts.items()})
    assert found.first_stopper is not None
    assert (found.first_stopper.ranks, found.first_stopper.hosts) == ((0,), ("n1",))


def test_two_that_exceptions_ended_leave_it_open_who_was_first() -> None:
    texts = {f"session/n{n}/rank{n}.log": _raised(f"KeyError: 'of {n}'") for n in (0, 1)}
    assert diagnosed(texts={**texts, "session/n2/rank2.log": "ready\n"}).first_stopper is None


def test_who_raised_before_it_had_its_name_is_known_by_the_table_of_its_log() -> None:
    lost = "torch.distributed.DistStoreError: wait timeout after 15000ms, keys: /default_pg/0/a"
    found = diagnosed(
        texts={
            "session/n1.log": _raised(lost) + _table(host="n1", rank=0),
            "session/n2.log": _raised("KeyError: 'n_layers'") + _table(host="n2", rank=1),
        }
    )
    assert found.first_stopper is not None
    assert found.first_stopper.ranks == (1,)


def test_a_process_that_mpi_ended_for_a_closed_socket_is_not_the_first() -> None:
    closed = """
[n1:00000] *** An error occurred in Socket closed
[n1:00000] *** reported by process [3958833153,0]
--------------------------------------------------------------------------
prterun has exited due to process rank 0 with PID 0 on node n1 calling
"abort". This may have caused other processes in the application to be
--------------------------------------------------------------------------
"""
    aborted = "[n2:20288] *** Process received signal ***\n[n2:20288] Signal: Aborted (6)\n"
    found = diagnosed(texts={"train.log": aborted + closed})
    assert (found.first_stopper, blamed_hosts(found)) == (None, {"n2"})
    assert found.verdict.status is VerdictStatus.POSSIBLE


def _restarted(*, last: int) -> dict[str, str]:
    """Return the logs of two nodes whose second attempt came to some step of thirty."""
    steps = [f"2026-11-30 05:13:{n:02} INFO [rank 0] step {n}/30 loss 0.1" for n in (5, 10, last)]
    lost = (
        "[rank0]: RuntimeError: [/b/gloo/transport/tcp/pair.cc:5] Connection closed by peer [1]:7"
    )
    first = "2026-11-30 05:12:40,1 INFO [rank 0] step 10/30 loss 0.2"
    failed = (
        "E1130 05:12:49.485000 2749 torch/distributed/elastic/multiprocessing/api.py:1002] "
        "failed (exitcode: 1) local_rank: 0 (pid: 2911) of binary: /usr/bin/python3"
    )
    raised = "\n".join(f"[rank1]: {line}" for line in (*FRAMES, "KeyError: 'n_layers'"))
    return {
        "session/n1.log": "\n".join([first, lost, *steps, ""]),
        "session/n2.log": f"{raised}\n{failed}\n",
    }


def test_a_run_that_began_anew_and_came_to_its_last_step_is_finished() -> None:
    found = diagnosed(texts=_restarted(last=30))
    assert found.end_state is EndState.FINISHED
    assert found.verdict.status is VerdictStatus.NO_FAILURE


def test_a_run_that_began_anew_and_came_to_no_last_step_is_not() -> None:
    assert diagnosed(texts=_restarted(last=20)).end_state is not EndState.FINISHED


def _table(*, host: str, rank: int) -> str:
    return "\n" + child_failed(at="2026-11-30_05:12:01", host=host, rank=rank, pid=f"194{rank}")
