"""How fast tables of metrics are scored and columns ranked: ours beside pyod's PCA and fse-baro.

`python -m tests.bench.bench_tables [--repeats 5]`. A made-up machine of 38 metrics and 23,700
rows to learn and as many to score, the median of the repeats. How good the
scores are is measured by `make score`.
"""

import argparse
import importlib
import statistics
import time
import warnings
from collections.abc import Callable

import numpy as np

from apps.diagnosis.detection.baseline.attribution import ranked
from apps.diagnosis.detection.baseline.scoring import advance, usual
from apps.diagnosis.stats import Floats

ROWS, COLUMNS = 23_700, 38
BEFORE, SPAN = 600, 30


def machine(*, seed: int) -> Floats:
    """Return rows of correlated metrics, some of them rare or dead."""
    random = np.random.default_rng(seed)
    shared = random.standard_normal((ROWS, 6)) @ random.standard_normal((6, COLUMNS))
    rows = shared + 0.2 * random.standard_normal((ROWS, COLUMNS))
    rows[:, 30:34] = np.where(random.random((ROWS, 4)) < 0.005, rows[:, 30:34], 0.0)
    rows[:, 34:] = 0.0
    return rows


def median_time(work: Callable[[], object], repeats: int) -> float:
    """Return the median seconds of some work."""
    taken = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def main() -> None:
    """Print points a second, and milliseconds a ranking."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    train, test = machine(seed=1), machine(seed=2)
    known = usual(train)
    points = test.size / 1e6
    ours = points / median_time(lambda: advance(known, known.memory, test), repeats)
    fit = points / median_time(lambda: usual(train), repeats)
    print(f"tables, ours: {ours:.2f} M points/s scored, {fit:.2f} M points/s learnt")  # noqa: T201
    _beside_pca(train, test, ours, repeats)
    _beside_baro(test, repeats)


def _beside_pca(train: Floats, test: Floats, ours: float, repeats: int) -> None:
    try:
        model = importlib.import_module("pyod.models.pca").PCA()
    except ImportError:
        print("tables: pyod is not installed (requirements-bench.txt)")  # noqa: T201
        return
    warnings.simplefilter("ignore")  # it divides by the spread of dead columns
    model.fit(train)
    theirs = test.size / 1e6 / median_time(lambda: model.decision_function(test), repeats)
    print(f"tables, pyod PCA: {theirs:.2f} M points/s scored; ours {ours / theirs:.2f} x")  # noqa: T201


def _beside_baro(test: Floats, repeats: int) -> None:
    known = usual(test)
    above, span = test[1000 : 1000 + BEFORE], test[1000 + BEFORE : 1000 + BEFORE + SPAN]
    ours = 1000 * median_time(lambda: ranked(known, above, span), repeats)
    print(f"tables, ours: {ours:.2f} ms a ranking of {COLUMNS} columns")  # noqa: T201
    try:
        pandas = importlib.import_module("pandas")
        scorer = importlib.import_module("baro.root_cause_analysis").robust_scorer
    except ImportError:
        print("tables: fse-baro is not installed (requirements-bench.txt)")  # noqa: T201
        return
    frame = pandas.DataFrame(np.vstack([above, span]), columns=[str(at) for at in range(COLUMNS)])
    frame.insert(0, "time", range(len(frame)))
    theirs = 1000 * median_time(lambda: scorer(frame, inject_time=BEFORE), repeats)
    print(f"tables, fse-baro: {theirs:.2f} ms a ranking; ours {theirs / ours:.1f} x as fast")  # noqa: T201


if __name__ == "__main__":
    main()
