"""A slice of the census as files: a table per node, or text that Prometheus-like servers import."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from apps.simulator.world.truth import rfc3339
from tests.census import Block, Census, block_at
from tests.census.names import Name

MAX_VALUES = 12_000_000  # of one slice: about a quarter of a gigabyte of text
FORMATS = ("csv", "openmetrics")


class SliceTooLarge(Exception):
    """More values than a file should hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """Which part of the census is written."""

    from_hour: int
    hours: int
    hosts: str = ".*"  # patterns of whole names
    names: str = ".*"


def write(*, census: Census, part: Slice, form: str, directory: Path) -> list[Path]:
    """Write a slice below a directory and return its files; says before writing if it is too much.

    Raises SliceTooLarge, and ValueError for a span outside the census.
    """
    if not 0 <= part.from_hour < part.from_hour + part.hours <= census.days * 24:
        raise ValueError(
            f"hours {part.from_hour} to {part.from_hour + part.hours}: "
            f"the census has {census.days * 24}"
        )
    rows = [i for i, name in enumerate(census.names) if re.fullmatch(part.names, name.name)]
    columns = [i for i, host in enumerate(census.hosts) if re.fullmatch(part.hosts, host)]
    size = len(rows) * len(columns) * part.hours * 60
    if not 0 < size <= MAX_VALUES:
        raise SliceTooLarge(
            f"{len(rows)} names x {len(columns)} nodes x {part.hours} h are {size:,} values, at "
            f"most {MAX_VALUES:,} are written: choose fewer hours, --hosts or --names"
        )
    directory.mkdir(parents=True, exist_ok=True)
    blocks = [
        block_at(census, number, hours=1)
        for number in range(part.from_hour, part.from_hour + part.hours)
    ]
    if form == "csv":
        return [_table(census, blocks, rows, column, directory) for column in columns]
    return [_exposition(census, blocks, rows, columns, directory)]


def _absolute(blocks: list[Block], row: int, column: int) -> list[float]:
    """Return what the exporter serves: values and their base."""
    return [
        value
        for block in blocks
        for value in (block.base[row, column] + block.values[row, column].astype(float)).tolist()
    ]


def _times(blocks: list[Block]) -> list[float]:
    return [
        block.start + block.step * step for block in blocks for step in range(block.values.shape[2])
    ]


def _table(
    census: Census, blocks: list[Block], rows: list[int], column: int, directory: Path
) -> Path:
    """Write one node: a line per instant, a column per series; what is absent is empty."""
    path = directory / f"{census.hosts[column]}.csv"
    series = [_absolute(blocks, row, column) for row in rows]
    host = census.hosts[column]
    heading = ",".join(["time", *(_quoted(_series(census.names[row], host)) for row in rows)])
    with path.open("w") as file:
        file.write(heading + "\n")
        for step, at in enumerate(_times(blocks)):
            file.write(",".join([rfc3339(at), *(_text(line[step]) for line in series)]) + "\n")
    return path


def _exposition(
    census: Census, blocks: list[Block], rows: list[int], columns: list[int], directory: Path
) -> Path:
    """Write OpenMetrics with timestamps, for `promtool tsdb create-blocks-from openmetrics`."""
    path = directory / "slice.om"
    times = _times(blocks)
    declared: set[str] = set()
    with path.open("w") as file:
        for row in sorted(rows, key=lambda r: census.names[r].name):
            name = census.names[row]
            family, labels = _spelled(name)
            if family not in declared:
                declared.add(family)
                file.write(f"# TYPE {family.removesuffix('_total')} {_declared(name, family)}\n")
            for column in columns:
                values = _absolute(blocks, row, column)
                file.writelines(_samples(family, labels, census.hosts[column], times, values))
        file.write("# EOF\n")
    return path


def _samples(
    family: str, labels: str, host: str, times: list[float], values: list[float]
) -> Iterator[str]:
    head = f"{family}{_braces(labels, host)}"
    for at, value in zip(times, values, strict=True):
        if not np.isnan(value):
            yield f"{head} {_text(value)} {at:.0f}\n"


def _series(name: Name, host: str) -> str:
    family, labels = _spelled(name)
    return family + _braces(labels, host)


def _braces(labels: str, host: str) -> str:
    return f'{{{labels}instance="{host}",simulated="true"}}'


def _spelled(name: Name) -> tuple[str, str]:
    """Split what the name says of a label; the job is the exporter."""
    family, _, rest = name.name.partition("{")
    labels = rest.rstrip("}")
    job = "" if "job=" in labels else f'job="{name.exporter}"'
    return family, "".join(f"{part}," for part in (labels, job) if part)


def _declared(name: Name, family: str) -> str:
    is_counter = name.prometheus_type == "counter" and family.endswith("_total")
    return "counter" if is_counter else "unknown"


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _text(value: float) -> str:
    if np.isnan(value):
        return ""
    return str(int(value)) if value == int(value) else repr(round(value, 9))
