"""Turns: so many at once, the keys that wait one after the other, none lost."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from apps.operations.admission import fair_queue
from apps.operations.admission.fair_queue import FairQueue
from apps.operations.admission.refusal import RequestRefused

Done = Callable[[], Awaitable[None]]


def queue(*, capacity: int = 1, each: int = 1) -> FairQueue:
    """Return a queue where six may wait, three of one key."""
    return FairQueue(capacity=capacity, each=each, waiting=6, each_waiting=3)


async def settle() -> None:
    """Let everybody who can go on do so."""
    for _ in range(10):
        await asyncio.sleep(0)


async def served(turns: FairQueue, asked: list[str]) -> list[str]:
    """Return the keys in the order in which they got their turn."""
    order: list[str] = []

    async def one(key: str) -> None:
        async with turns.turn(key, seconds=5):
            order.append(key)

    await turns.enter("first", seconds=1)
    waiting = [asyncio.create_task(one(key)) for key in asked]
    await settle()
    turns.leave("first")
    await asyncio.gather(*waiting)
    return order


def test_who_asks_once_does_not_wait_behind_who_asks_often() -> None:
    order = asyncio.run(served(queue(), ["loud", "loud", "loud", "quiet"]))

    assert order.index("quiet") == 1


def test_nobody_holds_more_than_its_part_even_where_nobody_else_asks() -> None:
    async def held() -> int:
        turns = queue(capacity=4, each=2)
        tasks = [asyncio.create_task(turns.enter("loud", seconds=5)) for _ in range(4)]
        await settle()
        for task in tasks:
            task.cancel()
        return turns.inside

    assert asyncio.run(held()) == 2


def test_who_waits_with_too_many_of_its_own_is_told_so_and_others_may_still_wait() -> None:
    async def refusals() -> list[int]:
        turns, found = queue(), []
        await turns.enter("a", seconds=1)
        tasks = [asyncio.create_task(turns.enter(key, seconds=1)) for key in "aaabbb"]
        await settle()
        for key in "ac":
            with pytest.raises(RequestRefused) as refused:
                await turns.enter(key, seconds=1)
            found.append(refused.value.withheld.status)
        for task in tasks:
            task.cancel()
        return found

    assert asyncio.run(refusals()) == [429, 503]


def test_a_turn_that_takes_too_long_to_come_is_a_refusal_and_leaves_no_trace() -> None:
    async def attempt() -> FairQueue:
        turns = queue()
        await turns.enter("a", seconds=1)
        with pytest.raises(RequestRefused):
            await turns.enter("b", seconds=0.01)
        turns.leave("a")
        return turns

    turns = asyncio.run(attempt())
    assert (turns.inside, turns.outside) == (0, 0)


def test_who_goes_away_while_its_turn_comes_takes_none() -> None:
    async def attempt() -> int:
        turns = queue()
        await turns.enter("a", seconds=1)
        gone = asyncio.create_task(turns.enter("b", seconds=1))
        await settle()
        turns.leave("a")  # the turn is b's now
        gone.cancel()
        await settle()
        return turns.inside

    assert asyncio.run(attempt()) == 0


def test_whose_time_ends_as_a_turn_comes_loses_it_to_the_next_and_not_to_nobody() -> None:
    async def story() -> tuple[int, bool]:
        turns = queue()
        await turns.enter("a", seconds=1)
        late = asyncio.create_task(turns.enter("b", seconds=5))
        next_one = asyncio.create_task(turns.enter("c", seconds=5))
        await settle()
        late.cancel()  # its future is cancelled before it is taken out of the queue
        await asyncio.sleep(0)
        turns.leave("a")
        await settle()
        return turns.inside, next_one.done()

    assert asyncio.run(story()) == (1, True)


async def entered(turns: FairQueue, key: str, *, beside: int) -> asyncio.Task[None]:
    """Ask for a turn and let everybody who can go on do so."""
    task = asyncio.create_task(turns.enter(key, seconds=5, beside=beside))
    await settle()
    return task


def test_a_second_of_a_key_waits_while_others_are_in_and_no_longer() -> None:
    async def story() -> list[bool]:
        turns = queue(capacity=4, each=3)
        await turns.enter("page", seconds=1)
        pushes = [await entered(turns, "loud", beside=1) for _ in range(3)]
        beside = [each.done() for each in pushes]
        turns.leave("page")
        await settle()
        return [*beside, *[each.done() for each in pushes]]

    assert asyncio.run(story()) == [True, False, False, True, True, True]


def test_who_may_not_go_beside_others_waits_for_their_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fair_queue, "PATIENCE_SECONDS", 60.0)

    async def story() -> list[bool]:
        turns = queue(capacity=4, each=2)
        await turns.enter("page", seconds=1)
        loud = await entered(turns, "loud", beside=0)
        page = await entered(turns, "other page", beside=2)
        found = [loud.done(), page.done()]
        for key in ("page", "other page"):
            turns.leave(key)
        await settle()
        return [*found, loud.done()]

    assert asyncio.run(story()) == [False, True, True]


def test_where_others_are_always_in_one_goes_beside_them_after_a_while(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(fair_queue, "PATIENCE_SECONDS", 0.02)

    async def story() -> list[bool]:
        turns = queue(capacity=4, each=3)
        await turns.enter("page", seconds=1)
        pushes = [await entered(turns, "loud", beside=0) for _ in range(2)]
        before = [each.done() for each in pushes]
        await asyncio.sleep(0.06)
        return [*before, *[each.done() for each in pushes]]

    assert asyncio.run(story()) == [False, False, True, False]
