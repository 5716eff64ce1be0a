"""What saves and loads use of what is there: each kind by its own phases, of whole ones alone."""

from dataclasses import fields
from datetime import timedelta
from typing import Any

from apps.reliability.storage_path.shares import kind_shares
from apps.reliability.storage_path.values import ShownPhase
from apps.telemetry.facade.storage import StoragePhaseView
from tests.cast.make import AT


def phase(kind: str, *, moved: float | None, seconds: float = 100.0, hosts: int = 4) -> ShownPhase:
    told: dict[str, Any] = dict.fromkeys(
        each.name for each in fields(StoragePhaseView) if each.init
    )
    told |= {
        "id": 1,
        "holder_id": 1,
        "mount": "nas1:/ckpt",
        "kind": kind,
        "starts_at": AT,
        "ends_at": AT + timedelta(seconds=seconds),
        "is_simulated": False,
        "moved_bytes": moved,
        "host_count": hosts,
    }
    return ShownPhase(phase=StoragePhaseView(**told))


def test_each_kind_is_the_mean_of_its_own_phases_weighed_by_how_long_they_lasted() -> None:
    phases = [
        phase("save", moved=100e9),
        phase("save", moved=900e9, seconds=300.0, hosts=8),
        phase("load", moved=50e9),
    ]
    load, save = sorted(kind_shares(phases=phases, ratings=(), at=AT), key=lambda each: each.kind)
    assert (save.phase_count, save.bytes_per_second, save.host_count) == (2, 2.5e9, 8)
    assert (load.phase_count, load.bytes_per_second, load.host_count) == (1, 0.5e9, 4)


def test_one_whose_bytes_nobody_knows_counts_for_nothing() -> None:
    phases = [phase("save", moved=100e9), phase("save", moved=None, hosts=60)]
    (save,) = kind_shares(phases=phases, ratings=(), at=AT)
    assert (save.phase_count, save.bytes_per_second, save.host_count) == (1, 1e9, 4)


def test_of_none_that_is_whole_nothing_is_said() -> None:
    assert kind_shares(phases=[phase("load", moved=None)], ratings=(), at=AT) == ()
