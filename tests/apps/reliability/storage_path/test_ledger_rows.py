"""Saves of logs and of metrics as one ledger: joined, shared among sessions, in any order."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from apps.fleet.facade.placements import AttemptPlace
from apps.reliability.storage_path.ledger_rows import ledger_rows, ledger_sums
from apps.reliability.storage_path.values import CheckpointLedgerRow, ShownPhase
from apps.telemetry.facade.logged_checkpoints import LoggedCheckpoint
from apps.telemetry.facade.storage import COLUMNS, HostTable, StoragePhaseView
from tests.cast import make

AT = make.AT
MINUTE = timedelta(minutes=1)


def place(number: int, *hosts: str, **changed: object) -> AttemptPlace:
    made = AttemptPlace(
        id=number,
        session_id=number,
        session=f"SES-{number}",
        session_name=f"solar-{number}",
        number=1,
        started_at=AT - timedelta(hours=1),
        ended_at=None,
        hosts=frozenset(hosts),
        hosts_asserted=True,
        world_size=8 * len(hosts),
        is_own=True,
    )
    return replace(made, **changed)  # type: ignore[arg-type]


def log(session: int, *, begins: int = 0, ends: int = 5, **changed: object) -> LoggedCheckpoint:
    made = LoggedCheckpoint(
        session_id=session,
        attempt=1,
        kind="save",
        starts_at=AT + begins * MINUTE,
        ends_at=AT + ends * MINUTE,
        step=100,
        is_background=False,
        is_complete=True,
    )
    return replace(made, **changed)  # type: ignore[arg-type]


def phase(
    number: int, *, begins: int = 0, moved: dict[str, float], kind: str = "save"
) -> ShownPhase:
    cells = np.zeros((len(moved), len(COLUMNS)))
    cells[:, COLUMNS.index("moved_bytes")] = list(moved.values())
    view = StoragePhaseView(
        id=number,
        holder_id=1,
        mount="nas1:/ckpt",
        kind=kind,
        starts_at=AT + begins * MINUTE,
        ends_at=AT + (begins + 5) * MINUTE,
        is_simulated=False,
        moved_bytes=sum(moved.values()),
        peak_bytes_per_second=None,
        requests=None,
        queue_seconds=None,
        response_seconds=None,
        request_seconds=None,
        backlog=None,
        sends=None,
        slots=None,
        host_count=len(moved),
        utilization=0.25,
        quiet_response_seconds=None,
        adapter_bytes_per_second=None,
        adapter_most_bytes_per_second=None,
        hosts=HostTable(hosts=tuple(moved), cells=cells),
    )
    return ShownPhase(phase=view)


def told(*logs: LoggedCheckpoint, **given: object) -> tuple[CheckpointLedgerRow, ...]:
    known = {"phases": (), "places": (place(1, "a"), place(2, "b", "c")), "price": None}
    return ledger_rows(logged=logs, **{**known, **given})  # type: ignore[arg-type]


def test_two_sessions_that_save_at_once_each_have_what_their_hosts_moved() -> None:
    both = phase(7, moved={"a": 1e12, "b": 2e12, "c": 3e12})
    first, second = told(log(1), log(2), phases=(both,))
    assert (first.moved_bytes, second.moved_bytes) == (1e12, 5e12)
    assert first.phase_id == second.phase_id == 7


def test_hosts_that_are_only_claimed_join_no_metrics() -> None:
    both = phase(7, moved={"a": 1e12, "b": 2e12})
    claimed = (place(1, "a", hosts_asserted=False), place(2, "b"))
    first, _ = told(log(1), log(2), phases=(both,), places=claimed)
    assert first.moved_bytes is None


def test_a_save_elsewhere_in_time_is_another_one() -> None:
    rows = told(log(1), phases=(phase(7, begins=30, moved={"a": 1e12}),))
    assert [(each.is_logged, each.is_measured) for each in rows] == [(True, False), (False, True)]


def test_gpus_wait_for_a_save_in_the_foreground_alone() -> None:
    (row,) = told(log(2), price=2.0)
    assert row.idled_gpu_hours == pytest.approx(16 * 5 / 60)
    assert row.cost == pytest.approx(2 * 16 * 5 / 60)
    (behind,) = told(log(2, is_background=True))
    assert behind.idled_gpu_hours == 0
    (half,) = told(log(2, is_complete=False))
    assert half.idled_gpu_hours is None


def test_of_a_save_that_only_metrics_show_nobody_knows_who_waited() -> None:
    (row,) = told(phases=(phase(7, moved={"b": 1e12, "c": 1e12}),))
    assert (row.session, row.idled_gpu_hours) == ("SES-2", None)
    (load,) = told(phases=(phase(7, moved={"b": 1e12, "c": 1e12}, kind="load"),))
    assert load.idled_gpu_hours == pytest.approx(0.75 * 16 * 5 / 60)


def test_a_save_of_everybody_is_nobodys_alone() -> None:
    (row,) = told(phases=(phase(7, moved={"a": 1e12, "b": 1e12}),))
    assert (row.session, row.gpu_count) == ("", None)


def test_the_order_of_what_is_told_changes_nothing() -> None:
    logs = [log(each % 2 + 1, begins=20 * each, ends=20 * each + 4) for each in range(12)]
    phases = [phase(each, begins=10 * each, moved={"a": 1e12, "b": 3e12}) for each in range(24)]
    places = [place(1, "a"), place(2, "b")]
    first = told(*logs, phases=phases, places=places)
    for seed in range(5):
        random = np.random.default_rng(seed)
        mixed = [[some[at] for at in random.permutation(len(some))] for some in (logs, phases)]
        assert told(*mixed[0], phases=mixed[1], places=places[::-1]) == first


def test_sums_say_how_many_bytes_are_not_known() -> None:
    rows = told(log(1), log(2, begins=20, ends=24), phases=(phase(7, moved={"a": 1e12}),))
    (total,) = ledger_sums(rows, price=3.0)
    assert (total.count, total.untold_bytes_count, total.moved_bytes) == (2, 1, 1e12)
    assert total.idled_gpu_hours == pytest.approx(8 * 5 / 60 + 16 * 4 / 60)
    assert total.cost == pytest.approx(3 * total.idled_gpu_hours)


def test_a_load_of_which_no_end_is_told_took_no_zero_seconds() -> None:
    rows = told(
        log(1, kind="load", ends=0, is_complete=False),
        log(2, kind="load", ends=2),
        phases=(phase(7, moved={"a": 1e12}, kind="load"),),
    )
    by_session = {each.session: each for each in rows}
    assert (by_session["SES-1"].seconds, by_session["SES-1"].is_measured) == (None, True)
    assert by_session["SES-2"].seconds == 120
    (loads,) = ledger_sums(rows, price=None)
    assert (loads.count, loads.mean_seconds, loads.untold_seconds_count) == (2, 120, 1)
