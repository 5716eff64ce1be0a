"""In which zone printed times are taken: the one in which the server saw the hosts work."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from apps.diagnosis.detection.metrics.load import catalog
from apps.diagnosis.model import Device, Extent, Frame, Origin, Reading, Stream
from apps.offline import assumed_zone
from apps.offline.assumed_zone import BESIDE, STEP_SECONDS, Printed, dated, offset_of, printed
from tests.diagnosis.events import event

STARTS, ENDS = datetime(2026, 5, 4, 12), datetime(2026, 5, 4, 14)  # noqa: DTZ001  as printed
RUN = Printed(hosts=("n1", "n2"), starts_at=STARTS, ends_at=ENDS)
SEOUL, PARIS = 540, 120
LATER = datetime(2026, 5, 6, tzinfo=UTC)
SIGNAL = next(one for one in catalog().signals.values() if one.family == assumed_zone.FAMILY)
Times = np.ndarray
Work = dict[str, list[tuple[int, float]]]
Serve = Callable[[Work], None]


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> Serve:
    """Let a server tell how busy hosts were while the run lasted, if it was printed in a zone."""

    def serve(work: Work) -> None:
        def frames(*, start: float, end: float, **_: object) -> list[Frame]:
            at = np.arange(start, end, STEP_SECONDS)
            values = np.zeros((len(work), len(at)))
            for row, spans in zip(values, work.values(), strict=True):
                row[0] = 8.0  # so busy a host can be
                for minutes, level in spans:
                    first, last = RUN.span(minutes)
                    row[(at >= first) & (at <= last)] = level
            entities = tuple(Device(kind="gpu", host=host, index=0) for host in work)
            return [
                Frame(
                    signal=SIGNAL, entities=entities, start=start, step=STEP_SECONDS, values=values
                )
            ]

        monkeypatch.setattr(assumed_zone, "_work", frames)

    return serve


def _offset(now: datetime = LATER, run: Printed = RUN) -> int | None:
    return offset_of(client=None, printed=run, now=now)  # type: ignore[arg-type]


def test_the_zone_is_taken_in_which_the_hosts_worked_as_long(served: Serve) -> None:
    served({"n1": [(SEOUL, 8.0)], "n2.example": [(SEOUL, 8.0)]})
    assert _offset() == SEOUL
    served({"N1.example": [(PARIS, 8.0)], "other": [(SEOUL, 8.0)]})
    assert _offset() == PARIS
    served({"other": [(SEOUL, 8.0)], "idle": []})  # the server calls the hosts otherwise
    assert _offset() == SEOUL


def test_no_zone_is_taken_where_nobody_worked_or_it_was_not_yet(served: Serve) -> None:
    served({"n1": []})
    assert _offset() is None
    served({"n1": [(SEOUL, 8.0)]})
    assert _offset(now=datetime(2026, 5, 3, tzinfo=UTC)) is None


@pytest.mark.parametrize(
    ("best", "second", "zone"),
    [(4.0, 2.0, SEOUL), (4.0, 2.5, None), (3.5, 0.0, None), (8.0, 7.0, None), (8.0, 6.0, SEOUL)],
)
def test_the_best_zone_has_to_fit_and_to_fit_clearly_better(
    served: Serve, monkeypatch: pytest.MonkeyPatch, best: float, second: float, zone: int | None
) -> None:
    monkeypatch.setattr(assumed_zone, "LEAST_FIT", 0.5)
    monkeypatch.setattr(assumed_zone, "LEAST_LEAD", 0.25)
    served({"n1": [(SEOUL, best), (PARIS, second)]})
    assert _offset() == zone


def _fits(work: Callable[[Times], Times], *, until: float = 3600.0) -> float:
    """Return how well work fits a span from 600 s to 1800 s."""
    at = np.arange(0.0, until, STEP_SECONDS)
    return assumed_zone._fit(at, work(at).astype(float), (600.0, 1800.0))


def test_work_fits_a_span_by_what_is_less_on_both_sides_of_it() -> None:
    assert _fits(lambda at: (at >= 600) & (at <= 1800)) == 1.0
    assert _fits(lambda at: at >= 600) == 0.0  # it went on
    assert _fits(lambda at: at <= 1800) == 0.0  # it was there before
    assert _fits(lambda at: at < 0) == 0.0
    assert _fits(lambda at: np.full(len(at), np.nan)) == 0.0


def test_a_minute_on_each_side_of_start_and_end_decides_nothing() -> None:
    assert _fits(lambda at: (at >= 660) & (at <= 1740)) == 1.0
    for counted in (660.0, 1740.0):
        assert _fits(_beside(counted, is_busy=False)) < 1.0
    for beside in (600 - BESIDE, 540.0, 1860.0, 1800 + BESIDE):
        assert _fits(_beside(beside)) == pytest.approx(0.8)
    for further in (540 - BESIDE, 1860 + BESIDE):
        assert _fits(_beside(further)) == 1.0


def _beside(odd: float, *, is_busy: bool = True) -> Callable[[Times], Times]:
    """Return a run that has the whole span, but for one odd instant."""
    return lambda at: np.where(at == odd, is_busy, (at >= 600) & (at <= 1800))


def test_a_run_that_the_server_did_not_see_end_fits_nothing_and_its_start_may_be_missing() -> None:
    assert _fits(lambda at: at >= 600, until=1800.0) == 0.0
    unseen = np.where(np.arange(0.0, 3600.0, STEP_SECONDS) < 600, np.nan, 1.0)
    assert _fits(lambda at: unseen * (at <= 1800)) == 1.0


def test_gpus_of_a_host_count_as_one_and_what_is_missing_is_not_idle() -> None:
    rows = np.array([[1.0, np.nan, np.nan], [3.0, 5.0, np.nan], [9.0, 9.0, 9.0]])
    hosts = ("n1.example", "N1", "n7")
    frame = Frame(
        signal=SIGNAL,
        entities=tuple(Device(kind="gpu", host=host, index=0) for host in hosts),
        start=0.0,
        step=STEP_SECONDS,
        values=rows,
    )
    ((_, own),) = assumed_zone._rows(frame, ["n1"])
    assert own.tolist()[:2] == [2.0, 5.0]
    assert np.isnan(own[2])
    assert len(list(assumed_zone._rows(frame, ["gone"]))) == len(hosts)


def _extent(**times: datetime | None) -> Reading:
    extent = Extent(host="n1", rank=0, stream=Stream.SESSION, line_count=1, **times)  # type: ignore[arg-type]
    return Reading(origin=Origin(source="a", stream=Stream.SESSION), events=(), extents=(extent,))


def test_only_times_without_a_zone_are_asked_about_from_the_first_to_the_last() -> None:
    one = _extent(first_at=None, last_at=None, first_local_at=STARTS, last_local_at=STARTS)
    other = _extent(first_at=None, last_at=None, first_local_at=ENDS, last_local_at=ENDS)
    assert printed(readings=[other, one], hosts=("n1", "n2")) == RUN
    for lacking in (
        _extent(first_at=None, last_at=None, first_local_at=None, last_local_at=ENDS),
        _extent(first_at=None, last_at=None, first_local_at=STARTS, last_local_at=None),
    ):
        assert printed(readings=[lacking], hosts=()) is None
    with_zone = _extent(first_at=LATER, last_at=LATER, first_local_at=None, last_local_at=None)
    assert printed(readings=[one, with_zone], hosts=()) is None


def test_printed_times_are_dated_and_known_ones_stay() -> None:
    told = event("step-pace")
    local = replace(told, line=replace(told.line, local_at=STARTS))
    known = replace(told, line=replace(told.line, local_at=STARTS, at=LATER))
    times = {"first_at": None, "last_at": None, "first_local_at": STARTS, "last_local_at": ENDS}
    reading = replace(_extent(**times), events=(told, local, known), progress=(local,))
    (found,) = dated(readings=[reading], minutes=SEOUL)
    at = STARTS.replace(tzinfo=UTC) - timedelta(hours=9)
    assert [one.line.at for one in (*found.events, *found.progress)] == [None, at, LATER, at]
    assert found.events[1].line.local_at is None
    (extent,) = found.extents
    assert (extent.first_at, extent.last_at) == (at, at + (ENDS - STARTS))
    assert (extent.first_local_at, extent.last_local_at) == (None, None)
    for half in ({**times, "first_local_at": None}, {**times, "last_local_at": None}):
        assert dated(readings=[_extent(**half)], minutes=SEOUL) == [_extent(**half)]
