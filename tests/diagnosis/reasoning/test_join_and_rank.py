"""Joining and ranking: window, place, recovery; weights that add up and never depend on order."""

from dataclasses import replace
from datetime import timedelta

from hypothesis import given
from hypothesis import strategies as st

from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.model import Layer, Observation, Phase, Role
from apps.diagnosis.reasoning.join import Scene, join
from apps.diagnosis.reasoning.rank import Context, rank
from tests.diagnosis.events import NOON, after

SCENE = Scene(
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


def _standing(*observations: Observation, scene: Scene = SCENE) -> list[str]:
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
