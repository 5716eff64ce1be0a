"""What most hosts of a source have and some lack: a dead exporter, a driver without a field."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from apps.diagnosis.detection.metrics.load import catalog

# Below this many hosts nobody can say what is usual.
LEAST_HOSTS: Final = 4
# From this share on it is most of them: what fewer have is another kind of node.
MOST: Final = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Uneven:
    """An exporter, or a family of one, that is absent on some hosts and present on most."""

    exporter: str
    family: str  # empty: all of the exporter
    signals: tuple[str, ...]
    missing: tuple[str, ...]  # hosts
    host_count: int  # of which so many could have it

    @property
    def what(self) -> str:
        """Name it."""
        return f"{self.exporter}: {self.family}" if self.family else self.exporter


def uneven(heard: Mapping[str, Collection[str]]) -> tuple[Uneven, ...]:
    """Return what some hosts lack, by the hosts each signal was heard of; widest first.

    A host that lacks a whole exporter is not told again for each family of it.
    """
    known = catalog().signals
    hosts = frozenset(host for each in heard.values() for host in each)
    exporters: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name in sorted(heard):
        if heard[name] and name in known:
            exporters[known[name].exporter][known[name].family].append(name)
    found: list[Uneven] = []
    for exporter, families in sorted(exporters.items()):
        names = tuple(name for members in families.values() for name in members)
        here = _hosts_of(names, heard)
        found += _lacking(exporter, "", names, (here, hosts))
        for family, members in sorted(families.items()):
            own = _hosts_of(tuple(members), heard)
            found += _lacking(exporter, family, tuple(members), (own, here))
    return tuple(sorted(found, key=lambda each: (bool(each.family), -len(each.missing))))


def _hosts_of(names: tuple[str, ...], heard: Mapping[str, Collection[str]]) -> frozenset[str]:
    return frozenset(host for name in names for host in heard[name])


def _lacking(
    exporter: str,
    family: str,
    signals: tuple[str, ...],
    hosts: tuple[frozenset[str], frozenset[str]],
) -> list[Uneven]:
    with_it, could = hosts
    missing = could - with_it
    if not missing or len(could) < LEAST_HOSTS or len(with_it) < MOST * len(could):
        return []
    return [
        Uneven(
            exporter=exporter,
            family=family,
            signals=signals,
            missing=tuple(sorted(missing)),
            host_count=len(could),
        )
    ]
