"""Look-ups at an instant, and what became another, over the same history."""

from datetime import datetime

import pytest

from apps.diagnosis.model import Device
from apps.fleet.devices.device_changes import changes
from apps.fleet.devices.device_history import placements
from apps.fleet.devices.device_lookup import DeviceRoster, LocatedDevice, Sureness, _order
from apps.fleet.devices.observation import DeviceObservation
from tests.apps.fleet.devices.observations import HOUR, seen
from tests.cast.make import AT

# Board a fails in gpu017 and goes to gpu018 after repair; c takes its place. Seen at single hours.
HISTORY: tuple[DeviceObservation, ...] = (
    seen(0, 0.5, index=0, uuid="a", pci="x", model="H100"),
    seen(0, 0.5, index=1, uuid="b", pci="y"),
    seen(20, 21, index=0, uuid="a", pci="x"),
    seen(20, 21, index=1, uuid="b", pci="y"),
    seen(30, 31, index=0, uuid="b", pci="y"),
    seen(40, 90, index=0, uuid="c", pci="x"),
    seen(40, 90, index=1, uuid="b", pci="y"),
    seen(70, 90, host="gpu018", index=0, uuid="a", pci="x"),
)
STAYS = placements(HISTORY, hosts={"gpu017", "gpu018"})


def at(hours: float) -> datetime:
    return AT + hours * HOUR


def look_up(
    roster: DeviceRoster,
    *,
    at: datetime,
    kind: str = "gpu",
    host: str | None = None,
    **names: object,
) -> LocatedDevice | None:
    """Return the part that had these names then; what fits two parts finds none."""
    wanted = {**names, **({"host": host} if host else {})}.items()
    met = [
        found
        for said, found in roster._at(at)
        if found.device.kind == kind and wanted <= said.items()
    ]
    return met[0] if len(met) == 1 else None


def found(hours: float, **names: object) -> LocatedDevice | None:
    return look_up(DeviceRoster(STAYS), at=at(hours), **{"host": "gpu017", **names})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("hours", "names", "uuid", "sureness"),
    [
        (-48, {"index": 0}, "a", Sureness.ASSUMED),
        (20.5, {"index": 0}, "a", Sureness.SEEN),
        (25, {"pci": "x"}, "a", Sureness.HELD),
        (30.5, {"index": 0}, "b", Sureness.SEEN),
        (30.5, {"pci": "x"}, "a", Sureness.HELD),
        (50, {"index": 0}, "c", Sureness.SEEN),
        (50, {"pci": "x"}, "c", Sureness.SEEN),
        (1000, {"pci": "x"}, "c", Sureness.HELD),
    ],
)
def test_a_place_is_asked_by_time(
    hours: float, names: dict[str, object], uuid: str, sureness: Sureness
) -> None:
    answer = found(hours, **names)
    assert answer is not None
    assert (answer.device.uuid, answer.sureness) == (uuid, sureness)


@pytest.mark.parametrize(
    ("hours", "host", "index"), [(-1, "gpu017", 0), (35, "gpu017", None), (80, "gpu018", 0)]
)
def test_a_board_is_found_wherever_it_sat(hours: float, host: str, index: int | None) -> None:
    answer = look_up(DeviceRoster(STAYS), at=at(hours), uuid="a")
    assert answer is not None
    assert (answer.device.host, answer.device.index) == (host, index)


def test_nothing_is_known_of_a_place_that_nobody_told_of() -> None:
    assert found(50, index=7) is None
    assert found(50, host="gpu099", index=0) is None
    assert found(-1, host="gpu018", index=0) is None  # its board was elsewhere then


def test_a_kernel_line_that_names_an_address_finds_index_and_uuid() -> None:
    answer = found(20.5, pci="x")
    assert answer is not None
    assert answer.device == Device(
        kind="gpu", host="gpu017", index=0, uuid="a", pci="x", name="H100"
    )


def test_two_parties_that_know_different_names_tell_of_one_part() -> None:
    theirs = placements([seen(0, index=0, uuid="a")], hosts={"gpu017"})
    ours = placements([seen(1, uuid="a", pci="x")], hosts={"gpu017"})
    (one,) = DeviceRoster([*theirs, *ours]).parts(at=at(2), hosts={"gpu017"})
    assert one.device == Device(kind="gpu", host="gpu017", index=0, uuid="a", pci="x")


def test_what_became_another_is_told_once_with_the_time_between() -> None:
    told = changes(placements=STAYS, hosts={"gpu017", "gpu018"}, starts_at=at(-1), ends_at=at(99))
    assert [(each.kind, each.placement.uuid, each.former.uuid, each.at) for each in told] == [
        ("renumbered", "b", "b", at(30)),
        ("renumbered", "b", "b", at(40)),
        ("replaced", "c", "a", at(40)),
        ("moved", "a", "a", at(70)),
    ]
    assert told[-2].last_seen_at == at(21)


def test_changes_of_other_hosts_and_times_are_not_told() -> None:
    assert not changes(placements=STAYS, hosts={"gpu018"}, starts_at=at(-1), ends_at=at(60))
    assert not changes(placements=STAYS, hosts={"gpu017"}, starts_at=at(41), ends_at=at(99))


def test_a_board_at_an_index_without_an_address_is_replaced_there() -> None:
    found = placements(
        [seen(0, 1, index=3, uuid="a"), seen(9, index=3, uuid="b")], hosts={"gpu017"}
    )
    (told,) = changes(placements=found, hosts={"gpu017"}, starts_at=at(0), ends_at=at(10))
    assert (told.kind, told.former.uuid) == ("replaced", "a")


def test_parts_stand_in_the_order_of_their_hosts_numbers_and_names() -> None:
    told = [
        Device(kind="gpu", host="n1", index=0),
        Device(kind="gpu", host="n1", index=1),
        Device(kind="nic", host="n1", name="mlx5_0", uuid="b"),
        Device(kind="nic", host="n1", name="mlx5_1", uuid="a"),
        Device(kind="gpu", host="n2"),
        Device(kind="gpu", host="n2", uuid="a"),
        Device(kind="gpu", host="n2", uuid="b"),
        Device(kind="gpu", host="n2", index=0),
    ]
    shuffled = [told[place] for place in (6, 0, 3, 7, 1, 5, 2, 4)]
    assert sorted(shuffled, key=_order) == told
    assert min([told[0], Device(kind="gpu")], key=_order).host is None
