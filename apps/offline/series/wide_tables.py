"""A file with one table of series → numbers: npz, Parquet or CSV, one column a series.

Columns are numbered from 0 in the file's order, without the column of times. A column of text or of
answers (`label` and its like) keeps its number and holds no values: it is never looked at.
"""

import csv
import itertools
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from apps.diagnosis.stats import Floats
from apps.offline.series.wide_columns import WideTable, assembled, is_number, number_of, time_column
from apps.telemetry.files.path_suggestions import path_meant
from apps.telemetry.files.table_columns import PARQUET_MAGIC
from apps.telemetry.files.unusable_input import UnusableInput

ZIP_MAGIC: Final = b"PK\x03\x04"
MOST_BYTES: Final = 8 * 2**30  # of numbers in memory
MOST_COLUMNS: Final = 100_000
CELLS_AT_ONCE: Final = 100_000


def read_wide(path: Path) -> WideTable:
    """Read one file; its kind is told by its first bytes.

    Raises UnusableInput, naming the file and what it should hold.
    """
    try:
        with path.open("rb") as file:
            head = file.read(4)
        if head == ZIP_MAGIC:
            return _npz(path)
        if path.suffix == ".npz":
            raise UnusableInput(f"{path}: not a readable npz of numbers")
        return _parquet(path) if head == PARQUET_MAGIC else _comma_separated(path)
    except OSError as error:
        hint = path_meant(path=path)
        raise UnusableInput(f"{path}: {error.strerror or error}{hint}") from error
    except MemoryError as error:
        raise UnusableInput(f"{path}: the table doesn't fit into memory; cut it by time") from error


def _npz(path: Path) -> WideTable:
    held = _opened(path)
    if "test" not in held:
        raise UnusableInput(
            f"{path}: no array `test` (rows = time, columns = series) to score; "
            f"`train` beside it is learnt from"
        )
    test = _array(path, "test", held["test"])
    train = _array(path, "train", held["train"]) if "train" in held else None
    if train is not None and train.shape[1] != test.shape[1]:
        raise UnusableInput(
            f"{path}: `train` has {train.shape[1]} columns, `test` has {test.shape[1]}"
        )
    return WideTable(test=test, train=train, names=None, step=None, notes=())


def _opened(path: Path) -> dict[str, np.ndarray[Any, Any]]:
    """Return the two arrays that are read, where they are; no other one is opened."""
    try:
        _check_size(path)
        with np.load(path, allow_pickle=False) as held:
            return {name: held[name] for name in ("train", "test") if name in held.files}
    except UnusableInput:
        raise
    except (ValueError, EOFError, zipfile.BadZipFile, KeyError) as error:
        raise UnusableInput(f"{path}: not a readable npz of numbers: {error}") from error


def _check_size(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:
        sizes = {entry.filename: entry.file_size for entry in archive.infolist()}
    total = sum(sizes.get(name, 0) for name in ("train.npy", "test.npy"))
    if total > MOST_BYTES:
        raise UnusableInput(f"{path}: {total / 2**30:.0f} GiB of numbers are too many at once")


def _array(path: Path, name: str, values: np.ndarray[Any, Any]) -> Floats:
    if values.dtype.kind not in "fiub":
        raise UnusableInput(f"{path}: `{name}` holds {values.dtype}, not numbers")
    if values.ndim == 1:
        values = values[:, None]
    if values.ndim != 2 or not values.size:
        raise UnusableInput(
            f"{path}: `{name}` has the shape {values.shape}; it must be rows x columns"
        )
    return values if values.dtype == np.float32 else values.astype(np.float64, copy=False)


def _parquet(path: Path) -> WideTable:
    try:
        import pyarrow as pa  # type: ignore[import-untyped]  # noqa: PLC0415  an optional extra
        from pyarrow import parquet  # noqa: PLC0415
    except ImportError as error:
        raise UnusableInput(
            f"{path}: Parquet needs the package pyarrow (install the extra `parquet`); "
            f"CSV and npz are read as they are"
        ) from error
    try:
        said = parquet.read_metadata(path)
        if said.num_rows * said.num_columns * 8 > MOST_BYTES:
            raise UnusableInput(f"{path}: too many numbers at once; cut the table by time")
        table = parquet.read_table(path)
    except (pa.ArrowException, OSError) as error:
        raise UnusableInput(f"{path}: the Parquet file is damaged") from error
    names = list(table.column_names)
    if not names or not table.num_rows:
        raise UnusableInput(f"{path}: no rows; a table of series has columns and rows")
    time = time_column(path, names)
    if time is None:
        kinds = [str(field.type) for field in table.schema]
        time = next((at for at, kind in enumerate(kinds) if kind.startswith("timestamp")), None)
    series = [at for at in range(len(names)) if at != time]
    columns = [_arrow_numbers(table.column(at)) for at in series]
    stamps = None if time is None else table.column(time).to_pylist()
    values = np.column_stack(columns) if columns else None
    return assembled(path, values, [names[at] for at in series], stamps)


def _arrow_numbers(cells: Any) -> Floats:
    """Return a column as doubles; what is no number is missing."""
    kept = cells.combine_chunks()
    kind = str(kept.type)
    if kind.startswith(("int", "uint", "float", "double", "halffloat", "bool", "decimal")):
        return np.array(kept.cast("float64").to_numpy(zero_copy_only=False), dtype=np.float64)
    return np.array([number_of(cell) for cell in kept.to_pylist()], dtype=np.float64)


def _comma_separated(path: Path) -> WideTable:
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        rows: Iterator[list[str]] = filter(None, csv.reader(file))
        try:
            first = next(rows, None)
            if first is None:
                raise UnusableInput(f"{path}: empty; a table of series has a header and rows")
            if len(first) > MOST_COLUMNS:
                raise UnusableInput(f"{path}: more than {MOST_COLUMNS} columns; cut it by series")
            has_names = not all(is_number(cell) for cell in first)
            names = [cell.strip() for cell in first] if has_names else None
            time = time_column(path, names or [])
            stamps: list[str] = []
            body = rows if has_names else itertools.chain([first], rows)
            values = _numbers(path, body, width=len(first), time=time, stamps=stamps)
        except csv.Error as error:
            raise UnusableInput(f"{path}: not readable as CSV: {error}") from error
    if names is not None and time is not None:
        del names[time]
    return assembled(path, values, names, None if time is None else stamps)


def _numbers(
    path: Path, rows: Iterable[list[str]], *, width: int, time: int | None, stamps: list[str]
) -> Floats:
    parts: list[Floats] = []
    size = 0
    for cells in _batches(path, rows, width):
        count = len(cells) // width
        if time is not None:
            stamps.extend(map(str.strip, cells[time::width]))
            del cells[time::width]
        parts.append(_parsed(cells).reshape(count, -1))
        size += parts[-1].nbytes
        if size > MOST_BYTES:
            raise UnusableInput(f"{path}: too many numbers at once; cut the table by time")
    if not parts:
        raise UnusableInput(f"{path}: no rows; a table of series has a header and rows")
    return np.concatenate(parts)


def _batches(path: Path, rows: Iterable[list[str]], width: int) -> Iterator[list[str]]:
    """Yield the cells of some rows after the other: a list of each would be looked at again and
    again.
    """
    cells: list[str] = []
    for at, row in enumerate(rows, 2):
        if len(row) != width:
            raise UnusableInput(f"{path}: row {at} has {len(row)} fields, the first has {width}")
        cells += row
        if len(cells) >= CELLS_AT_ONCE:
            yield cells
            cells = []
    if cells:
        yield cells


def _parsed(cells: Sequence[str]) -> Floats:
    """Return the numbers of cells; only where there is text each is tried alone, and once."""
    try:
        return np.fromiter(map(float, cells), np.float64, len(cells))
    except ValueError:
        known = {cell: number_of(cell) for cell in set(cells)}
        return np.fromiter(map(known.__getitem__, cells), np.float64, len(cells))
