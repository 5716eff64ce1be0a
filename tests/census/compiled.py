"""The names and happenings of a seed as arrays: a tile is computed without loops over names."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tests.census.drivers import INDEX
from tests.census.effects import Effect, Happenings, strength
from tests.census.life import GPUS, NODES, START
from tests.census.names import KINDS, Name, names

Floats = NDArray[np.float32]
Wide = NDArray[np.float64]
Numbers = NDArray[np.int64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """One row per name, in the order of `names()`."""

    names: tuple[Name, ...]
    rows: dict[str, int]  # name → row
    parts: dict[str, slice]  # kind → its rows
    weights: Floats  # (names, drivers)

    def column(self, attribute: str) -> Wide:
        """Return one attribute of all names."""
        return np.array([float(getattr(n, attribute)) for n in self.names])

    def rows_of(self, exporter: str) -> Numbers:
        """Return the rows that one exporter serves."""
        return np.array([i for i, n in enumerate(self.names) if n.exporter == exporter])


@lru_cache(maxsize=1)
def table() -> Table:
    """Return the names as a table."""
    found = names()
    weights = np.zeros((len(found), len(INDEX)), dtype=np.float32)
    for row, name in enumerate(found):
        for driver, weight in name.terms.items():
            weights[row, INDEX[driver]] = weight
    kinds = [KINDS.index(n.kind) for n in found]
    edges = np.searchsorted(kinds, np.arange(len(KINDS) + 1))
    parts = {
        kind: slice(int(a), int(b)) for kind, a, b in zip(KINDS, edges[:-1], edges[1:], strict=True)
    }
    rows = {name.name: row for row, name in enumerate(found)}
    return Table(names=found, rows=rows, parts=parts, weights=weights)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Ready:
    """An effect whose names are rows and whose amount is that of the reduced value."""

    effect: Effect
    rows: Numbers
    hosts: Numbers
    amounts: Floats  # one a row
    rests: Floats  # one a row: what `set` leaves of the former value


def ready(effect: Effect) -> Ready:
    """Resolve an effect on one GPU into what the reduction over its node shows of it."""
    rows = [table().rows[name] for name in effect.names]
    found = [_reduced(effect, table().names[row]) for row in rows]
    return Ready(
        effect=effect,
        rows=np.array(rows),
        hosts=np.array(effect.hosts),
        amounts=np.array([amount for amount, _ in found], dtype=np.float32),
        rests=np.array([rest for _, rest in found], dtype=np.float32),
    )


def _reduced(effect: Effect, name: Name) -> tuple[float, float]:
    """Return the amount and, for `set`, the share of the former value that stays."""
    amount = effect.amount
    if effect.gpu is None or name.devices == 1:
        return amount, 0.0
    rest = 1.0 - 1.0 / name.devices
    if name.reduction == "mean":
        return amount / name.devices, rest
    if name.reduction == "sum":
        return (amount / name.devices if effect.operation == "scale" else amount), rest
    if effect.operation in {"scale", "add"}:
        return (max(amount, 0.0) if name.reduction == "max" else min(amount, 0.0)), 0.0
    return amount, 0.0


def apply(*, what: Ready, values: Floats, rows: Numbers, columns: Numbers, times: Wide) -> None:
    """Change values (rows, nodes, times) in place; `rows` and `columns` say where its parts are."""
    a = int(np.searchsorted(times, what.effect.starts_at))
    b = int(np.searchsorted(times, what.effect.ends_at))
    if a >= b:
        return
    share = strength(what.effect, times[a:b]).astype(np.float32)
    where = np.ix_(rows, columns, np.arange(a, b))
    former = values[where]
    amounts = what.amounts[:, None, None]
    operation = what.effect.operation
    if operation == "scale":
        changed = former * (1 + amounts * share)
    elif operation == "add":
        changed = former + amounts * share
    elif operation == "cap":
        changed = np.where(share > 0, np.minimum(former, amounts), former)
    else:
        changed = _set(what, former, amounts, share)
    values[where] = np.maximum(changed, 0)


def _set(what: Ready, former: Floats, amounts: Floats, share: Floats) -> Floats:
    """Set the value of the device that is hit: all of the value, or its part of the reduction."""
    rests = what.rests[:, None, None]
    kinds = np.array([table().names[row].reduction for row in what.rows])[:, None, None]
    is_part = what.effect.gpu is not None
    blended = former + (amounts + rests * former - former) * share
    if not is_part:
        return blended
    single = np.array([table().names[row].devices == 1 for row in what.rows])[:, None, None]
    extreme = np.where(kinds == "max", np.maximum(former, amounts), np.minimum(former, amounts))
    is_extreme = ((kinds == "max") | (kinds == "min")) & ~single
    return np.where(is_extreme, np.where(share > 0, extreme, former), blended)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Counts:
    """All increases of event counters, in the order of time."""

    rows: Numbers  # of the table
    hosts: Numbers
    gpus: Numbers
    at: Wide
    number: Numbers


def counts(*, happenings: Happenings, seed: int) -> Counts:
    """Return the increases, those before the census included."""
    rng = np.random.default_rng([seed, 91])
    found: list[tuple[int, int, int, float, int]] = []
    for row, name in enumerate(table().names):
        if not name.start:
            continue
        many = rng.poisson(name.start * rng.gamma(0.7, 1 / 0.7, NODES)).tolist()
        for host in range(NODES):
            gpu = int(rng.integers(GPUS)) if name.devices > 1 else -1
            if many[host]:
                found.append((row, host, gpu, START - 1.0, many[host]))
    rows = table().rows
    found += [(rows[what], host, gpu, at, n) for what, host, gpu, at, n in happenings.counts]
    found.sort(key=lambda each: each[3])
    return Counts(
        rows=np.array([each[0] for each in found]),
        hosts=np.array([each[1] for each in found]),
        gpus=np.array([each[2] for each in found]),
        at=np.array([each[3] for each in found]),
        number=np.array([each[4] for each in found]),
    )
