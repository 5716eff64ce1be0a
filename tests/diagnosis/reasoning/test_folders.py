"""Logs of hosts in folders called by the hosts, as collectors pack them."""

from dataclasses import replace

from apps.diagnosis.model import Extent, Origin, Reading, Stream
from apps.diagnosis.reasoning.scope.paths.folders import hosted
from tests.diagnosis.events import event, readings


def _read(*sources: str, printed: tuple[str, ...] = ()) -> list[Reading]:
    extents = tuple(Extent(host=host, rank=None, stream=None, line_count=1) for host in printed)
    return [Reading(origin=Origin(source=source), extents=extents) for source in sources]


def _hosts(*told: Reading) -> list[str | None]:
    return [one.origin.host for one in hosted(readings=told)]


def test_folders_side_by_side_with_the_same_files_are_hosts() -> None:
    told = _read("run/n01/kern.log", "run/n01/train_rank3.log", "run/n02/kern.log.gz")
    assert _hosts(*told) == ["n01", "n01", "n02"]


def test_a_folder_alone_may_be_called_by_anything() -> None:
    assert _hosts(*_read("experiment7/train.log", "experiment7/kern.log")) == [None, None]


def test_folders_of_ranks_attempts_and_days_are_no_hosts() -> None:
    told = _read(
        "a/0/x.log", "a/1/x.log", "attempt_1/y", "attempt_2/y", "2026-05-01/z", "2026-05-02/z"
    )
    assert set(_hosts(*told)) == {None}


def test_folders_in_which_many_hosts_speak_are_of_another_kind() -> None:
    told = [
        *_read("alpha/train.log", printed=("n1", "n2")),
        *_read("beta/train.log", printed=("n1", "n2")),
    ]
    assert _hosts(*told) == [None, None]


def test_a_host_that_is_known_stays_and_events_learn_theirs() -> None:
    known = readings([event("pg-ops-failed", host="n9")])
    lines = [
        Reading(origin=one.origin, events=(event("nvrm-xid-79", stream=Stream.KERNEL),))
        for one in _read("n01/kern.log", "n02/kern.log")
    ]
    found = hosted(readings=[*known, *lines])
    assert found[0] == known[0]
    assert [one.events[0].line.origin.host for one in found[1:]] == ["n01", "n02"]


def test_a_file_is_called_by_a_host_that_lines_print() -> None:
    told = [*_read("a1.log", printed=("a1.example.net",)), *_read("a2.log", "train.log")]
    assert _hosts(*told) == ["a1", None, None]
    kernel = Reading(origin=Origin(source="kernel/a2.log", stream=Stream.KERNEL, host="a2"))
    assert _hosts(*told, kernel)[:3] == ["a1", "a2", None]


def test_a_file_that_is_called_by_a_number_is_no_host_of_an_address() -> None:
    assert _hosts(*_read("10.log", printed=("10.0.0.7",)), *_read("10.out")) == [None, None]


def test_a_file_in_which_other_hosts_speak_is_of_no_single_host() -> None:
    assert _hosts(*_read("a1.log", printed=("a1", "a2"))) == [None]


def test_a_folder_of_pods_or_hosts_says_that_its_files_are_called_by_them() -> None:
    told = _read("pods/llm-worker-0.log", "hosts/n07.log.gz", "pods/rank3.log", "runs/n08.log")
    assert _hosts(*told) == ["llm-worker-0", "n07", None, None]
    assert _hosts(*_read("pods/all.log", printed=("n1", "n2"))) == [None]
    (one,) = _read("pods/llm-worker-0.log")
    assert _hosts(replace(one, events=(event("pg-ops-failed", host="n9"),))) == [None]


def test_folders_of_ranks_and_attempts_lie_in_the_host_s() -> None:
    told = _read("run/n01/attempt_0/3/stderr.log", "run/n02/attempt_0/3/stderr.log")
    assert _hosts(*told) == ["n01", "n02"]


def test_a_folder_called_like_a_worker_is_a_host_where_lines_print_that_host() -> None:
    told = [
        *_read("run/worker-3/agent.log", printed=("worker-3",)),
        *_read("run/worker-4/agent.log", printed=("worker-4",)),
    ]
    assert _hosts(*told) == ["worker-3", "worker-4"]


def test_a_file_is_called_by_its_run_and_a_host_that_lines_print() -> None:
    told = [*_read("moe-4711-a1.log", printed=("a1",)), *_read("moe-4711-a2.log", "moe-ba1.log")]
    assert _hosts(*told) == ["a1", None, None]
