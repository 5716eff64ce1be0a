"""Chance without state: a hash of the seed and a name, so any moment can be computed alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Item = TypeVar("Item")
Floats = NDArray[np.float64]

_GAMMA = np.uint64(0x9E3779B97F4A7C15)  # the constants of splitmix64
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


def digest(*, seed: int, name: str) -> int:
    """Return 64 bits that depend on nothing but the seed and the name."""
    key = seed.to_bytes(8, "big", signed=True)
    return int.from_bytes(blake2b(name.encode(), key=key, digest_size=8).digest(), "big")


def uniform(*, key: NDArray[np.uint64], tick: NDArray[np.uint64]) -> Floats:
    """Return one float in [0, 1) per key (rows) and tick (columns)."""
    with np.errstate(over="ignore"):
        z = key[:, None] + tick[None, :] * _GAMMA
        z = (z ^ (z >> np.uint64(30))) * _MIX_1
        z = (z ^ (z >> np.uint64(27))) * _MIX_2
        z ^= z >> np.uint64(31)
    return np.asarray((z >> np.uint64(11)) * (1.0 / (1 << 53)), dtype=np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dice:
    """Named throws: a seed and a name always give the same result, whatever was thrown before."""

    seed: int

    def at(self, name: str) -> "Dice":
        """Return dice of their own for one subject."""
        return Dice(seed=digest(seed=self.seed, name=name) >> 1)

    def fraction(self, name: str) -> float:
        """Return a float in [0, 1)."""
        return digest(seed=self.seed, name=name) / 2.0**64

    def between(self, name: str, low: float, high: float) -> float:
        """Return a float in [low, high)."""
        return low + (high - low) * self.fraction(name)

    def integer(self, name: str, low: int, high: int) -> int:
        """Return an integer in [low, high]."""
        return low + digest(seed=self.seed, name=name) % (high - low + 1)

    def choice(self, name: str, items: Sequence[Item]) -> Item:
        """Return one of the items."""
        return items[digest(seed=self.seed, name=name) % len(items)]

    def shuffled(self, name: str, items: Sequence[Item]) -> list[Item]:
        """Return the items in an order of their own."""
        keyed = [(digest(seed=self.seed, name=f"{name}/{i}"), i) for i in range(len(items))]
        return [items[i] for _, i in sorted(keyed)]

    def sample(self, name: str, items: Sequence[Item], count: int) -> list[Item]:
        """Return `count` different items."""
        return self.shuffled(name, items)[:count]
