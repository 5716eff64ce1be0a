"""The share ledger by REST and as a file: each side reads its own looks, page by page."""

import csv
import io

import pytest
from django.utils import timezone

from apps.incidents.models import Incident
from apps.tenancy.models import MemberRole, TokenScope
from tests.apps.incidents.projection.shared_reading import EVENTS, of
from tests.cast.agreements import agreed
from tests.cast.clients import Asking, member, token
from tests.cast.incidents import Cast, attempt_of, stop_of


@pytest.fixture
def incident(cast: Cast) -> Incident:
    now = timezone.now()  # noqa: TID251  the requests read the clock, too
    agreed(cast.operator, cast.tenant, cast.cluster, terms=of(EVENTS, cast.operator), now=now)
    return stop_of(cast, attempt_of(cast, cast.tenant))


def look(asking: Asking, incident: Incident) -> None:
    """Read and export it."""
    assert asking.get(f"incidents/{incident.public_id}/hypotheses/").status_code == 200
    assert asking.get(f"incidents/{incident.public_id}/export.json").status_code == 200


def test_a_token_reads_what_was_read_and_exported_of_ours(cast: Cast, incident: Incident) -> None:
    look(member(cast.tenant, MemberRole.RESPONDER), incident)

    found = token(cast.operator, TokenScope.READ).get("ledger/").json()["results"]

    assert [each["channel"] for each in found] == ["export", "rest"]
    assert {each["reader"] for each in found} == {cast.tenant.slug}
    assert {each["reader_name"] for each in found} == {""}
    assert {(each["subject_kind"], each["subject"]) for each in found} == {
        ("incident", incident.public_id)
    }
    assert all(each["shown"][0]["data"] == "events:gpu" for each in found)


def test_a_list_is_read_page_by_page_and_no_cursor_reaches_others(
    cast: Cast, incident: Incident
) -> None:
    look(member(cast.tenant, MemberRole.RESPONDER), incident)
    holder, other = token(cast.operator, TokenScope.READ), token(cast.vendor, TokenScope.READ)
    first = holder.get("ledger/?limit=1").json()

    second = holder.get(f"ledger/?limit=1&cursor={first['next_cursor']}").json()

    assert first["results"][0]["channel"] == "export"
    assert [each["channel"] for each in second["results"]] == ["rest"]
    assert second["next"] is None
    assert other.get(f"ledger/?limit=1&cursor={first['next_cursor']}").json()["results"] == []
    assert other.get(f"ledger/?incident={incident.public_id}").json()["results"] == []


@pytest.mark.parametrize("query", ["side=both", "day=yesterday", "until=x", "person=ada"])
def test_what_can_not_be_asked_is_refused(cast: Cast, query: str) -> None:
    assert token(cast.operator, TokenScope.READ).get(f"ledger/?{query}").status_code == 400


def test_the_file_has_every_look_and_its_reader_has_exported_it(
    cast: Cast, incident: Incident
) -> None:
    look(member(cast.tenant, MemberRole.RESPONDER), incident)
    answer = member(cast.operator, MemberRole.VIEWER).get("ledger/export.csv?side=ours")
    body = b"".join(answer.streaming_content).decode()

    rows = list(csv.DictReader(io.StringIO(body)))

    assert answer["Content-Type"].startswith("text/csv")
    assert [row["channel"] for row in rows] == ["export", "rest"]
    assert rows[0]["shown"].startswith("events:gpu full ")
