"""Clocks: wrong zones and offsets are found from what happened together; nothing else is moved."""

from datetime import datetime, timedelta

from apps.diagnosis.model import Event, Extent, Origin, Reading, Stream, Topology
from apps.diagnosis.observed import canonical
from apps.diagnosis.reasoning.clocks.estimate import estimate
from apps.diagnosis.reasoning.clocks.voices import Clocks
from tests.diagnosis.events import NOON, after, event, readings, watchdog


def _span(
    host: str, stream: Stream, first: datetime, last: datetime, *, zoned: bool = True
) -> Reading:
    origin = Origin(source=f"{stream}/{host}", stream=stream, host=host)
    extent = (
        Extent(host=host, stream=stream, line_count=9, first_at=first, last_at=last)
        if zoned
        else Extent(
            host=host,
            stream=stream,
            line_count=9,
            first_local_at=first.replace(tzinfo=None),
            last_local_at=last.replace(tzinfo=None),
        )
    )
    return Reading(origin=origin, extents=(extent,))


def _sessions(*hosts: str) -> list[Reading]:
    return [_span(host, Stream.SESSION, after(-7200), NOON) for host in hosts]


def _moved(clocks: Clocks, one: Event) -> timedelta:
    at = clocks.instant(one.line)
    assert at is not None
    assert one.line.at is not None
    return at - one.line.at


def test_a_host_whose_session_log_is_nine_hours_ahead_is_brought_back() -> None:
    nine = timedelta(hours=9)
    ahead = _span("n9", Stream.SESSION, after(-7200) + nine, NOON + nine)
    clocks = estimate(readings=[*_sessions("n1", "n2", "n3"), ahead], topology=Topology())
    assert _moved(clocks, event("x", at=NOON + nine, host="n9")) == -nine


def test_a_host_that_died_early_keeps_its_clock() -> None:
    dead = _span("n9", Stream.SESSION, after(-7200), after(-3600))
    clocks = estimate(readings=[*_sessions("n1", "n2", "n3"), dead], topology=Topology())
    assert _moved(clocks, event("x", at=after(-3600), host="n9")) == timedelta(0)


def test_kernel_logs_in_their_own_zone_follow_the_majority() -> None:
    nine = timedelta(hours=9)
    kernels = [
        _span(host, Stream.KERNEL, after(-90000) + nine, after(60) + nine, zoned=False)
        for host in ("n1", "n2", "n3")
    ]
    clocks = estimate(readings=[*_sessions("n1", "n2", "n3"), *kernels], topology=Topology())
    assert clocks.shifts["kernel/n2", "n2"] == -nine


def test_an_offset_is_read_from_one_collective_that_all_waited_in() -> None:
    told = [
        watchdog(rank, at=after(600 + (40 if host == "n3" else 0)), host=host)
        for rank, host in enumerate(("n1", "n1", "n2", "n2", "n3", "n3"))
    ]
    clocks = estimate(readings=readings(told), topology=Topology())
    assert _moved(clocks, told[-1]) == timedelta(seconds=-40)
    assert clocks.error(told[-1].line) < timedelta(seconds=5)


def test_a_year_that_was_guessed_wrong_is_mended() -> None:
    clocks = estimate(readings=_sessions("n1", "n2"), topology=Topology())
    last_year = event("x", at=NOON.replace(year=NOON.year - 1), host="n1")
    assert clocks.instant(last_year.line) == NOON


def test_a_line_without_a_time_gets_none() -> None:
    clocks = estimate(readings=_sessions("n1"), topology=Topology())
    assert clocks.instant(event("x").line) is None


def test_hosts_compare_by_short_name_and_alias_but_addresses_stay() -> None:
    aliases = {"10.0.0.7": "n7"}
    named = [
        canonical(name, aliases) for name in ("n7.cluster.local", "10.0.0.7", "10.0.0.8", None)
    ]
    assert named == ["n7", "n7", "10.0.0.8", None]
