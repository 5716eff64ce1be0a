"""Tables of series: three shapes, two file formats, and what is wrong with the rest."""

import io
from pathlib import Path

import numpy as np
import pytest

from apps.diagnosis.detection.metrics.frames import Samples
from apps.offline.series.series_tables import read_series
from apps.offline.series.table_cells import times
from apps.telemetry.files.unusable_input import UnusableInput

START = 1_790_000_000
NO_PARQUET = "no pyarrow here: Parquet was not tried; the extra `parquet` brings it"


def _temperatures(series: list[Samples]) -> dict[tuple[str, str], list[float]]:
    return {(one.labels["Hostname"], one.labels["gpu"]): one.values.tolist() for one in series}


WANTED = {("n1", "0"): [61.0, 62.0], ("n2", "0"): [70.0, 71.0]}
SHAPES = {
    "a sample a row": (
        "time,metric,Hostname,gpu,value\n"
        f"{START},DCGM_FI_DEV_GPU_TEMP,n1,0,61\n{START},DCGM_FI_DEV_GPU_TEMP,n2,0,70\n"
        f"{START + 30},DCGM_FI_DEV_GPU_TEMP,n1,0,62\n{START + 30},DCGM_FI_DEV_GPU_TEMP,n2,0,71\n"
    ),
    "a series a column": (
        'Time,"DCGM_FI_DEV_GPU_TEMP{Hostname=""n1"",gpu=""0""}",'
        '"DCGM_FI_DEV_GPU_TEMP{Hostname=""n2"",gpu=""0""}"\n'
        "2026-09-21T14:13:20Z,61,70\n2026-09-21T14:13:50Z,62,71\n"
    ),
    "an entity a row": (
        "timestamp,Hostname,gpu,DCGM_FI_DEV_GPU_TEMP\n"
        f"{START}000,n1,0,61\n{START + 30}000,n1,0,62\n"
        f"{START}000,n2,0,70\n{START + 30}000,n2,0,71\n"
    ),
}


@pytest.mark.parametrize("text", SHAPES.values(), ids=SHAPES)
def test_each_shape_of_a_table_gives_the_same_series(text: str) -> None:
    found = read_series(name="t.csv", raw=text.encode())
    assert _temperatures(found) == WANTED
    assert {tuple(np.diff(one.at)) for one in found} == {(30.0,)}


def test_rows_out_of_order_are_put_in_order() -> None:
    lines = SHAPES["an entity a row"].splitlines()
    shuffled = "\n".join([lines[0], *reversed(lines[1:])])
    assert _temperatures(read_series(name="t.csv", raw=shuffled.encode())) == WANTED


def test_an_instant_without_a_zone_is_in_the_zone_that_was_named() -> None:
    raw = b"time,metric,host,value\n2026-09-21 23:13:20,up,n1,1\n2026-09-21 23:13:50,up,n1,1\n"
    (found,) = read_series(name="t.csv", raw=raw, zone="Asia/Seoul")
    assert found.at[0] == read_series(name="t.csv", raw=raw)[0].at[0] - 9 * 3600


@pytest.mark.parametrize("others", [[], ["n/a"]], ids=["numbers alone", "beside other cells"])
@pytest.mark.parametrize(
    ("cell", "seconds"),
    [(99_999_999_999, 99_999_999_999), (10**11, 1e8), (10**14, 1e8), (10**17, 1e8)],
)
def test_a_number_is_taken_in_the_next_smaller_unit_from_so_many_digits_on(
    cell: int, seconds: float, others: list[str]
) -> None:
    assert times("t.csv", [cell, *others], None)[0] == pytest.approx(seconds)


def test_an_empty_cell_is_missing_and_not_zero() -> None:
    raw = b"time,Hostname,gpu,DCGM_FI_DEV_GPU_TEMP\n1790000000,n1,0,\n1790000030,n1,0,60\n"
    (found,) = read_series(name="t.csv", raw=raw)
    assert np.isnan(found.values[0])


def test_parquet_gives_what_csv_gives() -> None:
    pa = pytest.importorskip("pyarrow", reason=NO_PARQUET)
    parquet = pytest.importorskip("pyarrow.parquet", reason=NO_PARQUET)
    table = pa.table(
        {
            "time": pa.array([START * 1000, (START + 30) * 1000] * 2, pa.timestamp("ms", "UTC")),
            "Hostname": ["n1", "n1", "n2", "n2"],
            "gpu": [0, 0, 0, 0],
            "DCGM_FI_DEV_GPU_TEMP": [61.0, 62.0, 70.0, 71.0],
        }
    )
    packed = io.BytesIO()
    parquet.write_table(table, packed)
    assert _temperatures(read_series(name="t.parquet", raw=packed.getvalue())) == WANTED


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"", "no rows"),
        (b"time,value\n", "no rows"),
        (b"host,value\nn1,3\n", "no column of times"),
        (b"time,colour\n1790000000,red\n", "no column is a metric"),
        (b"time,metric,value\nyesterday,up,1\n", "no time could be read"),
        (b"time,metric,value\n1790000000,up\n", "row 2 has 2 fields"),
        (b"PAR1 and no more of it", "damaged"),
        (b'{"status":"error","error":"too many samples"}', "too many samples"),
    ],
)
def test_what_is_no_table_is_named_with_its_fault(raw: bytes, said: str) -> None:
    with pytest.raises(UnusableInput, match=said) as raised:
        read_series(name="t.csv", raw=raw)
    assert str(raised.value).startswith("t.csv: ")


def test_a_table_is_read_from_disk_with_any_ending(tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_text(SHAPES["a sample a row"])
    assert _temperatures(read_series(name=str(path), raw=path.read_bytes())) == WANTED


def test_a_time_without_end_is_no_time() -> None:
    body = b"time,up\ninf,1\n1763690400,2\n"
    (one,) = read_series(name="a.csv", raw=body.replace(b"up", b'"up{a=""b""}"'))
    assert one.values.tolist() == [2.0]


@pytest.mark.parametrize(
    ("header", "meant"),
    [
        ("time,Hostnam,gpu,DCGM_FI_DEV_GPU_TEMP", "Hostname"),
        ("time,Hostname,gpu,DCGM_FI_DEV_GPU_TMP", "DCGM_FI_DEV_GPU_TEMP"),
        ("time,metric,value,hostnmae", "hostname"),
        ("time,Hostname,os_limti,DCGM_FI_DEV_GPU_TEMP", "os_limit"),
    ],
)
def test_a_mistyped_host_or_metric_is_no_label(header: str, meant: str) -> None:
    table = f"{header}\n1772323200,n1,0,60\n"
    with pytest.raises(UnusableInput, match=f"did you mean `{meant}`"):
        read_series(name="t.csv", raw=table.encode())


@pytest.mark.parametrize(
    "header",
    [
        "time,Hostname,rack,DCGM_FI_DEV_GPU_TEMP",
        "time,host,job,DCGM_FI_DEV_GPU_TEMP",
        "time,hostname,gpu_uuid,DCGM_FI_DEV_GPU_TEMP",
        "time,hostname,DCGM_FI_DEV_NVLINK_CRC_FLIT_ERROR_COUNT_L17,DCGM_FI_DEV_GPU_TEMP",
    ],
)
def test_labels_of_ones_own_are_labels(header: str) -> None:
    (one,) = read_series(name="t.csv", raw=f"{header}\n1772323200,n1,a,60\n".encode())
    assert one.labels["__name__"] == "DCGM_FI_DEV_GPU_TEMP"
