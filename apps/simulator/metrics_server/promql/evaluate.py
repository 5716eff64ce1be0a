"""Tree → values, one row per series and one column per step."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from apps.simulator.metrics_server.promql import BadQuery, ranges
from apps.simulator.metrics_server.promql.operations import (
    AGGREGATE,
    COMPARISONS,
    EXTRAPOLATED,
    OPERATORS,
    OVER_TIME,
    PLAIN,
)
from apps.simulator.metrics_server.promql.tree import (
    Aggregate,
    Binary,
    Call,
    Node,
    Number,
    SeriesSelector,
)
from apps.simulator.metrics_server.store import SCRAPE_SECONDS, Selection, SeriesStore
from apps.simulator.world.noise import Floats

Labels = dict[str, str]
_Key = tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Vector:
    """Values of labelled series; `rendered` holds the labels as JSON where nobody changed them."""

    labels: list[Labels]
    values: Floats  # by series, step
    rendered: list[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RawSamples:
    """Raw samples of a range selector at one instant."""

    labels: list[Labels]
    instants: Floats
    values: Floats


Value = Vector | Floats  # a scalar is one number per step


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluator:
    """Evaluate trees on a store at given steps."""

    store: SeriesStore
    steps: Floats

    def value(self, node: Node) -> Value:
        """Return the value of a tree at all steps."""
        if isinstance(node, Number):
            return np.full(len(self.steps), node.value)
        if isinstance(node, SeriesSelector):
            if node.range_seconds is not None:
                raise BadQuery(
                    'invalid expression type "range vector", must be Scalar or instant Vector'
                )
            return self._instant(node)
        if isinstance(node, Call):
            return self._call(node)
        if isinstance(node, Aggregate):
            return self._aggregate(node)
        return self._binary(node)

    def raw(self, node: SeriesSelector) -> RawSamples:
        """Return the samples of a range selector, for an instant query."""
        labels: list[Labels] = []
        parts: list[Floats] = []
        instants, first, last = self._grid(node)
        chosen = instants[first[0] : last[0]]
        for selection in self.store.select(node.matchers):
            labels += selection.labels()
            parts.append(self.store.values(selection, chosen))
        values = np.concatenate(parts) if parts else np.empty((0, len(chosen)))
        return RawSamples(labels=labels, instants=chosen, values=values)

    def _instant(self, node: SeriesSelector) -> Vector:
        """Return the newest sample at or before each step; a vanished series ends at once."""
        at = self.steps - node.offset_seconds
        at = np.floor(at / SCRAPE_SECONDS) * SCRAPE_SECONDS
        labels: list[Labels] = []
        rendered: list[str] = []
        parts: list[Floats] = []
        for selection in self.store.select(node.matchers):
            labels += selection.labels()
            rendered += _rendered(selection)
            parts.append(self.store.values(selection, at))
        values = np.concatenate(parts) if parts else np.empty((0, len(at)))
        return Vector(labels=labels, values=values, rendered=rendered)

    def _grid(self, node: SeriesSelector) -> tuple[Floats, ranges.Ints, ranges.Ints]:
        seconds = node.range_seconds or 0.0
        ends = self.steps - node.offset_seconds
        begin = np.floor((ends[0] - seconds) / SCRAPE_SECONDS) + 1
        instants = np.arange(begin, np.floor(ends[-1] / SCRAPE_SECONDS) + 1) * SCRAPE_SECONDS
        first = np.searchsorted(instants, ends - seconds, side="right")
        last = np.searchsorted(instants, ends, side="right")
        return (instants, first, last)

    def _windows(self, node: Node) -> tuple[list[Labels], ranges.Windows]:
        if not isinstance(node, SeriesSelector) or node.range_seconds is None:
            raise BadQuery("expected type range vector in call to function")
        instants, first, last = self._grid(node)
        labels: list[Labels] = []
        parts: list[Floats] = []
        for selection in self.store.select(node.matchers):
            labels += [_without_name(each) for each in selection.labels()]
            parts.append(self.store.values(selection, instants))
        ends = self.steps - node.offset_seconds
        return (
            labels,
            ranges.Windows(
                samples=np.concatenate(parts) if parts else np.empty((0, len(instants))),
                instants=instants,
                first=first,
                last=last,
                starts=ends - node.range_seconds,
                ends=ends,
            ),
        )

    def _call(self, node: Call) -> Value:
        if node.name == "time":
            return self.steps
        if node.name == "vector" and len(node.arguments) == 1:
            return Vector(labels=[{}], values=self._scalar(node.arguments[0])[None, :])
        if node.name == "scalar" and len(node.arguments) == 1:
            return _only(self.value(node.arguments[0]), len(self.steps))
        if node.name in PLAIN and node.arguments:
            operand = self._vector(node.arguments[0])
            values = PLAIN[node.name](operand.values, *map(self._scalar, node.arguments[1:]))
            return Vector(labels=[_without_name(each) for each in operand.labels], values=values)
        return self._ranged(node)

    def _ranged(self, node: Call) -> Vector:
        if node.name == "quantile_over_time" and len(node.arguments) == 2:
            q = float(self._scalar(node.arguments[0])[0])
            labels, windows = self._windows(node.arguments[1])
            reduce = partial(np.nanquantile, q=q, axis=1)
            return Vector(labels=labels, values=ranges.over_time(windows, reduce))
        if len(node.arguments) != 1:
            raise BadQuery(f"unknown function or wrong arguments: {node.name!r}")
        if node.name in EXTRAPOLATED:
            labels, windows = self._windows(node.arguments[0])
            is_counter, is_rate = EXTRAPOLATED[node.name]
            values = ranges.extrapolated(windows, is_counter=is_counter, is_rate=is_rate)
            return Vector(labels=labels, values=values)
        if node.name in OVER_TIME:
            labels, windows = self._windows(node.arguments[0])
            return Vector(labels=labels, values=ranges.over_time(windows, OVER_TIME[node.name]))
        raise BadQuery(f"unknown function with name {node.name!r}")

    def _vector(self, node: Node) -> Vector:
        value = self.value(node)
        if not isinstance(value, Vector):
            raise BadQuery("expected type instant vector")
        return value

    def _scalar(self, node: Node) -> Floats:
        value = self.value(node)
        if isinstance(value, Vector):
            raise BadQuery("expected type scalar")
        return value

    def _aggregate(self, node: Aggregate) -> Vector:
        operand = self._vector(node.operand)
        groups: dict[_Key, list[int]] = {}
        for row, labels in enumerate(operand.labels):
            groups.setdefault(_group(labels, node), []).append(row)
        if node.name in {"topk", "bottomk"}:
            return _extreme(operand, groups, node)
        values = [AGGREGATE[node.name](operand.values[rows], node) for rows in groups.values()]
        return Vector(
            labels=[dict(key) for key in groups],
            values=np.stack(values) if values else np.empty((0, len(self.steps))),
        )

    def _binary(self, node: Binary) -> Value:
        left, right = self.value(node.left), self.value(node.right)
        compute = OPERATORS[node.operator]
        is_comparison = node.operator in COMPARISONS
        if not isinstance(left, Vector) and not isinstance(right, Vector):
            return compute(left, right).astype(np.float64)
        if isinstance(left, Vector) and isinstance(right, Vector):
            labels, pairs = _paired(left, right, node)
            a = left.values[[i for i, _ in pairs]]
            b = right.values[[j for _, j in pairs]]
            kept = a
        elif isinstance(left, Vector):
            labels, a, b, kept = left.labels, left.values, np.asarray(right), left.values
        else:
            assert isinstance(right, Vector)  # noqa: S101  the only case left, for the type checker
            labels, a, b, kept = right.labels, np.asarray(left), right.values, right.values
        values = compute(a, b).astype(np.float64)
        if not is_comparison:
            return Vector(labels=[_without_name(each) for each in labels], values=values)
        missing = np.isnan(kept) | np.isnan(a) | np.isnan(b)
        if node.returns_bool:
            values = np.where(missing, np.nan, values)
            return Vector(labels=[_without_name(each) for each in labels], values=values)
        return Vector(labels=labels, values=np.where((values > 0) & ~missing, kept, np.nan))


def _rendered(selection: Selection) -> list[str]:
    head = f'"__name__":"{selection.family.name}",'
    return [head + selection.entities.rendered[row] for row in selection.rows]


def _without_name(labels: Labels) -> Labels:
    return {name: value for name, value in labels.items() if name != "__name__"}


def _only(value: Value, steps: int) -> Floats:
    if isinstance(value, Vector):
        return value.values[0] if len(value.labels) == 1 else np.full(steps, np.nan)
    return value


def _group(labels: Labels, node: Aggregate) -> _Key:
    if node.is_without:
        dropped = {*node.labels, "__name__"}
        return tuple((name, value) for name, value in labels.items() if name not in dropped)
    return tuple((name, labels[name]) for name in node.labels if name in labels)


def _extreme(operand: Vector, groups: dict[_Key, list[int]], node: Aggregate) -> Vector:
    count = max(int(node.parameter or 0), 0)
    sign = -1.0 if node.name == "topk" else 1.0
    values = np.full_like(operand.values, np.nan)
    for rows in groups.values():
        part = operand.values[rows]
        # What has no value comes last, whichever end is asked for.
        ordered = np.where(np.isnan(part), np.inf, sign * part)
        order = np.argsort(ordered, axis=0, kind="stable")
        for step in range(part.shape[1]):
            for position in order[:count, step]:
                values[rows[position], step] = part[position, step]
    kept = [row for row in range(len(values)) if not np.isnan(values[row]).all()]
    if values.shape[1] == 1:
        kept.sort(key=lambda row: sign * values[row, 0])
    return Vector(labels=[operand.labels[row] for row in kept], values=values[kept])


def _paired(
    left: Vector, right: Vector, node: Binary
) -> tuple[list[Labels], list[tuple[int, int]]]:
    """Match rows one to one on their labels; twins on a side are refused, as Prometheus does."""
    by_key: dict[_Key, int] = {}
    for j, labels in enumerate(right.labels):
        key = _match_key(labels, node)
        if key in by_key:
            raise BadQuery(
                "found duplicate series for the match group on the right hand-side of the operation"
            )
        by_key[key] = j
    labels_of_pairs: list[Labels] = []
    pairs: list[tuple[int, int]] = []
    seen: set[_Key] = set()
    for i, labels in enumerate(left.labels):
        key = _match_key(labels, node)
        if key not in by_key:
            continue
        if key in seen:
            raise BadQuery("multiple matches for labels: many-to-one matching must be explicit")
        seen.add(key)
        pairs.append((i, by_key[key]))
        labels_of_pairs.append(labels if node.labels is None else dict(key))
    return (labels_of_pairs, pairs)


def _match_key(labels: Labels, node: Binary) -> _Key:
    names = {name for name in labels if name != "__name__"}
    if node.labels is not None:
        names = names - set(node.labels) if node.is_ignoring else names & set(node.labels)
    return tuple(sorted((name, labels[name]) for name in names))
