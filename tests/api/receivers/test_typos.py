"""What a person types wrongly for a receiver is told to that person, with what was meant."""

from typing import Any

import pytest

from tests.api.receivers.pushing import Cast, cast, push_json, push_text

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
        ({"rank": "first"}, "a rank is a whole number"),
        ({"attempt": "-1"}, "an attempt is a whole number"),
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
        ({"event": [{"session": "job-1"}]}, "no key `event`"),
        ({"events": [{"session": "job-1"}], "at": "2026-11-21T02:00:00Z"}, "one of events"),
    ],
)
def test_a_misspelt_key_or_state_of_an_event_is_refused(
    people: Cast, document: Any, told: str
) -> None:
    answer = push_json("/api/v1/session-events", people.token(people.platform), document)

    assert answer.status_code == 400
    assert told in answer.json()["detail"]


@pytest.mark.parametrize(
    ("document", "told"),
    [
        ({"node": [{"name": "gpu017"}]}, "did you mean `nodes`?"),
        ({"nodes": [{"name": "gpu017", "alias": ["x"]}]}, "did you mean `aliases`?"),
        ({"nodes": [{"name": "gpu017", "zone": "Korea"}]}, "did you mean `Asia/Seoul`?"),
        ({"nodes": [{"name": "n", "devices": [{"kind": "gpu", "idx": 1}]}]}, "one of index"),
        ({"links": [{"a": {"hots": "x"}, "b": {}}]}, "did you mean `host`?"),
        ({"mounts": [{"paht": "/data", "server": "nfs1"}]}, "did you mean `path`?"),
    ],
)
def test_a_misspelt_key_of_an_inventory_is_refused(people: Cast, document: Any, told: str) -> None:
    answer = push_json("/api/v1/inventory", people.token(people.operator), document)

    assert answer.status_code == 400
    assert told in answer.json()["detail"]
