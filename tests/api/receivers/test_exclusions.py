"""POST /api/v1/exclusions: JSON, tables of Slurm, objects of Kubernetes."""

from datetime import UTC, datetime
from typing import Any

import pytest
from django.test import Client

from apps.fleet.exclusions import exclusion_rows
from apps.fleet.facade.exclusions import exclusions_of
from apps.fleet.models import NodeExclusion, NodeReturn
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import actor
from tests.cast.pushes import Cast, cast, push_json

pytestmark = pytest.mark.django_db
PATH = "/api/v1/exclusions"
FIRST = datetime(2026, 1, 1, tzinfo=UTC)
DRAIN = {"host": "gpu071", "kind": "drain", "at": "2026-01-21T02:00:00Z", "reason": "NVLink"}
SINFO = """\
REASON               USER      TIMESTAMP           NODELIST
NHC: check_hw_ib     root      2026-01-21T11:00:00 gpu[071-072]
Not responding       slurm     2026-01-21T12:00:00 gpu080
"""
LONG = """\
REASON               USER         TIMESTAMP           STATE  NODELIST
nvlink again         root(0)      2026-01-21T11:00:00 drng   gpu071
"""
SCONTROL = """\
NodeName=gpu071 Arch=x86_64 CoresPerSocket=56
   State=IDLE+DRAIN ThreadsPerCore=2 TmpDisk=0 Weight=1
   Reason=NHC: check_hw_ib [root@2026-01-21T11:00:00]

NodeName=gpu072 Arch=x86_64 CoresPerSocket=56
   State=ALLOCATED ThreadsPerCore=2
"""
NODES = {
    "kind": "List",
    "items": [
        {
            "kind": "Node",
            "metadata": {"name": "gpu071"},
            "spec": {
                "unschedulable": True,
                "taints": [
                    {
                        "key": "node.kubernetes.io/unschedulable",
                        "effect": "NoSchedule",
                        "timeAdded": "2026-01-21T02:00:00Z",
                    }
                ],
            },
        },
        {"kind": "Node", "metadata": {"name": "gpu072"}, "spec": {}},
    ],
}


def _rows(owner: Organization) -> list[tuple[Any, ...]]:
    with organization_scope(owner.pk):
        rows = NodeExclusion.objects.order_by("host", "kind", "starts_at")
        return [
            (row.host, row.kind, f"{row.starts_at:%d %H:%M}", row.ends_at is not None, row.reason)
            for row in rows
        ]


def _post(people: Cast, who: Organization, text: str, **query: str) -> Any:
    named = "&".join(f"{name}={value}" for name, value in query.items())
    return Client().post(
        f"{PATH}?{named}",
        text.encode(),
        content_type="text/plain",
        headers={"Authorization": f"Bearer {people.token(who)}"},
    )


def _told(people: Cast, who: Organization, body: dict[str, Any]) -> Any:
    return push_json(PATH, people.token(who), body)


def test_json_begins_and_ends_exclusions_and_twice_is_once() -> None:
    people = cast()
    back = {"host": "gpu071", "at": "2026-01-22T02:00:00Z"}
    for count in (1, 0):
        answer = _told(people, people.platform, {"exclusions": [DRAIN], "returns": [back]})
        assert answer.status_code == 200, answer.content
        came: dict[str, Any] = {
            "accepted": 2,
            "begun": count,
            "ended": count,
            "reopened": 0,
            "rejected": [],
        }
        assert answer.json() == came
    assert _rows(people.platform) == [("gpu071", "drain", "21 02:00", True, "NVLink")]


def test_the_table_of_sinfo_ends_what_it_lists_no_more() -> None:
    people = cast()
    answer = _post(people, people.operator, SINFO, tz="Asia/Seoul")
    assert answer.status_code == 200, answer.content
    assert (answer.json()["accepted"], answer.json()["begun"]) == (3, 3)
    assert _rows(people.operator) == [
        ("gpu071", "drain", "21 02:00", False, "NHC: check_hw_ib"),
        ("gpu072", "drain", "21 02:00", False, "NHC: check_hw_ib"),
        ("gpu080", "down", "21 03:00", False, "Not responding"),
    ]
    _post(people, people.operator, LONG, tz="Asia/Seoul")
    # What one table lists is in use for no other reason either: both were printed by one program.
    assert {(host, is_over) for host, _, _, is_over, _ in _rows(people.operator)} == {
        ("gpu071", False), ("gpu072", True), ("gpu080", True),
    }  # fmt: skip
    # What it lists now is left out, whatever an earlier table left out by mistake.
    again = _post(people, people.operator, SINFO, tz="Asia/Seoul").json()
    assert (again["begun"], again["ended"], again["reopened"]) == (0, 0, 2)
    assert not any(is_over for _, _, _, is_over, _ in _rows(people.operator))


def test_scontrol_names_who_drained_it_and_what_is_in_use() -> None:
    people = cast()
    _told(people, people.operator, {"exclusions": [DRAIN | {"host": "gpu072"}]})
    answer = _post(people, people.operator, SCONTROL, tz="Asia/Seoul")
    came = {"accepted": 2, "begun": 1, "ended": 1, "reopened": 0, "rejected": []}
    assert answer.json() == came
    assert _rows(people.operator) == [
        ("gpu071", "drain", "21 02:00", False, "NHC: check_hw_ib"),
        ("gpu072", "drain", "21 02:00", True, "NVLink"),
    ]


def test_nodes_and_events_of_kubernetes_are_read() -> None:
    people = cast()
    event = {
        "kind": "Event",
        "reason": "NodeNotSchedulable",
        "involvedObject": {"kind": "Node", "name": "gpu080"},
        "lastTimestamp": "2026-01-21T05:00:00Z",
    }
    back = {"host": "gpu071", "at": "2026-01-22T02:00:00Z"}
    assert _told(people, people.platform, {"returns": [back]}).status_code == 200
    for body in (NODES, event):
        assert _told(people, people.platform, body).status_code == 200
    assert _rows(people.platform) == [
        ("gpu071", "cordon", "21 02:00", False, ""),
        ("gpu080", "cordon", "21 05:00", False, ""),
    ]
    with organization_scope(people.platform.pk):
        in_use = {row.kind: row.in_use for row in NodeReturn.objects.exclude(kind="")}
    assert in_use == {"cordon": ["gpu072"], "taint": ["gpu071", "gpu072"]}


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"host": "gpu071", "at": "2026-01-21T02:00:00Z"}, "`kind` is missing"),
        (DRAIN | {"kind": "drian"}, "did you mean `drain`"),
        (DRAIN | {"at": "2026-01-21T02:00:00"}, "with a zone"),
        (DRAIN | {"at": "2196-01-21T02:00:00Z"}, "lies in the future"),
        (DRAIN | {"until": "2026-01-20T02:00:00Z"}, "`until` must be later"),
        (DRAIN | {"cause": "gremlins"}, "there is no cause `gremlins`"),
        (DRAIN | {"session": "4711"}, "of kind `job`"),
        (DRAIN | {"why": "x"}, "there is no key `why`"),
    ],
)
def test_a_bad_entry_is_named_and_the_others_are_kept(entry: dict[str, Any], said: str) -> None:
    people = cast()
    answer = _told(people, people.operator, {"exclusions": [entry, DRAIN | {"host": "gpu072"}]})
    assert answer.json()["accepted"] == 1
    assert said in answer.json()["rejected"][0]["detail"]
    alone = _told(people, people.operator, {"exclusions": [entry]})
    assert alone.status_code == 400


@pytest.mark.parametrize(
    ("text", "query", "said"),
    [
        (SINFO, {}, "name their zone"),
        (SINFO, {"tz": "Asia/Soul"}, "Asia/Seoul"),
        ("gpu071 is down", {"tz": "UTC"}, "no table of nodes"),
        (SINFO + "gibberish\n", {"tz": "UTC"}, "no row of `sinfo -R`"),
    ],
)
def test_a_text_that_is_no_table_changes_nothing(
    text: str, query: dict[str, str], said: str
) -> None:
    people = cast()
    answer = _post(people, people.operator, text, **query)
    assert answer.status_code == 400
    assert said in answer.json()["detail"]
    assert _rows(people.operator) == []


@pytest.mark.parametrize(
    "text",
    [
        "\n".join([SINFO.splitlines()[0], *["x root 2026-01-21T11:00:00 n[0-19999]"] * 2]),
        "NodeName=n State=IDLE\n" * 20_001,
    ],
    ids=["sinfo", "scontrol"],
)
def test_a_table_of_more_nodes_than_any_cluster_has_is_refused(text: str) -> None:
    people = cast()
    answer = _post(people, people.operator, text, tz="UTC")
    assert answer.status_code == 413
    assert "20000 nodes" in answer.json()["detail"]
    assert _rows(people.operator) == []


def test_a_tenant_that_claims_without_end_is_refused_and_what_is_kept_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    people = cast()
    monkeypatch.setattr(exclusion_rows, "MOST_CLAIMED", 2)
    jobs = [DRAIN | {"kind": "job", "session": each} for each in ("4711", "4712")]
    assert _told(people, people.tenant, {"exclusions": jobs}).status_code == 200
    more = DRAIN | {"kind": "job", "session": "4713"}
    assert _told(people, people.tenant, {"exclusions": [more]}).status_code == 400
    assert len(_rows(people.tenant)) == 2
    assert _told(people, people.operator, {"exclusions": [DRAIN]}).status_code == 200


def test_a_tenant_tells_of_its_jobs_alone() -> None:
    people = cast()
    job = DRAIN | {"kind": "job", "session": "4711"}
    assert _told(people, people.tenant, {"exclusions": [job]}).status_code == 200
    refused = _told(people, people.tenant, {"exclusions": [DRAIN]})
    assert refused.status_code == 403
    assert refused.json()["code"] == "part_refused"
    assert "but for its own sessions" in refused.json()["detail"]


def test_another_cluster_is_not_found() -> None:
    people, others = cast(), cast()
    body = {"cluster": others.cluster.slug, "exclusions": [DRAIN]}
    assert _told(people, people.operator, body).status_code == 404


def test_what_a_job_leaves_out_may_stand_in_its_session_event() -> None:
    people = cast()
    event = {
        "scheduler": "slurm",
        "session": "4711",
        "project": "solar",
        "state": "running",
        "at": "2026-01-21T02:00:00Z",
        "hosts": ["gpu001"],
        "excluded": ["gpu071.cluster", ""],
    }
    for body in (event, event | {"state": "failed", "at": "2026-01-21T03:00:00Z"}, event):
        answer = push_json("/api/v1/session-events", people.token(people.platform), body)
        assert answer.status_code == 200, answer.content
    assert [row[:3] for row in _rows(people.platform)] == [
        ("gpu071", "job", "21 02:00"),
        ("gpu071", "job", "21 03:00"),
    ]
    with organization_scope(people.tenant.pk):
        found = exclusions_of(
            actor=actor(people.tenant),
            cluster=people.cluster.slug,
            since=FIRST,
            until=make.AT,
            now=make.AT,
        )
    assert [(each.host, each.session, each.starts_at.hour) for each in found] == [
        ("gpu071", "4711", 2)
    ]
