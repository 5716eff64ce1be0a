"""What all dumps tell together: missing, silent, at odds, unfinished, late, waited for."""

from collections.abc import Mapping
from typing import Any

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.dumps.dump_lines import as_text
from apps.diagnosis.model import CoverageState, Event, Layer, Observation, Origin, Role
from apps.diagnosis.reasoning.findings.collective_findings import coverage, derive
from apps.diagnosis.signatures.read import read_source
from apps.wording import in_english
from tests.diagnosis.dumps.dumping import as_json, call, dump
from tests.diagnosis.events import event

WAITING = {rank: dump(rank, call("0", 41, order=11)) for rank in (0, 1, 3)}


def _events(said: Mapping[int, dict[str, Any]]) -> list[Event]:
    texts = [as_text(data=as_json(value), name=f"rank{rank}") or "" for rank, value in said.items()]
    return [
        one
        for position, text in enumerate(texts)
        for one in read_source(origin=Origin(source=f"dump{position}"), text=text).events
    ]


def _only(said: Mapping[int, dict[str, Any]]) -> Observation:
    (found,) = derive(events=_events(said))
    return found


def test_who_never_called_is_told_with_the_call_and_who_waits() -> None:
    found = _only(WAITING | {2: dump(2)})
    assert (found.sign, found.ranks, found.layer) == ("finding:ranks-missing", (2,), None)
    expected = "Rank 2 never called all_reduce #41 of process group 0, for which 3 ranks wait"
    assert found.statement
    assert in_english(found.statement) == expected
    assert found.at is not None


def test_who_wrote_no_dump_is_told_apart() -> None:
    found = _only(WAITING)
    assert (found.sign, found.ranks) == ("finding:ranks-silent", (2,))


def test_calls_that_do_not_fit_speak_for_the_program() -> None:
    found = derive(events=_events(WAITING | {2: dump(2, call("0", 41, "broadcast", order=9))}))
    (differ,) = [one for one in found if one.sign == "finding:collectives-differ"]
    assert (differ.role, differ.layer, differ.ranks) == (Role.INITIATING, Layer.SOFTWARE, (2,))


def test_when_all_called_the_layer_stays_open() -> None:
    found = _only(WAITING | {2: dump(2, call("0", 41, order=11))})
    assert (found.sign, found.layer) == ("finding:collective-unfinished", None)


def test_names_that_the_program_chose_are_not_told() -> None:
    groups = {"secret-group": ("project-heron", (0, 1))}
    said = {
        0: dump(0, groups=groups) | {"entries": [_entry("heron_reduce", groups)]},
        1: dump(1, groups=groups),
    }
    told = _only(said).statement
    assert told
    assert in_english(told) == "Rank 1 never called a collective #5, for which 1 rank waits"


def _entry(name: str, groups: Mapping[str, tuple[str, tuple[int, ...]]]) -> dict[str, Any]:
    said = dict(groups) | {"0": groups["secret-group"]}
    return call("0", 5, name, groups=said) | {"process_group": ["secret-group", "project-heron"]}


def test_a_verdict_from_dumps_alone_stays_open() -> None:
    readings = [
        read_source(
            origin=Origin(source=f"d{rank}"),
            text=as_text(data=as_json(value), name=f"rank{rank}") or "",
        )
        for rank, value in (WAITING | {2: dump(2)}).items()
    ]
    found = diagnose(readings=readings)
    assert found.verdict.layer is Layer.UNKNOWN
    missing = {m.source for h in found.hypotheses for m in h.missing}
    assert "flight-recorder" not in missing
    assert "session-log" in missing


def test_flight_recorders_are_covered_where_they_were_read() -> None:
    (one,) = coverage(events=_events(WAITING))
    assert (one.source, one.state) == ("flight-recorder", CoverageState.PRESENT)
    assert coverage(events=[]) == []


@pytest.mark.parametrize(
    ("lines", "sign", "ranks"),
    [
        ({1: "[0-3|5| Recv 9R/0]", 2: "[0-3|5| Recv 9R/0]"}, "transfers-wait-for-peer", (9,)),
        ({9: "[0-3|5| Send 1G/0 2G/1]"}, "transfers-wait-for-gpu", (9,)),
    ],
)
def test_transfers_tell_who_is_waited_for(
    lines: dict[int, str], sign: str, ranks: tuple[int, ...]
) -> None:
    told = [event("nccl-proxy-transfer", rank=rank, text=text) for rank, text in lines.items()]
    (found,) = derive(events=told)
    assert (found.sign, found.ranks, found.layer) == (f"finding:{sign}", ranks, None)
