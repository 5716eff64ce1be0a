"""The bytes of a table (CSV or Parquet) → its columns, in bounded memory."""

import csv
import io
from collections.abc import Sequence
from typing import Any, Final

from apps.telemetry.files.unusable_input import UnusableInput

Column = Sequence[Any]
PARQUET_MAGIC: Final = b"PAR1"
# As objects, and what a text may take of them: samples with their labels take ten times their size.
ROW_BYTES, CELL_BYTES = 200, 60
MOST_MEMORY, MEMORY_A_BYTE = 64 * 2**20, 16
MOST_COLUMNS: Final = 20_000
MOST_KNOWN: Final = 10_000
MOST_CELLS: Final = 20_000_000  # of a Parquet file, which may say one value for all rows


def columns_of(*, name: str, raw: bytes) -> dict[str, Column]:
    """Return name of a column → its cells; raises UnusableInput, naming the file."""
    is_parquet = raw.startswith(PARQUET_MAGIC)
    return _parquet(name, raw) if is_parquet else _comma_separated(name, raw)


def _comma_separated(name: str, raw: bytes) -> dict[str, Column]:
    _check_cells(name, raw)
    # Decoded bit by bit: as one text it takes four bytes a letter to read.
    text = io.TextIOWrapper(io.BytesIO(raw), "utf-8-sig", errors="replace", newline="")
    try:
        rows = filter(None, csv.reader(text))
        header = next(rows, [])
        width = len(header)
        if width > MOST_COLUMNS:
            raise UnusableInput(f"{name}: more than {MOST_COLUMNS} columns; write one row a sample")
        cells: list[str] = []  # of all rows: a list of each would be looked at again and again
        known: dict[str, str] = {}  # labels are said again in each row, and kept once
        for at, row in enumerate(rows, 2):
            if len(row) != width:
                raise UnusableInput(
                    f"{name}: row {at} has {len(row)} fields, the header has {width}"
                )
            if len(known) < MOST_KNOWN:
                cells += [known.setdefault(cell, cell) for cell in row]
            else:
                cells += [known.get(cell, cell) for cell in row]
    except csv.Error as error:
        raise UnusableInput(f"{name}: not readable as CSV: {error}") from error
    if not cells:
        raise UnusableInput(f"{name}: no rows; a table has a header and rows")
    return {column: cells[at::width] for at, column in enumerate(header)}


def _check_cells(name: str, raw: bytes) -> None:
    """Raise UnusableInput for a text that would take far more memory than its size is for."""
    rows, cells = raw.count(b"\n"), raw.count(b",") + raw.count(b"\n")
    if rows * ROW_BYTES + cells * CELL_BYTES > MOST_MEMORY + MEMORY_A_BYTE * len(raw):
        raise UnusableInput(f"{name}: {cells} cells in {len(raw)} bytes; cut the table by time")


def _parquet(name: str, raw: bytes) -> dict[str, Column]:
    try:
        import pyarrow as pa  # type: ignore[import-untyped]  # noqa: PLC0415  an optional extra
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError as error:
        raise UnusableInput(
            f"{name}: Parquet needs the package pyarrow (install the extra `parquet`); CSV is read as it is"  # noqa: E501  one sentence
        ) from error
    try:
        said = parquet.ParquetFile(pa.BufferReader(raw)).metadata
        if said.num_rows * said.num_columns > MOST_CELLS:
            raise UnusableInput(f"{name}: more than {MOST_CELLS} cells; cut the table by time")
        table = parquet.read_table(pa.BufferReader(raw))
    except (pa.ArrowException, OSError) as error:
        raise UnusableInput(f"{name}: the Parquet file is damaged") from error
    return {column: table.column(column).to_pylist() for column in table.column_names}
