"""Recorded tables of machines' metrics: what is found, how often in vain, and which columns lead.

The labels are read here and nowhere else; what is scored is what `manage.py detect` prints.
"""

import importlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Final

import numpy as np

from apps.diagnosis.detection.baseline.defaults import PAGES_PER_DAY
from apps.diagnosis.intervals import bootstrap
from apps.diagnosis.stats import Floats, Mask
from apps.offline.series.wide_tables import read_wide
from apps.offline.table_detection import Detection, detect
from tests.score.measures import Measure
from tests.score.pages import (
    BUDGETS,
    Judged,
    Span,
    average_at_five,
    best,
    hit_rate,
    judged,
    pages,
    spans,
)

HOURS: Final = {"smd": 60, "asd": 12}  # rows an hour
BEFORE: Final = {
    "smd": 600,
    "asd": 288,
}  # rows before an incident that n-sigma and BARO compare with
REQUIRED: Final = {("smd", 0.5), ("smd", 1.0)}
# The data are scaled to [0, 1]; a peer that divides by nothing would be beaten too easily.
LEAST_SPREAD: Final = 0.01
Scoring = Callable[["Machine"], Floats]
Ranking = Callable[["Machine", Span], Sequence[int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """One recorded machine, with what the portal makes of it and what people marked."""

    kind: str
    name: str
    train: Floats
    test: Floats
    label: Mask
    incidents: tuple[tuple[Span, frozenset[int]], ...]  # with the responsible columns
    detection: Detection

    @property
    def hour(self) -> int:
        """Return the rows of an hour."""
        return HOURS[self.kind]


def machines(*, folder: Path) -> Iterator[Machine]:
    """Yield the machines below `folder`, each read and scored as the command does."""
    for kind in HOURS:
        for path in sorted((folder / kind).glob("*.npz")):
            table = read_wide(path)
            with np.load(path, allow_pickle=False) as held:
                label = held["label"] > 0
                said = [str(each) for each in held["interpretation"]]
            assert table.train is not None
            incidents = tuple(_incident(each) for each in said)
            yield Machine(
                kind=kind,
                name=path.stem,
                train=table.train.astype(np.float64),
                test=table.test.astype(np.float64),
                label=label,
                incidents=incidents,
                detection=detect(
                    table=table,
                    pages_per_day=PAGES_PER_DAY,
                    ranked=[span for span, _ in incidents],
                ),
            )


def _incident(said: str) -> tuple[Span, frozenset[int]]:
    rows, columns = said.split(":")
    start, end = (int(each) for each in rows.split("-"))
    return (start, max(end, start + 1)), frozenset(int(each) - 1 for each in columns.split(","))


def part(*, folder: Path) -> tuple[list[Measure], list[str]] | None:
    """Return the rows and misses of the tables below `folder`, None where there are none."""
    found = list(machines(folder=folder))
    if not found:
        return None
    rows: list[Measure] = []
    for kind in HOURS:
        some = [one for one in found if one.kind == kind]
        if some:
            rows += [*found_within(kind, some), *shipped(kind, some), *ranking(kind, some)]
    return rows, [*absent(), *misses(found)]


def found_within(kind: str, some: Sequence[Machine]) -> list[Measure]:
    """Return the recall within each budget, of every method, the threshold chosen on the test."""
    rows = []
    for budget in BUDGETS:
        name = f"{kind}: incidents found at {budget:g} false pages a machine-day (best threshold)"
        peers = [
            Measure(name=f"{name}, {method}", hits=_found(scoring, some, budget), n=_count(some))
            for method, scoring in peer_scores().items()
        ]
        ours = _found(lambda one: one.detection.scores, some, budget)
        most = max(peer.rate for peer in peers)
        bound = most if (kind, budget) in REQUIRED else None
        rows += [Measure(name=name, hits=ours, n=_count(some), at_least=bound), *peers]
    return rows


def _found(scoring: Scoring, some: Sequence[Machine], budget: float) -> int:
    return sum(best(scoring(one), one.label, budget=budget, hour=one.hour) for one in some)


def _count(some: Sequence[Machine]) -> int:
    return sum(len(spans(one.label)) for one in some)


def shipped(kind: str, some: Sequence[Machine]) -> list[Measure]:
    """Return recall and achieved false pages of the threshold fixed on the learnt rows."""
    made = [_shipped(one) for one in some]
    days = sum(one.days for one in made)
    count = sum(one.pages for one in made)
    return [
        Measure(
            name=f"{kind}: incidents found at the shipped threshold",
            hits=sum(one.found for one in made),
            n=sum(one.incidents for one in made),
        ),
        Measure(
            name=f"{kind}: false pages a machine-day at the shipped threshold ({days:.0f} days)",
            n=count,
            value=count / days,
            value_interval=_poisson(count, days),
        ),
    ]


def _shipped(one: Machine) -> Judged:
    threshold = one.detection.threshold
    return judged(one.detection.scores, one.label, threshold=threshold, hour=one.hour)


def _poisson(count: int, days: float) -> tuple[float, float]:
    """Return an approximate 95 % interval of a rate of events (Byar)."""
    low = count * (1 - 1 / (9 * count) - 1.96 / (3 * count**0.5)) ** 3 if count else 0.0
    above = count + 1
    high = above * (1 - 1 / (9 * above) + 1.96 / (3 * above**0.5)) ** 3
    return low / days, high / days


def ranking(kind: str, some: Sequence[Machine]) -> list[Measure]:
    """Return both measures of ranking, of every method, over all labelled incidents."""
    rows = []
    for title, judge in (("Avg@5", average_at_five), ("HitRate@100 %", hit_rate)):
        name = f"{kind}: responsible columns, {title}"
        values = {
            method: [
                judge(order(one, span), columns) for one in some for span, columns in one.incidents
            ]
            for method, order in {"": our_order, **peer_orders()}.items()
        }
        bound = max(float(np.mean(values[each])) for each in N_SIGMAS)
        rows += [
            _mean(f"{name}, {method}" if method else name, each, None if method else bound)
            for method, each in values.items()
        ]
    return rows


def _mean(name: str, values: Sequence[float], at_least: float | None) -> Measure:
    """Return a mean over incidents with its bootstrap interval."""
    every = np.array(values)
    low, high = bootstrap(lambda pick: float(every[pick].mean()), len(every))
    return Measure(
        name=name,
        n=len(values),
        value=float(np.mean(values)),
        value_interval=(float(low), float(high)),
        at_least=at_least,
    )


def our_order(one: Machine, span: Span) -> Sequence[int]:
    """Return the columns as the command ranks them for these rows."""
    at = [each for each, _ in one.incidents].index(span)
    return one.detection.ranked[at].metrics


# The peers ------------------------------------------------------------------------------------


def _peer(name: str) -> ModuleType | None:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def absent() -> list[str]:
    """Return a line for each peer that isn't installed."""
    wanted = {"pyod.models.pca": "pyod PCA", "baro.root_cause_analysis": "fse-baro"}
    return [
        f"{title}: not installed, its rows are missing (requirements-bench.txt)"
        for module, title in wanted.items()
        if _peer(module) is None
    ]


def peer_scores() -> dict[str, Scoring]:
    """Return the scores to compare with, of what is installed."""
    scores: dict[str, Scoring] = {"random": _random, "robust z of the top 5": _robust_z}
    if _peer("pyod.models.pca") is not None:
        scores["pyod PCA"] = _pca
    return scores


def _random(one: Machine) -> Floats:
    return np.random.default_rng(len(one.name)).random(len(one.test))


def _robust_z(one: Machine) -> Floats:
    low, middle, high = np.quantile(one.train, [0.25, 0.5, 0.75], axis=0)
    away = np.abs(one.test - middle) / np.maximum((high - low) / 1.349, LEAST_SPREAD)
    top: Floats = np.sort(away, axis=1)[:, -5:].mean(axis=1)
    return top


def _pca(one: Machine) -> Floats:
    """Return the scores of the package over the columns that move: dead ones make it NaN."""
    alive = one.train.std(axis=0) > 0
    model = importlib.import_module("pyod.models.pca").PCA()
    model.fit(one.train[:, alive])
    scores: Floats = np.asarray(model.decision_function(one.test[:, alive]), dtype=np.float64)
    return scores


def peer_orders() -> dict[str, Ranking]:
    """Return the rankings to compare with, of what is installed."""
    orders: dict[str, Ranking] = {"random": _random_order, **N_SIGMAS}
    if _peer("baro.root_cause_analysis") is not None:
        orders["fse-baro robust_scorer"] = _baro
    return orders


def _random_order(one: Machine, span: Span) -> Sequence[int]:
    return tuple(np.random.default_rng(span[0]).permutation(one.test.shape[1]).tolist())


def _window(one: Machine, span: Span) -> Floats:
    rows = np.vstack([one.train, one.test[: span[0]]])
    return rows[-BEFORE[one.kind] :]


def _n_sigma(one: Machine, span: Span) -> Floats:
    before = _window(one, span)
    apart = np.abs(one.test[slice(*span)] - before.mean(axis=0))
    away: Floats = apart / (before.std(axis=0) + 1e-6)
    return away


def _n_sigma_highest(one: Machine, span: Span) -> Sequence[int]:
    return tuple(np.argsort(-_n_sigma(one, span).max(axis=0), kind="stable").tolist())


def _n_sigma_mean(one: Machine, span: Span) -> Sequence[int]:
    return tuple(np.argsort(-_n_sigma(one, span).mean(axis=0), kind="stable").tolist())


# Either way to sum up the rows of an incident is better on some data: the better one is the bar.
N_SIGMAS: Final[dict[str, Ranking]] = {
    "n-sigma, highest row": _n_sigma_highest,
    "n-sigma, mean of rows": _n_sigma_mean,
}


def _baro(one: Machine, span: Span) -> Sequence[int]:
    """Return the columns as the package ranks them; those it leaves out come last."""
    pandas = importlib.import_module("pandas")
    scorer = importlib.import_module("baro.root_cause_analysis").robust_scorer
    before = _window(one, span)
    columns = [str(at) for at in range(before.shape[1])]
    frame = pandas.DataFrame(np.vstack([before, one.test[slice(*span)]]), columns=columns)
    frame.insert(0, "time", range(len(frame)))
    said = [int(each) for each in scorer(frame, inject_time=len(before))["ranks"]]
    return tuple(said + sorted(set(range(len(columns))) - set(said)))


# Misses ---------------------------------------------------------------------------------------


def misses(found: Sequence[Machine]) -> list[str]:
    """Return a line for each machine with incidents that the shipped threshold leaves out."""
    lines = []
    for one in found:
        scores, threshold = one.detection.scores, one.detection.threshold
        left = [each for each in spans(one.label) if scores[slice(*each)].max() < threshold]
        vain = pages((scores >= threshold) & ~one.label, hour=one.hour)
        if left:
            rows = ", ".join(f"{start}-{end}" for start, end in left)
            lines.append(
                f"{one.kind}/{one.name}: not found at the shipped threshold {threshold:.2f}: "
                f"rows {rows}; {vain} false pages"
            )
    return lines
