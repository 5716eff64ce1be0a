"""An answer that goes on reading while it is sent: in steps, each in a turn of its own."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

from apps.api.exporting import STEP_BYTES, stepwise


def test_rows_are_read_some_at_a_time_each_time_in_a_turn() -> None:
    inside = turns = 0

    @asynccontextmanager
    async def turn() -> AsyncIterator[None]:
        nonlocal inside, turns
        inside, turns = inside + 1, turns + 1
        try:
            yield
        finally:
            inside -= 1

    def rows() -> Iterator[bytes]:
        for _ in range(1000):
            assert inside == 1
            yield b"x" * 1024

    async def sent() -> list[bytes]:
        found = []
        async for each in stepwise(rows(), turn=turn):
            assert inside == 0  # while the reader takes its time
            found.append(each)
        return found

    pieces = asyncio.run(sent())
    assert sum(map(len, pieces)) == 1000 * 1024
    assert max(map(len, pieces)) < STEP_BYTES + 1024
    assert turns == len(pieces) + 1 == 17
