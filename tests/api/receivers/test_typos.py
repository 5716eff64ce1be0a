"""What a person types wrongly for a receiver is told to that person, with what was meant."""

from typing import Any

import pytest

from tests.cast.pushes import Cast, cast, push_json, push_text

EVENTS = "/api/v1/session-events"
LINE = "2026-11-21T02:00:00Z step 100 loss 2.31\n"


@pytest.fixture
def people(db: None) -> Cast:
    """Return the parties of a cluster with their tokens."""
    return cast()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"sesion": "job-1"}, "no label `sesion`; did you mean `session`?"),
        ({"stream": "foo"}, "no kind of stream `foo`; one of alerts, bmc, fabric, kernel"),
        ({"stream": "kernal"}, "did you mean `kernel`?"),
        ({"tz": "Korea"}, "did you mean `Asia/Seoul`?"),
        ({"tz": "Korea/Seoul"}, "did you mean `Asia/Seoul`?"),
        ({"tz": "UTC%2B9"}, "did you mean `Etc/GMT-9`?"),
        ({"rank": "first"}, "a rank is a whole number from 0 to 1048576"),
        ({"attempt": "-1"}, "an attempt is a whole number from 0 to 99999999"),
        ({"attempt": "99999999999"}, "an attempt is a whole number from 0 to 99999999"),
        ({"tz": "CEST"}, "did you mean `Europe/Berlin`?"),
        ({"team": "vision"}, "one of your own is written `label.team`"),
        ({"session": "a&session=b"}, "give it once"),
    ],
)
def test_a_label_that_tells_nothing_is_refused(
    people: Cast, given: dict[str, str], told: str
) -> None:
    answer = push_text(people.token(people.tenant), LINE, **given)

    assert answer.status_code == 400
    assert told in answer.json()["detail"]


@pytest.mark.parametrize("scheduler", ["", "Slurm", "backend.ai", "k8s", "ray", "our-own"])
def test_who_says_it_may_be_a_scheduler_of_any_name(people: Cast, scheduler: str) -> None:
    event = {"session": "job-1", "state": "running", "scheduler": scheduler}
    event |= {"project": "solar"}

    assert push_json(EVENTS, people.token(people.platform), event).status_code == 200


@pytest.mark.parametrize("path", ["/api/v1/session-events", "/api/v1/inventory"])
def test_a_mistyped_cluster_is_answered_with_the_one_of_the_token(people: Cast, path: str) -> None:
    told = {"cluster": people.cluster.slug.replace("s", "", 1), "nodes": [], "session": "x"}
    del told["nodes" if path == EVENTS else "session"]

    answer = push_json(path, people.token(people.operator), told)

    assert f"did you mean `{people.cluster.slug}`?" in answer.content.decode()


def test_labels_of_agents_and_of_ones_own_are_kept(people: Cast) -> None:
    given: dict[str, Any] = {"slurm_job_id": "job-1", "label.team": "vision", "stream": "stdout"}

    assert push_text(people.token(people.tenant), LINE, **given).json()["accepted"] == 1


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ({"sesion": "job-1", "state": "running"}, "did you mean `session`?"),
        ({"session": "job-1", "host": ["gpu017"]}, "did you mean `hosts`?"),
        ({"session": "job-1", "ranks": {"0": {"hots": "x"}}}, "did you mean `host`?"),
        ({"session": "job-1", "state": "finish"}, "did you mean `finished`?"),
        ({"session": "job-1", "state": "COMPLETED"}, "did you mean `finished`?"),
        ({"session": "job-1", "state": "TIMEOUT"}, "did you mean `walltime`?"),
        ({"session": "job-1", "state": ["x"]}, "one of cancelled, failed"),
        ({"session": "job-1", "scheduler": "slrum"}, "did you mean `slurm`?"),
        ({"session": "job-1", "scheduler": "kubernetess"}, "did you mean `kubernetes`?"),
        ({"event": [{"session": "job-1"}]}, "no key `event`"),
        ({"events": [{"session": "job-1"}], "at": "2026-11-21T02:00:00Z"}, "one of events"),
    ],
)
def test_a_misspelt_key_or_state_of_an_event_is_refused(
    people: Cast, document: Any, told: str
) -> None:
    answer = push_json(EVENTS, people.token(people.platform), document)

    assert answer.status_code == 400
    assert told in answer.json()["detail"]


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ({"node": [{"name": "gpu017"}]}, "did you mean `nodes`?"),
        ({"nodes": [{"name": "gpu017", "alias": ["x"]}]}, "did you mean `aliases`?"),
        ({"nodes": [{"name": "gpu017", "zone": "Korea"}]}, "did you mean `Asia/Seoul`?"),
        ({"nodes": [{"name": "n", "devices": [{"kind": "gpu", "idx": 1}]}]}, "one of index"),
        ({"nodes": [{"name": "n", "devices": ["gpu"]}]}, "`devices` must be an object"),
        ({"links": [{"a": {"hots": "x"}, "b": {}}]}, "did you mean `host`?"),
        ({"mounts": [{"paht": "/data", "server": "nfs1"}]}, "did you mean `path`?"),
    ],
)
def test_a_misspelt_key_of_an_inventory_is_refused(people: Cast, document: Any, told: str) -> None:
    answer = push_json("/api/v1/inventory", people.token(people.operator), document)

    assert answer.status_code == 400
    assert told in answer.json()["detail"]
