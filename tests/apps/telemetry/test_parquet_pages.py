"""Parquet files whose pages unfold to more than is read, and those that are read as before."""

import io
from typing import Any

import numpy as np
import pytest

from apps.telemetry.files import parquet_pages
from apps.telemetry.files.table_columns import columns_of
from apps.telemetry.files.unusable_input import UnusableInput

NO_PARQUET = "no pyarrow here: Parquet was not tried; the extra `parquet` brings it"
pa = pytest.importorskip("pyarrow", reason=NO_PARQUET)
parquet = pytest.importorskip("pyarrow.parquet", reason=NO_PARQUET)
ONE_PAGE = {"max_rows_per_page": 2**31 - 1, "write_batch_size": 2**30, "data_page_size": 2**30}


def file_of(columns: dict[str, Any], **how: Any) -> bytes:
    """Return a Parquet file of columns."""
    written = io.BytesIO()
    parquet.write_table(pa.table(columns), written, **how)
    return written.getvalue()


def honest() -> dict[str, Any]:
    """Return columns of every kind that a table has."""
    rows = 3000
    return {
        "at": np.arange(rows),
        "value": np.linspace(0.0, 1.0, rows),
        "host": ["gpu001", None, "gpu003"] * (rows // 3),
        "labels": [{"gpu": 1, "name": "x"}] * rows,
        "ranks": [[1, 2, 3]] * rows,
        "is_slow": [True, False, None] * (rows // 3),
    }


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"compression": "none", "row_group_size": 100},
        {"compression": "zstd", "data_page_version": "2.0"},
        {"use_dictionary": False, "write_page_checksum": True},
        {"write_page_index": True, "write_statistics": False},
        {"data_page_size": 64},
    ],
    ids=str,
)
def test_what_writers_write_is_read_as_before(how: dict[str, Any]) -> None:
    columns = honest()
    found = columns_of(name="steps.parquet", raw=file_of(columns, **how))
    assert list(found) == list(columns)
    assert list(found["host"]) == columns["host"]
    assert list(found["at"]) == columns["at"].tolist()


def test_a_page_that_unfolds_a_thousandfold_is_refused_before_it_is_unfolded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = parquet_pages.MOST_PAGE // 8 + 1
    raw = file_of(
        {"at": np.zeros(rows, np.int64)},
        use_dictionary=False,
        compression="zstd",
        row_group_size=2**31 - 1,
        **ONE_PAGE,
    )
    assert len(raw) * 1000 < parquet_pages.MOST_PAGE

    def never(*_: object, **__: object) -> None:
        raise AssertionError

    monkeypatch.setattr(parquet, "read_table", never)
    with pytest.raises(UnusableInput, match=r"big.parquet: a page of at unfolds to more than 64"):
        columns_of(name="big.parquet", raw=raw)


def test_columns_that_nobody_wants_are_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_pages, "MOST_PAGE", 1000)
    raw = file_of({"at": [1, 2], "text": ["x" * 2000, "y" * 2000]})
    assert columns_of(name="a.parquet", raw=raw, wanted=["at"]) == {"at": [1, 2]}
    with pytest.raises(UnusableInput, match="a page of text unfolds"):
        columns_of(name="a.parquet", raw=raw)


def test_a_header_that_is_none_is_damage() -> None:
    raw = file_of({"at": np.arange(50)}, compression="none")
    with pytest.raises(UnusableInput, match=r"a.parquet: the Parquet file is damaged"):
        columns_of(name="a.parquet", raw=raw[:4] + b"\xff" * 12 + raw[16:])


@pytest.mark.parametrize(
    "header",
    [
        b"",
        b"\x15",  # ends within a number
        b"\x15" + b"\x80" * 11,  # a number that never ends
        b"\x1d\x00",  # a field of no kind
        b"\x1c" * 40,  # structs in structs
        b"\x19\xf5\xff\xff\xff\xff\x0f",  # a list of four thousand million
        b"\x18\xff\xff\xff\xff\x0f",  # as long a text
        b"\x15\x00\x15\x01\x15\x01\x00",  # sizes below nothing
    ],
)
def test_bytes_that_are_no_header_end_in_a_refusal_at_once(header: bytes) -> None:
    with pytest.raises(parquet_pages._Damaged):
        list(parquet_pages._pages(header + b"\x15", 0, len(header) + 1))


def _number(value: int) -> bytes:
    """Return a whole number from 0 as Thrift's compact protocol writes it."""
    rest, found = value << 1, b""
    while rest >= 128:
        found, rest = found + bytes([rest & 127 | 128]), rest >> 7
    return found + bytes([rest])


@pytest.mark.parametrize(
    "unfolded",
    [
        # Who keeps sixteen bits of a field's number takes this one for the size, and unfolds it.
        b"\x15" + _number(0) + b"\x05" + _number(2**16 + 2) + _number(2**31 - 1),
        b"\x15" + _number(0) + b"\x05" + _number(3 * 2**16 + 2) + _number(2**31 - 1),
    ],
)
def test_a_field_that_others_take_for_the_size_is_damage(unfolded: bytes) -> None:
    page = b"\x15\x00" + unfolded + b"\x05" + _number(3) + _number(4) + b"\x00" + b"page"
    with pytest.raises(parquet_pages._Damaged):
        list(parquet_pages._pages(page, 0, len(page)))


def test_a_page_that_ends_behind_its_column_is_damage_and_hides_no_other() -> None:
    def pages(folded: int) -> bytes:
        head = b"\x15\x00\x15" + _number(4) + b"\x15" + _number(folded) + b"\x00"
        return head + b"page" + b"\x15\x00\x15" + _number(2**31 - 1) + b"\x15\x02\x00" + b"p"

    honest, lying = pages(4), pages(2**32 + 4)
    assert list(parquet_pages._pages(honest, 0, len(honest))) == [4, 2**31 - 1]
    with pytest.raises(parquet_pages._Damaged):
        list(parquet_pages._pages(lying, 0, len(lying)))


def test_a_column_with_points_in_its_name_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = file_of({"at.utc": ["x" * 2000], "at": [{"utc": "y" * 2000}]}, use_dictionary=False)
    assert list(columns_of(name="a.parquet", raw=raw)) == ["at.utc", "at"]
    monkeypatch.setattr(parquet_pages, "MOST_PAGE", 1000)
    for wanted in (["at.utc"], ["at"]):
        with pytest.raises(UnusableInput, match=r"a page of at.utc unfolds"):
            columns_of(name="a.parquet", raw=raw, wanted=wanted)
