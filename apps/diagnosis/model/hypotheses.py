"""What is observed, how much it weighs, and what may have caused it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from apps.diagnosis.model.logs import Event
from apps.diagnosis.model.measured import Anomaly
from apps.diagnosis.model.parts import Device
from apps.diagnosis.model.statements import Statement
from apps.diagnosis.model.words import (
    Layer,
    Role,
    Stream,
    empty,
)


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
    statement: Statement | None = None  # what it tells; None until it is worded
    events: tuple[Event, ...] = ()
    anomaly: Anomaly | None = None
    standing: str = (
        "joined"  # or why it is left out: old, late, elsewhere, recovered, another-part …
    )
    because: Statement | None = None  # the reason for the standing


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One weighed piece. `weight` is additive log-odds, positive for, negative against."""

    statement: Statement
    weight: float
    layer: Layer | None = None
    source: str | None = None
    stream: Stream | None = None
    line: int | None = None
    at: datetime | None = None
    host: str | None = None
    is_generic: bool = False  # NCCL text that alone never names a layer
    strength: float = 0.0  # what it would weigh alone; facts told twice and fading take from it
    family: str = ""  # pieces of one family tell the same fact
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
    would: Statement  # what seeing it would decide


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
    ruled_out_because: Statement | None = None
    prior: float = 0.0  # log-odds before anything was seen; with the weights it makes the whole
    stands_beside: bool = False  # a second cause, independent of the first
