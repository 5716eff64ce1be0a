"""Columns as a request of version 1.0."""

import numpy as np

from apps.telemetry.formats.columns import Columns, Meta
from apps.telemetry.formats.protobuf import wire
from apps.telemetry.formats.remote_write.found_columns import KINDS


def write_v1(*, columns: Columns) -> bytes:
    """Return columns as a prometheus.WriteRequest, not packed."""
    order = np.argsort(columns.series, kind="stable")
    series = columns.series[order]
    edges = np.flatnonzero(np.diff(series, prepend=-1, append=-1))
    bits = columns.values[order].astype("<f8").tobytes()
    stamps = columns.at[order].tolist()
    parts = []
    for first, last in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        samples = [
            wire.encoded(
                2,
                b"\x09" + bits[place * 8 : place * 8 + 8] + b"\x10"
                + wire.encoded_varint(stamps[place]),
            )
            for place in range(first, last)
        ]  # fmt: skip
        parts.append(wire.encoded(1, columns.keys[series[first]] + b"".join(samples)))
    for name, meta in columns.metadata.items():
        parts.append(wire.encoded(3, _written_meta(name, meta)))
    return b"".join(parts)


def _written_meta(name: str, meta: Meta) -> bytes:
    kind = KINDS.index(meta.kind) if meta.kind in KINDS else 0
    return (
        b"\x08" + wire.encoded_varint(kind)
        + wire.encoded(2, name.encode()) + wire.encoded(4, meta.help.encode())
        + wire.encoded(5, meta.unit.encode())
    )  # fmt: skip
