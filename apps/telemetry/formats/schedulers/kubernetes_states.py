"""The status of a pod or a job → its states with their times."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

Said = Mapping[str, Any]
State = tuple[str, str, str]  # word, time (empty: not told), reason
# Conditions of jobs that are states; others ("Ready") say nothing of their own.
OF_JOBS: Final = frozenset(
    {
        *("Suspended", "Complete", "Failed", "FailureTarget", "SuccessCriteriaMet"),
        *("Created", "Running", "Restarting", "Succeeded"),
    }
)


def pod_states(pod: Said) -> Iterator[State]:
    """Yield the states that a pod's status tells, first its way to a node."""
    meta, status = _object(pod, "metadata"), _object(pod, "status")
    yield from _named("Pending", _text(meta, "creationTimestamp"))
    for condition in _list(status, "conditions"):
        yield from _condition(condition)
    for container in _list(status, "containerStatuses")[:1]:  # the first is the one that trains
        for moment in ("lastState", "state"):
            yield from _container(_object(container, moment))
    yield from _phase(pod, status)


def job_states(job: Said) -> Iterator[State]:
    """Yield the states that a job's conditions tell."""
    meta, status = _object(job, "metadata"), _object(job, "status")
    yield from _named("SuccessfulCreate", _text(meta, "creationTimestamp"))
    for condition in _list(status, "conditions"):
        word = _text(condition, "type")
        if word in OF_JOBS and _text(condition, "status") == "True":
            yield word, _text(condition, "lastTransitionTime"), _text(condition, "reason")


def _condition(condition: Said) -> Iterator[State]:
    word, at = _text(condition, "type"), _text(condition, "lastTransitionTime")
    is_so, reason = _text(condition, "status") == "True", _text(condition, "reason")
    if word == "PodScheduled" and is_so:
        yield from _named("Scheduled", at)
    elif word == "PodScheduled" and reason:
        yield reason, at, ""
    elif word == "DisruptionTarget" and is_so:
        yield word, at, reason


def _container(state: Said) -> Iterator[State]:
    running, ended = _object(state, "running"), _object(state, "terminated")
    yield from _named("Started", _text(running, "startedAt"))
    if ended:
        yield from _named("Started", _text(ended, "startedAt"))
        code = ended.get("exitCode")
        word = _text(ended, "reason") or ("Completed" if code == 0 else "Error")
        yield word, _text(ended, "finishedAt"), f"exit-{code}" if type(code) is int else ""
    waits = _text(_object(state, "waiting"), "reason")
    if waits:
        yield waits, "", ""


def _phase(pod: Said, status: Said) -> Iterator[State]:
    """Yield the end of a pod whose containers don't tell it, such as one that was evicted."""
    is_told = any(
        _object(_object(each, "state"), "terminated") for each in _list(status, "containerStatuses")
    )
    if _text(status, "phase") == "Failed" and not is_told:
        at = _text(_object(pod, "metadata"), "deletionTimestamp")
        yield _text(status, "reason") or "Failed", at, ""
    if _text(status, "phase") == "Unknown":
        yield "Unknown", "", _text(status, "reason")


def _named(word: str, at: str) -> Iterator[State]:
    if at:
        yield word, at, ""


def _object(said: Said, name: str) -> Said:
    found = said.get(name)
    return found if isinstance(found, dict) else {}


def _list(said: Said, name: str) -> list[Said]:
    found = said.get(name)
    return [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []


def _text(said: Said, name: str) -> str:
    found = said.get(name)
    return found if isinstance(found, str) else ""
