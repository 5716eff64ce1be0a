"""Parquet: the columns of CSV with types of their own (`pip install faultline[parquet]`).

One table, the section of each row in its column `section`: it opens as it is, without unpacking.
"""

import io
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from itertools import islice
from typing import Any, Final

from apps.incidents.exports.export_format import (
    ExportFormat,
    FormatLacking,
    Header,
    IncidentDocument,
    Json,
)
from apps.incidents.exports.formats.csv import INCIDENTS, STORY, story_rows, summary_rows
from apps.incidents.exports.sheet.instants import read_instant

LACKING: Final = (
    "Parquet needs pyarrow, which is not installed here: the operator of the portal installs it "
    "with `pip install faultline[parquet]`. CSV has the same columns."
)
ROWS_AT_ONCE: Final = 1000
INSTANTS: Final = frozenset(
    {"at", "ends_at", "started_at", "detected_at", "resolved_at", "held_since"}
)
NUMBERS: Final = frozenset({"probability", "cause_probability", "weight"})
COUNTS: Final = frozenset({"line", "attempt"})
FLAGS: Final = frozenset({"simulated"})


@cache
def parquet_lacks() -> str:
    """Return what Parquet needs and is missing here, as a sentence; empty where nothing is."""
    return "" if find_spec("pyarrow") else LACKING


def _one(header: Header, document: IncidentDocument) -> Iterator[bytes]:
    return _table(STORY, story_rows(header, document))


def _many(header: Header, incidents: Iterator[Json]) -> Iterator[bytes]:
    return _table(INCIDENTS, summary_rows(header, incidents))


def _table(columns: Sequence[str], rows: Iterable[Json]) -> Iterator[bytes]:
    """Yield a file, a row group at a time. Raises FormatLacking."""
    if lacking := parquet_lacks():
        raise FormatLacking(lacking)
    import pyarrow as pa  # type: ignore[import-untyped]  # noqa: PLC0415  an optional extra
    from pyarrow import parquet  # noqa: PLC0415

    kinds = {
        **dict.fromkeys(INSTANTS, pa.timestamp("us", tz="UTC")),
        **dict.fromkeys(NUMBERS, pa.float64()),
        **dict.fromkeys(COUNTS, pa.int64()),
        **dict.fromkeys(FLAGS, pa.bool_()),
    }
    schema = pa.schema([(name, kinds.get(name, pa.string())) for name in columns])
    sink, left = _Sink(), iter(rows)
    with parquet.ParquetWriter(sink, schema, compression="zstd") as writer:
        while some := list(islice(left, ROWS_AT_ONCE)):
            found = [{name: _cell(name, row.get(name)) for name in columns} for row in some]
            writer.write_table(pa.Table.from_pylist(found, schema=schema))
            yield sink.taken()
    yield sink.taken()


class _Sink(io.BytesIO):
    """A file that gives away what was written to it, so that none is held whole."""

    def __init__(self) -> None:
        super().__init__()
        self._written: list[bytes] = []

    def write(self, data: Any, /) -> int:
        """Take bytes."""
        self._written.append(bytes(data))
        return len(self._written[-1])

    def taken(self) -> bytes:
        """Return what was written since the last time."""
        found = b"".join(self._written)
        self._written.clear()
        return found


def _cell(name: str, value: Any) -> Any:
    if value is None or value == "":
        return None
    if name in INSTANTS:
        return read_instant(value)
    if name in NUMBERS:
        return float(value)
    if name in COUNTS:
        return int(value)
    return value if name in FLAGS else str(value)


PARQUET = ExportFormat(
    name="parquet",
    label="Parquet",
    order=7,
    media_type="application/vnd.apache.parquet",
    is_text=False,
    is_binary=True,
    lacks=parquet_lacks,
    one=_one,
    many=_many,
)
