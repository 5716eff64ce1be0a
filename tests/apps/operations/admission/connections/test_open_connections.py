"""Open connections: none stays that does nothing, and those who do something find room."""

from dataclasses import dataclass

import pytest

from apps.operations.admission.connections.open_connections import (
    HEADER_SECONDS,
    UNREAD_SECONDS,
    Caps,
    Connections,
)


@dataclass(eq=False, kw_only=True)
class Line:
    """One connection as the protocol notes it."""

    network: str = "192.0.2.1"
    idle_since: float | None = None
    is_begun: bool = True
    is_served: bool = True
    blocked_since: float | None = None
    asked_at: float = 0.0
    late: float = 0.0
    proxied: str = ""
    is_aborted: bool = False

    @property
    def sender(self) -> str:
        """Who asks."""
        return self.proxied or self.network

    def behind(self, *, now: float) -> float:
        """For how long its body should have been here."""
        return self.late

    def abort(self) -> None:
        """End it."""
        self.is_aborted = True


@pytest.fixture
def connections() -> Connections:
    """Room for ten, four of them of one address."""
    return Connections(caps=Caps(total=10, each=4))


def test_headers_that_do_not_come_end_the_connection(connections: Connections) -> None:
    half, working = Line(idle_since=0.0), Line()
    kept = Line(idle_since=0.0, is_begun=False)  # it waits for its next request
    for line in (half, working, kept):
        connections.add(line)

    connections.end_stale(now=HEADER_SECONDS)
    assert not half.is_aborted
    connections.end_stale(now=HEADER_SECONDS + 1)

    assert [line.is_aborted for line in (half, working, kept)] == [True, False, False]


def test_an_answer_that_nobody_reads_ends_the_connection(connections: Connections) -> None:
    blocked = Line(blocked_since=0.0)
    connections.add(blocked)

    connections.end_stale(now=UNREAD_SECONDS)
    assert not blocked.is_aborted
    connections.end_stale(now=UNREAD_SECONDS + 1)

    assert blocked.is_aborted


def test_who_opens_too_many_loses_the_one_that_is_idle_longest(connections: Connections) -> None:
    lines = [Line(idle_since=float(n)) for n in range(4)]
    other = Line(network="192.0.2.2", idle_since=0.0)
    for line in (*lines, other):
        connections.add(line)

    assert connections.add(Line())
    assert [line.is_aborted for line in (*lines, other)] == [True, False, False, False, False]
    assert len(connections) == 5


def test_connections_at_work_are_never_ended_for_a_new_one(connections: Connections) -> None:
    working = [Line() for _ in range(4)]
    for line in working:
        connections.add(line)
    fifth = Line()

    assert not connections.add(fifth)
    assert not any(line.is_aborted for line in working)
    connections.remove(fifth)
    assert len(connections) == 4


def test_a_full_portal_makes_room_at_the_cost_of_who_has_most(connections: Connections) -> None:
    crowd = [Line(network=f"192.0.2.{n % 2}", idle_since=9.0) for n in range(8)]
    quiet = [Line(network=f"198.51.100.{n}", idle_since=0.0) for n in range(2)]
    for line in (*crowd, *quiet):
        connections.add(line)

    assert connections.add(Line(network="203.0.113.1"))
    assert sum(line.is_aborted for line in crowd) == 1
    assert not any(line.is_aborted for line in quiet)


def test_who_has_not_sent_all_makes_room_for_who_just_came(connections: Connections) -> None:
    working = [Line(network=f"198.51.100.{n}") for n in range(2)]
    crowd = [Line(network=f"192.0.2.{n % 2}", is_served=False, asked_at=n) for n in range(8)]
    for line in (*working, *crowd):
        connections.add(line)

    assert connections.add(Line(network="203.0.113.1"))
    assert [line.is_aborted for line in crowd] == [True] + 7 * [False]
    assert not any(line.is_aborted for line in working)


def test_idle_ones_go_before_slow_ones_and_those_before_who_only_waits(
    connections: Connections,
) -> None:
    waiting = [Line(network=f"192.0.2.{n % 2}", is_served=False) for n in range(7)]
    slow = Line(network="198.51.100.1", is_served=False, late=3.0)
    unread = Line(network="198.51.100.2", blocked_since=0.0)
    idle = Line(network="198.51.100.3", idle_since=0.0)
    for line in (*waiting, slow, unread, idle):
        connections.add(line)

    went = []
    for number in range(3):
        assert connections.add(Line(network=f"203.0.113.{number}"))
        went.append([each.is_aborted for each in (idle, unread, slow)])

    assert went == [[True, False, False], [True, True, False], [True, True, True]]
    assert not any(line.is_aborted for line in waiting)


def test_behind_a_proxy_room_is_made_by_the_sender_with_most() -> None:
    opened = Connections(caps=Caps(total=4, each=4))
    crowd = [Line(network="10.0.0.1", proxied="192.0.2.1", is_served=False) for _ in range(3)]
    other = Line(network="10.0.0.1", proxied="198.51.100.1", is_served=False, asked_at=-9.0)
    for line in (*crowd, other):
        opened.add(line)

    assert opened.add(Line(network="10.0.0.1", idle_since=0.0))
    assert sum(line.is_aborted for line in crowd) == 1
    assert not other.is_aborted


def test_many_who_come_at_once_cost_one_look_at_all() -> None:
    looks = 0

    class Counted(Line):
        def behind(self, *, now: float) -> float:
            nonlocal looks
            looks += 1
            return 0.0

    opened = Connections(caps=Caps(total=200, each=200))
    for number in range(200):
        opened.add(Counted(network=f"192.0.2.{number}", is_served=False))
    for number in range(100):
        assert opened.add(Line(network=f"198.51.100.{number}", is_served=False))

    assert len(opened) == 200
    assert looks < 2 * 200 + 100
