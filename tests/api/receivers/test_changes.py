"""POST /api/v1/changes: what a party changed, once for each key of its sender."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from apps.fleet.changes import change_rows
from apps.fleet.models import ClusterChange, Participation
from apps.fleet.values import ClusterName
from apps.tenancy.models import AuditEntry, Organization, TokenScope
from apps.tenancy.scope import organization_scope
from apps.web.changes.compose import changes_page
from tests.cast.changes import keep_node
from tests.cast.pushes import Cast, cast, push_json, token

pytestmark = pytest.mark.django_db
PATH = "/api/v1/changes"
DRIVER = {
    "key": "rollout-17",
    "kind": "driver",
    "at": "2026-01-21T02:00:00Z",
    "until": "2026-01-21T02:20:00Z",
    "hosts": ["gpu[071-073]", "GPU080.cluster"],
    "title": "GPU driver of rack 7",
    "before": "550.54",
    "after": "560.35",
    "reference": "CHG-2214",
    "url": "https://git.example.com/infra/-/pipelines/2214",
    "by": "ansible",
}
DEPLOY = {"key": "4711", "kind": "deploy", "at": "2026-01-21T02:10:00Z", "title": "trainer 2.4"}


def _told(people: Cast, who: Organization, body: Any) -> Any:
    return push_json(PATH, people.token(who), body)


def _rows(who: Organization) -> list[ClusterChange]:
    with organization_scope(who.pk):
        return list(ClusterChange.objects.order_by("key"))


def test_one_object_is_a_change_and_twice_is_once() -> None:
    people = cast()
    for count in (1, 0):
        answer = _told(people, people.operator, DRIVER)
        assert answer.status_code == 200, answer.content
        told = answer.json()
        assert (told["accepted"], told["new"], told["updated"]) == (1, count, 0)
        assert told["rejected"] == []
    (row,) = _rows(people.operator)
    assert row.hosts == ["gpu071", "gpu072", "gpu073", "gpu080"]
    assert (row.layer, row.before, row.after) == ("gpu", "550.54", "560.35")
    assert (f"{row.starts_at:%H:%M}", row.ends_at and f"{row.ends_at:%H:%M}") == ("02:00", "02:20")
    assert (row.reference, row.by) == ("CHG-2214", "ansible")


ROOT = Path(__file__).parents[3]
LINES = {
    "README": (ROOT / "README.md", "api/v1/changes'"),
    "docs": (ROOT / "docs/connecting.md", "api/v1/changes?cluster"),
}


def _page_line(people: Cast) -> str:
    page = changes_page(
        cluster=ClusterName(id=1, slug=people.cluster.slug, name="x"),
        rows=(),
        more=0,
        form=None,
        spans=(),
        portal="https://portal.example",
    )
    return page.example


def _written_line(name: str) -> str:
    path, mark = LINES[name]
    return next(line for line in path.read_text().splitlines() if "curl" in line and mark in line)


@pytest.mark.parametrize("name", ["page", *LINES])
def test_the_line_for_a_pipeline_is_taken_as_a_shell_sends_it(name: str) -> None:
    people = cast()
    line = _page_line(people) if name == "page" else _written_line(name)
    shell = 'curl() { while [ $# -gt 0 ]; do [ "$1" = -d ] && printf %s "$2"; shift; done; }\n'
    values = {
        "CI_PIPELINE_ID": "4711",
        "CI_COMMIT_SHORT_SHA": "abc123",
        "CI_PROJECT_NAME": "trainer",
        "CI_PIPELINE_URL": "https://ci.example/4711",
    }
    sent = subprocess.run(  # noqa: S603  a line of our own
        ["/bin/sh", "-c", shell + line],
        env={"PATH": "/usr/bin:/bin", **values},
        capture_output=True,
        check=True,
    )
    # As curl sends what stands behind -d.
    answer = Client().post(
        PATH,
        sent.stdout,
        content_type="application/x-www-form-urlencoded",
        headers={"Authorization": f"Bearer {people.token(people.operator)}"},
    )
    assert answer.status_code == 200, answer.content
    (row,) = _rows(people.operator)
    assert (row.key, row.kind) == ("4711", "deploy")


def test_the_same_key_told_otherwise_is_the_same_change() -> None:
    people = cast()
    begun = {key: value for key, value in DRIVER.items() if key != "until"}
    _told(people, people.operator, begun)
    told = _told(people, people.operator, DRIVER).json()
    assert (told["accepted"], told["new"], told["updated"]) == (1, 0, 1)
    (row,) = _rows(people.operator)
    assert row.ends_at is not None


def test_names_that_match_no_host_known_now_are_told_and_kept() -> None:
    people = cast()
    keep_node(people.operator, people.cluster, "gpu071")
    keep_node(people.operator, people.cluster, "gpu080", aliases=["node-80"])
    told = _told(people, people.operator, DRIVER | {"hosts": ["gpu[071-073]", "node-80"]}).json()

    assert told["new"] == 1
    assert (told["unknown_hosts"], told["unknown_host_count"]) == (["gpu072", "gpu073"], 2)
    (row,) = _rows(people.operator)
    assert row.hosts == ["gpu071", "gpu072", "gpu073", "node-80"]


def test_nobody_learns_of_others_nodes_by_what_is_called_unknown() -> None:
    people = cast()
    keep_node(people.operator, people.cluster, "gpu071")
    body = DRIVER | {"hosts": ["gpu071", "gpu999"]}

    assert _told(people, people.tenant, body).json()["unknown_hosts"] == ["gpu071", "gpu999"]


def test_a_key_is_its_senders_own() -> None:
    people = cast()
    for who in (people.operator, people.tenant):
        assert _told(people, who, DEPLOY).json()["new"] == 1
    assert len(_rows(people.operator)) == len(_rows(people.tenant)) == 1


def test_without_hosts_it_is_everywhere_and_the_kind_says_the_layer() -> None:
    people = cast()
    _told(people, people.tenant, {"changes": [DEPLOY, DEPLOY | {"key": "b", "layer": "storage"}]})
    assert [(row.hosts, row.layer) for row in _rows(people.tenant)] == [
        ([], "software"),
        ([], "storage"),
    ]


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"kind": "deploy"}, "`at` is missing"),
        (DEPLOY | {"key": ""}, "`key` is missing"),
        (DEPLOY | {"title": " "}, "`title` is missing"),
        (DEPLOY | {"title": "x" * 201}, "`title` has more than 200 letters"),
        (DEPLOY | {"kind": "drivver"}, "did you mean `driver`"),
        (DEPLOY | {"layer": "netwrk"}, "did you mean `network`"),
        (DEPLOY | {"at": "2026-01-21T02:00:00"}, "with a zone"),
        (DEPLOY | {"at": "2196-01-21T02:00:00Z"}, "lies in the future"),
        (DEPLOY | {"until": "2026-01-20T02:00:00Z"}, "`until` must not be earlier"),
        (DEPLOY | {"url": "javascript:alert(1)"}, "`url` must begin"),
        (DEPLOY | {"url": "https://me:secret@example.com/"}, "hold no password"),
        (DEPLOY | {"hosts": ["gpu 1"]}, "is no name of a host"),
        (DEPLOY | {"hosts": "gpu[1-90000]"}, "is no name of a host"),
        (DEPLOY | {"hosts": "gpu[001-"}, "is no name of a host"),
        (DEPLOY | {"hosts": "gpu[003-001]"}, "is no name of a host"),
        (DEPLOY | {"hosts": "gpu[001,x]"}, "is no name of a host"),
        (DEPLOY | {"hosts": "gpu[9-1]"}, "is no name of a host"),
        (DEPLOY | {"hosts": ["."]}, "is no name of a host"),
        (DEPLOY | {"version": "2"}, "there is no key `version`"),
        ("deployed", "an entry must be an object"),
    ],
)
def test_a_bad_entry_is_named_and_the_others_are_kept(entry: Any, said: str) -> None:
    people = cast()
    answer = _told(people, people.operator, {"changes": [entry, DRIVER]})
    assert answer.status_code == 200, answer.content
    assert answer.json()["accepted"] == 1
    (wrong,) = answer.json()["rejected"]
    assert wrong["line"] == 1
    assert said in wrong["detail"]
    alone = _told(people, people.operator, {"changes": [entry]})
    assert alone.status_code == 400
    assert said in alone.json()["detail"]
    assert len(_rows(people.operator)) == 1


def test_more_than_a_thousand_are_refused_whole() -> None:
    people = cast()
    many = [DEPLOY | {"key": str(number)} for number in range(1001)]
    assert _told(people, people.operator, {"changes": many}).status_code == 413
    assert _rows(people.operator) == []


def test_few_letters_that_name_too_many_hosts_are_refused_whole() -> None:
    people = cast()
    many = [DEPLOY | {"key": str(number), "hosts": "gpu[00001-20000]"} for number in range(6)]
    assert _told(people, people.operator, {"changes": many}).status_code == 413
    assert _rows(people.operator) == []


def test_no_more_hosts_are_kept_than_a_page_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    people = cast()
    monkeypatch.setattr(change_rows, "MOST_NAMED", 4)
    assert _told(people, people.operator, DRIVER).status_code == 200
    assert _told(people, people.operator, DEPLOY | {"hosts": "login1"}).status_code == 400
    assert _told(people, people.operator, DRIVER | {"hosts": "gpu[1-4]"}).status_code == 200
    assert len(_rows(people.operator)) == 1


def test_what_is_kept_stays_when_there_is_no_room_for_more(monkeypatch: pytest.MonkeyPatch) -> None:
    people = cast()
    monkeypatch.setattr(change_rows, "MOST_KEPT", 1)
    assert _told(people, people.operator, DRIVER).status_code == 200
    assert _told(people, people.operator, DEPLOY).status_code == 400
    assert _told(people, people.operator, DRIVER).status_code == 200
    assert [row.key for row in _rows(people.operator)] == ["rollout-17"]


def test_a_credential_in_a_title_is_not_kept() -> None:
    people = cast()
    title = "rotated glpat-0123456789abcdefghij"
    assert _told(people, people.operator, DEPLOY | {"title": title}).status_code == 200
    (row,) = _rows(people.operator)
    assert "0123456789abcdefghij" not in row.title


def test_the_audit_record_names_the_token_once_a_change() -> None:
    people = cast()
    for _ in range(2):
        _told(people, people.operator, {"changes": [DRIVER, DEPLOY]})
    with organization_scope(people.operator.pk):
        (entry,) = AuditEntry.objects.filter(action="change.told")
    assert entry.actor.startswith("token:")
    assert entry.count == 2
    assert people.cluster.slug in entry.subject


def test_another_cluster_is_not_found() -> None:
    people, others = cast(), cast()
    for slug in (others.cluster.slug, "no-such-place"):
        answer = _told(people, people.operator, {"cluster": slug, "changes": [DEPLOY]})
        assert answer.status_code == 404
    assert _rows(people.operator) == _rows(others.operator) == []


def test_a_token_that_only_reads_may_not_tell() -> None:
    people = cast()
    for scope in (TokenScope.READ, TokenScope.WRITE):
        reader = token(people.operator, people.cluster, scope=scope)
        answer = push_json(PATH, reader, DEPLOY)
        assert answer.status_code == 403
        assert answer.json()["code"] == "scope_missing"
    assert push_json(PATH, "flt_nonsense", DEPLOY).status_code == 401
    assert _rows(people.operator) == []


def test_a_party_that_left_tells_nothing_more() -> None:
    people = cast()
    with organization_scope(people.tenant.pk):
        Participation.objects.filter(organization=people.tenant).delete()
    assert _told(people, people.tenant, DEPLOY).status_code == 404
    assert _rows(people.tenant) == []
