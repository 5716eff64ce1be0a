"""What a source's metrics can tell, and by name what they cannot. Absent is never zero or green."""

import tomllib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from apps.diagnosis.detection.metrics.describe import matches
from apps.diagnosis.detection.metrics.load import Catalog, CatalogError, catalog
from apps.diagnosis.model import Layer, Query

FILE = Path(__file__).with_name("subjects.toml")
LabelSets = Mapping[str, Collection[Mapping[str, str]]]  # metric → labels of its series
UNTOLD: LabelSets = MappingProxyType({})


class CoverageLevel(StrEnum):
    """How much of a subject is measured."""

    MEASURED = "measured"
    PARTLY = "partly"
    ABSENT = "absent"
    UNSUPPORTED = "unsupported-by-any-known-exporter"


@dataclass(frozen=True, slots=True, kw_only=True)
class CoveragePart:
    """One thing to measure, the signals that are it, and what would give it."""

    name: str
    signals: tuple[str, ...] = ()
    starts: tuple[str, ...] = ()
    given_by: str = ""
    unsupported: str = ""  # why nothing can give it, and where else to look


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageSubject:
    """What metrics should tell of, and what cannot be told without it."""

    key: str
    name: str
    layer: Layer
    without: str
    parts: tuple[CoveragePart, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CoveredPart:
    """A part and the metrics that measure it; none: it is absent or unsupported."""

    part: CoveragePart
    state: CoverageLevel
    metrics: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectCoverage:
    """A subject and how much of it is measured."""

    subject: CoverageSubject
    state: CoverageLevel
    parts: tuple[CoveredPart, ...]

    @property
    def missing(self) -> tuple[CoveragePart, ...]:
        """What is not measured."""
        return tuple(each.part for each in self.parts if each.state is not CoverageLevel.MEASURED)


@cache
def subjects() -> tuple[CoverageSubject, ...]:
    """Return the subjects that ship with the package."""
    return load(file=FILE, known=catalog())


def load(*, file: Path, known: Catalog) -> tuple[CoverageSubject, ...]:
    """Read the subjects; raise CatalogError for one that cannot be meant."""
    found = []
    for key, entry in tomllib.loads(file.read_text(encoding="utf-8")).items():
        try:
            found.append(_subject(key, entry, known))
        except (KeyError, TypeError, ValueError) as error:
            raise CatalogError(f"{file.name}: {key}: {error!r}") from error
    return tuple(found)


def _subject(key: str, entry: Mapping[str, Any], known: Catalog) -> CoverageSubject:
    fields = {**entry, "layer": Layer(entry["layer"])}
    fields["parts"] = tuple(_part(line, known) for line in entry["parts"])
    if not fields["parts"]:
        raise ValueError("no parts")
    return CoverageSubject(key=key, **fields)


def _part(line: Mapping[str, Any], known: Catalog) -> CoveragePart:
    fields = dict(line)
    for name in ("signals", "starts"):
        fields[name] = tuple(line.get(name, ()))
    part = CoveragePart(**fields)
    unheard = [name for name in part.signals if name not in known.signals]
    if unheard:
        raise ValueError(f"no signals of the catalog: {unheard}")
    if bool(part.unsupported) == bool(part.signals or part.starts):
        raise ValueError(f"{part.name}: either something measures it or nothing can")
    if bool(part.given_by) == bool(part.unsupported):
        raise ValueError(f"{part.name}: says not what would give it")
    return part


def covered(names: Iterable[str], series: LabelSets = UNTOLD) -> tuple[SubjectCoverage, ...]:
    """Return each subject with its state, by the metric names that are served.

    Where the label sets of a metric are told, a signal that asks for other labels doesn't count.
    """
    served = frozenset(names)
    return tuple(_covered(subject, served, series) for subject in subjects())


def gaps(names: Iterable[str], series: LabelSets = UNTOLD) -> tuple[SubjectCoverage, ...]:
    """Return the subjects that are not measured as a whole."""
    return tuple(
        each for each in covered(names, series) if each.state is not CoverageLevel.MEASURED
    )


def _covered(
    subject: CoverageSubject, served: frozenset[str], series: LabelSets
) -> SubjectCoverage:
    parts = tuple(_covered_part(part, served, series) for part in subject.parts)
    states = {each.state for each in parts}
    if len(states) == 1:
        (state,) = states
    else:
        # A part that nothing can give is still not known.
        state = CoverageLevel.PARTLY if CoverageLevel.MEASURED in states else CoverageLevel.ABSENT
    return SubjectCoverage(subject=subject, state=state, parts=parts)


def _covered_part(part: CoveragePart, served: frozenset[str], series: LabelSets) -> CoveredPart:
    if part.unsupported:
        return CoveredPart(part=part, state=CoverageLevel.UNSUPPORTED)
    metrics = tuple(sorted(set(_measuring(part, served, series))))
    return CoveredPart(
        part=part,
        state=CoverageLevel.MEASURED if metrics else CoverageLevel.ABSENT,
        metrics=metrics,
    )


def _measuring(part: CoveragePart, served: frozenset[str], series: LabelSets) -> Iterator[str]:
    if part.starts:
        yield from (name for name in served if name.startswith(part.starts))
    known = catalog().signals
    for query in (query for name in part.signals for query in known[name].queries):
        if query.metric in served and _is_there(query, series.get(query.metric)):
            yield query.metric


def _is_there(query: Query, label_sets: Collection[Mapping[str, str]] | None) -> bool:
    return label_sets is None or any(
        all(matches(wanted, labels.get(label, "")) for label, wanted in query.match.items())
        for labels in label_sets
    )
