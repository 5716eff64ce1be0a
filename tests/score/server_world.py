"""Generated servers, minute by minute, with healthy happenings and labelled incidents. Simulated.

Four kinds of servers of 30 metrics: a daily load with its slow and quick wanderings, a nightly
job, metrics that follow one or two of them with noise of their own, counters that are zero but for
rare events. Healthy happenings, jumps of a few metrics for 1 to 60 minutes, lie in what is learnt
and in what is judged alike; the drifting kind creeps and is deployed anew as well. Twelve incidents
of six kinds lie in what is judged. No recorded server stands behind it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from apps.diagnosis.stats import Floats, Mask

MINUTES_AN_HOUR, DAY = 60, 1440
ROWS: Final = 12_000  # to learn, and as many to judge
COLUMNS: Final = 30
INCIDENTS: Final = 12
# Of each kind: counters that are zero but for rare events, healthy happenings a day.
KINDS: Final = {"steady": (4, 0.3), "bursty": (10, 1.5), "drifting": (6, 0.5), "quiet": (18, 0.4)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """One generated server, scaled so that each metric lies within 0 and 1."""

    kind: str
    train: Floats
    test: Floats
    label: Mask


@dataclass(frozen=True, slots=True, kw_only=True)
class Incident:
    """The rows of an incident, to be changed in place, and what it needs to know of the server."""

    random: np.random.Generator
    rows: Floats
    before: Floats  # as many rows, from some hours before
    columns: list[int]
    spread: Floats  # of those columns, in healthy rows
    lowest: Floats
    strength: float  # in spreads


def server(kind: str, seed: int) -> Server:
    """Generate a server of a kind."""
    random = np.random.default_rng([seed, list(KINDS).index(kind)])
    rows = _healthy(random, kind)
    label = np.zeros(len(rows), dtype=bool)
    spread, lowest = np.maximum(rows[:ROWS].std(axis=0), 0.05), np.quantile(rows, 0.002, axis=0)
    begins = random.permutation(np.arange(ROWS + 300, len(rows) - 400, 500))[:INCIDENTS]
    for number, begin in enumerate(begins.tolist()):
        start = begin + int(random.integers(150))
        minutes = int(random.integers(8, 120))
        columns = sorted(random.choice(COLUMNS, int(random.integers(4, 14)), replace=False))
        one = Incident(
            random=random,
            rows=rows[start : start + minutes],
            before=rows[start - 250 : start - 250 + minutes].copy(),
            columns=columns,
            spread=spread[columns],
            lowest=lowest[columns],
            strength=float(np.exp(random.uniform(np.log(2.5), np.log(12)))),
        )
        WRITERS[number % len(WRITERS)](one)
        label[start : start + minutes] = True
    low, high = rows.min(axis=0), rows.max(axis=0)
    rows = (rows - low) / np.where(high > low, high - low, 1.0)
    return Server(kind=kind, train=rows[:ROWS], test=rows[ROWS:], label=label[ROWS:])


def _healthy(random: np.random.Generator, kind: str) -> Floats:
    zero, happenings = KINDS[kind]
    rows = _followers(random)
    for column in range(zero):
        is_event = random.random(len(rows)) < 10 ** random.uniform(-4, -1.5)
        size = random.exponential(1.0, len(rows)) * random.uniform(0.2, 3)
        rows[:, column] = np.where(is_event, size, 0.0)
    for _ in range(random.poisson(happenings * len(rows) / DAY)):
        start = int(random.integers(len(rows) - 200))
        end = start + int(random.choice([1, 2, 5, 15, 60]))
        some = random.choice(COLUMNS, int(random.integers(1, 8)), replace=False)
        size = random.uniform(1, 6) * random.choice([1, 1, 1, -1])
        rows[start:end, some] += size * rows[:, some].std(axis=0)
    if kind == "drifting":
        _creep(random, rows)
    return rows


def _followers(random: np.random.Generator) -> Floats:
    """Return metrics that follow the load, the storage, the nightly job or a slow wandering."""
    count = 2 * ROWS
    slow = _wandering(random, count, 0.999)
    daily = 0.45 * np.sin(2 * np.pi * (np.arange(count) / DAY + random.random()))
    load = 1 + daily + 0.3 * slow + 0.15 * _wandering(random, count, 0.9)
    load = np.maximum(load, 0.05)
    job = np.zeros(count)
    for day in range(count // DAY + 1):
        start = day * DAY + int(random.integers(100, 130))
        job[start : start + int(random.integers(20, 60))] = float(random.random() < 0.9)
    storage = 0.5 * load + 1.5 * job * random.uniform(0.8, 1.2, count)
    storage = np.maximum(storage + 0.1 * _wandering(random, count, 0.95), 0)
    shared = np.stack([load, storage, job, 0.3 * slow])
    rows = np.empty((count, COLUMNS))
    for column in range(COLUMNS):
        weights = np.zeros(4)
        weights[random.integers(4)] = 1.0
        weights[random.integers(4)] += random.uniform(0, 0.4)
        is_heavy = random.random() < 0.4
        noise = random.standard_t(4, count) if is_heavy else random.standard_normal(count)
        values = weights @ shared + random.uniform(0.02, 0.25) * noise
        rows[:, column] = np.exp(0.6 * values) if random.random() < 0.3 else values
    return rows


def _creep(random: np.random.Generator, rows: Floats) -> None:
    for column in random.choice(COLUMNS, 8, replace=False).tolist():
        way = np.cumsum(random.normal(0, 0.02, len(rows)))
        rows[:, column] += 0.3 * way * rows[:, column].std()
    for _ in range(5):
        some = random.choice(COLUMNS, int(random.integers(2, 8)), replace=False)
        size = random.uniform(-2, 2, len(some)) * rows[:, some].std(axis=0)
        rows[int(random.integers(len(rows))) :, some] += size


def _wandering(random: np.random.Generator, count: int, memory: float) -> Floats:
    """Return a wandering of variance 1 that keeps `memory` of itself each minute."""
    now, way = 0.0, np.empty(count)
    for at, push in enumerate((random.normal(size=count) * np.sqrt(1 - memory**2)).tolist()):
        now = memory * now + push
        way[at] = now
    return way


def _overload(one: Incident) -> None:
    share = one.random.uniform(0.4, 1, len(one.columns))
    one.rows[:, one.columns] += one.strength * one.spread * share


def _standstill(one: Incident) -> None:
    noise = one.random.standard_normal((len(one.rows), len(one.columns)))
    one.rows[:, one.columns] = one.lowest + 0.02 * one.spread * noise


def _errors(one: Incident) -> None:
    """Bursts of a few metrics, every other minute."""
    shape = (len(one.rows), 4)
    size = one.random.exponential(one.strength, shape) * (one.random.random(shape) < 0.5)
    one.rows[:, one.columns[:4]] += size * one.spread[:4]


def _leak(one: Incident) -> None:
    one.rows[:, one.columns] += np.linspace(0, one.strength, len(one.rows))[:, None] * one.spread


def _apart(one: Incident) -> None:
    """Metrics that follow nothing any more, each within its own range."""
    noise = one.random.standard_normal((len(one.rows), len(one.columns)))
    shuffled = one.random.permutation(one.before[:, one.columns])
    one.rows[:, one.columns] = shuffled + 0.15 * one.strength * one.spread * noise


def _flapping(one: Incident) -> None:
    is_up = (np.arange(len(one.rows)) // 3) % 2
    one.rows[:, one.columns] += one.strength * one.spread * is_up[:, None]


WRITERS: tuple[Callable[[Incident], None], ...] = (
    _overload,
    _standstill,
    _errors,
    _leak,
    _apart,
    _flapping,
)
