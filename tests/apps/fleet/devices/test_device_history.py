"""Which part sat where: any order of reports gives the same intervals, and nobody sits twice."""

import random
import time
from collections.abc import Sequence
from datetime import datetime
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from apps.fleet.devices.device_history import GAP, DevicePlacement, condensed, placements
from apps.fleet.devices.observation import DeviceObservation
from apps.fleet.devices.related_observations import MOST_DESCRIPTIONS
from tests.apps.fleet.devices.observations import HOUR, seen
from tests.cast.make import AT


def seated(*sightings: DeviceObservation, host: str = "gpu017") -> list[DevicePlacement]:
    return placements(sightings, hosts={host})


def told(found: Sequence[DevicePlacement]) -> list[tuple[object, ...]]:
    """Return index, UUID, address and the span in hours."""
    return [
        (
            placement.index,
            placement.uuid,
            placement.pci,
            (placement.since - AT) / HOUR,
            None if placement.until is None else (placement.until - AT) / HOUR,
        )
        for placement in found
    ]


def test_a_board_in_the_place_of_another_ends_its_stay() -> None:
    found = seated(
        seen(0, 10, index=3, uuid="old", pci="x"), seen(20, 30, index=3, uuid="new", pci="x")
    )
    assert told(found) == [(3, "new", "x", 20, None), (3, "old", "x", 0, 20)]
    assert [(placement.last_seen_at - AT) / HOUR for placement in found] == [30, 10]


def test_a_late_report_splits_an_older_stay_and_leaves_the_newest_alone() -> None:
    early, late = seen(0, 1, index=3, uuid="a", pci="x"), seen(90, 91, index=3, uuid="a", pci="x")
    assert told(seated(early, late)) == [(3, "a", "x", 0, None)]
    between = seen(40, 50, index=3, uuid="b", pci="x")
    assert told(seated(early, late, between)) == [
        (3, "a", "x", 0, 40),
        (3, "a", "x", 90, None),
        (3, "b", "x", 40, 90),
    ]


def test_a_swap_for_minutes_interrupts_what_was_seen_before_and_after_it() -> None:
    found = seated(
        seen(0, 2, index=3, uuid="a", pci="x"),
        seen(2.25, 2.5, index=3, uuid="b", pci="x"),
        seen(2.75, 9, index=3, uuid="a", pci="x"),
    )
    assert told(found) == [
        (3, "a", "x", 0, 2.25),
        (3, "a", "x", 2.5, None),
        (3, "b", "x", 2.25, 2.5),
    ]


def test_indexes_shift_when_a_board_is_missing_after_a_reboot() -> None:
    boards = ["a", "b", "c", "d"]
    before = [seen(0, 10, index=n, uuid=b, pci=f"p{b}") for n, b in enumerate(boards)]
    without_b = [seen(11, 20, index=n, uuid=b, pci=f"p{b}") for n, b in enumerate("acd")]
    found = seated(*before, *without_b)
    at_15 = {
        placement.uuid: (placement.index, placement.pci)
        for placement in found
        if placement.since <= AT + 15 * HOUR
        and (placement.until is None or placement.until > AT + 15 * HOUR)
    }
    assert at_15 == {"a": (0, "pa"), "b": (None, "pb"), "c": (1, "pc"), "d": (2, "pd")}
    assert (3, "d", "pd", 0, 11) in told(found)


def test_a_board_that_moved_to_another_host_left_the_first() -> None:
    moved = [
        seen(0, 10, index=3, uuid="a", pci="x"),
        seen(30, 40, host="gpu018", index=5, uuid="a", pci="y"),
    ]
    assert told(seated(*moved)) == [(3, "", "x", 30, None), (3, "a", "x", 0, 30)]
    assert told(seated(*moved, host="gpu018")) == [(5, "a", "y", 30, None)]


def test_a_board_whose_index_another_took_and_whose_address_nobody_knows_is_gone() -> None:
    found = seated(seen(0, 10, index=3, uuid="a"), seen(11, 20, index=3, uuid="b"))
    assert told(found) == [(3, "a", "", 0, 11), (3, "b", "", 11, None)]


def test_exporters_that_know_different_names_tell_of_one_part() -> None:
    found = seated(
        seen(0, 10, index=3, uuid="a"),
        seen(1, 10, uuid="a", pci="x"),
        seen(2, 10, uuid="a"),
        seen(3, 10, pci="x", model="H100"),
    )
    assert told(found) == [(3, "a", "x", 0, None)]
    assert found[0].model == "H100"


def test_a_board_known_by_uuid_alone_still_has_a_host() -> None:
    assert told(seated(seen(0, 10, uuid="a"))) == [(None, "a", "", 0, None)]


def test_of_two_that_contradict_each_other_at_once_the_later_begun_counts() -> None:
    found = seated(seen(0, 100, index=3, uuid="a"), seen(50, 100, index=3, uuid="b"))
    assert told(found) == [(3, "a", "", 0, 50), (3, "b", "", 50, None)]


def test_adapters_are_told_apart_by_name_and_address() -> None:
    found = seated(
        seen(0, kind="nic", name="mlx5_0", pci="x", netdev="ib0"),
        seen(0, kind="nic", name="mlx5_1", pci="y"),
        seen(30, kind="nic", name="mlx5_0", pci="z"),
    )
    assert [(s.name, s.pci, s.netdev, s.until is None) for s in found] == [
        ("", "x", "ib0", True),
        ("mlx5_0", "x", "ib0", False),
        ("mlx5_1", "y", "", True),
        ("mlx5_0", "z", "", True),
    ]


def test_sightings_close_to_each_other_are_one() -> None:
    pulled = [seen(minutes / 6, index=0, uuid="a") for minutes in range(1000)]
    (one,) = condensed(pulled)
    assert one.ends_at - one.starts_at == 999 / 6 * HOUR
    assert len(condensed([seen(0, uuid="a"), seen((GAP / HOUR) + 0.1, uuid="a")])) == 2


def test_three_thousand_parts_with_spans_of_their_own_are_seated_in_seconds() -> None:
    own = [seen(-2 * n - 1, -2 * n, index=n, uuid=f"u{n}", pci=f"p{n}") for n in range(3000)]
    began = time.process_time()
    assert len(seated(*own)) == 3000
    assert time.process_time() - began < 3  # each beside each took minutes


def test_one_name_on_three_hundred_hosts_is_no_board_and_costs_no_more() -> None:
    own = [seen(n, n + 0.1, host=f"h{n}", index=0, serial="0") for n in range(0, 600, 2)]
    began = time.process_time()
    found = placements(own, hosts={each.host for each in own})
    assert [placement.until for placement in found] == [None] * 300
    assert time.process_time() - began < 3


def test_of_a_place_with_ever_new_boards_the_last_ones_count() -> None:
    own = [seen(2 * n, 2 * n + 1, index=0, uuid=f"u{n:04d}") for n in range(1000)]
    began = time.process_time()
    found = seated(*own)
    assert {placement.uuid for placement in found if placement.until is None} == {"u0999"}
    assert len(found) == MOST_DESCRIPTIONS
    assert time.process_time() - began < 3


sightings = st.lists(
    st.builds(
        lambda start, length, host, index, uuid, pci: seen(
            start, start + length, host=host, index=index, uuid=uuid, pci=pci
        ),
        st.integers(0, 200),
        st.integers(0, 40),
        st.sampled_from(["gpu017", "gpu018"]),
        st.sampled_from([None, 0, 1, 2]),
        st.sampled_from(["", "a", "b", "c"]),
        st.sampled_from(["", "x", "y"]),
    ).filter(lambda one: bool(one.names)),
    max_size=12,
)


@given(sightings, st.randoms(use_true_random=False))
@settings(max_examples=60, deadline=None)
def test_any_order_and_any_cut_of_reports_gives_the_same_seats(
    reports: list[DeviceObservation], chance: random.Random
) -> None:
    whole = placements(reports, hosts={"gpu017", "gpu018"})
    chance.shuffle(reports)
    stored: list[DeviceObservation] = []
    while reports:
        size = chance.randint(1, len(reports))
        stored, reports = condensed([*stored, *reports[:size], *reports[:size]]), reports[size:]
    assert placements(stored, hosts={"gpu017", "gpu018"}) == whole


@given(sightings)
@settings(max_examples=60, deadline=None)
def test_no_place_holds_two_parts_at_once_and_no_board_sits_twice(
    reports: list[DeviceObservation],
) -> None:
    found = placements(reports, hosts={"gpu017", "gpu018"})
    far = datetime.max.replace(tzinfo=AT.tzinfo)
    for one, other in combinations(found, 2):
        if max(one.since, other.since) < min(one.until or far, other.until or far):
            same = one.names.items() & other.names.items()
            shared = {name for name, _ in same} - (set() if one.host == other.host else {"pci"})
            assert not (shared if one.host == other.host else shared & {"uuid"}), (one, other)


@given(sightings)
@settings(max_examples=60, deadline=None)
def test_every_sighted_name_has_a_seat_that_ever_held_it(reports: list[DeviceObservation]) -> None:
    found = placements(reports, hosts={"gpu017", "gpu018"})
    for one in found:
        assert one.until is None or one.until > one.since
        assert one.last_seen_at <= (one.until or one.last_seen_at)
    hosts = {placement.host for placement in found}
    assert hosts <= {seen.host for seen in reports}
