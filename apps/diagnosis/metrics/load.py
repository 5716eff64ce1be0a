"""Read the metric catalog: one TOML file per exporter → signals and how its labels name things."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from apps.diagnosis.model import BadDirection, Code, Layer, Query, Role, Semantics, Signal

FOLDER = Path(__file__).parent
ENTITIES = frozenset({"gpu", "nic", "node", "mount", "server"})
CHOICES = {"layer": Layer, "semantics": Semantics, "bad": BadDirection, "role": Role}


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """All signals, by name, and the labels of each exporter."""

    signals: Mapping[str, Signal]
    labels: Mapping[str, Labels]

    def watched_by(self, detector: str) -> tuple[Signal, ...]:
        """Return the signals that a detector looks at."""
        return tuple(signal for signal in self.signals.values() if detector in signal.watch)


@cache
def catalog() -> Catalog:
    """Return the catalog that ships with the package."""
    return load(folder=FOLDER)


def load(*, folder: Path) -> Catalog:
    """Read every TOML file of a folder; raise CatalogError for what cannot be meant."""
    signals: dict[str, Signal] = {}
    labels: dict[str, Labels] = {}
    for path in sorted(folder.glob("*.toml")):
        entries = tomllib.loads(path.read_text(encoding="utf-8"))
        exporter = entries.pop("exporter", {})
        try:
            labels[path.stem] = Labels(**{key: tuple(names) for key, names in exporter.items()})
        except TypeError as error:
            raise CatalogError(f"{path.name}: [exporter]: {error}") from error
        for name, entry in entries.items():
            if name in signals:
                raise CatalogError(f"{path.name}: {name} is also in {signals[name].exporter}.toml")
            try:
                signals[name] = _signal(name=name, exporter=path.stem, entry=entry)
            except (KeyError, TypeError, ValueError) as error:
                raise CatalogError(f"{path.name}: {name}: {error!r}") from error
    return Catalog(signals=MappingProxyType(signals), labels=MappingProxyType(labels))


def _signal(*, name: str, exporter: str, entry: Mapping[str, Any]) -> Signal:
    fields = dict(entry)
    queries = tuple(_query(query) for query in fields.pop("queries"))
    codes = _codes(fields.pop("codes", ()), layer=Layer(fields["layer"]))
    for key, choice in CHOICES.items():
        if key in fields:
            fields[key] = choice(fields[key])
    for key in ("watch", "causes"):
        fields[key] = tuple(fields.get(key, ()))
    if fields["entity"] not in ENTITIES:
        raise ValueError(f"entity {fields['entity']!r} is none of {sorted(ENTITIES)}")
    return Signal(name=name, exporter=exporter, queries=queries, codes=codes, **fields)


def _query(entry: Mapping[str, Any]) -> Query:
    return Query(**{**entry, "match": MappingProxyType(dict(entry.get("match", {})))})


def _codes(entries: Any, *, layer: Layer) -> Mapping[int, Code]:
    codes: dict[int, Code] = {}
    for entry in entries:
        code = Code(role=Role(entry["role"]), layer=layer, causes=tuple(entry["causes"]))
        for value in entry["values"]:
            if value in codes:
                raise ValueError(f"code {value} is given twice")
            codes[value] = code
    return MappingProxyType(codes)
