"""Joining and ranking: window, place, recovery; weights that add up and never depend on order."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.model import Layer, Observation, Phase, Role, Severity, Stream
from apps.diagnosis.reasoning.verdict.join import FailureScene, join
from apps.diagnosis.reasoning.verdict.rank import Context, rank
from tests.diagnosis.events import NOON, after, event

SCENE = FailureScene(
    failed_at=NOON, ended_at=after(600), hosts=frozenset({"n1", "n2"}), suspects=frozenset()
)
CONTEXT = Context(phase=Phase.ITERATE, failed_at=NOON, error=timedelta(0), suspects=frozenset())


def _seen(sign: str, seconds: float = 0.0, host: str = "n1", **fields: str) -> Observation:
    at = after(seconds)
    return Observation(
        sign=sign,
        role=Role.INITIATING,
        layer=Layer.GPU,
        fields=fields,
        at=at,
        last_at=at,
        host=host,
        hosts=(host,),
    )


def _standing(*observations: Observation, scene: FailureScene = SCENE) -> list[str]:
    return [one.standing for one in join(observations=observations, scene=scene)]


def _best(*observations: Observation, context: Context = CONTEXT) -> tuple[str, tuple[str, ...]]:
    hypothesis, hosts = rank(observations=observations, causes=load_causes(), context=context)[0]
    return hypothesis.cause, hosts


def test_the_window_is_ten_minutes_before_to_five_after_the_end() -> None:
    assert _standing(_seen("a", -599), _seen("a", -700), _seen("a", 899), _seen("a", 1000)) == [
        "joined",
        "old",
        "joined",
        "late",
    ]


def _printed(sign: str, uptime: float, severity: Severity) -> Observation:
    told = event(sign)
    told = replace(told, severity=severity, line=replace(told.line, uptime_seconds=uptime))
    return replace(_seen(sign), at=None, last_at=None, events=(told,))


def test_of_a_log_without_times_only_what_is_as_grave_makes_a_fault_an_old_one() -> None:
    lost, corrected = (
        _printed("lost", 100.0, Severity.FATAL),
        _printed("corrected", 2500.0, Severity.WARN),
    )
    assert _standing(lost, corrected) == ["joined", "joined"]
    assert _standing(lost, _printed("lost", 2500.0, Severity.FATAL)) == ["old", "joined"]
    assert _standing(_printed("corrected", 100.0, Severity.WARN), lost) == ["joined", "joined"]
    later = _printed("lost", 2500.0, Severity.FATAL)
    assert _standing(_printed("corrected", 100.0, Severity.WARN), later) == ["old", "joined"]


def test_another_host_is_left_out_unless_peers_name_it() -> None:
    accused = replace(SCENE, suspects=frozenset({"n9"}))
    assert _standing(_seen("a", host="n9")) == ["elsewhere"]
    assert _standing(_seen("a", host="n9"), scene=accused) == ["joined"]


def test_a_server_that_answered_again_before_the_failure_is_not_its_cause() -> None:
    silent, again = (
        _seen("nfs-not-responding", -300, server="f1"),
        _seen("nfs-ok", -200, server="f1"),
    )
    assert _standing(silent, replace(again, role=Role.RECOVERY))[0] == "recovered"


@pytest.mark.parametrize(
    ("what", "seconds", "standing"),
    [
        ("still trying", 41, "recovered"),
        ("still trying", 900, "joined"),
        ("timed out", 41, "joined"),
    ],
)
def test_where_nobody_knows_when_it_failed_a_short_wait_for_a_server_ended_nothing(
    what: str, seconds: float, standing: str
) -> None:
    silent = _seen("nfs-not-responding", server="f1", what=what)
    again = replace(_seen("nfs-ok", seconds, server="f1"), role=Role.RECOVERY)
    untimed = replace(SCENE, failed_at=None, ended_at=None)
    assert _standing(silent, again, scene=untimed)[0] == standing
    before = replace(_seen("nfs-ok", -30, server="f1"), role=Role.RECOVERY)
    assert _standing(silent, before, scene=untimed)[0] == "joined"


def test_the_clock_error_widens_the_window() -> None:
    assert _standing(replace(_seen("a", -660), error=timedelta(seconds=90))) == ["joined"]


def test_what_stands_beside_the_silent_host_wins() -> None:
    seen = [_seen("nvrm-xid-79", -3, host=host, xid="79") for host in ("n1", "n2")]
    assert _best(*seen, context=replace(CONTEXT, suspects=frozenset({"n2"}))) == (
        "gpu-off-bus",
        ("n2",),
    )


def test_what_came_after_the_failure_speaks_little() -> None:
    early, late = _seen("oom-killed", -2), _seen("nvrm-xid-79", 280, host="n2", xid="79")
    assert _best(early, late)[0] == "host-oom"


def test_repeated_evidence_does_not_add_up() -> None:
    once = rank(observations=[_seen("soft-lockup")], causes=load_causes(), context=CONTEXT)[0][0]
    often = rank(observations=[_seen("soft-lockup")] * 9, causes=load_causes(), context=CONTEXT)[0][
        0
    ]
    assert once.cause_probability == often.cause_probability


@given(order=st.permutations(range(5)))
def test_ranking_is_order_free(order: list[int]) -> None:
    seen = [
        _seen("nvrm-xid-79", -3, xid="79"),
        _seen("finding:link-down", -1, host="n2"),
        _seen("oom-killed", -2, host="n2"),
        _seen("nfs-not-responding", 30, server="f1"),
        _seen("soft-lockup", -5),
    ]
    ranked = rank(observations=[seen[i] for i in order], causes=load_causes(), context=CONTEXT)
    assert ranked == rank(observations=seen, causes=load_causes(), context=CONTEXT)


def _told(sign: str, stream: Stream, at: float | None, number: int = 1) -> Observation:
    moment = after(at) if at is not None else None
    line = event(sign, at=moment, host="n1", stream=stream, number=number)
    return Observation(
        sign=sign,
        role=Role.RECOVERY if sign == "nfs-ok" else Role.INITIATING,
        layer=Layer.HOST,
        causes=("node-unreachable",),
        at=moment,
        last_at=moment,
        host="n1",
        events=(line,),
    )


@pytest.mark.parametrize(
    ("stream", "standing"), [(Stream.SCHEDULER, "joined"), (Stream.KERNEL, "old")]
)
def test_a_scheduler_gives_a_node_up_by_its_own_timers_and_clock(
    stream: Stream, standing: str
) -> None:
    assert _standing(_told("slurm-nodes-not-responding", stream, -900)) == [standing]


def test_a_pause_that_is_over_again_in_a_log_without_times_stopped_nobody() -> None:
    lost = _told("nfs-not-responding", Stream.KERNEL, None, number=1)
    back = _told("nfs-ok", Stream.KERNEL, None, number=2)
    again = _told("nfs-not-responding", Stream.KERNEL, None, number=3)
    assert _standing(lost, back)[0] == "recovered"
    assert _standing(again, back)[0] == "joined"


def test_who_stopped_first_may_tell_of_it_all_the_while_the_others_wait() -> None:
    late = replace(_seen("soft-lockup", 240), layer=Layer.HOST)
    waiting = replace(CONTEXT, suspects=frozenset({"n1"}))
    assert _odds(late, waiting) < _odds(late, replace(waiting, ended_at=after(600)))


def _odds(one: Observation, context: Context) -> float:
    hypothesis, _ = rank(observations=[one], causes=load_causes(), context=context)[0]
    return hypothesis.probability


def test_lines_of_one_log_are_in_their_order_however_wrong_its_clock_is() -> None:
    off = timedelta(seconds=30)
    lost, later = (
        replace(
            _told("nvrm-xid-79", Stream.KERNEL, at, number=number),
            role=Role.INITIATING,
            layer=Layer.GPU,
            fields={"xid": code},
            error=off,
        )
        for number, (at, code) in enumerate(((-8.0, "79"), (-2.0, "94")), 1)
    )
    (event,) = later.events
    origin = replace(event.line.origin, source="another log")
    elsewhere = replace(later, events=(replace(event, line=replace(event.line, origin=origin)),))
    context = replace(CONTEXT, error=off)

    def odds(second: Observation) -> float:
        found = rank(observations=[lost, second], causes=load_causes(), context=context)
        return next(
            piece.strength
            for one, _ in found
            for piece in one.supporting
            if piece.event is second.events[0]
        )

    assert odds(later) < odds(elsewhere)
