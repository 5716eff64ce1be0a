"""Read the metric catalog: one TOML file per exporter → signals and how its labels name things.

A file holds blocks of one signal each, and groups: lines of signals that share what the group
says. A line with `each` stands for as many signals as its words have combinations. `subsystems`
are beginnings of names that are worth telling apart and not worth a line each.
"""

import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import Any

from apps.diagnosis.model import (
    BadDirection,
    Layer,
    Query,
    ReadSchedule,
    Role,
    Semantics,
    Signal,
    SignalCode,
)

FOLDER = Path(__file__).parent
ENTITIES = frozenset({"gpu", "nic", "node", "mount", "server", "switch", "disk"})
CHOICES = {
    "layer": Layer,
    "semantics": Semantics,
    "bad": BadDirection,
    "role": Role,
    "read": ReadSchedule,
}
TUPLES = ("watch", "causes", "operation")


class CatalogError(ValueError):
    """The catalog cannot be read; the message names file and entry."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Labels:
    """Which labels of an exporter name the thing measured, the most telling first."""

    host: tuple[str, ...] = ()
    index: tuple[str, ...] = ()
    uuid: tuple[str, ...] = ()
    pci: tuple[str, ...] = ()
    name: tuple[str, ...] = ()
    operation: tuple[str, ...] = ()
    prefix: tuple[str, ...] = ()  # how the names of its metrics begin


@dataclass(frozen=True, slots=True, kw_only=True)
class Subsystem:
    """What all metrics are about whose names begin so."""

    prefix: str
    exporter: str
    meaning: str
    family: str
    layer: Layer
    entity: str
    watch: tuple[str, ...] = ()  # detectors that look at each of them; none: they are only known


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """All signals, by name, the labels of each exporter, and who speaks of a metric name."""

    signals: Mapping[str, Signal]
    labels: Mapping[str, Labels]
    metrics: Mapping[str, tuple[tuple[Signal, Query], ...]]
    subsystems: tuple[Subsystem, ...]  # the longest beginning first

    def read(self, *when: ReadSchedule) -> tuple[Signal, ...]:
        """Return the signals that are read at such times."""
        return tuple(signal for signal in self.signals.values() if signal.read in when)


@cache
def catalog() -> Catalog:
    """Return the catalog that ships with the package."""
    return load(folder=FOLDER)


def load(*, folder: Path) -> Catalog:
    """Read every TOML file of a folder; raise CatalogError for what cannot be meant."""
    signals: dict[str, Signal] = {}
    labels: dict[str, Labels] = {}
    subsystems: list[Subsystem] = []
    for path in sorted(folder.glob("*.toml")):
        entries = tomllib.loads(path.read_text(encoding="utf-8"))
        exporter = entries.pop("exporter", {})
        try:
            labels[path.stem] = Labels(**{key: tuple(names) for key, names in exporter.items()})
            subsystems += _subsystems(entries.pop("subsystems", {}), exporter=path.stem)
        except (KeyError, TypeError, ValueError) as error:
            raise CatalogError(f"{path.name}: [exporter]: {error}") from error
        for name, entry in _lines(entries, file=path.name):
            if name in signals:
                raise CatalogError(f"{path.name}: {name} is also in {signals[name].exporter}.toml")
            try:
                signals[name] = _signal(name=name, exporter=path.stem, entry=entry)
            except (KeyError, TypeError, ValueError) as error:
                raise CatalogError(f"{path.name}: {name}: {error!r}") from error
    return Catalog(
        signals=MappingProxyType(signals),
        labels=MappingProxyType(labels),
        metrics=_by_metric(signals),
        subsystems=tuple(sorted(subsystems, key=lambda each: (-len(each.prefix), each.prefix))),
    )


def _subsystems(entry: Mapping[str, Any], *, exporter: str) -> Iterator[Subsystem]:
    for line in entry.get("starts", ()):
        watch = tuple(line.get("watch", ()))
        layer = Layer(line["layer"])
        yield Subsystem(**{**line, "exporter": exporter, "layer": layer, "watch": watch})


def _by_metric(
    signals: Mapping[str, Signal],
) -> Mapping[str, tuple[tuple[Signal, Query], ...]]:
    found: dict[str, list[tuple[Signal, Query]]] = defaultdict(list)
    for signal in signals.values():
        for query in signal.queries:
            found[query.metric].append((signal, query))
    return MappingProxyType({metric: tuple(pairs) for metric, pairs in found.items()})


def _lines(entries: dict[str, Any], *, file: str) -> list[tuple[str, Mapping[str, Any]]]:
    try:
        return list(_spelled_out(entries))
    except (AttributeError, KeyError, TypeError) as error:
        raise CatalogError(f"{file}: a group: {error!r}") from error


def _spelled_out(entries: dict[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield the name and fields of each signal of a file: blocks, then the lines of groups."""
    groups = entries.pop("group", [])
    yield from entries.items()
    for group in groups:
        shared = {"read": "known", **group}
        for line in shared.pop("signals"):
            for fields in _each({**shared, **line}):
                queries = fields.get("queries") or _queries(fields.pop("metric"))
                yield fields.pop("name", queries[0]["metric"]), {**fields, "queries": queries}


def _queries(metric: str | list[str]) -> list[dict[str, Any]]:
    return [{"metric": name} for name in ([metric] if isinstance(metric, str) else metric)]


def _each(line: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield a line once per combination of its `each` words, put in where they stand in braces.

    Words may be a list, or a table word → how the meaning says it.
    """
    each = line.pop("each", {})
    tables = [
        words if isinstance(words, dict) else dict(zip(words, words, strict=True))
        for words in each.values()
    ]
    for chosen in product(*(table.items() for table in tables)):
        spelled = {key: word for key, (word, _) in zip(each, chosen, strict=True)}
        said = {key: text for key, (_, text) in zip(each, chosen, strict=True)}
        yield {
            key: _filled(value, said if key == "meaning" else spelled) if each else value
            for key, value in line.items()
        }


def _filled(value: Any, words: Mapping[str, str]) -> Any:
    if isinstance(value, str):
        for key, word in words.items():
            value = value.replace("{" + key + "}", word)
        return value
    if isinstance(value, list):
        return [_filled(one, words) for one in value]
    if isinstance(value, dict):
        return {key: _filled(one, words) for key, one in value.items()}
    return value


def _signal(*, name: str, exporter: str, entry: Mapping[str, Any]) -> Signal:
    fields = dict(entry)
    queries = tuple(_query(query) for query in fields.pop("queries"))
    codes = _codes(fields.pop("codes", ()), layer=Layer(fields["layer"]))
    if fields.get("watch"):
        fields["read"] = ReadSchedule.ALWAYS
    for key, choice in CHOICES.items():
        if key in fields:
            fields[key] = choice(fields[key])
    for key in TUPLES:
        fields[key] = tuple(fields.get(key, ()))
    if fields["entity"] not in ENTITIES:
        raise ValueError(f"entity {fields['entity']!r} is none of {sorted(ENTITIES)}")
    return Signal(name=name, exporter=exporter, queries=queries, codes=codes, **fields)


def _query(entry: Mapping[str, Any]) -> Query:
    return Query(**{**entry, "match": MappingProxyType(dict(entry.get("match", {})))})


def _codes(entries: Any, *, layer: Layer) -> Mapping[int, SignalCode]:
    codes: dict[int, SignalCode] = {}
    for entry in entries:
        code = SignalCode(role=Role(entry["role"]), layer=layer, causes=tuple(entry["causes"]))
        for value in entry["values"]:
            if value in codes:
                raise ValueError(f"code {value} is given twice")
            codes[value] = code
    return MappingProxyType(codes)
