"""JSON of jobs that recover in place → facts. What is no event is named and left out."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from apps.diagnosis.input_values import instant
from apps.telemetry.formats import labels as naming
from apps.telemetry.formats.lines.complaints import Complaints, NothingUsable, TooBig
from apps.telemetry.formats.schedulers.json_values import (
    SIMULATED,
    BadReport,
    number_of,
    require_known,
    required_text,
    text_of,
)
from apps.training.in_job.adapters.nvrx import inprocess_event, inprocess_losses
from apps.training.in_job.events import BadEvent, CommunicatorRepaired, InJobEvent, ReplicaLost
from apps.training.in_job.recovery_facts import FIELDS, RecoveryFact, fact_of_json

MOST_EVENTS: Final = 10_000  # of one body
ENVELOPE: Final = ("cluster", "session", "attempt")
NVRX: Final = "nvrx_restart"
NVRX_FIELDS: Final = ("iteration", "former_world_size", "active_world_size", "message")
NAME_LIMIT: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldFact:
    """One fact: where it stood in the body, and of which attempt it is."""

    place: int
    cluster: str
    session: str
    attempt: int | None  # None: the latest
    fact: RecoveryFact


def told_facts(*, said: Mapping[str, Any], complaints: Complaints) -> list[ToldFact]:
    """Return the facts of one event or of `{"events": […]}`; raise NothingUsable, TooBig.

    What stands beside `events` (cluster, session, attempt) holds for each that says nothing else.
    """
    events = said.get("events", [said])
    if not isinstance(events, list):
        raise NothingUsable("`events` must be a list")
    if len(events) > MOST_EVENTS:
        raise TooBig(f"the body has {len(events)} events and may have {MOST_EVENTS}")
    shared: Mapping[str, Any] = {}
    if "events" in said:
        try:
            require_known(said, (*ENVELOPE, "events", SIMULATED))
        except BadReport as error:
            raise NothingUsable(str(error)) from error
        shared = {name: said[name] for name in ENVELOPE if name in said}
    found: list[ToldFact] = []
    for place, each in enumerate(events, start=1):
        try:
            found += _facts(each, shared, place)
        except (BadReport, BadEvent) as error:
            complaints.add(line=place, code="bad_entry", detail=str(error))
    return found


def facts_of_records(
    records: Iterable[tuple[Mapping[str, str], Mapping[str, Any]]], complaints: Complaints
) -> list[ToldFact]:
    """Return the facts of events that came with labels; what is none is named by its number."""
    found: list[ToldFact] = []
    for place, (labels, event) in enumerate(records, start=1):
        try:
            where = naming.place(labels=naming.canonical(labels=labels))
            number = {} if where.attempt is None else {"attempt": where.attempt}
            shared = {"cluster": labels.get("cluster", ""), "session": where.session, **number}
            found += _facts(dict(event), shared, place)
        except (BadReport, BadEvent, naming.BadLabels) as error:
            complaints.add(line=place, code="bad_entry", detail=str(error))
    return found


def _facts(each: object, shared: Mapping[str, Any], place: int) -> Iterator[ToldFact]:
    if not isinstance(each, dict):
        raise BadReport("an event is a JSON object")
    told = {**shared, **each}
    kind = told.get("event")
    known = NVRX_FIELDS if kind == NVRX else FIELDS.get(kind, ()) if isinstance(kind, str) else ()
    if known:
        require_known(told, (*ENVELOPE, "event", "at", "id", *known))
    told["at"] = _seconds(told.get("at"))
    attempt = number_of(told, "attempt")
    facts = _of_nvrx(told) if kind == NVRX else [fact_of_json(told)]
    for fact in facts:
        yield ToldFact(
            place=place,
            cluster=text_of(told.get("cluster", "")),
            session=required_text(told, "session")[:NAME_LIMIT],
            attempt=attempt,
            fact=fact,
        )


def _seconds(at: object) -> object:
    """Return a time of RFC 3339 as Unix seconds; a number is one already."""
    if isinstance(at, str):
        found = instant(at)
        if found is None:
            raise BadReport("`at` must be a time as RFC 3339 has it, with a zone, or Unix seconds")
        return found.timestamp()
    return at


def _of_nvrx(told: Mapping[str, Any]) -> list[RecoveryFact]:
    """Return what one restart inside of NVRx's processes says: who is left out, who is left."""
    losses = inprocess_losses(told) if told.get("message") is not None else ()
    found: list[InJobEvent] = [*losses, inprocess_event(told)]
    return [fact_of_json(_told(each)) for each in found]


def _told(event: InJobEvent) -> dict[str, Any]:
    match event:
        case ReplicaLost():
            return {
                "event": "replica_lost",
                "at": event.at_seconds,
                "replica": event.replica,
                "phase": event.phase,
                "gpus": event.gpu_count,
            }
        case CommunicatorRepaired():
            return {
                "event": "communicator_repaired",
                "at": event.at_seconds,
                "epoch": event.epoch,
                "members_before": event.members_before,
                "members_after": event.members_after,
            }
    raise BadEvent(f"{type(event).__name__} is none of NVRx")
