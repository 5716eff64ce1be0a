"""Weights: a fact votes once whoever tells it, they add up, and two causes may both stand."""

from datetime import timedelta
from math import exp

from hypothesis import given, settings
from hypothesis import strategies as st

from apps.diagnosis.causes.load import load_causes
from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import (
    Anomaly,
    Device,
    Event,
    Hypothesis,
    Layer,
    Role,
    Stream,
    VerdictStatus,
)
from apps.diagnosis.signatures.load import load_catalog
from apps.wording import in_english
from tests.diagnosis.events import NOON, after, event, readings, watchdog, xid

ECHOES = frozenset({Role.CASCADE, Role.TEARDOWN})
NCCL_FILES = ("nccl_", "c10d.", "torchrun.")
WEIGHED = frozenset(
    symptom.sign
    for cause in load_causes().values()
    for symptom in cause.symptoms
    if symptom.weight > 0 and not symptom.contains
)
GENERIC = sorted(
    key
    for key, one in load_catalog().items()
    if one.role in ECHOES
    and one.file.startswith(NCCL_FILES)
    and not one.causes
    and key not in WEIGHED
)


def _waits(silent: int) -> list[Event]:
    return [
        watchdog(rank, at=after(600), host=f"n{rank // 8 + 1}")
        for rank in range(32)
        if rank != silent
    ]


def _sticky_xid(code: int, host: str, *, unheard: timedelta = timedelta(seconds=30)) -> Anomaly:
    return Anomaly(
        kind="counter-increase",
        signal="gpu.xid",
        family="xid",
        layer=Layer.GPU,
        entity=Device(kind="gpu", host=host, index=3),
        starts_at=after(10),
        value=float(code),
        role=Role.INITIATING,
        causes=("gpu-off-bus",),
        resolution_seconds=unheard.total_seconds(),
        detail=str(code),
    )


def _first(*told: Event, anomalies: tuple[Anomaly, ...] = ()) -> Hypothesis:
    return diagnose(readings=readings([*told, *_waits(3)]), anomalies=anomalies).hypotheses[0]


def test_an_xid_in_the_kernel_log_and_in_the_metrics_is_one_fact_with_a_small_bonus() -> None:
    alone = _first(xid(79))
    both = _first(xid(79), anomalies=(_sticky_xid(79, "n1"),))
    assert len(both.supporting) == len(alone.supporting) + 1
    gained = sum(e.weight for e in both.supporting) - sum(e.weight for e in alone.supporting)
    assert 0 < gained <= 0.5


def test_the_same_kernel_telling_twice_adds_nothing() -> None:
    lost = event(
        "nvrm-fallen-off",
        at=NOON,
        stream=Stream.KERNEL,
        role=Role.INITIATING,
        layer=Layer.GPU,
        number=2,
        pci="0000:1b:00.0",
    )
    alone, both = _first(xid(79)), _first(xid(79), lost)
    weights = [sum(e.weight for e in one.supporting) for one in (alone, both)]
    assert weights[0] == weights[1]
    assert any(one.weight == 0 and one.strength > 5 for one in both.supporting)


def test_prior_and_weights_make_the_odds() -> None:
    found = diagnose(readings=readings([xid(31), xid(43, at=after(1)), *_waits(3)])).hypotheses
    one, other = found[0], found[1]
    logits = [
        each.prior + sum(e.weight for e in each.supporting) + sum(e.weight for e in each.opposing)
        for each in (one, other)
    ]
    ratio = one.cause_probability / other.cause_probability
    assert abs(exp(logits[0] - logits[1]) / ratio - 1) < 0.1


def _oom(host: str) -> Event:
    return event(
        "oom-killed",
        at=after(1),
        host=host,
        stream=Stream.KERNEL,
        role=Role.CONFIRMATION,
        layer=Layer.HOST,
    )


def test_what_happened_some_time_while_a_part_was_unheard_speaks_less_the_longer_that_was() -> None:
    def weight(unheard: timedelta) -> float:
        told = (_sticky_xid(79, "n1", unheard=unheard),)
        return next(
            e.weight
            for e in _first(anomalies=told).supporting
            if "Xid 79" in in_english(e.statement)
        )

    spans = [timedelta(minutes=each) for each in (1, 15, 45, 90, 600)]
    weights = [weight(span) for span in spans]
    assert weights[0] == weights[1]
    assert weights[1:] == sorted(set(weights[1:]), reverse=True)


def test_a_gpu_lost_some_time_in_ninety_minutes_does_not_unseat_what_the_kernel_says_now() -> None:
    lost = _sticky_xid(79, "n3", unheard=timedelta(minutes=91))
    found = diagnose(readings=readings([_oom("n2"), *_waits(11)]), anomalies=(lost,))
    assert found.verdict.status is VerdictStatus.LIKELY
    assert found.verdict.cause == "host-oom"


def test_two_causes_on_different_hosts_at_the_same_time_both_stand() -> None:
    told = [xid(79, host="n1"), _oom("n3"), *_waits(3)]
    diagnosis = diagnose(readings=readings(told))
    assert diagnosis.verdict.status in {VerdictStatus.LIKELY, VerdictStatus.POSSIBLE}
    beside = [one for one in diagnosis.hypotheses if one.stands_beside]
    causes = {diagnosis.verdict.cause, *(one.cause for one in beside)}
    assert causes == {"gpu-off-bus", "host-oom"}
    assert all(one.probability >= 0.5 and one.ruled_out_because is None for one in beside)


def test_two_causes_on_one_host_share_their_probability() -> None:
    diagnosis = diagnose(readings=readings([xid(79, host="n1"), _oom("n1"), *_waits(3)]))
    assert not any(one.stands_beside for one in diagnosis.hypotheses)


@given(names=st.lists(st.sampled_from(GENERIC), min_size=1, max_size=10), data=st.data())
@settings(max_examples=120, deadline=None)
def test_generic_text_of_nccl_alone_never_names_the_network(
    names: list[str], data: st.DataObject
) -> None:
    told = [
        event(
            name,
            at=NOON + timedelta(seconds=data.draw(st.integers(0, 900))),
            host=f"n{data.draw(st.integers(1, 3))}",
            rank=place,
            number=place + 1,
            layer=load_catalog()[name].layer,
        )
        for place, name in enumerate(names)
    ]
    verdict = diagnose(readings=readings(told)).verdict
    assert verdict.layer is not Layer.NETWORK


def test_what_many_clients_show_is_consistent_with_a_shared_part_and_never_more() -> None:
    queue = Anomaly(
        kind="saturation",
        signal="nfs.queue",
        family="nfs-queue",
        layer=Layer.STORAGE,
        entity=Device(kind="server", name="nas1"),
        starts_at=after(0),
        ends_at=after(500),
        value=0.93,
        role=Role.INITIATING,
        causes=("checkpoint-slow",),
        host_count=58,
    )
    best = _first(*_waits(silent=40), anomalies=(queue,))
    told = [in_english(piece.statement) for piece in best.supporting]
    waited = "Time requests waited in the client before they were sent: was saturated"
    assert told == [f"{waited} on 58 hosts, consistent with a fault at file server nas1"]
