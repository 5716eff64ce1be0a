"""What is read from metrics: signals, their samples, and anomalies."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from apps.diagnosis.model.parts import Device
from apps.diagnosis.model.statements import Statement
from apps.diagnosis.model.watched import Band
from apps.diagnosis.model.words import Layer, Role, empty

# The kind of an anomaly that no metric showed: a part is another one since. Context, never a cause.
PART_CHANGED: Final = "part-changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Samples of one signal of one entity.

    `at` are Unix seconds, `values` floats; gaps are NaN, never zero.
    """

    signal: str
    entity: Device
    at: tuple[float, ...]
    values: tuple[float, ...]
    unit: str = ""


class Semantics(StrEnum):
    """How the samples of a signal are to be read, whatever type the exporter declares."""

    GAUGE = "gauge"
    COUNTER = "counter"  # only ever grows, but for resets
    STICKY = "sticky"  # the last code seen, kept until the exporter restarts: watch its change
    MASK = "mask"  # bits
    # Events of the exporter's last minutes, no counter: a rise is news, a fall that it forgets.
    WINDOWED = "windowed"


class ReadSchedule(StrEnum):
    """When a signal is read from a source."""

    ALWAYS = "always"  # with every pull: a detector looks at it
    AROUND = "around"  # for evidence windows and back-tests
    KNOWN = "known"  # by name only: it counts as covered, nobody reads it unasked


class BadDirection(StrEnum):
    """Which way a value goes when its entity is in trouble."""

    UP = "up"
    DOWN = "down"
    EITHER = "either"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """One name under which an exporter serves a signal; `scale` brings it to the signal's unit."""

    metric: str
    match: Mapping[str, str] = field(default_factory=empty)  # label → exact value
    scale: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalCode:
    """What one value of a sticky signal stands for."""

    role: Role
    layer: Layer
    causes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """A quantity that a detector watches or a chart shows, whatever exporters call it."""

    name: str
    exporter: str
    meaning: str
    unit: str
    family: str
    layer: Layer
    entity: str  # kind of device: gpu nic node mount
    semantics: Semantics
    bad: BadDirection
    queries: tuple[Query, ...]  # the newest name first; the first that has data wins
    watch: tuple[str, ...] = ()  # names of the detectors that look at it
    role: Role = Role.CONTEXT
    causes: tuple[str, ...] = ()
    floor: float = 0.0  # smallest spread between peers that counts, in `unit`
    notable: float = 1.0  # detector's own yardstick: increase, share or mask that is worth telling
    codes: Mapping[int, SignalCode] = field(default_factory=lambda: MappingProxyType({}))
    is_core: bool = False  # its peer band belongs into an evidence window
    # Labels whose values are separate series of one entity; none: those that the exporter names.
    operation: tuple[str, ...] = ()
    read: ReadSchedule = ReadSchedule.AROUND

    @property
    def title(self) -> str:
        """Return its meaning as people read it: what its numbers stand for is for the catalog."""
        return self.meaning.partition(" (")[0]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Frame:
    """Samples of one signal of many entities on one regular grid. Gaps are NaN, never zero."""

    signal: Signal
    entities: tuple[Device, ...]
    start: float  # Unix seconds of the first column
    step: float
    values: NDArray[np.float64]  # shape (entities, times)
    details: tuple[str, ...] = ()  # one per row where the signal has an `operation`

    @property
    def at(self) -> NDArray[np.float64]:
        """Unix seconds of the columns."""
        return self.start + self.step * np.arange(self.values.shape[1], dtype=np.float64)


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerGroup:
    """Hosts that did the same work at the same time; without a name, all that were heard."""

    name: str
    hosts: tuple[str, ...]
    starts_at: datetime
    ends_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What detectors know beside the samples."""

    groups: tuple[PeerGroup, ...] = ()
    bands: tuple[Band, ...] = ()


@dataclass(slots=True, kw_only=True, eq=False)
class Notes:
    """What detectors remember of the past, and what they share while they look at one block.

    `kept`: subject ("peers/gpu.clock") → arrays by name, one row per row of the subject's frame.
    An array is replaced, never written into: an older memory may still hold it.
    """

    kept: dict[str, dict[str, NDArray[Any]]] = field(default_factory=dict)
    worked: dict[Any, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnomalyKind:
    """One kind of thing that detectors tell of: how it is said, and how it is judged."""

    name: str
    did: str  # behind the name of a metric
    sentence: str  # where no metric is named
    weight: float  # log-odds for the causes that the signal names, unless they list it themselves
    is_fact: bool = False  # no level and no deviation: it happened
    is_counted: bool = False  # its value is the growth since its baseline
    is_compared: bool = False  # on one family of metrics alone it is a hint
    is_beside_peers: bool = False  # compares a host with others that do the same at the same time
    is_of_own_past: bool = False  # compares a part with its own past
    is_lasting: bool = False  # holds a part back for a while, and harms no more once it is over


@dataclass(frozen=True, slots=True, kw_only=True)
class Detector:
    """A way of noticing, block by block: each gets the frames of the signals that name it.

    Frames of one signal go on where the last ones ended, and a row stays what it is: rows are
    added at the end. `notice` keeps in the notes whatever it needs of the past.
    """

    name: str
    meaning: str
    notice: Callable[[Sequence[Frame], Scene, Notes], tuple["Anomaly", ...]]
    kinds: tuple[AnomalyKind, ...]
    order: int = 50  # whose signals are read first when time is short: facts before deviations
    learns_past: bool = False  # compares with what is usual for each row

    def detect(self, frames: Sequence[Frame], scene: Scene) -> tuple["Anomaly", ...]:
        """Return what is noticed in one span without any past."""
        return self.notice(frames, scene, Notes())


@dataclass(frozen=True, slots=True, kw_only=True)
class Anomaly:
    """A typed fact computed from metrics."""

    kind: str  # the name of an AnomalyKind
    signal: str
    family: str  # signals that measure the same thing vote once
    layer: Layer
    entity: Device
    starts_at: datetime
    ends_at: datetime | None = None
    score: float = 0.0  # robust z where the detector has one, else evidence in 0..1
    value: float | None = None
    baseline: float | None = None
    unit: str = ""
    role: Role = Role.CONTEXT
    causes: tuple[str, ...] = ()
    source: str = "metrics"
    resolution_seconds: float = 0.0  # it began at most this long before `starts_at`
    # When a watcher that sees only the past could tell: the end of what continuity asks for.
    noticed_at: datetime | None = None  # None: at `starts_at`
    detail: str = ""  # a code or operation: "79", "WRITE"
    host_count: int = 1  # hosts that show it, when the entity is a shared part
    hosts: tuple[str, ...] = ()  # their names, as far as the detector knows them
    statement: Statement | None = None  # what it tells, where its kind and signal don't
