"""The values that the steps of a diagnosis pass to each other. No behaviour beyond properties."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray


def empty() -> Mapping[str, str]:
    """Return the shared empty mapping, as a default of frozen values."""
    return EMPTY


EMPTY: Mapping[str, str] = MappingProxyType({})


LASTING_KINDS = frozenset({"throttling", "saturation", "peer-deviation"})


class Layer(StrEnum):
    """Which part of the cluster a thing belongs to."""

    GPU = "gpu"
    NETWORK = "network"
    STORAGE = "storage"
    HOST = "host"
    SOFTWARE = "software"
    STRAGGLER = "straggler"
    UNKNOWN = "unknown"


class Role(StrEnum):
    """What an observation is in the story of a failure."""

    INITIATING = "initiating"
    CASCADE = "cascade"
    CONFIRMATION = "confirmation"
    TEARDOWN = "teardown"
    RECOVERY = "recovery"
    PROGRESS = "progress"
    CONTEXT = "context"


class Severity(StrEnum):
    """How grave the printed line is by its own words."""

    INFO = "info"
    WARN = "warn"
    ERROR = "error"
    FATAL = "fatal"


class Stream(StrEnum):
    """Whose voice a log is."""

    SESSION = "session"
    KERNEL = "kernel"
    SCHEDULER = "scheduler"
    STORAGE = "storage"
    FABRIC = "fabric"
    BMC = "bmc"


class Phase(StrEnum):
    """What a session was doing when it stopped."""

    LAUNCH = "launch"
    INIT = "init"
    LOAD = "load"
    ITERATE = "iterate"
    SAVE = "save"
    TEARDOWN = "teardown"
    UNKNOWN = "unknown"


class EndState(StrEnum):
    """How an attempt ended, by the scheduler's or its own words."""

    FAILED = "failed"
    FINISHED = "finished"
    WALLTIME = "walltime"
    CANCELLED = "cancelled"
    PREEMPTED = "preempted"
    RUNNING = "running"
    UNKNOWN = "unknown"


class VerdictStatus(StrEnum):
    """How sure a diagnosis is of its first hypothesis."""

    LIKELY = "likely"
    POSSIBLE = "possible"
    UNKNOWN = "unknown"
    NO_FAILURE = "no-failure"


class CoverageState(StrEnum):
    """Whether a source could be read. Absent, hidden and zero are three different values."""

    PRESENT = "present"
    ABSENT = "absent"
    STALE = "stale"
    HIDDEN = "hidden"


class FirstStopBy(StrEnum):
    """The kind of evidence that names the ranks which stopped first."""

    FLIGHT_RECORDER = "flight-recorder"
    SEQUENCE = "sequence"
    SILENCE = "silence"
    NAMED_PEER = "named-peer"
    EXIT_CODE = "exit-code"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """Where a text came from: everything known about a file or pushed stream before it is read."""

    source: (
        str  # file name, or the portal's stream id: part of the order key and shown to the holder
    )
    stream: Stream | None = None
    host: str | None = None
    rank: int | None = None
    zone: str | None = None  # IANA name said by a label or setting
    attempt: int | None = None
    received_at: datetime | None = None  # gives a yearless stamp its year


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """One record of a log.

    Prefix and envelope taken off, ANSI gone, continuation lines joined by newlines.
    """

    origin: Origin
    number: int  # 1-based line number in the source
    text: str
    at: datetime | None = (
        None  # aware UTC; None when the line printed no time or its zone is not known
    )
    local_at: datetime | None = None  # as printed, naive, when no zone is known
    uptime_seconds: float | None = None
    host: str | None = None
    rank: int | None = None  # global rank only, never the rank inside a process group
    local_rank: int | None = None
    pid: int | None = None
    gpu: int | None = None  # CUDA ordinal inside the process
    stream: Stream | None = None  # recognised by content where the origin does not say
    dialect: str = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A typed fact read from a line."""

    signature: str
    role: Role
    layer: Layer | None  # None for progress
    severity: Severity
    line: LogLine
    fields: Mapping[str, str] = field(default_factory=empty)  # named groups of the pattern
    causes: tuple[str, ...] = ()  # slugs this signature speaks for, strongest first

    @property
    def order_key(self) -> tuple[str, int]:
        """Position for a stable order where no clock can be trusted."""
        return (self.line.origin.source, self.line.number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Extent:
    """How far one voice in a source was heard: what silence and a lost tail are judged by."""

    host: str | None = None
    rank: int | None = None
    stream: Stream | None = None
    line_count: int = 0
    first_at: datetime | None = None
    last_at: datetime | None = None
    first_local_at: datetime | None = None
    last_local_at: datetime | None = None
    last_number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one source said, or a further part of it.

    `events` holds every event but those of role progress; `progress` the latest of each (host,
    rank, signature), which may replace the one of an earlier reading of the same source.
    """

    origin: Origin
    events: tuple[Event, ...] = ()
    progress: tuple[Event, ...] = ()
    extents: tuple[Extent, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """A part that can be blamed.

    PCI addresses are `dddd:bb:dd.f`, lower case; UUIDs lower case without `GPU-`.
    """

    kind: str  # node gpu nic link switch mount server process rank program
    host: str | None = None
    rank: int | None = None
    index: int | None = None
    uuid: str | None = None
    pci: str | None = None
    name: str | None = None


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
class Code:
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
    codes: Mapping[int, Code] = field(default_factory=lambda: MappingProxyType({}))
    is_core: bool = False  # its peer band belongs into an evidence window
    operation: str | None = None  # label whose values are separate series of one entity


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Detector:
    """A way of noticing. `detect` gets the frames of all signals that name it in `watch`."""

    name: str
    meaning: str
    detect: Callable[[Sequence[Frame], Scene], tuple["Anomaly", ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Anomaly:
    """A typed fact computed from metrics."""

    kind: str  # counter-increase silence saturation throttling peer-deviation change-point …
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
    detail: str = ""  # a code or operation: "79", "WRITE"
    host_count: int = 1  # hosts that show it, when the entity is a shared part


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where one rank ran."""

    rank: int
    host: str
    gpu: int | None = None
    pci: str | None = None
    uuid: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Topology:
    """What is where. Anything may be missing; missing links are never guessed."""

    hosts: tuple[str, ...] = ()  # hosts the attempt ran on
    placements: tuple[Placement, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=empty)  # other spelling (FQDN, IP) → host
    devices: tuple[Device, ...] = ()
    mounts: Mapping[str, str] = field(default_factory=empty)  # mount point → file server
    zones: Mapping[str, str] = field(default_factory=empty)  # host → IANA zone


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFacts:
    """What a scheduler or operator said about the attempt. Every field may be missing."""

    state: EndState | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    exit_codes: Mapping[int, int] = field(
        default_factory=lambda: MappingProxyType({})
    )  # rank → code
    world_size: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """Whether one kind of source was there for the hosts that were expected to have it."""

    source: str  # session-log kernel-log scheduler-log storage-log metrics …
    state: CoverageState
    hosts_present: int = 0
    hosts_expected: int = 0
    missing_hosts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What the ranking works on.

    One fact, told once or by many, from events or from an anomaly, at a corrected time.
    """

    sign: str  # signature id, `metric:<kind>` or `finding:<name>`
    role: Role
    layer: Layer | None
    causes: tuple[str, ...] = ()
    fields: Mapping[str, str] = field(default_factory=empty)
    at: datetime | None = None
    last_at: datetime | None = None
    error: timedelta = timedelta(0)
    host: str | None = None  # the one host it happened on, if there is one
    hosts: tuple[str, ...] = ()
    ranks: tuple[int, ...] = ()
    count: int = 1
    text: str = ""  # in our words, where no signature or symptom says it
    events: tuple[Event, ...] = ()
    anomaly: Anomaly | None = None
    standing: str = (
        "joined"  # or why it is left out: old, late, elsewhere, recovered, another-part …
    )
    because: str = ""  # the reason for the standing, for people

    @property
    def is_lasting(self) -> bool:
        """Whether it holds a part back for a while and harms no more once it is over."""
        return self.anomaly is not None and self.anomaly.kind in LASTING_KINDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One weighed piece. `weight` is additive log-odds, positive for, negative against."""

    text: str
    weight: float
    layer: Layer | None = None
    source: str | None = None
    stream: Stream | None = None
    line: int | None = None
    at: datetime | None = None
    host: str | None = None
    is_generic: bool = False  # NCCL text that alone never names a layer
    event: Event | None = None
    anomaly: Anomaly | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """A source that would settle the question, and who holds it."""

    source: str
    hosts: tuple[str, ...]
    held_by: (
        str  # participation kind: operator tenant platform gpu_vendor network_vendor storage_vendor
    )
    would: str  # what seeing it would decide


@dataclass(frozen=True, slots=True, kw_only=True)
class Hypothesis:
    """One explanation.

    `probability` is that the layer is right, `cause_probability` that the cause is, too.
    """

    layer: Layer
    cause: str
    probability: float
    cause_probability: float
    culprits: tuple[Device, ...] = ()
    supporting: tuple[Evidence, ...] = ()
    opposing: tuple[Evidence, ...] = ()
    missing: tuple[Missing, ...] = ()
    ruled_out_because: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The answer after the gate.

    `unknown` has layer and cause `unknown`; its guesses stand only in the hypotheses.
    """

    status: VerdictStatus
    layer: Layer
    cause: str
    probability: float
    cause_probability: float
    culprits: tuple[Device, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Restart:
    """Whether to start again, and which hosts to leave out."""

    advice: str  # restart restart-without fix-first wait unknown
    exclude_hosts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstStopper:
    """The global ranks that stopped first, and how that is known."""

    ranks: tuple[int, ...]
    by: FirstStopBy


@dataclass(frozen=True, slots=True, kw_only=True)
class Symptom:
    """The same line told by many ranks, folded into one."""

    signature: str
    count: int
    ranks: tuple[int, ...]
    hosts: tuple[str, ...] = ()
    first_at: datetime | None = None
    last_at: datetime | None = None
    layer: Layer | None = None
    role: Role = Role.CASCADE


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """An entry of the story in order: a folded event, an anomaly or a phase."""

    text: str
    layer: Layer | None
    role: Role
    at: datetime | None = None
    ends_at: datetime | None = None
    clock_error: timedelta | None = None
    host: str | None = None
    count: int = 1
    ranks: tuple[int, ...] = ()
    source: str | None = None
    stream: Stream | None = None
    line: int | None = None
    signature: str | None = None
    event: Event | None = None
    anomaly: Anomaly | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """What to do, and which kind of party does it."""

    text: str
    owner: str  # participation kind
    hosts: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Disturbance:
    """Something that slowed the session down for a while without ending it."""

    entity: Device
    verdict: Verdict
    restart: Restart
    starts_at: datetime
    ends_at: datetime
    hypotheses: tuple[Hypothesis, ...] = ()
    timeline: tuple[Moment, ...] = ()
    actions: tuple[Action, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """Everything that one run of the chain concluded about one attempt."""

    verdict: Verdict
    end_state: EndState
    phase: Phase
    restart: Restart
    hypotheses: tuple[Hypothesis, ...] = ()
    first_stopper: FirstStopper | None = None
    symptoms: tuple[Symptom, ...] = ()
    coverage: tuple[Coverage, ...] = ()
    timeline: tuple[Moment, ...] = ()
    actions: tuple[Action, ...] = ()
    failed_at: datetime | None = None  # when it broke, not when the watchdog printed
    disturbances: tuple[Disturbance, ...] = ()
