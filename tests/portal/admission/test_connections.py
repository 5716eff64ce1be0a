"""Open connections: none stays that does nothing, and those who do something find room."""

from dataclasses import dataclass

import pytest

from portal.admission.connections import HEADER_SECONDS, UNREAD_SECONDS, Caps, Connections


@dataclass(eq=False, kw_only=True)
class Line:
    """One connection as the protocol notes it."""

    network: str = "192.0.2.1"
    idle_since: float | None = None
    is_begun: bool = True
    blocked_since: float | None = None
    is_aborted: bool = False

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
