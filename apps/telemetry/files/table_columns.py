"""The bytes of a table (CSV or Parquet) → its columns, in bounded memory."""

import csv
import io
from collections.abc import Collection, Sequence
from typing import Any, Final

from apps.telemetry.files.parquet_pages import check_pages
from apps.telemetry.files.unusable_input import UnusableInput

Column = Sequence[Any]
PARQUET_MAGIC: Final = b"PAR1"
# As objects, and what a text may take of them: samples with their labels take ten times their size.
ROW_BYTES, CELL_BYTES = 200, 60
MOST_MEMORY, MEMORY_A_BYTE = 64 * 2**20, 16
MOST_COLUMNS: Final = 20_000
MOST_KNOWN: Final = 10_000
MOST_CELLS: Final = 20_000_000  # of a Parquet file, which may say one value for all rows


def columns_of(
    *, name: str, raw: bytes, wanted: Collection[str] = (), most_cells: int = MOST_CELLS
) -> dict[str, Column]:
    """Return name of a column → its cells; of a Parquet file the `wanted` ones, all where none are.

    Raises UnusableInput, naming the file.
    """
    if raw.startswith(PARQUET_MAGIC):
        return _parquet(name, raw, wanted, most_cells)
    return _comma_separated(name, raw, most_cells)


def _comma_separated(name: str, raw: bytes, most_cells: int) -> dict[str, Column]:
    _check_cells(name, raw)
    if raw.count(b",") + raw.count(b"\n") > most_cells:
        raise UnusableInput(f"{name}: more than {most_cells} cells; cut the table by time")
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


def _parquet(name: str, raw: bytes, wanted: Collection[str], most_cells: int) -> dict[str, Column]:
    try:
        import pyarrow as pa  # type: ignore[import-untyped]  # noqa: PLC0415  an optional extra
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError as error:
        raise UnusableInput(
            f"{name}: Parquet needs the package pyarrow (install the extra `parquet`); CSV is read as it is"  # noqa: E501  one sentence
        ) from error
    try:
        file = parquet.ParquetFile(pa.BufferReader(raw))
        known = [each for each in file.schema_arrow.names if not wanted or each in wanted]
        if file.metadata.num_rows * len(known) > most_cells:
            raise UnusableInput(f"{name}: more than {most_cells} cells; cut the table by time")
        check_pages(name=name, raw=raw, metadata=file.metadata, columns=known)
        schema = file.schema_arrow
        texts = [each for each in known if _is_text(pa, schema.field(each).type)]
        # A text is kept once, however many rows say it: a mebibyte a thousand times is a gibibyte.
        table = parquet.read_table(pa.BufferReader(raw), columns=known, read_dictionary=texts)
    except (pa.ArrowException, OSError, KeyError) as error:
        raise UnusableInput(f"{name}: the Parquet file is damaged") from error
    return {column: _cells(pa, table.column(column)) for column in table.column_names}


def _is_text(pa: Any, kind: Any) -> bool:
    is_plain = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    return bool(is_plain or pa.types.is_binary(kind) or pa.types.is_dictionary(kind))


def _cells(pa: Any, column: Any) -> list[Any]:
    """Return the cells of a column; equal texts of a block are one object."""
    if not pa.types.is_dictionary(column.type):
        cells: list[Any] = column.to_pylist()
        return cells
    found: list[Any] = []
    for chunk in column.chunks:
        words = chunk.dictionary.to_pylist()
        found += [None if at is None else words[at] for at in chunk.indices.to_pylist()]
    return found
