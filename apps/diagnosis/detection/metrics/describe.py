"""What a metric is by its name alone: for names that no entry of the catalog speaks of.

Names follow habits: the exporter in front, the unit and `_total` behind. A guess that is wrong in
detail still lets a series be compared with its peers and with its own past; it never says which
way is bad, since nobody wrote that down. Names of a subsystem that is worth no entries are known
and left alone, unless it says who watches them.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Final

from apps.diagnosis.detection.metrics.load import Catalog, Subsystem, catalog
from apps.diagnosis.model import (
    EMPTY,
    BadDirection,
    Layer,
    Query,
    ReadSchedule,
    Semantics,
    Signal,
    empty,
)
from apps.diagnosis.patterns import Pattern

SPELLED: Final = re.compile(r"\s*([A-Za-z_:][A-Za-z0-9_:]*)\s*(?:\{(.*)\}\s*)?", re.ASCII)
LABEL: Final = re.compile(r'\b([A-Za-z_][A-Za-z0-9_]*) ?= ?"((?:[^"\\]|\\.)*)"', re.ASCII)
# What exporters of their own count and type as a gauge, or give no type at all.
GROWS: Final = re.compile(
    r"(_total|_count|_sum|_bucket|_cnt|_violation|remapped_rows|ecc_(volatile|aggregate)_\w+"
    r"|ecc_errors_\w+|(replay|recovery|crc|symbol)_errors?(_counter)?|link_downed)$"
)
UNITS: Final = (
    ("seconds", "seconds"),
    ("bytes_per_second", "bytes/s"),
    ("bytes", "bytes"),
    ("celsius", "°C"),
    ("hertz", "Hz"),
    ("ratio", "ratio"),
    ("watts", "W"),
    ("watt", "W"),
    ("joules", "J"),
    ("volts", "V"),
    ("amperes", "A"),
    ("percent", "percent"),
    ("rpm", "rpm"),
    ("pages", "pages"),
    ("packets", "packets"),
    ("errors", "errors"),
    ("error", "errors"),
)
# Part of a name → (family, layer). The first that is found speaks.
SUBSYSTEMS: Final = (
    ("mountstats", "nfs-client", Layer.STORAGE),
    ("nfsd", "nfs-server", Layer.STORAGE),
    ("nfs", "nfs-client", Layer.STORAGE),
    ("lustre", "storage-load", Layer.STORAGE),
    ("vast", "storage-load", Layer.STORAGE),
    ("infiniband", "rdma-traffic", Layer.NETWORK),
    ("ethtool", "ethernet", Layer.NETWORK),
    ("nvlink", "nvlink", Layer.GPU),
    ("nvswitch", "nvswitch", Layer.GPU),
    ("xid", "xid", Layer.GPU),
    ("remap", "row-remap", Layer.GPU),
    ("ecc", "ecc", Layer.GPU),
    ("edac", "host-ecc", Layer.HOST),
    ("pcie", "pcie", Layer.HOST),
    ("throttl", "throttling", Layer.GPU),
    ("violation", "throttling", Layer.GPU),
    ("hwmon", "host-thermal", Layer.HOST),
    ("rapl", "host-thermal", Layer.HOST),
    ("pressure", "host-load", Layer.HOST),
    ("filesystem", "host-filesystem", Layer.HOST),
    ("disk", "host-disk", Layer.HOST),
    ("nvme", "host-disk", Layer.HOST),
    ("slurm", "scheduler", Layer.HOST),
    ("backendai", "scheduler", Layer.HOST),
    ("nccl", "collectives", Layer.STRAGGLER),
    ("clock", "clock", Layer.GPU),
    ("gpu_temp", "temperature", Layer.GPU),
    ("memory_temp", "temperature", Layer.GPU),
    ("power_usage", "power", Layer.GPU),
    ("gpu", "gpu", Layer.GPU),
    ("health_state", "gpu-health", Layer.GPU),
    ("scrape", "monitoring", Layer.HOST),
    ("prometheus", "monitoring", Layer.HOST),
)
KINDS: Final = (
    ("node_mountstats", "mount"),
    ("node_infiniband", "nic"),
    ("node_disk", "disk"),
    ("vast_", "server"),
    ("lustre_", "server"),
    ("dcgm_fi_", "gpu"),
    ("dcgm_exp_", "gpu"),
    ("nvidia_smi_", "gpu"),
    ("all_smi_gpu_", "gpu"),
    ("accelerator_nvidia_", "gpu"),
)
OTHER: Final = "other"
WATCH: Final = ("peers", "change", "drift")


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedName:
    """What a spelled name stands for: the signal, and the factor to its unit."""

    signal: Signal
    scale: float = 1.0
    labels: Mapping[str, str] = field(default_factory=empty)
    is_cataloged: bool = False


def described(spelled: str, prom_type: str | None = None) -> DescribedName:
    """Return what `name` or `name{label="value"}` stands for: by the catalog, else by its name."""
    found = SPELLED.fullmatch(spelled)
    metric, inside = (found[1], found[2] or "") if found else (spelled, "")
    labels = dict(LABEL.findall(inside))
    known = find(metric=metric, labels=labels)
    if known:
        signal, query = known
        return DescribedName(signal=signal, scale=query.scale, labels=labels, is_cataloged=True)
    return DescribedName(signal=signal_for(metric, prom_type), labels=labels)


def find(
    *, metric: str, labels: Mapping[str, str] = EMPTY, known: Catalog | None = None
) -> tuple[Signal, Query] | None:
    """Return the signal and query of the catalog that take a series; labels may be left out.

    A matcher on a label that is not told is passed over: the name alone then speaks.
    """
    pairs = (known or catalog()).metrics.get(metric, ())
    takers = [pair for pair in pairs if _takes(pair[1], labels)]
    return max(takers, key=lambda pair: _fit(pair[1], labels)) if takers else None


def _takes(query: Query, labels: Mapping[str, str]) -> bool:
    return all(
        label not in labels or matches(wanted, labels[label])
        for label, wanted in query.match.items()
    )


def _fit(query: Query, labels: Mapping[str, str]) -> tuple[int, int]:
    """Return how well a query fits: matchers that were asked, then few that were passed over."""
    asked = sum(label in labels for label in query.match)
    return asked, asked - len(query.match)


@cache
def _expression(source: str) -> Pattern:
    return Pattern(source)


def matches(wanted: str, value: str) -> bool:
    """Say whether a label's value is the one a query asks for; `~` starts an expression."""
    if wanted.startswith("~"):
        return _expression(wanted[1:]).fullmatch(value) is not None
    return wanted == value


@cache
def signal_for(metric: str, prom_type: str | None = None) -> Signal:
    """Return a signal for a metric name that the catalog doesn't know, by its habits."""
    name = metric.lower()
    about = subsystem_of(metric)
    family, layer = (about.family, about.layer) if about else _subsystem(name)
    semantics = _semantics(name, prom_type)
    kind = next((kind for start, kind in KINDS if name.startswith(start)), "node")
    what = f"{about.meaning}: {metric}" if about else _words(name)
    is_mute = semantics is Semantics.WINDOWED or _is_still(name)
    watch = () if is_mute else about.watch if about else WATCH
    return Signal(
        name=metric,
        exporter=about.exporter if about else _exporter(metric),
        meaning=f"{what} (by its name; the catalog has no entry)",
        unit=_unit(name),
        family=family,
        layer=layer,
        entity=about.entity if about else kind,
        semantics=semantics,
        bad=BadDirection.EITHER,
        queries=(Query(metric=metric),),
        watch=watch,
        read=ReadSchedule.KNOWN if about and not watch else ReadSchedule.AROUND,
    )


def subsystem_of(metric: str, known: Catalog | None = None) -> Subsystem | None:
    """Return the subsystem whose beginning a name has, the longest one."""
    subsystems = (known or catalog()).subsystems
    return next((each for each in subsystems if metric.startswith(each.prefix)), None)


def _exporter(metric: str) -> str:
    """Return the exporter whose names begin so, the longest beginning first."""
    ours = [
        (len(start), exporter)
        for exporter, labels in catalog().labels.items()
        for start in labels.prefix
        if metric.startswith(start)
    ]
    return max(ours)[1] if ours else OTHER


def _subsystem(name: str) -> tuple[str, Layer]:
    for part, family, layer in SUBSYSTEMS:
        if part in name:
            return family, layer
    first, _, rest = name.partition("_")
    if first == "node" and rest:
        return rest.partition("_")[0], Layer.HOST
    return first, Layer.UNKNOWN


def _semantics(name: str, prom_type: str | None) -> Semantics:
    if name.startswith("dcgm_exp_") and name.endswith("_count"):
        return Semantics.WINDOWED
    grows = prom_type in {"counter", "histogram"} or GROWS.search(name) is not None
    return Semantics.COUNTER if grows else Semantics.GAUGE


def _unit(name: str) -> str:
    stem = name.removesuffix("_total").removesuffix("_sum")
    return next((unit for end, unit in UNITS if stem.endswith(end)), "number")


def _is_still(name: str) -> bool:
    """Say whether a name tells of identity or settings, where no value is better than another."""
    return name.endswith(("_info", "_version", "_names", "_label", "_created", "_bucket"))


def _words(name: str) -> str:
    text = name.replace("_", " ").strip()
    return text[:1].upper() + text[1:]
