"""Records of JSON that say where they belong: what http outputs of log agents add to each line."""

from typing import Any

import orjson
import pytest

from apps.fleet.models import Session
from apps.telemetry.formats import records
from apps.telemetry.models import LogStream
from apps.tenancy.scope import organization_scope
from tests.cast.pushes import Answer, Cast, cast, drain_all, push_text

pytestmark = pytest.mark.django_db
Place = tuple[str, str, int | None, int]
RECORDS = [
    {"log": f"step {n}", "session": "run-7", "host": f"gpu{n % 2}", "rank": n % 2, "stream": "app"}
    for n in range(6)
]


@pytest.fixture
def people() -> Cast:
    """A cluster and its parties."""
    return cast()


def push(people: Cast, sent: list[dict[str, Any]], *, lines: bool = False, **said: str) -> Answer:
    """Send records as the tenant, as an array or as lines."""
    body = b"\n".join(map(orjson.dumps, sent)) if lines else orjson.dumps(sent)
    kind = "application/x-ndjson" if lines else "application/json"
    return push_text(people.token(people.tenant), body, content_type=kind, **said)


def places(people: Cast) -> list[Place]:
    """Read everything; return (kind, host, rank, lines) of the streams."""
    drain_all(people.tenant)
    with organization_scope(people.tenant.pk):
        rows = LogStream.objects.order_by("host", "rank", "id")
        return [(row.kind, row.host, row.rank, row.line_count) for row in rows]


@pytest.mark.parametrize("lines", [False, True])
def test_each_record_goes_where_it_says(people: Cast, lines: bool) -> None:  # noqa: FBT001
    answer = push(people, RECORDS, lines=lines)

    assert answer.json()["accepted"] == 6
    assert places(people) == [("session", "gpu0", 0, 3), ("session", "gpu1", 1, 3)]
    with organization_scope(people.tenant.pk):
        assert Session.objects.get().name == "run-7"
        assert Session.objects.get().cluster == people.cluster


def test_names_of_senders_count_and_sent_again_nothing_is_new(people: Cast) -> None:
    sent = [{"message": "x", "job_id": 41, "hostname": "gpu3", "global_rank": "2", "retry": 5}]

    push(people, sent)

    assert push(people, sent).json()["duplicates"] == 1
    assert places(people) == [("", "gpu3", 2, 1)]
    with organization_scope(people.tenant.pk):
        assert Session.objects.get().name == "41"


def test_what_is_said_for_all_wins(people: Cast) -> None:
    push(people, RECORDS, node="gpu9", job_id="mine")

    assert places(people) == [("session", "gpu9", 0, 3), ("session", "gpu9", 1, 3)]
    with organization_scope(people.tenant.pk):
        assert Session.objects.get().name == "mine"


def test_values_that_are_no_labels_are_left_in_the_line(people: Cast) -> None:
    sent = [{"host": {"name": "a"}, "rank": "first", "stream": "mine", "session": "s" * 900}]

    push(people, sent, session="run-8")

    assert places(people) == [("", "", None, 1)]


def test_records_of_too_many_places_are_kept_and_told(
    people: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(records, "MOST_PLACES", 2)
    sent = [{"log": "x", "host": f"gpu{n}"} for n in range(4)]

    answer = push(people, sent, session="run-9").json()

    assert answer["accepted"] == 4
    assert [(each["line"], each["code"]) for each in answer["rejected"]] == [
        (3, "too_many_places"),
        (4, "too_many_places"),
    ]
    assert [place[1:] for place in places(people)] == [
        ("", None, 2),
        ("gpu0", None, 1),
        ("gpu1", None, 1),
    ]
