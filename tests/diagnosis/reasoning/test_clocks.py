"""Clocks: wrong zones and offsets are found from what happened together; nothing else is moved."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from apps.diagnosis.model import Event, Extent, Origin, Reading, Role, Stream, Topology
from apps.diagnosis.observed import canonical
from apps.diagnosis.reasoning.timing.clocks.estimate import described, estimate
from apps.diagnosis.reasoning.timing.clocks.source_stamps import Clocks
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


def test_a_log_of_which_only_the_end_fits_is_in_the_zone_of_its_kind() -> None:
    early = _span("n9", Stream.SESSION, after(-2 * 3600), after(-2 * 3600 + 1))
    others = [_span(host, Stream.SESSION, after(-1800), NOON) for host in ("n1", "n2", "n3")]
    clocks = estimate(readings=[*others, early], topology=Topology())
    assert _moved(clocks, event("x", at=after(-2 * 3600), host="n9")) == timedelta(0)


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


def _naive(one: Event, shift: timedelta = timedelta(0)) -> Event:
    """Return an event whose line prints a local time without a zone."""
    assert one.line.at is not None
    local = (one.line.at + shift).replace(tzinfo=None)
    return replace(one, line=replace(one.line, at=None, local_at=local))


def _kernel(text: str, **more: Any) -> Event:
    return event(
        "nvrm-xid",
        stream=Stream.KERNEL,
        role=Role.INITIATING,
        text=text,
        fields={"xid": "79", "pci": "0000:1b:00.0"},
        **more,
    )


def _instant(clocks: Clocks, one: Event) -> datetime | None:
    return clocks.instant(one.line)


def test_a_quiet_kernel_log_nine_hours_ahead_is_found_by_its_fault() -> None:
    waits = [watchdog(rank, at=after(600), host=f"n{rank + 1}") for rank in range(3)]
    fault = _naive(_kernel("lost", at=NOON, host="n2"), timedelta(hours=9))
    span = _span("n2", Stream.KERNEL, after(32400 - 90000), after(32400), zoned=False)
    told = [*readings(waits), replace(span, events=(fault,))]
    clocks = estimate(readings=told, topology=Topology())
    assert _instant(clocks, fault) == NOON


def test_an_old_fault_hours_before_is_not_taken_for_a_zone() -> None:
    waits = [watchdog(rank, at=after(600), host=f"n{rank + 1}") for rank in range(3)]
    old = _naive(_kernel("lost", at=after(-7200), host="n2"))
    span = _span("n2", Stream.KERNEL, after(-90000), after(-7200), zoned=False)
    told = [*readings(waits), replace(span, events=(old,))]
    clocks = estimate(readings=told, topology=Topology())
    assert _instant(clocks, old) == after(-7200)


def test_sessions_without_a_zone_are_brought_to_kernels_that_print_theirs() -> None:
    nine = timedelta(hours=9)
    sessions = [
        _span(host, Stream.SESSION, after(-7200) + nine, NOON + nine, zoned=False)
        for host in ("n1", "n2", "n3")
    ]
    kernels = [_span(host, Stream.KERNEL, after(-90000), after(30)) for host in ("n1", "n2", "n3")]
    clocks = estimate(readings=[*sessions, *kernels], topology=Topology())
    assert clocks.shifts["session/n1", "n1"] == -nine
    assert clocks.shifts.get(("kernel/n1", "n1"), timedelta(0)) == timedelta(0)


def test_seconds_since_the_boot_are_dated_by_an_echo_in_another_log_of_the_host() -> None:
    journal = _kernel("GPU lost", at=NOON, host="n1")
    bare = replace(
        journal,
        line=replace(
            journal.line,
            at=None,
            uptime_seconds=5000.0,
            origin=replace(journal.line.origin, source="dmesg/n1"),
        ),
    )
    told = [watchdog(0, at=after(600), host="n1"), journal, bare]
    clocks = estimate(readings=readings(told), topology=Topology())
    assert _instant(clocks, bare) == NOON


def test_a_computed_time_that_drifts_is_moved_onto_its_echo() -> None:
    lines = [_kernel(f"fault {n}", at=after(n), host="n1", number=n) for n in range(1, 4)]
    drifted = [
        replace(
            one,
            line=replace(
                one.line,
                at=after(n + 41),
                dialect="dmesg_time",
                origin=replace(one.line.origin, source="dmesg/n1"),
            ),
        )
        for n, one in enumerate(lines, 1)
    ]
    told = [watchdog(0, at=after(600), host="n1"), *lines, *drifted]
    clocks = estimate(readings=readings(told), topology=Topology())
    assert [_instant(clocks, one) for one in drifted] == [after(1), after(2), after(3)]


def test_december_beside_january_is_of_the_year_before() -> None:
    new_year = datetime(2027, 1, 1, 0, 10, tzinfo=UTC)
    session = _span("n1", Stream.SESSION, new_year - timedelta(hours=3), new_year)
    clocks = estimate(readings=[session], topology=Topology())
    guessed = event("x", at=datetime(2027, 12, 31, 23, 50, tzinfo=UTC), host="n1")
    assert _instant(clocks, guessed) == datetime(2026, 12, 31, 23, 50, tzinfo=UTC)


def test_what_was_found_off_is_told_per_host() -> None:
    told = [
        watchdog(rank, at=after(600 + (40 if host == "n3" else 0)), host=host)
        for rank, host in enumerate(("n1", "n1", "n2", "n2", "n3", "n3"))
    ]
    clocks = estimate(readings=readings(told), topology=Topology())
    told_of = {one.host: one.offset for one in described(clocks=clocks)}
    assert told_of["n3"] == timedelta(seconds=40)
    assert told_of["n1"] == timedelta(0)
