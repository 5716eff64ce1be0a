"""Bytes of bodies held at once: up to the bounds and no further, and who ends where it is full."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from apps.operations.admission.bodies import byte_budget
from apps.operations.admission.bodies.body import announced
from apps.operations.admission.bodies.body_pace import LATE_SECONDS
from apps.operations.admission.bodies.byte_budget import ByteBudget
from apps.operations.admission.refusal import RequestRefused


class Held:
    """A body that is late by some seconds, and gives back what it holds when it is told to."""

    def __init__(self, budget: ByteBudget, key: str, *, late: float = 0.0) -> None:
        self.budget, self.key, self.late, self.is_ended = budget, key, late, False

    def behind(self, *, now: float) -> float:
        """Return how late it is."""
        return self.late

    def give_up(self) -> None:
        """End."""
        self.is_ended = True
        self.budget.give_back(self)


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(byte_budget, "WAIT_SECONDS", 0.0)


def run(work: Callable[[ByteBudget], Awaitable[None]]) -> None:
    """Work with a budget of ten bytes, six for each."""

    async def working() -> None:
        await work(ByteBudget(total=10, each=6))

    asyncio.run(working())


def test_each_may_take_its_share_and_all_together_the_whole() -> None:
    async def work(budget: ByteBudget) -> None:
        await budget.take(Held(budget, "a"), 6)
        await budget.take(Held(budget, "b"), 4)
        assert budget.held == 10

    run(work)


@pytest.mark.parametrize(("key", "count", "status"), [("a", 7, 429), ("b", 5, 503)])
def test_over_its_share_one_is_too_many_and_over_the_whole_the_portal_is_busy(
    key: str, count: int, status: int
) -> None:
    async def work(budget: ByteBudget) -> None:
        await budget.take(Held(budget, "c"), 6)
        with pytest.raises(RequestRefused) as refused:
            await budget.take(Held(budget, key), count)
        assert refused.value.withheld.status == status
        assert budget.held == 6

    run(work)


def test_what_is_given_back_is_free_for_others() -> None:
    async def work(budget: ByteBudget) -> None:
        one = Held(budget, "a")
        await budget.take(one, 3)
        await budget.take(one, 3)
        budget.give_back(one)
        budget.give_back(one)
        await budget.take(Held(budget, "a"), 6)
        assert budget.held == 6

    run(work)


def test_of_the_late_ones_those_of_who_holds_most_end_first_and_no_more_than_needed() -> None:
    async def work(budget: ByteBudget) -> None:
        small = Held(budget, "a", late=LATE_SECONDS + 9)
        large = Held(budget, "b", late=LATE_SECONDS + 1)
        await budget.take(small, 3)
        await budget.take(large, 6)
        await budget.take(Held(budget, "c"), 4)
        assert (small.is_ended, large.is_ended) == (False, True)

    run(work)


def test_where_the_share_is_full_only_its_own_late_ones_end() -> None:
    async def work(budget: ByteBudget) -> None:
        other, own = (Held(budget, key, late=LATE_SECONDS + 1) for key in ("b", "a"))
        await budget.take(other, 4)
        await budget.take(own, 5)
        await budget.take(Held(budget, "a"), 2)
        assert (other.is_ended, own.is_ended) == (False, True)

    run(work)


def test_one_that_is_just_in_time_is_not_ended() -> None:
    async def work(budget: ByteBudget) -> None:
        punctual = Held(budget, "a", late=LATE_SECONDS)
        await budget.take(punctual, 6)
        with pytest.raises(RequestRefused):
            await budget.take(Held(budget, "b"), 5)
        assert not punctual.is_ended

    run(work)


@pytest.mark.parametrize(
    ("headers", "length", "is_expected", "is_empty"),
    [
        ([], 0, False, True),
        ([(b"content-length", b"0")], 0, False, True),
        ([(b"content-length", b"7")], 7, False, False),
        ([(b"transfer-encoding", b"chunked")], None, False, False),
        ([(b"content-length", b"7"), (b"expect", b"100-Continue")], 7, True, False),
        ([(b"content-length", b"7"), (b"expect", b"200-ok")], 7, False, False),
    ],
)
def test_what_headers_announce_of_a_body(
    headers: list[tuple[bytes, bytes]],
    length: int | None,
    *,
    is_expected: bool,
    is_empty: bool,
) -> None:
    said = announced({"headers": headers})
    assert (said.length, said.is_expected, said.is_empty) == (length, is_expected, is_empty)
