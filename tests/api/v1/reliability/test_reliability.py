"""A period in figures by REST, and its tables as files."""

import csv
import io
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client

from apps.incidents.projection.shared import shared_progress
from apps.reliability.period.tables import COLUMNS
from apps.sharing.ledger.entries import LedgerUnavailable
from apps.sharing.terms import Level, SharingRule
from apps.tenancy.models import AuditEntry, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.agreements import agreed
from tests.cast.incidents import Cast
from tests.cast.training_season import DAYS, FIRST_DAY, build_season

SPAN = f"first_day={FIRST_DAY:%Y-%m-%d}&last_day={FIRST_DAY + timedelta(days=DAYS):%Y-%m-%d}"


def get(who: Organization, path: str, *, of: Organization | None = None) -> Any:
    """Return an answer to a token of an organization."""
    token = make.token(organization=who)
    organization = of or who
    return Client().get(
        f"/api/v1/o/{organization.slug}/reliability/{path}",
        headers={"Authorization": f"Bearer {token}"},
    )


def table(who: Organization, name: str) -> list[dict[str, str]]:
    """Return the rows of a file."""
    answer = get(who, f"{name}.csv?{SPAN}")
    assert answer.status_code == 200
    text = b"".join(answer.streaming_content).decode()
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.django_db
def test_rest_gives_what_the_page_shows(cast: Cast) -> None:
    build_season(cast, sessions=6, saves=12)
    told = get(cast.tenant, f"?{SPAN}").json()
    assert told["view"] == "own"
    assert told["wall_ms"] == sum(each["milliseconds"] for each in told["time_uses"])
    goodput = told["figures"]["goodput"]
    assert goodput["value"] == pytest.approx(
        next(e["share"]["value"] for e in told["time_uses"] if e["use"] == "productive")
    )
    low, high = goodput["interval"]
    assert low <= goodput["value"] <= high
    assert goodput["counted"]["count"] == goodput["n"] == 6
    layers = told["losses"]["layer"]
    assert sum(each["incidents"]["hits"] for each in layers) == layers[0]["incidents"]["n"]
    ids = {each for row in layers for each in row["counted"]["ids"]}
    assert len(ids) == layers[0]["incidents"]["n"]
    assert told["goodput_hours"][0]["ends_at"].endswith("Z")
    assert told["withheld"] == []


@pytest.mark.django_db
@pytest.mark.parametrize("name", COLUMNS)
def test_each_table_is_a_file_of_its_columns_and_the_export_is_on_record(
    cast: Cast, name: str
) -> None:
    build_season(cast, sessions=4, saves=8)
    rows = table(cast.tenant, name)
    assert rows
    assert tuple(rows[0]) == COLUMNS[name]
    with organization_scope(cast.tenant.pk):
        entry = AuditEntry.objects.for_organization(cast.tenant).latest("sequence")
        assert (entry.action, entry.subject) == ("reliability.exported", name)


@pytest.mark.django_db
def test_what_is_hidden_is_empty_in_files_and_null_by_rest_with_its_reason(cast: Cast) -> None:
    build_season(cast, sessions=4, saves=8)
    query = f"{SPAN}&view=cluster&cluster={cast.cluster.slug}"
    told = get(cast.operator, f"?{query}").json()
    assert told["figures"]["goodput"]["value"] is None
    assert told["figures"]["goodput"]["absence"] == "hidden"
    assert told["time_uses"] == []
    answer = get(cast.operator, f"figures.csv?{query}")
    rows = csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode()))
    row = next(each for each in rows if each["figure"] == "goodput")
    assert (row["value"], row["low"], row["absence"]) == ("", "", "hidden")


@pytest.mark.django_db
def test_no_other_organization_reads_it(cast: Cast) -> None:
    build_season(cast, sessions=2, saves=2)
    for who in (cast.operator, cast.other_tenant, cast.vendor, cast.stranger):
        assert get(who, f"?{SPAN}", of=cast.tenant).status_code == 404
        assert get(who, f"figures.csv?{SPAN}", of=cast.tenant).status_code == 404
    for who in (cast.other_tenant, cast.stranger):
        assert "INC-S" not in get(who, f"?{SPAN}").content.decode()
    found = get(cast.stranger, f"?{SPAN}&view=cluster&cluster={cast.cluster.slug}")
    assert found.status_code == 404


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("first_day=2026-03-05&last_day=2026-03-01", "last_day"),
        ("first_day=2020-03-05&last_day=2026-03-01", "last_day"),
        ("first_day=yesterday", "first_day"),
        ("last_day=0001-01-01", "last_day"),
        ("first_day=9999-12-31&last_day=9999-12-31", "first_day"),
        ("view=joint", "cluster"),
        ("view=theirs", "view"),
        ("days=7", "days"),
    ],
)
def test_what_is_wrong_in_a_query_is_refused_by_name(cast: Cast, query: str, field: str) -> None:
    answer = get(cast.tenant, f"?{query}")
    assert answer.status_code == 400
    assert field in answer.json()["errors"][0].values()


def shown(cast: Cast, level: str) -> None:
    """Let the tenant show the operator how its sessions get on."""
    rule = SharingRule(data="sessions", level=Level(level))
    terms = {cast.tenant.slug: [rule], cast.operator.slug: []}
    agreed(cast.tenant, cast.operator, cast.cluster, terms=terms)


@pytest.mark.django_db
def test_what_a_tenant_shows_of_its_sessions_comes_with_who_shows_it(cast: Cast) -> None:
    build_season(cast, sessions=3, saves=6)
    shown(cast, "signal")
    query = f"{SPAN}&view=cluster&cluster={cast.cluster.slug}"
    told = get(cast.operator, f"?{query}").json()
    assert told["figures"]["goodput"]["n"] == len(told["sessions"]) == 3
    assert {each["shared"]["organization"] for each in told["sessions"]} == {cast.tenant.slug}
    [owner] = told["session_owners"]
    assert (owner["organization"], owner["session_count"]) == (cast.tenant.slug, 3)
    assert owner["shown"]["level"] == "signal"

    answer = get(cast.operator, f"sessions.csv?{query}")
    rows = list(csv.DictReader(io.StringIO(b"".join(answer.streaming_content).decode())))
    assert [each["session"] for each in rows] == [each["session"] for each in told["sessions"]]
    assert {(each["shown_by"], each["level"]) for each in rows} == {(cast.tenant.slug, "signal")}


@pytest.mark.django_db
def test_what_a_tenant_does_not_show_is_null_and_says_whose_it_is(cast: Cast) -> None:
    build_season(cast, sessions=3, saves=6)
    told = get(cast.operator, f"?{SPAN}&view=cluster&cluster={cast.cluster.slug}").json()
    assert told["sessions"] == []
    [owner] = told["session_owners"]
    assert (owner["organization"], owner["shown"]) == (cast.tenant.slug, None)


@pytest.mark.django_db
def test_rest_sends_nothing_while_the_ledger_can_not_be_written(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    build_season(cast, sessions=2, saves=2)
    shown(cast, "full")
    monkeypatch.setattr(shared_progress, "write_looks", unwritable)
    query = f"{SPAN}&view=cluster&cluster={cast.cluster.slug}"
    for path in (f"?{query}", f"sessions.csv?{query}"):
        answer = get(cast.operator, path)
        assert (answer.status_code, answer.json()["code"]) == (503, "ledger_unavailable")
    assert get(cast.tenant, f"?{SPAN}").status_code == 200


def unwritable(**_: Any) -> None:
    """Stand in for a ledger that can't be written."""
    raise LedgerUnavailable
