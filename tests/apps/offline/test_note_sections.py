"""What stands in each section of a note, by what was concluded, and what is left out of it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import (
    ClockError,
    Coverage,
    CoverageState,
    Diagnosis,
    EndState,
    Event,
    FirstStopBy,
    FirstStopper,
    Layer,
    Moment,
    Phase,
    Role,
    Severity,
    Stream,
    VerdictStatus,
    statement,
)
from apps.offline.report.note import (
    FAILED_WORKERS,
    MOST_EVIDENCE,
    MOST_MOMENTS,
    OPENERS,
    STORY_SPAN,
    sections,
)
from apps.offline.report.wording import MOST_NAMES
from tests.diagnosis.events import NOON, after, event, readings, watchdog, xid

SECOND = timedelta(seconds=1)
STORY, SAID, OTHERS = "In order of time", "What it said", "What else was considered"
NOTICED = "What was noticed"
SETTLES, ACTS = "What would settle it", "Who does what"
WHY, CLOCKS, WITHOUT = "Why did it stop?", "Clocks that were corrected", "Leave out whom?"
TOO_NEAR = "who of them was first is too near to tell by the clocks of different nodes"
WAITS = [watchdog(rank, at=after(600), host=f"n{rank // 8 + 1}") for rank in range(16) if rank != 3]
LOST = diagnose(readings=readings([xid(79, at=NOON, host="n1"), *WAITS]))
OPEN = diagnose(readings=readings([event("nccl-unhandled-system-error", at=NOON)]))


def note(diagnosis: Diagnosis, **changes: Any) -> dict[str, list[str]]:
    """Return the texts of each section of the note of a changed diagnosis."""
    found = sections(diagnosis=replace(diagnosis, **changes))
    return {one.title: [item.text for item in one.items] for one in found}


def moment(seconds: float | None, words: str, **more: Any) -> Moment:
    """Return an entry of the story, a fault of n1's GPU unless it is said otherwise."""
    given: dict[str, Any] = {"role": Role.INITIATING, "layer": Layer.GPU, "host": "n1", **more}
    told: Event | None = event("nvrm-xid", at=NOON, role=given["role"], stream=Stream.KERNEL)
    given.setdefault("event", told)
    at = None if seconds is None else after(seconds)
    return Moment(statement=statement("text", text=words), at=at, **given)


def story(*moments: Moment, **changes: Any) -> list[str]:
    """Return the story of these moments around a stop at noon."""
    changes = {"failed_at": NOON, "hypotheses": (), **changes}
    return note(OPEN, timeline=moments, **changes).get(STORY, [])


def words_of(lines: Sequence[str]) -> list[str]:
    """Return what is told, without time and host."""
    return [line.split("  ", 1)[1].partition(",")[0] for line in lines]


def test_a_story_tells_faults_and_what_followed_and_nothing_of_mere_progress() -> None:
    roles = (Role.INITIATING, Role.CONFIRMATION, Role.CASCADE, Role.TEARDOWN, Role.PROGRESS)
    told = [moment(-9 + n, role, role=role) for n, role in enumerate(roles)]
    assert words_of(story(*told)) == ["initiating", "confirmation", "cascade"]
    assert words_of(story(moment(0, "at the stop", role=Role.PROGRESS))) == ["at the stop"]


def test_a_story_ends_half_an_hour_from_the_stop_on_both_sides() -> None:
    span = STORY_SPAN.total_seconds()
    told = [moment(at, f"at {at:g}") for at in (-span - 1, -span, span, span + 1)]
    assert words_of(story(*told)) == [f"at {-span:g}", f"at {span:g}"]
    assert len(story(*told, failed_at=None)) == len(told)
    assert story(moment(None, "some time")) == []


def test_of_a_long_story_the_part_around_the_stop_is_told() -> None:
    told = [moment(at, f"at {at}") for at in range(-40, 40)]
    said = words_of(story(*told))
    assert len(said) == MOST_MOMENTS
    assert said[MOST_MOMENTS // 3] == "at 0"
    assert words_of(story(*told[:45]))[-1] == "at 4"


def test_a_fault_that_was_over_again_is_told_with_what_says_so() -> None:
    fault = moment(-60, "link down", role=Role.TEARDOWN)
    fault = replace(fault, event=event("link-down", role=Role.INITIATING, stream=Stream.KERNEL))
    back = moment(-50, "link up", role=Role.RECOVERY)
    assert words_of(story(fault, back)) == ["link down", "link up"]
    for other in (
        replace(back, at=after(-61)),
        replace(back, host="n2"),
        replace(back, layer=Layer.NETWORK),
        replace(back, at=None),
        replace(back, role=Role.TEARDOWN),
    ):
        assert story(fault, other) == []
    assert words_of(story(fault, replace(back, at=fault.at))) == ["link down", "link up"]
    assert story(replace(fault, event=None), back) == story(replace(fault, at=None), back) == []
    assert story(moment(-60, "no fault", role=Role.TEARDOWN), back) == []


def test_a_moment_says_how_sure_its_time_is_from_a_second_on_and_how_often_it_came() -> None:
    told = (
        moment(0, "a", clock_error=SECOND, count=2),
        moment(0, "b", clock_error=SECOND * 0.9, count=2, host=None),
    )
    assert story(*told) == ["12:00:00 ±1 s  a, n1 (2 times)", "12:00:00  b (2 times)"]


def test_what_was_noticed_is_quoted_where_no_cause_is_known() -> None:
    word = moment(0, "a word", role=Role.CASCADE, stream=Stream.KERNEL)
    told: dict[str, Any] = {"timeline": (word,) * (MOST_EVIDENCE + 1)}
    assert len(note(OPEN, **told)[NOTICED]) == MOST_EVIDENCE
    assert all(one.startswith("a word") for one in note(OPEN, **told)[NOTICED])
    assert NOTICED not in note(LOST, **told)
    assert NOTICED in note(OPEN, end_state=EndState.FINISHED, **told)


def test_of_what_was_noticed_known_words_go_before_others() -> None:
    part = moment(0, "a line of a driver", event=event("nvrm-part", at=NOON))
    many = (part,) * MOST_EVIDENCE
    found = note(OPEN, timeline=(*many, moment(9, "a known word")))[NOTICED]
    assert (len(found), found[0]) == (MOST_EVIDENCE, "a known word, n1.")


def test_what_a_session_said_is_quoted_where_it_finished_all_the_same() -> None:
    word = moment(0, "a word", role=Role.CASCADE, stream=Stream.SESSION)
    told: dict[str, Any] = {"timeline": (word,) * (MOST_EVIDENCE + 1)}
    assert len(note(LOST, end_state=EndState.FINISHED, **told)[SAID]) == MOST_EVIDENCE
    assert SAID not in note(LOST, **told)


@pytest.mark.parametrize(
    ("change", "is_quoted"),
    [
        ({}, True),
        ({"stream": None}, True),
        ({"stream": Stream.KERNEL}, False),
        ({"event": None}, False),
        ({"role": Role.TEARDOWN}, False),
        ({"event": event(min(FAILED_WORKERS))}, False),
        ({"event": event(min(OPENERS))}, False),
        ({"event": replace(event("nvrm-xid"), severity=Severity.INFO)}, False),
    ],
)
def test_a_word_of_a_session_is_trouble_that_it_tells_itself(
    change: dict[str, Any], *, is_quoted: bool
) -> None:
    word = moment(0, "a word", **{"role": Role.CASCADE, "stream": Stream.SESSION, **change})
    assert (SAID in note(LOST, end_state=EndState.FINISHED, timeline=(word,))) is is_quoted


@pytest.mark.parametrize(
    ("odds", "ruled_out", "is_told"),
    [(0.05, None, True), (0.049, None, False), (0.5, statement("text", text="it was over"), False)],
)
def test_the_best_guess_is_told_unless_it_is_ruled_out_or_worth_nothing(
    odds: float, ruled_out: Any, *, is_told: bool
) -> None:
    unknown = replace(LOST.hypotheses[0], cause="unknown")
    guess = replace(LOST.hypotheses[0], probability=odds, ruled_out_because=ruled_out)
    said = note(OPEN, hypotheses=(unknown, guess))[WHY]
    assert any("best guess" in one and "gpu-off-bus" in one for one in said) is is_told
    assert not any("best guess" in one for one in note(OPEN, hypotheses=(unknown,))[WHY])


def test_when_it_broke_is_told_with_the_phase_where_that_is_known() -> None:
    assert (
        "It broke at 2026-05-04 12:00:00 UTC."
        in note(LOST, failed_at=NOON, phase=Phase.UNKNOWN)[WHY]
    )
    assert not any("It broke" in one for one in note(LOST, failed_at=None)[WHY])


@pytest.mark.parametrize(
    ("by", "ranks", "hosts", "said"),
    [
        (FirstStopBy.EXIT_CODE, (3,), ("n1",), "rank 3 of n1 (its process ended first)."),
        (FirstStopBy.EXIT_CODE, (3, 9), ("n1",), "ranks 3, 9 of n1 (known by exit-code)."),
        (
            FirstStopBy.EXIT_CODE,
            (3, 9),
            ("n1", "n2"),
            f"ranks 3, 9 of n1, n2 (known by exit-code; {TOO_NEAR}).",
        ),
        (FirstStopBy.SILENCE, (3, 9), ("n1", "n2"), "ranks 3, 9 of n1, n2 (known by silence)."),
        (FirstStopBy.SILENCE, (3,), (), "rank 3 (it fell silent while the others waited)."),
    ],
)
def test_who_stopped_first_is_told_with_how_that_is_known(
    by: FirstStopBy, ranks: tuple[int, ...], hosts: tuple[str, ...], said: str
) -> None:
    first = FirstStopper(ranks=ranks, hosts=hosts, by=by)
    assert f"Stopped first: {said}" in note(LOST, first_stopper=first)[WHY]


def test_a_run_in_which_nothing_broke_says_how_it_ended_and_asks_for_nothing() -> None:
    quiet = replace(LOST.verdict, status=VerdictStatus.NO_FAILURE, cause="benign")
    benign = replace(LOST.hypotheses[0], cause="benign", missing=LOST.hypotheses[0].missing)
    changes: dict[str, Any] = {"verdict": quiet, "hypotheses": (benign, *LOST.hypotheses)}
    said = note(LOST, end_state=EndState.FINISHED, **changes)
    assert said[WHY][0] == "Nothing broke: it finished its work."
    assert not any("The line that says so" in one for one in said[WHY])
    assert not any("benign" in one for one in said[OTHERS])
    assert any("gpu-off-bus" in one for one in said[OTHERS])
    assert "What would settle it" not in said
    told = note(LOST, end_state=EndState.FINISHED, ending=event("step-pace"), **changes)[WHY]
    assert any("The line that says so" in one for one in told)


def test_clocks_are_told_from_five_seconds_on_and_the_first_few_of_many() -> None:
    def clock(seconds: float, minutes: int = 0, host: str = "n1") -> ClockError:
        return ClockError(
            host=host,
            stream=Stream.KERNEL,
            zone_minutes=minutes,
            offset=timedelta(seconds=seconds),
            error=SECOND,
        )

    said = note(LOST, clocks=(clock(5), clock(-5), clock(4.9), clock(0, 60), clock(0, -90)))
    assert said[CLOCKS] == [
        "kernel log of n1: +5 s ±1 s.",
        "kernel log of n1: -5 s ±1 s.",
        "kernel log of n1: times taken as 1 h later than printed.",
        "kernel log of n1: times taken as 1.5 h earlier than printed.",
    ]
    many = tuple(clock(9, host=f"n{number}") for number in range(MOST_NAMES + 1))
    assert len(note(LOST, clocks=many[:-1])[CLOCKS]) == MOST_NAMES
    assert note(LOST, clocks=many)[CLOCKS][MOST_NAMES:] == ["And 1 more."]


def test_what_was_read_is_told_by_source_and_the_rest_is_not_there() -> None:
    read = Coverage(source="kernel-log", state=CoverageState.PRESENT)
    absent = Coverage(source="fabric-log", state=CoverageState.ABSENT)
    said = note(LOST, coverage=(read, absent, replace(absent, source="metrics")))
    assert said["What was read"] == ["kernel-log: read.", "Not there: fabric-log, metrics."]
    assert note(LOST, coverage=(read,))["What was read"] == ["kernel-log: read."]


def test_the_parts_that_are_blamed_stand_at_the_first_action_alone() -> None:
    culprit = replace(LOST.verdict.culprits[0], kind="mount", name="/data")
    verdict = replace(LOST.verdict, culprits=(culprit, replace(culprit, kind="gpu", name="x")))
    action = replace(LOST.actions[0], hosts=(), rival="")
    said = note(LOST, verdict=verdict, actions=(action, action))["Who does what"]
    assert [one.endswith("(/data).") for one in said] == [True, False]


def test_what_a_host_says_of_another_is_told_of_that_one_and_by_whom() -> None:
    refused = replace(moment(0, "refused"), host="10.0.4.21")
    assert note(OPEN, timeline=(refused,))[NOTICED][0] == "refused, 10.0.4.21, as n1 says."
    of_nobody = replace(refused, host=None)
    assert note(OPEN, timeline=(of_nobody,))[NOTICED][0] == "refused, n1."
    told_by_many = replace(of_nobody, count=2)
    assert note(OPEN, timeline=(told_by_many,))[NOTICED][0] == "refused (2 times)."


def test_who_holds_what_would_settle_it_is_told_once() -> None:
    found = note(OPEN)
    assert len(found[SETTLES]) == 5
    assert ACTS not in found
    assert OPEN.actions
    lost = note(LOST)
    assert lost[ACTS] == [
        "operator: Reboot the node; open a hardware case when it happens again (n1)."
    ]
