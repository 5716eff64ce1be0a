"""A made-up machine: daily rhythm, metrics that move together, rare bursts, a dead column."""

import numpy as np

from apps.diagnosis.stats import Floats

DAY = 1440
COLUMNS = 16
DEAD = 15


def table(*, days: int, seed: int) -> Floats:
    """Return rows of a minute: twelve columns follow the load, two burst, one is coarse, one dead.

    Bursts are rare: a few a day in either column.
    """
    random = np.random.default_rng(seed)
    rows = days * DAY
    load = 1 + 0.5 * np.sin(2 * np.pi * np.arange(rows) / DAY) + 0.05 * random.standard_normal(rows)
    share = np.random.default_rng(7).uniform(0.5, 2, 12)
    followers = load[:, None] * share + 0.05 * random.standard_normal((rows, 12))
    bursts = np.where(random.random((rows, 2)) < 0.004, random.exponential(1.0, (rows, 2)), 0.0)
    steps = np.round(random.standard_normal(rows) * 0.4)
    return np.column_stack([followers, bursts, steps, np.zeros(rows)])


def with_burst(rows: Floats, *, start: int, end: int, columns: tuple[int, ...]) -> Floats:
    """Return the rows with a strong rise of some columns."""
    changed = rows.copy()
    changed[start:end, columns] += 4.0
    return changed
