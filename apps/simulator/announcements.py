"""What parties tell beside lines: sessions and their states, exclusions, recoveries, a trace."""

from collections.abc import Iterable

from apps.simulator.sender import Sender
from apps.simulator.world.machines.cluster import CLUSTER, GPUS_PER_NODE, gpu_pci
from apps.simulator.world.reports import scheduler_states
from apps.simulator.world.reports.changes import SimulatedChange
from apps.simulator.world.reports.exclusions import SimulatedExclusion
from apps.simulator.world.reports.recovery_events import recovery_events
from apps.simulator.world.reports.scheduler_states import SchedulerState
from apps.simulator.world.reports.step_traces import step_trace, traced_at
from apps.simulator.world.story import SimulatedAttempt
from apps.simulator.world.truth import rfc3339
from apps.simulator.world.world import World

Document = dict[str, object]
SESSION_EVENTS = "/api/v1/session-events"
EXCLUSIONS = "/api/v1/exclusions"
CHANGES = "/api/v1/changes"
RECOVERY_EVENTS = "/api/v1/recovery-events"
STEP_TRACES = "/api/v1/step-traces"


def announce_begin(*, sender: Sender, attempt: SimulatedAttempt) -> None:
    """Tell as the platform that an attempt waited, and that it runs where."""
    waiting = [_state(attempt, each) for each in scheduler_states.waiting_states(attempt)]
    if attempt.excluded:
        waiting[0]["excluded"] = list(attempt.excluded)
    running = _state(attempt, scheduler_states.running_state(attempt)) | {
        "state": "running",
        "hosts": list(attempt.hosts),
        "world_size": attempt.world_size,
        "ranks": {
            str(rank): {
                "host": attempt.host(rank),
                "gpu": attempt.gpu(rank),
                "pci": gpu_pci(rank % GPUS_PER_NODE),
            }
            for rank in range(attempt.world_size)
        },
    }
    _post_events(sender, [*waiting, running])


def announce_end(*, sender: Sender, world: World, attempt: SimulatedAttempt) -> None:
    """Tell as the platform how an attempt ended; what it asked to leave out it asks no more."""
    outcome = world.outcome_of(attempt)
    codes = outcome.exit_codes.get(attempt.key, {}) if outcome else {}
    leaves, over = (_state(attempt, each) for each in scheduler_states.ending_states(attempt))
    over |= {
        "state": attempt.state,
        "hosts": list(attempt.hosts),
        "world_size": attempt.world_size,
        "exit_codes": {str(rank): code for rank, code in codes.items()},
    }
    _post_events(sender, [leaves, over])
    if attempt.excluded and attempt.ends_at:
        at = rfc3339(attempt.ends_at)
        returns = [
            {"host": host, "kind": "job", "at": at, "session": attempt.session}
            for host in attempt.excluded
        ]
        _post(sender, "keel", EXCLUSIONS, {"cluster": CLUSTER, "returns": returns})


def announce_progress(
    *, sender: Sender, world: World, attempt: SimulatedAttempt, since: float, until: float
) -> None:
    """Tell what an attempt says of itself in a span, and what the platform sees of it."""
    events = recovery_events(world=world, attempt=attempt, since=since, until=until)
    if events:
        place: Document = {"cluster": CLUSTER, "session": attempt.session}
        body = place | {"attempt": attempt.number, "events": events}
        _post(sender, attempt.organization, RECOVERY_EVENTS, body)
    outcome = world.outcome_of(attempt)
    lost = outcome.truth.survived if outcome else None
    told = scheduler_states.degraded_state(attempt, lost) if lost else None
    if told and since <= told.at < until:
        _post_events(sender, [_state(attempt, told)])
    at = traced_at(world=world, attempt=attempt)
    if at is not None and since <= at < until:
        path = f"{STEP_TRACES}?cluster={CLUSTER}&session={attempt.session}"
        sender.post_bytes(
            party=attempt.organization,
            path=f"{path}&attempt={attempt.number}",
            body=step_trace(world=world, attempt=attempt),
        )


def announce_exclusions(
    *, sender: Sender, exclusions: Iterable[SimulatedExclusion], since: float, until: float
) -> None:
    """Tell as the operator which nodes are left out in a span, and which are in use again."""
    ordered = list(exclusions)
    begun = [_exclusion(each) for each in ordered if since <= each.at < until]
    returns = [
        {"host": each.host, "kind": each.kind, "at": rfc3339(each.until)}
        for each in ordered
        if each.until is not None and since <= each.until < until
    ]
    if begun or returns:
        body: Document = {"cluster": CLUSTER, "exclusions": begun, "returns": returns}
        _post(sender, "aurora", EXCLUSIONS, body)


def announce_changes(*, sender: Sender, changes: Iterable[SimulatedChange], until: float) -> None:
    """Tell as each party what it changed before an instant."""
    for each in changes:
        if each.at < until:
            entry = {name: value for name, value in _change(each).items() if value}
            body: Document = {"cluster": CLUSTER, "changes": [entry]}
            _post(sender, each.party, CHANGES, body)


def _change(each: SimulatedChange) -> Document:
    return {
        "key": each.key,
        "kind": each.kind,
        "layer": each.layer,
        "at": rfc3339(each.at),
        "title": each.title,
        "hosts": list(each.hosts),
        "before": each.before,
        "after": each.after,
        "reference": each.reference,
        "by": each.by,
    }


def _exclusion(each: SimulatedExclusion) -> Document:
    return {
        "host": each.host,
        "kind": each.kind,
        "at": rfc3339(each.at),
        "by": each.by,
        "reason": each.reason,
        "cause": each.cause,
    }


def _state(attempt: SimulatedAttempt, state: SchedulerState) -> Document:
    """Return an event that tells one state of an attempt."""
    event: Document = {
        "cluster": CLUSTER,
        "scheduler": attempt.style.scheduler,
        "session": attempt.session,
        "attempt": attempt.number,
        "job": attempt.job,
        "project": attempt.project,
        "scheduler_state": state.word,
        "at": rfc3339(state.at),
        "simulated": True,
    }
    return event | ({"reason": state.reason} if state.reason else {})


def _post_events(sender: Sender, events: list[Document]) -> None:
    sender.post_document(party="keel", path=SESSION_EVENTS, document={"events": events})


def _post(sender: Sender, party: str, path: str, body: Document) -> None:
    sender.post_document(party=party, path=path, document=body | {"simulated": True})
