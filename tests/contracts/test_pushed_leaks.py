"""Words pushed by one party, through every step from receiver to page, are met by no other."""

from collections.abc import Iterator
from copy import deepcopy
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from apps.fleet.models import Attempt
from apps.incidents.correlation.correlate import correlate_attempt
from apps.incidents.correlation.touched_windows import map_windows
from apps.incidents.models import (
    EvidenceItem,
    Hypothesis,
    Incident,
    IncidentParty,
    TimelineEntry,
)
from apps.telemetry.metrics.pulls.pull import pull_source
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.api.receivers.writing import V2, Series, snapped, v2, write
from tests.apps.telemetry.samples.windows import drained, sources
from tests.cast.clients import member
from tests.cast.pushes import NOW, Cast, cast, drain_all, push_json, push_text
from tests.cast.standing import standing
from tests.contracts.route_matrix import FOLDERS, Route, inside

pytestmark = pytest.mark.sweep
TENANT, OPERATOR, PLATFORM = "CANARY-tenant", "CANARY-operator", "CANARY-platform"
SHARED = (Incident, Hypothesis, IncidentParty)
TOLD = {
    "scheduler": "slurm",
    "session": "solar-218",
    "project": "solar",
    "job": "solar",
    "state": "failed",
    "at": "2026-11-21T01:30:00Z",
    "hosts": ["gpu001", "gpu002"],
}
NCCL = f"""
2026-11-21T01:29:50Z gpu001 {TENANT} iteration 100 of /data/{TENANT}/corpus
gpu001:4242:4301 [1] NCCL WARN Call to ibv_poll_cq failed {TENANT}
[rank1]:[E1121 01:29:58.000000000 ProcessGroupNCCL.cpp:616] [Rank 1] Watchdog caught collective \
operation timeout: WorkNCCL(SeqNum=148, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, \
Timeout(ms)=600000) ran for 600011 milliseconds before timing out. {TENANT}
RuntimeError: {TENANT}: CUDA error: unspecified launch failure
"""
PYTHON = f"""
Traceback (most recent call last):
  File "/data/{TENANT}/train.py", line 12, in <module>
    main("{TENANT}")
{TENANT}Error: 'encoder.{TENANT}.weight'
[rank1]: RuntimeError: {TENANT} is not a tensor
"""
STORAGE = f"""
2026-11-21T01:29:50Z gpu001 saving checkpoint to /ckpt/{TENANT}/step-100
OSError: [Errno 5] Input/output error: '/ckpt/{TENANT}/step-100/shard-{TENANT}.pt'
"""
BARE_NAME = f"""
2026-11-21T01:29:50Z gpu001 saving checkpoint
OSError: [Errno 5] Input/output error: 'shard-{TENANT}.pt'
OSError: [Errno 28] No space left on device: '{TENANT}'
"""
MEMORY = f"""
torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 3 has {TENANT}
FileNotFoundError: [Errno 2] No such file or directory: '/data/{TENANT}/vocab.json'
"""
KERNEL_LOG = f"""
2026-11-21T01:29:55.000000+00:00 gpu001 kernel: NVRM: Xid (PCI:0000:1b:00): 79, pid=4242, \
name={OPERATOR}, GPU has fallen off the bus.
2026-11-21T01:29:56.000000+00:00 gpu001 kernel: {OPERATOR} something nobody knows
"""
SCHEDULER_LOG = f"""
2026-11-21T01:30:00Z slurmctld: error: Nodes gpu001 not responding, setting DOWN {PLATFORM}
"""


def told(log: str) -> Cast:
    """Let platform, tenant and operator tell of a session that broke, each in its own words."""
    people = cast()
    push_json("/api/v1/session-events", people.token(people.platform), {"events": [TOLD]})
    labels = {"session": "solar-218", "host": "gpu001"}
    for who, text, more in (
        (people.tenant, log, labels | {"stream": "session", "filename": f"{TENANT}.log"}),
        (people.operator, KERNEL_LOG, {"stream": "kernel", "host": "gpu001", "tz": "UTC"}),
        (people.platform, SCHEDULER_LOG, {"stream": "scheduler", "host": "head"}),
    ):
        answer = push_text(people.token(who), text, **more)
        assert answer.status_code == 200, answer.content
    everyone = (people.tenant, people.operator, people.platform, people.other)
    _push_metrics(people)
    drain_all(*everyone)
    for each in everyone:
        map_windows(organization_id=each.pk, now=NOW)
    with organization_scope(people.tenant.pk):
        attempt = Attempt.objects.for_organization(people.tenant).get()
    correlate_attempt(
        owner_id=people.tenant.pk, attempt_id=attempt.pk, now=NOW + timedelta(minutes=10)
    )
    return people


broken = standing(
    told,
    params=[NCCL, PYTHON, STORAGE, BARE_NAME, MEMORY],
    ids=["nccl", "python", "storage", "bare-name", "memory"],
)


@pytest.fixture
def people(broken: Cast, db: None) -> Cast:
    """A session that broke, and who told of it."""
    return deepcopy(broken)


def _push_metrics(people: Cast) -> None:
    """Let the operator's sender tell of the fault in metrics, its own words in names and labels."""
    at = [round(NOW.timestamp()) - 15 * ago for ago in range(160, 0, -1)]
    fault = round(NOW.timestamp()) - 1805
    series = [
        Series(
            labels={"__name__": name, "Hostname": f"gpu{host:03}", "gpu": "0", "rack": OPERATOR},
            samples=[
                (second * 1000, value if host == 1 and second >= fault else 0.0) for second in at
            ],
            kind="gauge",
            help=f"{OPERATOR} says so",
        )
        for host in range(1, 9)
        for name, value in (("DCGM_FI_DEV_XID_ERRORS", 79.0), (f"{OPERATOR}_errors_total", 5.0))
    ]
    answer = write(
        people.token(people.operator),
        snapped(v2(series)),
        content_type=V2,
        query=f"?source={OPERATOR}-edge",
    )
    assert answer.status_code == 204, answer.content
    assert drained(people.operator, now=NOW) == len(series) * len(at)
    (source,) = sources(people.operator)
    pulled = pull_source(organization_id=people.operator.pk, source_id=source.pk, now=NOW)
    assert (pulled.state, pulled.new_count > 0) == ("fresh", True)


def _read(reader: Organization, people: Cast) -> str:
    with organization_scope(people.tenant.pk):
        incident = Incident.objects.for_organization(people.tenant).get()
        session = Attempt.objects.select_related("session").get().session
    ids = dict.fromkeys(FOLDERS, "absent") | {
        "clusters": people.cluster.slug,
        "nodes": f"{people.cluster.slug}:gpu001",
        "sessions": session.public_id,
        "incidents": incident.public_id,
    }
    client = member(reader).client
    return "\n".join(
        text for route in inside() for text in _texts(client, route, route.path(reader.slug, ids))
    )


def _texts(client: Client, route: Route, path: str) -> Iterator[str]:
    yield _text(client.get(path))
    if "format" in route.parameters:  # no page takes one, see test_leaks
        yield _text(client.get(f"{path}?format=csv"))


def _text(answer: Any) -> str:
    body: bytes = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return body.decode(errors="replace")


def test_each_party_reads_its_own_words_and_those_of_nobody_else(people: Cast) -> None:
    own = {people.tenant.pk: TENANT, people.operator.pk: OPERATOR, people.platform.pk: PLATFORM}
    parties = (people.tenant, people.operator, people.platform, people.other)
    read = {party.pk: _read(party, people) for party in parties}

    for reader, text in read.items():
        assert {word for key, word in own.items() if key != reader and word in text} == set()
    # Else that would hold on an incident without evidence: each meets the names that it gave.
    assert f"{OPERATOR}-edge" in read[people.operator.pk]
    assert f"{TENANT}.log" in read[people.tenant.pk]


def test_shared_rows_hold_nobodys_words(people: Cast) -> None:
    with organization_scope(people.operator.pk, people.tenant.pk, people.platform.pk):
        shared: list[object] = [row for model in SHARED for row in model.objects.all().values()]
        shared += TimelineEntry.objects.filter(for_all_parties=True).values()
        held = EvidenceItem.objects.exclude(organization=people.tenant).values_list("text")

    assert "CANARY" not in str(shared)
    assert [text for (text,) in held if text in str(shared)] == []


def test_the_other_tenant_is_no_party_and_the_operator_is(people: Cast) -> None:
    for reader, count in ((people.operator, 1), (people.other, 0)):
        with organization_scope(reader.pk):
            assert IncidentParty.objects.count() == count
