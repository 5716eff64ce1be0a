"""The published failure census, simulated: 63 nodes of eight GPUs, 55 days, 751 metric names.

`plan(seed)` lays a seed out, `blocks(census)` computes its values, `close_ups(census)` the GPUs
around failures and in quiet windows. Everything is a pure function of the seed; nothing is stored,
and any block is the same whatever was asked before. All of it is simulated and says so.

Units: instants are Unix seconds. `Block.values` are float32; what an exporter serves is
`Block.base + Block.values`. The base is 0 of gauges and of counters of rare events. Of busy
counters it is the count when the block's six hours began, since float32 could not resolve a
minute's growth of a count of petabytes; where such a counter is set back within the six hours its
base is 0 and its values are absolute. Who leaves the base out sees a counter that restarts four
times a day. NaN is absence and nothing else.

What the bands tell is what a scheduler knows: sessions begin and end, nodes are taken out of
service and come back. It knows neither saves nor loads, nor why a session ended.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.census import drill_down
from tests.census.cases import Label, Precursor, host_name
from tests.census.compiled import Floats, Wide, table
from tests.census.drill_down import CloseUp
from tests.census.life import DAYS, END, NODES, START, Session
from tests.census.names import Name
from tests.census.tiles import Tile, values_of
from tests.census.totals import STEP, TILE_SECONDS, TILES
from tests.census.world import Band, world

__all__ = [
    "Band",
    "Block",
    "Census",
    "CloseUp",
    "Label",
    "Name",
    "Precursor",
    "block_at",
    "blocks",
    "close_ups",
    "plan",
]

HOURS = (1, 2, 3, 6)  # lengths a block may have


@dataclass(frozen=True, kw_only=True, eq=False)
class Census:
    """One seed of the census."""

    seed: int
    days: int
    starts_at: float
    ends_at: float
    hosts: tuple[str, ...]
    names: tuple[Name, ...]
    sessions: tuple[Session, ...]  # `hosts` are positions in the census' hosts
    bands: tuple[Band, ...]
    labels: tuple[Label, ...]  # 10 xid, 7 non-xid and, beside them, the remapping GPU
    simulated: bool = True


@dataclass(frozen=True, kw_only=True, eq=False)
class Block:
    """Some hours of all names on all nodes."""

    start: float
    step: float
    hosts: tuple[str, ...]
    names: tuple[str, ...]
    values: Floats  # (names, hosts, steps); NaN: absent
    base: Wide  # (names, hosts): what to add for the value that the exporter serves
    simulated: bool = True


def plan(seed: int) -> Census:
    """Lay out one seed: who works when, what breaks, and what goes before it."""
    laid_out = world(seed)
    return Census(
        seed=seed,
        days=DAYS,
        starts_at=START,
        ends_at=END,
        hosts=tuple(map(host_name, range(NODES))),
        names=table().names,
        sessions=laid_out.sessions,
        bands=laid_out.bands,
        labels=laid_out.labels,
    )


def blocks(census: Census, hours: int = 6) -> Iterator[Block]:
    """Yield all blocks in the order of time."""
    return (block_at(census, number, hours) for number in range(census.days * 24 // hours))


def block_at(census: Census, number: int, hours: int = 6) -> Block:
    """Return one block, counted from 0, of 1, 2, 3 or 6 hours."""
    if hours not in HOURS:
        raise ValueError(f"blocks of {hours} hours: the lengths are {HOURS}")
    if not 0 <= number < census.days * 24 // hours:
        raise IndexError(f"block {number} of {census.days * 24 // hours}")
    tile, part = divmod(number * hours, 6)
    whole = _tile(census.seed, tile)
    steps = slice(part * 60, (part + hours) * 60)
    return Block(
        start=START + tile * TILE_SECONDS + part * 3600.0,
        step=STEP,
        hosts=census.hosts,
        names=tuple(name.name for name in census.names),
        values=whole.values if hours == 6 else whole.values[:, :, steps].copy(),
        base=whole.base,
    )


def close_ups(census: Census) -> Iterator[CloseUp]:
    """Yield 40 signals of each GPU at 30 s, 2 h to both sides of failures and in quiet windows."""
    return drill_down.close_ups(census.seed)


def _tile(seed: int, number: int) -> Tile:
    if number >= TILES:
        raise IndexError(f"tile {number} of {TILES}")
    return values_of(seed).tile(number)
