"""Descriptions of parts → parts: what several sources call one thing becomes one thing."""

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Final, TypeAlias

Value: TypeAlias = str | int
Named: TypeAlias = Mapping[str, Value]

# Names of a part, the most lasting first. Two parts of one host share none of them, and a board
# takes only the first two with it to another host.
NAMES: Final = ("uuid", "serial", "pci", "name", "netdev", "index")
OWN: Final = frozenset({"uuid", "serial"})


def united(descriptions: Iterable[Named]) -> list[dict[str, Value]]:
    """Return the parts that these mean, the most credible description first.

    Each is a host and names of `NAMES`. What contradicts a more credible description is taken
    pair by pair, the lasting names first, as far as the pair contradicts nothing.
    """
    parts: dict[tuple[str, ...], dict[str, Value]] = {}
    for said in descriptions:
        names = {name: said[name] for name in NAMES if name in said}
        host = said["host"]
        if _join(parts, names, host):
            continue
        for one, other in combinations(names, 2):
            _join(parts, {one: names[one], other: names[other]}, host)
    return list({id(part): part for part in parts.values()}.values())


def _join(parts: dict[tuple[str, ...], dict[str, Value]], names: Named, host: Value) -> bool:
    """Add names to the one part that they mean, unless they contradict each other."""
    keys = [_key(name, value, host) for name, value in names.items()]
    met = {id(parts[key]): parts[key] for key in keys if key in parts}
    whole: dict[str, Value] = {}
    for said in (*met.values(), {**names, "host": host}):
        for name, value in said.items():
            if whole.setdefault(name, value) != value:
                return False
    for name in NAMES:
        if name in whole:
            parts[_key(name, whole[name], host)] = whole
    return True


def _key(name: str, value: Value, host: Value) -> tuple[str, ...]:
    return (name, str(value)) if name in OWN else (name, str(value), str(host))
