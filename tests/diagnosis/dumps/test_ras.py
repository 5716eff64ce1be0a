"""Reports of NCCL's health service: who gave no answer, who is behind, and what is no evidence."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.dumps.dump_lines import as_text, looks_like_dump
from apps.diagnosis.dumps.nccl.nccl_lines import reports_of
from apps.diagnosis.dumps.nccl.ras import CommunicatorMember, RasReport, of_json, of_text
from apps.diagnosis.model import Diagnosis, FirstStopBy, FirstStopper, Origin, Role
from apps.diagnosis.reasoning.timing.first_stop import named_hosts
from apps.diagnosis.signatures.read import read_source

HEAD = """NCCL version 2.27.3 compiled with CUDA 12.9
CUDA runtime version 12090, driver version 12080

Job summary
===========

  Nodes  Processes         GPUs  Processes     GPUs
(total)   per node  per process    (total)  (total)
      4          4            1         16       16

Communicators... (0.00s)
=============

Group     Comms     Nodes     Ranks     Ranks     Ranks    Status  Errors
    #  in group  per comm  per node  per comm  in group
    0         1         4         4        16        15   RUNNING  INCOMPLETE,MISMATCH
    1         4         1         4         4        16   RUNNING      OK

Errors
======

"""
MISSING = """INCOMPLETE
  Missing communicator data from 1 job process
  Process 5177 on node 172.19.33.9 managing GPU 1

#0-0 (0ec2a2f6d07bb1c4) INCOMPLETE
  Missing communicator data from 1 rank
  Rank 9 -- GPU 1 managed by process 5177 on node 172.19.33.9

Warnings
========

"""
BEHIND = """Warnings
========

#0-0 (0ec2a2f6d07bb1c4) MISMATCH
  Communicator ranks have different AllReduce operation counts
  14 ranks have launched up to operation 505
  Rank 6 has launched up to operation 501 -- GPU 2 managed by process 5120 on node 172.19.33.8
  Rank 7 has launched up to operation 506 -- GPU 3 managed by process 5121 on node 172.19.33.8

"""
AHEAD = """#0-0 (0ec2a2f6d07bb1c4) MISMATCH
  Communicator ranks have different AllGather operation counts
  14 ranks have launched up to operation 640
  2 ranks have launched up to operation 641
  Rank 12 -- GPU 0 managed by process 5230 on node 172.19.33.10
  Rank 13 -- GPU 1 managed by process 5231 on node 172.19.33.10

"""


def _json(*, dead: bool = False, unresponsive: bool = True, counts: int = 501) -> dict[str, Any]:
    rows = [
        {
            "rank": rank,
            "host": f"172.19.33.{7 + rank // 4}",
            "pid": 5000 + rank,
            "cuda_dev": rank % 4,
            "nvml_dev": rank % 4,
            "status": {"init_state": 0, "async_error": 0, "abort_flag": False},
            "collective_counts": {"AllReduce": counts if rank == 6 else 505, "Broadcast": 3},
        }
        for rank in range(16)
        if rank != 9
    ]
    missing = {
        "rank": 9,
        "host": "172.19.33.9",
        "pid": 5177,
        "cuda_dev": 1,
        "nvml_dev": 1,
        "status": {"unresponsive": unresponsive, "considered_dead": dead},
    }
    comm = {"hash": "0xec2a", "size": 16, "ranks": rows, "missing_ranks": [missing]}
    small = {"hash": "0x1", "size": 4, "ranks": rows[:4], "missing_ranks": []}
    return {
        "nccl_version": "2.28.3",
        "timestamp": "2026-11-21 03:10:11",
        "communicators_count": 2,
        "communicators": [comm, small],
        "ras": {"collection_time_sec": 5.001, "timeouts_count": 1},
    }


def _diagnosed(text: str | bytes) -> Diagnosis:
    data = text.encode() if isinstance(text, str) else text
    lines = as_text(data=data, name="ras.txt")
    assert lines is not None
    return diagnose(readings=[read_source(origin=Origin(source="ras.txt"), text=lines)])


def _ranks(members: tuple[CommunicatorMember, ...]) -> list[int]:
    return [one.rank for one in members]


def test_words_name_the_ranks_that_did_not_answer() -> None:
    report = of_text(text=HEAD + MISSING)
    assert report is not None
    assert (report.size, report.is_session) == (16, True)
    assert report.absent == (CommunicatorMember(rank=9, host="172.19.33.9", pid=5177, gpu=1),)


def test_words_name_those_behind_but_not_those_ahead() -> None:
    report = of_text(text=HEAD + BEHIND)
    assert report is not None
    assert _ranks(report.behind) == [6]
    ahead = of_text(text=HEAD + AHEAD)
    assert ahead is not None
    assert (ahead.behind, ahead.absent) == ((), ())


def test_json_says_the_same() -> None:
    report = of_json(value=_json())
    assert report is not None
    assert (_ranks(report.absent), _ranks(report.behind), report.size) == ([9], [6], 16)


def test_a_rank_that_answered_and_only_left_the_communicator_is_not_absent() -> None:
    report = of_json(value=_json(unresponsive=False))
    assert report is not None
    assert report.absent == ()
    dead = of_json(value=_json(unresponsive=False, dead=True))
    assert dead is not None
    assert _ranks(dead.absent) == [9]


def test_ranks_that_cannot_be_are_left_out() -> None:
    odd = HEAD + MISSING.replace("Rank 9", "Rank 1057455228")
    report = of_text(text=odd)
    assert report is not None
    assert report.absent == ()


def test_ranks_of_one_of_several_large_communicators_are_not_the_sessions() -> None:
    value = _json()
    value["communicators"].append(value["communicators"][0] | {"hash": "0x77"})
    report = of_json(value=value)
    assert report is not None
    assert not report.is_session


@pytest.mark.parametrize("text", [HEAD + MISSING, json.dumps(_json(counts=505), indent=2)])
def test_who_gave_no_answer_stopped_first_and_its_host_is_named(text: str) -> None:
    found = _diagnosed(text)
    assert found.first_stopper == FirstStopper(ranks=(9,), by=FirstStopBy.SILENCE)
    lines = as_text(data=text.encode(), name="ras.txt") or ""
    events = read_source(origin=Origin(source="r"), text=lines).events
    assert list(named_hosts(events=events, addresses={"172.19.33.9": "n9"})) == ["n9"]


def test_who_launched_fewer_operations_stopped_first() -> None:
    found = _diagnosed(HEAD + BEHIND)
    assert found.first_stopper == FirstStopper(ranks=(6,), by=FirstStopBy.SEQUENCE)


def test_ranks_that_are_ahead_are_not_accused() -> None:
    found = _diagnosed(HEAD + AHEAD)
    assert found.first_stopper is None
    lines = as_text(data=(HEAD + AHEAD).encode(), name="ras.txt") or ""
    events = read_source(origin=Origin(source="r"), text=lines).events
    placed = [one for one in events if one.signature == "nccl-ras-missing-rank"]
    assert {one.role for one in placed} == {Role.CONTEXT}
    assert not named_hosts(events=events, addresses={})


def test_a_report_that_finds_nothing_is_no_evidence() -> None:
    found = _diagnosed(HEAD.replace("INCOMPLETE,MISMATCH", "OK") + "Warnings\n========\n\n")
    assert found.first_stopper is None


def test_a_report_comes_back_from_its_line() -> None:
    (report,) = reports_of(
        texts=(as_text(data=json.dumps(_json()).encode(), name="") or "").split("\n")
    )
    assert report == of_json(value=_json())


@pytest.mark.parametrize(
    ("head", "is_report"),
    [
        (HEAD.encode(), True),
        (json.dumps(_json()).encode(), True),
        (b"NCCL version 2.21.5+cuda12.4\n[rank0]: step 1\n", False),
        (b'{"communicators": 3}', False),
    ],
)
def test_a_report_is_recognised_by_how_it_begins(*, head: bytes, is_report: bool) -> None:
    assert looks_like_dump(head=head) is is_report


@pytest.mark.parametrize(
    "text",
    [
        "faultline.nccl-ras {",
        'faultline.nccl-ras {"size":"x"}',
        'faultline.nccl-ras {"absent":[1],"behind":[],"session":1,"size":4}',
    ],
)
def test_a_line_that_somebody_else_wrote_says_nothing(text: str) -> None:
    assert reports_of(texts=[text]) == []


JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["ranks", "missing_ranks", "size", "rank", "status", "pid", "host"]),
            inner,
            max_size=4,
        ),
    ),
    max_leaves=10,
)


@given(value=JSON, more=JSON)
def test_json_of_any_shape_never_raises(value: Any, more: Any) -> None:
    of_json(value=value)
    of_json(value={"communicators": [value, more]})
    of_json(value={"communicators": [{"size": 4, "ranks": value, "missing_ranks": more}]})


@given(cut=st.integers(0, 2000), more=st.text(max_size=80))
def test_a_cut_report_never_raises(cut: int, more: str) -> None:
    report = of_text(text=(HEAD + MISSING + BEHIND)[:cut] + more)
    assert report is None or isinstance(report, RasReport)
