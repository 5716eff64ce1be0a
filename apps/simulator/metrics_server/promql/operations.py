"""Operators, functions and aggregations by name."""

from collections.abc import Callable
from functools import partial

import numpy as np

from apps.simulator.metrics_server.promql import ranges
from apps.simulator.metrics_server.promql.tree import Aggregate
from apps.simulator.world.noise import Floats


def quietly(function: Callable[..., Floats]) -> Callable[..., Floats]:
    """Return the function without complaints about division by zero and the like."""

    def run(*arguments: Floats) -> Floats:
        with np.errstate(all="ignore"):
            return np.asarray(function(*arguments))

    return run


def reduced(function: Callable[..., Floats]) -> Callable[[Floats, Aggregate], Floats]:
    """Return an aggregation that ignores absent series and is absent where all are."""

    def run(part: Floats, node: Aggregate) -> Floats:
        is_empty = np.asarray(np.isnan(part).all(axis=0))
        safe = np.where(is_empty[None, :], 0.0, part)
        return np.where(is_empty, np.nan, function(safe, node))

    return run


COMPARISONS = {"==", "!=", ">", "<", ">=", "<="}
OPERATORS: dict[str, Callable[..., Floats]] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": quietly(np.divide),
    "%": quietly(np.fmod),
    "^": quietly(np.power),
    "==": np.equal,
    "!=": np.not_equal,
    ">": np.greater,
    "<": np.less,
    ">=": np.greater_equal,
    "<=": np.less_equal,
}
PLAIN: dict[str, Callable[..., Floats]] = {
    "abs": np.abs,
    "ceil": np.ceil,
    "floor": np.floor,
    "round": np.round,
    "sqrt": quietly(np.sqrt),
    "ln": quietly(np.log),
    "exp": np.exp,
    "clamp_min": np.fmax,
    "clamp_max": np.fmin,
}
EXTRAPOLATED = {"increase": (True, False), "rate": (True, True), "delta": (False, False)}
OVER_TIME: dict[str, Callable[[Floats], Floats]] = {
    "avg_over_time": lambda part: np.asarray(np.nanmean(part, axis=1)),
    "sum_over_time": partial(np.nansum, axis=1),
    "min_over_time": partial(np.nanmin, axis=1),
    "max_over_time": partial(np.nanmax, axis=1),
    "stddev_over_time": lambda part: np.asarray(np.nanstd(part, axis=1)),
    "count_over_time": lambda part: (~np.isnan(part)).sum(axis=1).astype(np.float64),
    "present_over_time": lambda part: np.ones(len(part)),
    "last_over_time": ranges.last,
    "changes": ranges.changes,
    "resets": ranges.resets,
}
AGGREGATE: dict[str, Callable[[Floats, Aggregate], Floats]] = {
    "sum": reduced(lambda part, _: np.nansum(part, axis=0)),
    "avg": reduced(lambda part, _: np.nanmean(part, axis=0)),
    "min": reduced(lambda part, _: np.nanmin(part, axis=0)),
    "max": reduced(lambda part, _: np.nanmax(part, axis=0)),
    "stddev": reduced(lambda part, _: np.nanstd(part, axis=0)),
    "count": reduced(lambda part, _: (~np.isnan(part)).sum(axis=0).astype(np.float64)),
    "group": reduced(lambda part, _: np.ones(part.shape[1])),
    "quantile": reduced(lambda part, node: np.nanquantile(part, node.parameter, axis=0)),
}
