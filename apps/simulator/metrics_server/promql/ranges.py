"""Functions over the samples inside a window, for all series and all steps at once."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from apps.simulator.world.noise import Floats

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Windows:
    """Samples of some series, and for each step which of them lie in its window (left-open)."""

    samples: Floats  # by series, instant
    instants: Floats
    first: Ints  # per step
    last: Ints  # per step, exclusive
    starts: Floats
    ends: Floats


def extrapolated(windows: Windows, *, is_counter: bool, is_rate: bool) -> Floats:
    """Return increase, rate or delta as Prometheus extrapolates them to the window's edges."""
    result = np.full((len(windows.samples), len(windows.first)), np.nan)
    resets = _drops(windows.samples) if is_counter else None
    for step, (begin, end) in enumerate(zip(windows.first, windows.last, strict=True)):
        if end - begin < 2:
            continue
        part = windows.samples[:, begin:end]
        valid = ~np.isnan(part)
        count = valid.sum(axis=1)
        head = valid.argmax(axis=1)
        tail = part.shape[1] - 1 - valid[:, ::-1].argmax(axis=1)
        rows = np.arange(len(part))
        grown = part[rows, tail] - part[rows, head]
        if resets is not None:
            grown = grown + resets[rows, begin + tail] - resets[rows, begin + head]
        first_at, last_at = windows.instants[begin + head], windows.instants[begin + tail]
        factor = _factor(
            count,
            first_at,
            last_at,
            (windows.starts[step], windows.ends[step]),
            part[rows, head] if is_counter else None,
            grown,
        )
        with np.errstate(invalid="ignore"):  # of one sample alone
            value = grown * factor
        if is_rate:
            value = value / (windows.ends[step] - windows.starts[step])
        result[:, step] = np.where(count >= 2, value, np.nan)
    return result


def _drops(samples: Floats) -> Floats:
    """Return what counters lost in resets up to each sample; gaps are bridged."""
    filled = _forward_filled(samples)
    steps = np.diff(filled, axis=1)
    lost = np.where(steps < 0, filled[:, :-1], 0.0)
    lost = np.nan_to_num(lost)
    return np.concatenate([np.zeros((len(samples), 1)), np.cumsum(lost, axis=1)], axis=1)


def _forward_filled(samples: Floats) -> Floats:
    valid = ~np.isnan(samples)
    index = np.where(valid, np.arange(samples.shape[1]), 0)
    np.maximum.accumulate(index, axis=1, out=index)
    return np.asarray(np.take_along_axis(samples, index, axis=1))


def _factor(
    count: Ints,
    first_at: Floats,
    last_at: Floats,
    window: tuple[float, float],
    head: Floats | None,
    grown: Floats,
) -> Floats:
    """Stretch to the window's edges, unless they are farther than a sample and a bit away."""
    with np.errstate(divide="ignore", invalid="ignore"):
        sampled = last_at - first_at
        mean = sampled / (count - 1)
        to_start, to_end = first_at - window[0], window[1] - last_at
        to_start = np.where(to_start >= mean * 1.1, mean / 2, to_start)
        if head is not None:
            to_zero = np.where((grown > 0) & (head >= 0), sampled * head / grown, np.inf)
            to_start = np.minimum(to_start, to_zero)
        to_end = np.where(to_end >= mean * 1.1, mean / 2, to_end)
        return np.asarray((sampled + to_start + to_end) / sampled)


def over_time(windows: Windows, reduce: Callable[[Floats], Floats]) -> Floats:
    """Return one number per series and step; windows without a sample give none."""
    result = np.full((len(windows.samples), len(windows.first)), np.nan)
    for step, (begin, end) in enumerate(zip(windows.first, windows.last, strict=True)):
        part = windows.samples[:, begin:end]
        has_any = ~np.isnan(part).all(axis=1)
        if part.shape[1] and has_any.any():
            result[has_any, step] = reduce(part[has_any])
    return result


def changes(part: Floats) -> Floats:
    """Count how often the value differs from the one before."""
    filled = _forward_filled(part)
    steps = np.diff(filled, axis=1)
    return np.asarray(np.nansum(steps != 0, axis=1) - np.isnan(steps).sum(axis=1), dtype=np.float64)


def resets(part: Floats) -> Floats:
    """Count how often the value fell."""
    return np.asarray((np.diff(_forward_filled(part), axis=1) < 0).sum(axis=1), dtype=np.float64)


def last(part: Floats) -> Floats:
    """Return the newest value."""
    return np.asarray(_forward_filled(part)[:, -1])
