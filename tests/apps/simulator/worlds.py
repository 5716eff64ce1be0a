"""Worlds that several tests look at; made once, since they never change."""

from functools import cache

from apps.simulator.metrics_server.store import SeriesStore
from apps.simulator.world.world import World, make_world

EPOCH = 1_795_221_720.0
LIVE_AT = EPOCH + 26.0


@cache
def world(seed: int = 7) -> World:
    """Return a world whose live scenario was struck."""
    return make_world(seed=seed, epoch=EPOCH, live_at=LIVE_AT)


@cache
def store(party: str = "aurora") -> SeriesStore:
    """Return the series of a party."""
    return SeriesStore(world=world(), party=party)
