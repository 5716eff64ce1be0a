"""An alert is a hint of a layer: it helps a cause that something else shows, and decides none."""

import pytest

from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import (
    CoverageState,
    Diagnosis,
    Event,
    Layer,
    Role,
    Stream,
    VerdictStatus,
)
from apps.diagnosis.signatures.load import load_catalog
from tests.diagnosis.events import after, event, readings, watchdog, xid

ALERTS = sorted(key for key in load_catalog() if key.startswith("alert-"))


def waiting(silent: int = 3) -> list[Event]:
    """Return the watchdogs of sixteen ranks on two hosts, one of which printed nothing."""
    return [
        watchdog(rank, at=after(600), host=f"n{rank // 8 + 1}")
        for rank in range(16)
        if rank != silent
    ]


def alert(key: str, *, at: float = 5, host: str = "n1") -> Event:
    """Return an alert about a host."""
    known = load_catalog()[key]
    return event(
        key,
        at=after(at),
        host=host,
        stream=Stream.ALERTS,
        role=known.role,
        layer=known.layer,
        causes=known.causes,
    )


def probability(diagnosis: Diagnosis, layer: Layer) -> float:
    """Return how probable a layer is."""
    return max((h.probability for h in diagnosis.hypotheses if h.layer is layer), default=0.0)


@pytest.mark.parametrize("key", ALERTS)
def test_an_alert_alone_makes_no_verdict(key: str) -> None:
    diagnosis = diagnose(readings=readings([*waiting(), alert(key)]))

    assert diagnosis.verdict.status is VerdictStatus.UNKNOWN


@pytest.mark.parametrize("at", [-86_400, 5, 590])
def test_every_alert_at_once_makes_no_likely_verdict(at: float) -> None:
    told = [alert(key, at=at) for key in ALERTS]

    verdict = diagnose(readings=readings([*waiting(), *told])).verdict

    assert verdict.status is not VerdictStatus.LIKELY


def test_beside_an_xid_an_alert_of_another_host_changes_nothing() -> None:
    told = [*waiting(), xid(79, at=after(2))]
    alone = diagnose(readings=readings(told)).verdict
    beside = diagnose(readings=readings([*told, alert("alert-link", host="n9")])).verdict

    assert (alone.layer, alone.cause) == (beside.layer, beside.cause) == (Layer.GPU, "gpu-off-bus")
    assert abs(alone.probability - beside.probability) < 0.1


def test_an_alert_raises_what_it_speaks_for() -> None:
    without = diagnose(readings=readings(waiting()))
    beside = diagnose(readings=readings([*waiting(), alert("alert-link")]))

    assert probability(beside, Layer.NETWORK) > probability(without, Layer.NETWORK)


def test_alerts_are_covered_where_they_came_and_missed_by_nobody() -> None:
    without = {row.source for row in diagnose(readings=readings(waiting())).coverage}
    told = readings([*waiting(), alert("alert-link")])
    found = {row.source: row.state for row in diagnose(readings=told).coverage}

    assert "alerts" not in without
    assert found["alerts"] is CoverageState.PRESENT


def test_when_an_alert_fires_says_nothing_of_a_clock() -> None:
    diagnosis = diagnose(readings=readings([*waiting(), alert("alert-gpu-xid", at=500)]))

    (moment,) = [one for one in diagnosis.timeline if one.signature == "alert-gpu-xid"]
    assert moment.at == after(500)
    assert moment.role is Role.CONFIRMATION
