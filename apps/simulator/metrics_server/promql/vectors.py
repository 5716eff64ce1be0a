"""Rows of labels and values: what expressions are made of, grouped and paired."""

from dataclasses import dataclass

import numpy as np

from apps.simulator.metrics_server.promql import BadQuery
from apps.simulator.metrics_server.promql.tree import (
    Aggregate,
    Binary,
)
from apps.simulator.metrics_server.store import Selection
from apps.simulator.world.noise import Floats

Labels = dict[str, str]
GroupKey = tuple[tuple[str, str], ...]


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


def rendered_labels(selection: Selection) -> list[str]:
    """Return the labels of a selection as JSON."""
    head = f'"__name__":"{selection.family.name}",'
    return [head + selection.entities.rendered[row] for row in selection.rows]


def without_name(labels: Labels) -> Labels:
    """Return labels without the name of the metric."""
    return {name: value for name, value in labels.items() if name != "__name__"}


def only(value: Value, steps: int) -> Floats:
    """Return the values of a scalar; of a vector its one row, NaN where it has not one."""
    if isinstance(value, Vector):
        return value.values[0] if len(value.labels) == 1 else np.full(steps, np.nan)
    return value


def grouped(labels: Labels, node: Aggregate) -> GroupKey:
    if node.is_without:
        dropped = {*node.labels, "__name__"}
        return tuple((name, value) for name, value in labels.items() if name not in dropped)
    return tuple((name, labels[name]) for name in node.labels if name in labels)


def extreme(operand: Vector, groups: dict[GroupKey, list[int]], node: Aggregate) -> Vector:
    """Keep of each group the largest or smallest values of each step; the rest is NaN."""
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


def paired(left: Vector, right: Vector, node: Binary) -> tuple[list[Labels], list[tuple[int, int]]]:
    """Match rows one to one on their labels; twins on a side are refused, as Prometheus does."""
    by_key: dict[GroupKey, int] = {}
    for j, labels in enumerate(right.labels):
        key = _match_key(labels, node)
        if key in by_key:
            raise BadQuery(
                "found duplicate series for the match group on the right hand-side of the operation"
            )
        by_key[key] = j
    labels_of_pairs: list[Labels] = []
    pairs: list[tuple[int, int]] = []
    seen: set[GroupKey] = set()
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


def _match_key(labels: Labels, node: Binary) -> GroupKey:
    names = {name for name in labels if name != "__name__"}
    if node.labels is not None:
        names = names - set(node.labels) if node.is_ignoring else names & set(node.labels)
    return tuple(sorted((name, labels[name]) for name in names))
