"""Do stated probabilities mean what they say? Measured cross-fitted, with bootstrap intervals.

`python -m tests.score.calibration` prints what `apps/diagnosis/causes/calibration.toml` holds.
FAULTLINE_CASES may name further files of cases (JSON lines), separated by colons, and
FAULTLINE_FEEDBACK what `manage.py feedback export` wrote.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis.intervals import bootstrap
from tests.score import cases
from tests.score.measures import Answer, Measure
from tests.score.session_run import Run

SHARED = Path(__file__).parents[3] / "shared"
BINS, FOLDS, ROUNDS, SEED = 5, 5, 1000, 20261121
SURE = 0.80
Floats = NDArray[np.float64]
SAID = frozenset({"likely", "possible", "unknown"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Forecast:
    """One stated probability, and whether the layer it was stated of is the true one."""

    stated: float
    is_right: bool
    is_open: bool = False  # the answer was `unknown`: that nobody can establish the layer


def of_answers(*, found: Iterable[Answer]) -> list[Forecast]:
    """Return the forecast of each recorded case."""
    return [
        Forecast(
            stated=float(one.verdict["probability"]),
            is_right=one.is_layer_right,
            is_open=one.verdict["status"] == "unknown",
        )
        for one in found
        if one.verdict["status"] in SAID
    ]


def of_runs(*, found: Iterable[Run]) -> list[Forecast]:
    """Return the forecast of each composed session for which something was stated."""
    return [
        Forecast(stated=one.diagnosis.verdict.probability, is_right=one.is_layer_right)
        for one in found
        if one.truth.status == "named"
        and one.diagnosis.verdict.status.value in {"likely", "possible"}
    ]


def cross_fitted(*, forecasts: Sequence[Forecast]) -> tuple[Floats, Floats]:
    """Return (probability, right) of each forecast, both bounds taken from the other folds."""
    stated, right = _arrays(forecasts)
    is_open = np.array([one.is_open for one in forecasts], dtype=bool)
    fold = np.arange(len(forecasts)) % FOLDS
    found = stated.copy()
    for number in range(FOLDS):
        rest = fold != number
        most, share = bounds(stated=stated[rest], right=right[rest], is_open=is_open[rest])
        mine = fold == number
        found[mine] = np.where(is_open[mine], share, np.minimum(stated[mine], most))
    return found, right


def bounds(*, stated: Floats, right: Floats, is_open: NDArray[np.bool_]) -> tuple[float, float]:
    """Return how sure a statement may be, and how often an open answer is right to be open."""
    sure = ~is_open
    order = np.argsort(stated[sure], kind="stable")
    top = right[sure][order][-max(len(order) // BINS, 1) :]
    # One more miss than was seen: nobody has seen all.
    most = float(top.sum() / (len(top) + 1)) if len(top) else 1.0
    share = float(right[is_open].mean()) if is_open.any() else 0.0
    return most, share


def _arrays(forecasts: Sequence[Forecast]) -> tuple[Floats, Floats]:
    stated = np.array([one.stated for one in forecasts], dtype=np.float64)
    return stated, np.array([one.is_right for one in forecasts], dtype=np.float64)


def expected_error(probability: Floats, right: Floats) -> float:
    """Return the expected calibration error over bins of equal count."""
    order = np.argsort(probability, kind="stable")
    parts = [part for part in np.array_split(order, BINS) if len(part)]
    misses = [len(one) * abs(probability[one].mean() - right[one].mean()) for one in parts]
    return float(sum(misses) / len(probability))


def brier_of_base(probability: Floats, right: Floats) -> float:
    """Return the Brier score as a share of that of always stating the base rate."""
    base = float(((right.mean() - right) ** 2).mean())
    return float(((probability - right) ** 2).mean()) / base if base else 1.0


def interval(
    probability: Floats, right: Floats, score: Callable[[Floats, Floats], float]
) -> tuple[float, float]:
    """Return the 95 % bootstrap interval of a score."""
    return bootstrap(
        lambda pick: score(probability[pick], right[pick]), len(right), seed=SEED, rounds=ROUNDS
    )


def measures(*, forecasts: Sequence[Forecast], name: str) -> list[Measure]:
    """Return calibration error, Brier score beside the base rate's, and sure statements."""
    if len(forecasts) < BINS * 2:
        return []
    probability, right = cross_fitted(forecasts=forecasts)
    sure = right[probability >= SURE]
    return [
        Measure(
            name=f"calibration, {name}: expected error",
            n=len(right),
            value=expected_error(probability, right),
            value_interval=interval(probability, right, expected_error),
            at_most=0.10,
        ),
        Measure(
            name=f"calibration, {name}: Brier score, of the base rate's",
            n=len(right),
            value=brier_of_base(probability, right),
            value_interval=interval(probability, right, brier_of_base),
            at_most=1.0,
        ),
        Measure(
            name=f"calibration, {name}: stated at 0.80 or more and right",
            hits=int(sure.sum()),
            n=len(sure),
            at_least=0.75,
        ),
    ]


def extra_answers() -> list[Answer]:
    """Return the answers to the further cases that the environment names."""
    paths = [Path(one) for one in os.environ.get("FAULTLINE_CASES", "").split(":") if one]
    return [answer for path in paths for answer in cases.answers(path=path)]


def main() -> None:
    """Print the bounds of all cases at hand, and how well they hold."""
    path = SHARED / "cases" / "cases.jsonl"
    found = [*(cases.answers(path=path) if path.is_file() else []), *extra_answers()]
    # It makes its forecasts with this module.
    from tests.score.feedback import named_by_environment  # noqa: PLC0415

    forecasts = [*of_answers(found=found), *named_by_environment()]
    stated, right = _arrays(forecasts)
    is_open = np.array([one.is_open for one in forecasts], dtype=bool)
    most, share = bounds(stated=stated, right=right, is_open=is_open)
    print(f"most_certain = {most:.2f}\nopen_share = {share:.2f}   # of {len(forecasts)} cases")  # noqa: T201  a command
    for one in measures(forecasts=forecasts, name="all cases at hand"):
        low, high = one.interval
        print(f"{one.name:<60} {one.rate:.3f} of {one.n:>4}  {low:.3f} to {high:.3f}")  # noqa: T201  a command


if __name__ == "__main__":
    main()
