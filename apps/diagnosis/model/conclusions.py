"""What is concluded: the verdict, and what is said beside it."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from apps.diagnosis.model.hypotheses import Hypothesis
from apps.diagnosis.model.logs import Event
from apps.diagnosis.model.measured import Anomaly
from apps.diagnosis.model.parts import Coverage, Device
from apps.diagnosis.model.statements import Statement
from apps.diagnosis.model.words import (
    EndState,
    FirstStopBy,
    Layer,
    Phase,
    Role,
    Stream,
    VerdictStatus,
)


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
    hosts: tuple[str, ...] = field(default=(), compare=False)  # where they ran, as far as known


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

    statement: Statement
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

    statement: Statement
    owner: str  # participation kind
    hosts: tuple[str, ...] = ()
    rival: str = ""  # the cause that is as likely as the one answered, where it is for that one


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
class ClockError:
    """By how much the clock of a host's logs was found off, and how sure that is."""

    host: str
    stream: Stream | None
    zone_minutes: int  # added to its stamps to bring them onto the common timeline
    offset: timedelta  # by how much it is ahead beside that, subtracted
    error: timedelta
    pair_count: int = 0  # moments shared with other hosts
    booted_at: datetime | None = None  # where its stamps are seconds since then


@dataclass(frozen=True, slots=True, kw_only=True)
class ZoneReading:
    """Logs whose zone no line states, and what they say in another one than is in use for them."""

    stream: Stream | None  # whose zone is not stated
    shift: timedelta  # by how much the others' times are later, read so
    offset: timedelta | None  # the session's zone then, where its own is not stated
    cause: str  # what is the first explanation then
    gap: timedelta  # from the stop to its evidence then, negative before it
    host: str | None = None
    guessed: timedelta = timedelta(0)  # the zone in which the session's times are taken else
    is_taken: bool = False  # the answer rests on it

    @property
    def printed_gap(self) -> timedelta:
        """Return how far from the stop its evidence is by the times as printed."""
        return self.gap - self.shift


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedZone:
    """In which zone the times of logs are taken whose lines name none."""

    streams: tuple[Stream, ...]
    offset: timedelta  # east of UTC
    stated_by: Stream | None = None  # whose lines print that offset; None: nobody's, so UTC
    host: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PastFailure:
    """What was concluded of an earlier failure on a host: a prior, never evidence."""

    host: str
    layer: Layer
    cause: str
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptVerdict:
    """One of several attempts in one input, concluded by itself."""

    number: int  # 1 is the first
    verdict: Verdict
    end_state: EndState
    starts_at: datetime | None = None
    failed_at: datetime | None = None
    is_answer: bool = False  # the whole answer is about this one
    because: Statement | None = None  # why a later one is not the answer


@dataclass(frozen=True, slots=True, kw_only=True)
class LivedLoss:
    """A part that a job lost and went on without, as its logs tell."""

    event: Event  # the line by which it goes on
    at: datetime | None  # not before this; None: no line around it prints a time
    ranks: tuple[int, ...] = ()  # that lines name as gone
    survivors: int | None = None  # replicas whose logs say that they go on


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
    attempts: tuple[AttemptVerdict, ...] = ()  # where the input holds several
    clocks: tuple[ClockError, ...] = ()
    zones: tuple[ZoneReading, ...] = ()  # that stay possible beside each other
    printed_zone: PrintedZone | None = None  # None where every time names its own
    is_stop_told: bool = True  # False: only an exception is, which may have been caught
    has_gone_on: bool = False  # steps were made after all that failed in it
    ending: Event | None = None  # the line that tells how it ended without a failure
    last_step: Event | None = None  # where logs end while steps are made: nothing says it stopped
    lived_loss: LivedLoss | None = None  # it went on; the verdict is of what was lost
