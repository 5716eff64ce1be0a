"""Pods, jobs and events of Kubernetes (`kubectl get pods,jobs,events -o json`) → session events.

A session is a job; what is said of a pod is said of a member of it. A pod names its job by a label,
an event by its pod: one that stands in the same body, else by how controllers name pods.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from apps.diagnosis.input_values import whole_number
from apps.telemetry.formats.schedulers.json_objects import json_objects
from apps.telemetry.formats.schedulers.json_values import BadReport
from apps.telemetry.formats.schedulers.kubernetes_states import State, job_states, pod_states
from apps.telemetry.formats.schedulers.session_event import SessionEvent

# Which job a pod is of: the outermost comes first, a JobSet makes jobs of its own.
JOB_LABELS: Final = (
    "jobset.sigs.k8s.io/jobset-name",
    "training.kubeflow.org/job-name",
    "volcano.sh/job-name",
    "batch.kubernetes.io/job-name",
    "job-name",
)
RESTART_LABEL: Final = "jobset.sigs.k8s.io/restart-attempt"
POD_NAME: Final = re.compile(
    r"(?P<job>.+?)-(?:(?:worker|master|launcher|chief|server)-\d{1,6}|(?:\d{1,6}-)?[a-z0-9]{5})"
)
NO_JOBS: Final = frozenset(
    {"Node", "Service", "ConfigMap", "ReplicaSet", "Deployment", "DaemonSet"}
)
# An event of this reason says that a container did not start; a pod's phase is called so, too.
OF_EVENTS: Final = {"Failed": "Event:Failed"}

Said = Mapping[str, Any]


def read(body: bytes, zone: str) -> Iterator[SessionEvent | BadReport]:
    """Yield what objects say of jobs and their pods; others are passed over."""
    objects = list(json_objects(body=body))
    pods = [each for each in objects if each.get("kind") == "Pod"]
    jobs = {_name(pod): job for pod in pods if (job := _job_of(pod))}
    hosts = _hosts(pods) if len(pods) > 1 else {}
    for said in objects:
        try:
            yield from _events(said, jobs, hosts)
        except BadReport as error:
            yield error


def _events(
    said: Said, jobs: Mapping[str, str], hosts: Mapping[str, Sequence[str]]
) -> Iterator[SessionEvent]:
    kind = said.get("kind")
    if kind == "Event" or "involvedObject" in said or "regarding" in said:
        yield from _event(said, jobs)
    elif kind == "Pod":
        yield from _pod(said, hosts)
    elif isinstance(kind, str) and kind.endswith("Job"):
        for state in job_states(said):
            yield _session_event(said, _name(said), state)


def _event(said: Said, jobs: Mapping[str, str]) -> Iterator[SessionEvent]:
    about = _object(said, "involvedObject") or _object(said, "regarding")
    name, kind, reason = _text(about, "name"), _text(about, "kind"), _text(said, "reason")
    if not name or not reason or kind in NO_JOBS:
        return
    job = jobs.get(name) if kind == "Pod" else name
    if job is None:
        found = POD_NAME.fullmatch(name)
        if found is None:
            raise BadReport(f"which job the pod {name} is of is not known: send the pods along")
        job = found["job"]
    yield SessionEvent(
        scheduler="kubernetes",
        session=job,
        project=_text(about, "namespace"),
        member=name if kind == "Pod" else "",
        scheduler_state=OF_EVENTS.get(reason, reason),
        at=_time_of_event(said),
    )


def _time_of_event(said: Said) -> str:
    """Return when it was first so: an event that is told again is counted up."""
    names = ("firstTimestamp", "eventTime", "deprecatedFirstTimestamp", "lastTimestamp")
    return next((at for name in names if (at := _text(said, name))), "")


def _pod(said: Said, hosts: Mapping[str, Sequence[str]]) -> Iterator[SessionEvent]:
    job = _job_of(said)
    if not job:
        return  # a pod of no job: of a service, of the cluster itself
    for state in pod_states(said):
        told = _session_event(said, job, state)
        nodes = tuple(hosts.get(job, ())) if told.scheduler_state == "Started" else ()
        yield replace(told, member=_name(said), hosts=nodes)


def _session_event(said: Said, job: str, state: State) -> SessionEvent:
    word, at, reason = state
    meta = _object(said, "metadata")
    restarts = whole_number(_text(_object(meta, "labels"), RESTART_LABEL))
    return SessionEvent(
        scheduler="kubernetes",
        session=job,
        project=_text(meta, "namespace"),
        attempt=None if restarts is None else restarts + 1,
        scheduler_state=word,
        at=at,
        reason=reason,
    )


def _job_of(pod: Said) -> str:
    labels = _object(_object(pod, "metadata"), "labels")
    return next((name for label in JOB_LABELS if (name := _text(labels, label))), "")


def _hosts(pods: Sequence[Said]) -> dict[str, list[str]]:
    """Return job → the nodes of its pods. Of one pod alone nobody knows whether it is all."""
    hosts: dict[str, list[str]] = {}
    for pod in pods:
        node = _text(_object(pod, "spec"), "nodeName")
        if node:
            hosts.setdefault(_job_of(pod), []).append(node)
    return {job: sorted(set(nodes)) for job, nodes in hosts.items()}


def _name(said: Said) -> str:
    return _text(_object(said, "metadata"), "name")


def _object(said: Said, name: str) -> Said:
    found = said.get(name)
    return found if isinstance(found, dict) else {}


def _text(said: Said, name: str) -> str:
    found = said.get(name)
    return found if isinstance(found, str) else ""
