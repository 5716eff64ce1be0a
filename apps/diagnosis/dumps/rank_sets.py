"""Sets of ranks ↔ short text: `0-7`, `0-56:8` (every eighth), `3,9`."""

from collections.abc import Collection, Iterator

from apps.diagnosis.input_values import rank_number

MOST_RANKS = 1_000_000


class BadRanks(ValueError):
    """A text that is no set of ranks."""


def packed(*, ranks: Collection[int]) -> str:
    """Return a set of ranks as text; equal sets give equal texts."""
    rest = sorted(set(ranks))
    parts = []
    while rest:
        taken = _run(rest)
        step = rest[1] - rest[0] if taken > 1 else 1
        parts.append(_part(rest[0], rest[taken - 1], step, taken))
        rest = rest[taken:]
    return ",".join(parts)


def unpacked(*, text: str) -> tuple[int, ...]:
    """Return the ranks of a text, ascending. Raises BadRanks."""
    found: set[int] = set()
    for part in filter(None, text.split(",")):
        found.update(_range(part, MOST_RANKS - len(found)))
    return tuple(sorted(found))


def _run(rest: list[int]) -> int:
    """Return how many of the first ranks have the same distance."""
    if len(rest) < 3 or rest[2] - rest[1] != rest[1] - rest[0]:
        return 1
    step, taken = rest[1] - rest[0], 2
    while taken < len(rest) and rest[taken] - rest[taken - 1] == step:
        taken += 1
    return taken


def _part(first: int, last: int, step: int, count: int) -> str:
    if count == 1:
        return str(first)
    return f"{first}-{last}" if step == 1 else f"{first}-{last}:{step}"


def _range(part: str, room: int) -> Iterator[int]:
    span, _, step = part.partition(":")
    first, _, last = span.partition("-")
    numbers = [first, last or first, step or "1"]
    if not all(rank_number(number) is not None for number in numbers):
        raise BadRanks(f"{part[:40]!r} names no ranks")
    start, end, by = map(int, numbers)
    if by < 1 or (end - start) // by >= room:
        raise BadRanks(f"{part[:40]!r} names too many ranks")
    return iter(range(start, end + 1, by))
