"""Values of an expression as the JSON of Prometheus."""

import json

import numpy as np

from apps.simulator.metrics_server.promql.vectors import RawSamples, Vector
from apps.simulator.world.noise import Floats


def matrix_json(labels: list[str], instants: Floats, values: Floats) -> str:
    """Join rows as text: by far the cheapest way to print 200,000 samples."""
    stamps = [f'[{text_of(float(at))},"' for at in instants]
    rows = []
    for head, row in zip(labels, values, strict=True):
        absent = np.isnan(row)
        if absent.all():
            continue
        heads = stamps if not absent.any() else [stamps[i] for i in np.flatnonzero(~absent)]
        texts = texts_of(row if heads is stamps else row[~absent])
        joined = '"],'.join(map(str.__add__, heads, texts))
        rows.append(f'{{"metric":{{{head}}},"values":[{joined}"]]}}')
    return f'{{"resultType":"matrix","result":[{",".join(rows)}]}}'


def matrix_of_samples(samples: RawSamples) -> str:
    """Return stored samples with their own times."""
    rendered = [json.dumps(labels, separators=(",", ":"))[1:-1] for labels in samples.labels]
    return matrix_json(rendered, samples.instants, samples.values)


def labels_of(vector: Vector) -> list[str]:
    if vector.rendered is not None:
        return vector.rendered
    return [json.dumps(labels, separators=(",", ":"))[1:-1] for labels in vector.labels]


def texts_of(row: Floats) -> list[str]:
    """Print whole numbers without a point, as Prometheus does."""
    if np.isfinite(row).all() and (np.abs(row) < 1e15).all() and (row == np.floor(row)).all():
        return list(map(str, row.astype(np.int64).tolist()))
    return [text_of(value) for value in row.tolist()]


def text_of(value: float) -> str:
    if value == float("inf"):
        return "+Inf"
    if value == float("-inf"):
        return "-Inf"
    if value != value:  # noqa: PLR0124  NaN
        return "NaN"
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)
