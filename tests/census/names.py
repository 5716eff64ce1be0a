"""The metric names of the census and how each moves; what they mean is the exporters' business."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

DRIVERS = (
    *("one", "run", "act", "busy", "gpu", "spin", "net", "data", "cpu", "start", "stop", "save"),
    *("load", "heat", "amb", "mem", "cache", "cron"),
    *("wreq", "wresp", "wqueue", "rreq", "rresp", "rqueue", "mreq", "mresp"),
)
KINDS = ("state", "clock", "sticky", "window", "gauge", "counter", "event")
TABLES = ("dcgm", "allsmi", "mountstats", "network", "host", "kernel", "scrape")
MEMORY_BYTES = 2.199e12  # of one node
_TERM = re.compile(r"([+-]?[0-9.]{1,30}(?:e[0-9-]{1,5})?)\*([a-z]{1,20})")
_OPERATION = (  # metric, kind, unit, which formula of the operation
    ("requests_total", "counter", "requests", "{0}", "int=1"),
    ("transmissions_total", "counter", "transmissions", "{0}", "int=1"),
    ("major_timeouts_total", "event", "count", ".01", ""),
    ("queue_time_seconds_total", "counter", "s", "{2}", "sd=.2"),
    ("response_time_seconds_total", "counter", "s", "{1}", "sd=.15"),
    ("request_time_seconds_total", "counter", "s", "{1}+{2}", "sd=.15"),
    ("sent_bytes_total", "counter", "bytes", "{3}", "int=1"),
    ("received_bytes_total", "counter", "bytes", "{4}", "int=1"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Name:
    """One metric name of a node, how its devices were reduced, and how it moves in health."""

    name: str
    exporter: str
    kind: str  # state clock sticky window gauge counter event
    unit: str
    reduction: str  # sum max min mean over the devices of a node
    devices: int  # how many were reduced; 1: it is of the node itself
    scope: str  # what sets a counter back: driver, boot, exporter; never
    terms: Mapping[str, float]  # driver → weight: a value, or a rate per second of a counter
    daily: float = 0.0  # innocent increases a day and node, of an event counter
    start: float = 0.0  # mean count of an event counter when the census begins
    sd: float = 0.0  # relative noise
    slow: float = 0.5  # share of the noise that wanders over minutes and hours
    tail: float = 0.0  # weight of the cubic term: larger means more outliers
    absolute: float = 0.0  # noise in the unit
    node: float = 0.0  # relative spread between nodes that never changes
    quantum: float = 0.0  # resolution of the exporter
    low: float = float("-inf")
    high: float = float("inf")
    missing: float = 0.0  # share of nodes that don't export it
    is_integer: bool = False
    is_whole: bool = False  # of the node although its exporter's others are per device
    is_working: bool = False  # there only while a job computes

    @property
    def prometheus_type(self) -> str:
        """Return gauge or counter, as a well-kept exporter would declare it."""
        return "counter" if self.kind in {"counter", "event"} else "gauge"


@lru_cache(maxsize=1)
def names() -> tuple[Name, ...]:
    """Return all names, those that are computed alike beside one another."""
    found = sorted(_read(), key=lambda each: KINDS.index(each.kind))
    doubles = {n.name for n in found if sum(m.name == n.name for m in found) > 1}
    if doubles:
        raise ValueError(f"metric names twice in the tables: {sorted(doubles)}")
    return tuple(found)


def _read() -> Iterator[Name]:
    for table in TABLES:
        content = tomllib.loads((files(__package__) / "tables" / f"{table}.toml").read_text())
        for part in (content, *content.get("also", ())):
            section = {**content, **part}
            for line in part["names"]:
                yield _name(line, section)
        for operation, formulas in content.get("operations", {}).items():
            yield from _operation(operation, formulas, content)
        for name, line in content.get("memory", {}).items():
            yield _memory(name, line, content)


def _operation(operation: str, formulas: list[str], section: Mapping[str, Any]) -> Iterator[Name]:
    for metric, kind, unit, formula, options in _OPERATION:
        line = f'operations_{metric}{{operation="{operation}"}} {kind} {unit} sum '
        yield _name(line + formula.format(*formulas) + " " + options, section)


def _memory(name: str, line: str, section: Mapping[str, Any]) -> Name:
    kind, formula, *options = line.split()
    scaled = _TERM.sub(lambda m: f"{float(m[1]) * MEMORY_BYTES:+.6e}*{m[2]}", formula)
    suffix = "" if name.startswith("numa_") else "_bytes"
    quantum = "q=4096" if kind == "gauge" else ""
    text = f"memory_{name}{suffix} {kind} bytes sum {scaled.replace('e+', 'e')} {quantum}"
    return _name(" ".join((text, *options)), section)


def _name(line: str, section: Mapping[str, Any]) -> Name:
    head, rest = line.split("} ", 1) if "} " in line else line.split(" ", 1)
    metric = head + "}" if "{" in head else head
    pieces = rest.split()
    options = {key: float(value) for key, value in (p.split("=") for p in _options(pieces))}
    unit = " ".join(pieces[1 : _reduction_at(pieces)])
    reduction, formula = pieces[_reduction_at(pieces)], pieces[_reduction_at(pieces) + 1]
    scope = next((p[6:] for p in pieces if p.startswith("scope=")), section["scope"])
    merged = {**section["defaults"], **options}
    is_whole = bool(merged.get("whole"))
    return Name(
        name=section["prefix"] + metric,
        exporter=section["exporter"],
        kind=pieces[0],
        unit=unit,
        reduction=reduction,
        devices=1 if is_whole else int(merged.get("devices", section["devices"])),
        scope=scope,
        terms=_terms(formula),
        daily=float(formula) if pieces[0] == "event" else 0.0,
        start=merged.get("start", 0.0),
        sd=merged["sd"],
        slow=merged.get("slow", 0.5),
        tail=merged.get("tail", 0.0),
        absolute=merged.get("abs", 0.0),
        node=merged["node"],
        quantum=merged.get("q", 0.0),
        low=merged.get("lo", float("-inf")),
        high=merged.get("hi", float("inf")),
        missing=merged.get("missing", 0.0),
        is_integer=bool(merged.get("int")),
        is_whole=is_whole,
        is_working=bool(merged.get("working")),
    )


def _options(pieces: list[str]) -> list[str]:
    return [p for p in pieces if "=" in p and not p.startswith("scope=")]


def _reduction_at(pieces: list[str]) -> int:
    return next(i for i, p in enumerate(pieces) if i and p in {"sum", "max", "min", "mean"})


def _terms(formula: str) -> dict[str, float]:
    terms: dict[str, float] = {}
    for weight, driver in _TERM.findall(formula):
        if driver not in DRIVERS:
            raise ValueError(f"{formula}: there is no driver {driver!r}")
        terms[driver] = terms.get(driver, 0.0) + float(weight)
    return terms
