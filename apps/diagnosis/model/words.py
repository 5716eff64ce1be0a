"""The words that everything here speaks of a session and its failure in, as enumerations."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

EMPTY: Mapping[str, str] = MappingProxyType({})


def empty() -> Mapping[str, str]:
    """Return the shared empty mapping, as a default of frozen values."""
    return EMPTY


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
    ALERTS = "alerts"  # what a monitoring system judged; no log that anybody has to have


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
    PROCESS = "process"
