"""What time, place and order add to a weight."""

from dataclasses import replace
from datetime import timedelta
from math import log
from typing import Any

import pytest

from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.model import Anomaly, Device, Layer, Observation, Phase, Role, statement
from apps.diagnosis.reasoning.verdict.rank.pieces import Context, ObservedPiece
from apps.diagnosis.reasoning.verdict.rank.placed import (
    AFTERWARDS,
    AT_THE_TIME,
    EARLIEST,
    LATER,
    LONG_BEFORE,
    OFF_SUSPECT,
    ON_SUSPECT,
    SOME_MINUTES_BEFORE,
    SOON_AFTER,
    STRONG,
    UNDATED,
    UNDATED_ELSEWHERE,
    WINDOW,
    beginning,
    in_order,
    is_vague,
    placed,
)
from tests.diagnosis.events import NOON, after, event

GPU, SERVER = load_causes()["gpu-off-bus"], load_causes()["nfs-unavailable"]
CONTEXT = Context(phase=Phase.UNKNOWN, failed_at=NOON, error=timedelta(0), suspects=frozenset())
SUSPECT = replace(CONTEXT, suspects=frozenset({"n1"}))
WEIGHT = 5.0
SLACK = 5.0  # of what is printed
SECOND = timedelta(seconds=1)


def _seen(seconds: float | None = 0.0, **more: Any) -> Observation:
    at = None if seconds is None else after(seconds)
    given: dict[str, Any] = {
        "sign": "x",
        "role": Role.INITIATING,
        "layer": Layer.GPU,
        "host": "n1",
        **more,
    }
    return Observation(at=at, last_at=at, **given)


def _added(one: Observation, context: Context = CONTEXT, lag: float = 0.0) -> float:
    return round(placed(WEIGHT, one, lag, GPU, context) - WEIGHT, 6)


@pytest.mark.parametrize(
    ("seconds", "added"),
    [
        (0.0, AT_THE_TIME),
        (SLACK, AT_THE_TIME),
        (SLACK + 1, SOON_AFTER),
        (SLACK + 60, SOON_AFTER),
        (SLACK + 61, AFTERWARDS),
        (-120 - SLACK, AT_THE_TIME),
        (-121 - SLACK, SOME_MINUTES_BEFORE),
        (-300 - SLACK, SOME_MINUTES_BEFORE),
        (-301 - SLACK, LONG_BEFORE),
        (None, 0.0),
    ],
)
def test_a_cause_is_seconds_away_and_not_minutes(seconds: float | None, added: float) -> None:
    assert _added(_seen(seconds)) == added


def test_errors_of_clocks_and_the_lag_of_a_symptom_widen_what_is_at_the_time() -> None:
    late = _seen(SLACK + 30)
    assert _added(late) == SOON_AFTER
    assert _added(replace(late, error=30 * SECOND)) == AT_THE_TIME
    assert _added(late, replace(CONTEXT, error=30 * SECOND)) == AT_THE_TIME
    assert _added(late, replace(CONTEXT, late=30 * SECOND)) == AT_THE_TIME
    assert _added(late, lag=30.0) == AT_THE_TIME
    assert _added(_seen(0.0), replace(CONTEXT, failed_at=None)) == 0.0


def test_who_stopped_first_may_tell_all_the_while_that_the_others_wait() -> None:
    late = _seen(300.0)
    waiting = replace(SUSPECT, ended_at=after(300))
    assert _added(late, waiting) == round(SOON_AFTER + ON_SUSPECT, 6)
    assert _added(late, replace(waiting, ended_at=after(299))) == round(AFTERWARDS + ON_SUSPECT, 6)
    assert _added(late, replace(waiting, suspects=frozenset())) == AFTERWARDS
    assert _added(late, SUSPECT) == round(AFTERWARDS + ON_SUSPECT, 6)
    assert _added(replace(late, host=None), waiting) == AFTERWARDS


def test_what_came_hours_after_an_end_that_nobody_tells_fades() -> None:
    hours = replace(CONTEXT, is_open=True)
    apart = 2 * WINDOW
    one = _seen((apart + SLACK * SECOND).total_seconds())
    assert _added(one, hours) == round(AFTERWARDS - log(2), 6)
    assert _added(one) == AFTERWARDS
    near = _seen((WINDOW + SLACK * SECOND).total_seconds())
    assert _added(near, hours) == AFTERWARDS


def test_what_speaks_against_or_nothing_stays_nothing() -> None:
    for weight in (0.0, -1.0):
        assert placed(weight, _seen(), 0.0, GPU, CONTEXT) == 0.0
    assert placed(1.0, _seen(3600.0), 0.0, GPU, CONTEXT) == 0.0


def test_a_suspected_host_weighs_more_and_any_other_less_but_not_for_what_they_share() -> None:
    assert _added(_seen(), SUSPECT) == round(AT_THE_TIME + ON_SUSPECT, 6)
    assert _added(_seen(host="n2"), SUSPECT) == round(AT_THE_TIME + OFF_SUSPECT, 6)
    assert _added(_seen(host=None), SUSPECT) == AT_THE_TIME
    shared = placed(WEIGHT, _seen(host="n2"), 0.0, SERVER, SUSPECT)
    assert round(shared - WEIGHT, 6) == AT_THE_TIME


def test_a_kernel_that_counts_from_a_boot_nobody_knows_may_speak_of_any_day() -> None:
    told = event("nvrm-xid-79")
    counted = replace(told, line=replace(told.line, uptime_seconds=9.0))
    undated = _seen(None, events=(told, counted))
    assert _added(undated) == UNDATED
    assert _added(undated, SUSPECT) == round(UNDATED + ON_SUSPECT, 6)
    elsewhere = replace(undated, host="n2")
    assert _added(elsewhere, SUSPECT) == round(UNDATED_ELSEWHERE + OFF_SUSPECT, 6)
    assert _added(replace(undated, events=(told,))) == 0.0
    assert _added(replace(undated, at=NOON)) == 0.0
    assert _added(undated, replace(CONTEXT, failed_at=None)) == 0.0


def test_what_metrics_saw_some_time_speaks_less_the_longer_nobody_heard_the_part() -> None:
    anomaly = Anomaly(
        kind="silence",
        signal="up",
        family="presence",
        layer=Layer.GPU,
        entity=Device(kind="gpu", host="n1"),
        starts_at=NOON,
        role=Role.INITIATING,
    )
    vague = _seen(anomaly=anomaly, error=2 * WINDOW)
    assert is_vague(vague)
    assert _added(vague) == round(-log(2), 6)
    assert not is_vague(replace(vague, error=WINDOW))
    assert not is_vague(replace(vague, anomaly=None))


def _piece(seconds: float | None, weight: float = STRONG, **more: Any) -> ObservedPiece:
    return replace(PIECE, observation=_seen(seconds, **more), weight=weight)


PIECE = ObservedPiece(
    observation=_seen(),
    weight=STRONG,
    statement=statement("text", text="x"),
    is_generic=False,
    family="xid",
)


def test_it_began_with_the_earliest_strong_observation_near_the_failure() -> None:
    pieces = {
        "a": [_piece(-3, sign="later"), _piece(-60, weight=STRONG - 0.1)],
        "b": [_piece(-4, sign="first"), _piece(None), _piece(-200), _piece(99)],
    }
    found = beginning(pieces, CONTEXT)
    assert found is not None
    assert found.sign == "first"
    assert beginning({"a": [_piece(-200)]}, CONTEXT) is None


def test_the_beginning_weighs_more_than_what_came_after_it_beyond_the_error_of_clocks() -> None:
    first = _seen(0.0)

    def added(piece: ObservedPiece) -> float:
        return round(in_order(piece, first).weight - piece.weight, 6)

    assert added(_piece(1.0)) == EARLIEST
    assert added(_piece(1.1)) == LATER
    assert added(_piece(3.0, error=2 * SECOND)) == EARLIEST
    assert added(_piece(3.1, error=2 * SECOND)) == LATER
    assert added(_piece(3.0, weight=STRONG - 0.1)) == added(_piece(None)) == 0.0
    assert in_order(PIECE, None) is PIECE
    assert in_order(PIECE, _seen(None)) is PIECE


def test_of_lines_of_one_log_of_one_host_the_clock_orders_within_its_error() -> None:
    told = event("nvrm-xid-79", host="n1")
    first = _seen(0.0, events=(told,), error=9 * SECOND)

    def is_later(**more: Any) -> bool:
        given: dict[str, Any] = {"events": (told,), "error": 9 * SECOND, **more}
        piece = _piece(3.0, **given)
        return in_order(piece, first).weight < piece.weight

    assert is_later()
    assert not is_later(host="n2")
    assert not is_later(events=())
    assert not is_later(events=(event("nvrm-xid-79", host="n2"),))
