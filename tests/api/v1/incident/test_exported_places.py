"""Files of an incident say where each moment was, as far as their reader is shown it."""

import csv
import io
from datetime import timedelta
from typing import Any

import pytest
from time_machine import TimeMachineFixture

from apps.incidents.models import Incident
from apps.sharing.terms import Level, SharingRule
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.projection.shared_reading import moment
from tests.cast import make
from tests.cast.agreements import agreed
from tests.cast.clients import member
from tests.cast.incidents import Cast

WHERE = {"html": "<td>rack9-heron, GPU 6, rank 12</td>", "md": "| rack9-heron, GPU 6, rank 12 |"}
FORMS = ("json", "ndjson", "csv", "html", "md")


@pytest.fixture(autouse=True)
def _at_one_time(time_machine: TimeMachineFixture) -> None:
    time_machine.move_to(make.AT + timedelta(hours=1), tick=False)


@pytest.fixture
def incident(cast: Cast, incident: Incident) -> Incident:
    """An incident in which the operator tells of one moment on a node."""
    detail = {"host": "rack9-heron", "gpu": 6, "ranks": [12]}
    with organization_scope(cast.operator.pk):
        moment(incident, cast.operator, "HERON-FELL-OFF", detail=detail)
    return incident


def _file(who: Organization, incident: Incident, form: str) -> str:
    answer: Any = member(who).get(f"incidents/{incident.public_id}/export.{form}")
    assert answer.status_code == 200
    return b"".join(answer.streaming_content).decode()


@pytest.mark.parametrize("form", ["html", "md"])
def test_a_file_to_read_says_where_a_moment_was(cast: Cast, incident: Incident, form: str) -> None:
    assert WHERE[form] in _file(cast.operator, incident, form)


def test_a_table_names_the_host_of_a_moment(cast: Cast, incident: Incident) -> None:
    rows = csv.DictReader(io.StringIO(_file(cast.operator, incident, "csv")))
    (row,) = [each for each in rows if each["text"] == "HERON-FELL-OFF"]
    assert row["hosts"] == "rack9-heron"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("level", [Level.REDACTED, Level.SIGNAL, None])
def test_who_is_not_shown_a_host_finds_it_in_no_file(
    cast: Cast, incident: Incident, form: str, level: Level | None
) -> None:
    if level:
        rule = SharingRule(data="events:gpu", level=level)
        agreed(cast.operator, cast.vendor, cast.cluster, terms={cast.operator.slug: [rule]})
    assert "rack9" not in _file(cast.vendor, incident, form)


@pytest.mark.parametrize("form", FORMS)
def test_who_is_shown_a_host_finds_it_in_each_file(
    cast: Cast, incident: Incident, form: str
) -> None:
    rule = SharingRule(data="events:gpu", level=Level.FULL)
    agreed(cast.operator, cast.vendor, cast.cluster, terms={cast.operator.slug: [rule]})
    assert "rack9-heron" in _file(cast.vendor, incident, form).replace("\\", "")
