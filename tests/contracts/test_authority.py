"""Who may say what: each part, at each receiver, of its own things, others', and what is not there.

Nobody changes what it does not run, and no answer tells what is there.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any

import pytest

from apps.api.receivers.description import NANOSECONDS
from apps.fleet.authority.rules import SenderStanding, Subject, standing_of
from apps.fleet.models import ParticipationRole, Session
from apps.tenancy.scope import organization_scope
from tests.cast.parties import NOW, World, build, seen_of, send, settle
from tests.contracts.described_receivers import DESCRIBED

pytestmark = pytest.mark.sweep


@dataclass(frozen=True, kw_only=True)
class Named:
    """The things that a message speaks of."""

    session: str
    host: str
    project: str
    cluster: str


Message = Callable[[Named, datetime], tuple[str, Any, dict[str, str]]]  # path, body, query


def _event(name: Named, at: datetime) -> tuple[str, Any, dict[str, str]]:
    event = {
        "cluster": name.cluster,
        "scheduler": "slurm",
        "session": name.session,
        "project": name.project,
        "state": "cancelled",
        "at": (at - timedelta(minutes=5)).isoformat(),
        "hosts": [name.host],
        "ranks": {"0": {"host": name.host, "gpu": 5}},
        "exit_codes": {"0": 77},
    }
    return "/api/v1/session-events", event, {}


def _inventory(**entries: Any) -> Message:
    def message(name: Named, at: datetime) -> tuple[str, Any, dict[str, str]]:
        said = json.dumps(entries).replace("HOST", name.host).replace("PROJECT", name.project)
        return "/api/v1/inventory", {"cluster": name.cluster, **json.loads(said)}, {}

    return message


def _text(line: str, **labels: str) -> Message:
    def message(name: Named, at: datetime) -> tuple[str, Any, dict[str, str]]:
        named = {key: value.format(**vars(name)) for key, value in labels.items()}
        said = line.format(at=at.isoformat(timespec="seconds"), **vars(name))
        return "/api/v1/logs", said, {"cluster": name.cluster, **named}

    return message


def _loki(name: Named, at: datetime) -> tuple[str, Any, dict[str, str]]:
    labels = {"cluster": name.cluster, "session": name.session, "stream": "session"}
    values = [[str(int(at.timestamp() * 10**9)), "RuntimeError: CUDA error: out of memory"]]
    return "/loki/api/v1/push", {"streams": [{"stream": labels, "values": values}]}, {}


def _otlp_logs(name: Named, at: datetime) -> tuple[str, Any, dict[str, str]]:
    attributes = {"host.name": name.host, "stream": "kernel"}
    resource = [{"key": k, "value": {"stringValue": v}} for k, v in attributes.items()]
    text = XID.format(at=at.isoformat(timespec="seconds"), **vars(name))
    record = {"timeUnixNano": str(int(at.timestamp() * 10**9)), "body": {"stringValue": text}}
    body = {
        "resourceLogs": [
            {"resource": {"attributes": resource}, "scopeLogs": [{"logRecords": [record]}]}
        ]
    }
    return "/v1/logs", body, {"cluster": name.cluster}


def _alert(name: Named, at: datetime) -> tuple[str, Any, dict[str, str]]:
    alert = {
        "status": "firing",
        "labels": {"alertname": "GpuXid", "instance": f"{name.host}:9400", "severity": "critical"},
        "startsAt": at.isoformat(),
        "fingerprint": "8a1b2c3d4e5f6071",
    }
    body = {"version": "4", "status": "firing", "alerts": [alert]}
    return "/api/v1/alertmanager", body, {"cluster": name.cluster}


def _otlp_metrics(name: Named, at: datetime) -> tuple[str, Any, dict[str, str]]:
    point = {"timeUnixNano": NANOSECONDS, "asDouble": 1.5}
    metric = {"name": "node_load1", "gauge": {"dataPoints": [point]}}
    resource = [{"key": "host.name", "value": {"stringValue": name.host}}]
    body = {
        "resourceMetrics": [
            {"resource": {"attributes": resource}, "scopeMetrics": [{"metrics": [metric]}]}
        ]
    }
    return "/v1/metrics", body, {"cluster": name.cluster}


XID = "{at} {host} kernel: NVRM: Xid (PCI:0000:3b:00): 79, pid=1, GPU has fallen off the bus."


def _recovery(name: Named, at: datetime) -> tuple[str, Any, dict[str, str]]:
    event = {"event": "replica_lost", "at": at.isoformat(), "replica": "dp7", "gpus": 8}
    body = {"cluster": name.cluster, "session": name.session, "attempt": 1, "events": [event]}
    return "/api/v1/recovery-events", body, {}


def _exclusion(name: Named, at: datetime) -> tuple[str, Any, dict[str, str]]:
    told = {"host": name.host, "kind": "job", "at": at.isoformat(), "session": name.session}
    return "/api/v1/exclusions", {"exclusions": [told]}, {"cluster": name.cluster}


MESSAGES: dict[str, tuple[Subject, Message]] = {
    "exclusions": (Subject.EXCLUSIONS, _exclusion),
    "recovery-events": (Subject.SESSION, _recovery),
    "session-events": (Subject.SESSION, _event),
    "nodes": (Subject.NODES, _inventory(nodes=[{"name": "gpu777", "aliases": ["HOST"]}])),
    "gpus": (
        Subject.GPUS,
        _inventory(nodes=[{"name": "HOST", "devices": [{"kind": "gpu", "index": 0, "uuid": "x"}]}]),
    ),
    "links": (
        Subject.LINKS,
        _inventory(links=[{"a": {"host": "HOST", "device": "mlx5_0"}, "b": {"switch": "evil"}}]),
    ),
    "mounts": (Subject.MOUNTS, _inventory(mounts=[{"path": "/ckpt", "server": "evil"}])),
    "projects": (Subject.PROJECTS, _inventory(projects={"PROJECT": "nobody-there"})),
    "session": (
        Subject.SESSION_LOG,
        _text("{at} CUDA error: out of memory", session="{session}", host="{host}"),
    ),
    "kernel": (Subject.HOST, _text(XID, stream="kernel", host="{host}")),
    "kernel-in-session": (
        Subject.SESSION_LOG,
        _text(XID, stream="session", session="{session}", host="{host}"),
    ),
    "bmc": (Subject.HOST, _text("{at} {host} Power supply lost AC", stream="bmc", host="{host}")),
    "fabric": (
        Subject.FABRIC,
        _text("{at} {host} mlx5_0: Link down", stream="fabric", host="{host}"),
    ),
    "storage": (
        Subject.STORAGE,
        _text(
            "{at} nas1 kernel: nfs: server {host} not responding, still trying", stream="storage"
        ),
    ),
    "scheduler": (
        Subject.SCHEDULER,
        _text("{at} slurmctld: JobId={session} Node {host} not responding", stream="scheduler"),
    ),
    "unlabelled": (Subject.HOST, _text(XID, host="{host}")),
    "loki": (Subject.SESSION_LOG, _loki),
    "otlp-logs": (Subject.HOST, _otlp_logs),
    "alerts": (Subject.HOST, _alert),
    "otlp-metrics": (Subject.HOST, _otlp_metrics),
}
# The same door, body and rows as OTLP's metrics; its coding is a matter of tests of its own.
# Step traces are of sessions of the token's own organization alone: their tests lie with them.
# Changes are each party's word of itself, read by others through agreements, weighed by nothing.
SAME_DOOR = {"/api/v1/write", "/api/v1/step-traces", "/api/v1/changes"}
WHO = [*(part.value for part in ParticipationRole), "elsewhere"]


def story() -> tuple[World, datetime]:
    """Return parties, and when the victim's session failed: told by the platform, with a log."""
    world, at = build(), NOW - timedelta(minutes=20)
    told = {"scheduler": "slurm", "session": "job-1", "project": "solar"}
    running: dict[str, Any] = {
        **told,
        "state": "running",
        "at": (at - timedelta(hours=2)).isoformat(),
    }
    running |= {"hosts": ["gpu001", "gpu002"], "world_size": 16}
    failed = {**told, "state": "failed", "at": at.isoformat()}
    answer = send(world, "platform", "/api/v1/session-events", {"events": [running, failed]})
    assert answer.json()["accepted"] == 2
    for rank in range(2):
        line = (
            f"{at:%Y-%m-%dT%H:%M:%S}+00:00 [rank{rank}]: torch.distributed.DistBackendError: NCCL "
            "error in: ProcessGroupNCCL.cpp:1333, remote process exited or there was a network "
            "error"
        )
        labels = {"session": "job-1", "host": f"gpu00{rank + 1}", "rank": str(rank)}
        assert send(world, "victim", "/api/v1/logs", line, **labels).status_code == 200
    settle(world)
    return world, at


def told(answer: Any, name: Named) -> tuple[int, str]:
    """Return an answer without what it may repeat of the question, and without its own ids."""
    text = answer.content.decode()
    if answer["Content-Type"] == "application/json" and text:
        said = json.loads(text)
        text = json.dumps({k: v for k, v in said.items() if k not in {"batch", "url"}})
    for word, said in vars(name).items():
        text = text.replace(said, f"<{word}>")
    return answer.status_code, text


def may(who: str, subject: Subject, *, is_own: bool = False) -> SenderStanding:
    """Return what the table says of a part."""
    if who == "elsewhere":
        return SenderStanding.REFUSED
    return standing_of(parts=(ParticipationRole(who),), subject=subject, is_own=is_own)


def asserts(who: str, subject: Subject) -> bool:
    """Whether a part's word about others' things of this kind counts as it stands."""
    return may(who, subject) is SenderStanding.ASSERTED


def test_every_receiver_is_in_the_matrix() -> None:
    name = Named(session="s", host="h", project="p", cluster="c")
    tried = {message(name, NOW)[0] for _, message in MESSAGES.values()}

    assert tried | SAME_DOOR == set(DESCRIBED)


@pytest.mark.django_db
@pytest.mark.parametrize("who", WHO)
def test_what_a_part_does_not_run_it_does_not_change_and_no_answer_tells_what_is_there(
    who: str,
) -> None:
    world, at = story()
    slug = (world.elsewhere if who == "elsewhere" else world.cluster).slug
    others = Named(session="job-1", host="gpu001", project="solar", cluster=slug)
    unknown = Named(session="job-9", host="gpu099", project="sonar", cluster=slug)
    own = Named(session=f"own-{who}", host="gpu050", project="lunar", cluster=slug)
    foreign = Named(session="job-1", host="gpu001", project="solar", cluster=world.cluster.slug)
    nowhere = Named(session="job-1", host="gpu001", project="solar", cluster="no-such-place")
    if who != "elsewhere":
        foreign = Named(**{**vars(foreign), "cluster": world.elsewhere.slug})
    effects, differences = [], []
    before = seen_of(world, "victim")
    # What may follow each other without a change is looked at together: a look takes long.
    for is_asserted, kinds in groupby(MESSAGES, lambda kind: asserts(who, MESSAGES[kind][0])):
        sent = list(kinds)
        for kind in sent:
            subject, message = MESSAGES[kind]
            answers = {}
            for name in (others, unknown, own, foreign, nowhere):
                path, body, query = message(name, at)
                answers[name] = told(send(world, who, path, body, **query), name)
            if not is_asserted and answers[others] != answers[unknown]:
                differences += [kind]
            differences += [f"{kind}, cluster"] if answers[foreign] != answers[nowhere] else []
            is_refused = (
                who != "elsewhere" and may(who, subject, is_own=True) is SenderStanding.REFUSED
            )
            assert (answers[own][0] == 403) == is_refused, (kind, answers[own])
        settle(world)
        after = seen_of(world, "victim")
        if not is_asserted:
            effects += [(sent, key) for key in before if before[key] != after[key]]
        before = after

    assert effects == []
    assert differences == []


@pytest.mark.django_db
@pytest.mark.parametrize("kind", ["kernel", "session-events", "session", "nodes"])
def test_what_the_operator_runs_it_does_change(kind: str) -> None:
    world, at = story()
    name = Named(session="job-1", host="gpu001", project="solar", cluster=world.cluster.slug)
    before = seen_of(world, "victim")
    path, body, query = MESSAGES[kind][1](name, at)
    assert send(world, "operator", path, body, **query).status_code == 200
    settle(world)

    assert seen_of(world, "victim") != before


@pytest.mark.django_db
def test_a_session_that_another_tenant_made_first_is_not_whose_the_operator_tells_of() -> None:
    world, now = build(), NOW.isoformat()
    mine = {"session": "4711", "scheduler": "slurm", "project": "solar", "state": "running"}
    assert send(world, "tenant", "/api/v1/session-events", {**mine, "at": now}).status_code == 200
    asserted = {**mine, "at": now, "hosts": ["gpu001"]}
    for report in (asserted, {"session": "4711", "scheduler": "slurm", "state": "failed"}):
        answer = send(world, "operator", "/api/v1/session-events", report)
        assert answer.json() == {"accepted": 1, "rejected": []}

    with organization_scope(*world.ids):
        rows = {row.organization_id: row for row in Session.objects.filter(name="4711")}
        assert rows[world.victim.pk].attempts.get().state == "failed"
        assert rows[world.parties["tenant"].pk].attempts.get().hosts == []
        assert not rows[world.parties["tenant"].pk].is_asserted
