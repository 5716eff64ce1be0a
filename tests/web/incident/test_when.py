"""When it broke, on lists and on the axis of the timeline; when it was noticed is another thing."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from time_machine import TimeMachineFixture

from apps.incidents.models import Incident
from apps.tenancy.scope import organization_scope
from apps.web.lanes.scale import Span, days_text, ticks
from tests.cast import make
from tests.cast.incidents import Cast
from tests.web.conftest import Browser
from tests.web.incident.incident_pages import page
from tests.web.markup import one_line

NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture(autouse=True)
def soon_after(time_machine: TimeMachineFixture) -> None:
    """Look some days later: dates are named, where a day ago it would be "today"."""
    time_machine.move_to(NOON + timedelta(days=5))


def lines(browser: Browser, cast: Cast, incident: Incident, **columns: datetime | None) -> str:
    """Return the line of an incident in the list, once it broke and was noticed then."""
    with organization_scope(*cast.ids):
        Incident.objects.filter(pk=incident.pk).update(**columns)
    text = one_line(browser(cast.tenant).get(f"/o/{cast.tenant.slug}/incidents/").content.decode())
    found = re.search(r"<small>((?:broke|noticed).*?)</small>", text)
    return found[1] if found else ""


def test_a_list_says_when_it_broke(cast: Cast, incident: Incident, browser: Browser) -> None:
    soon = NOON + timedelta(minutes=2)
    line = lines(browser, cast, incident, started_at=NOON, detected_at=soon)
    assert line.startswith("broke 21 Nov 12:00 · Restart")


def test_what_was_noticed_much_later_says_both(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    late = NOON + timedelta(hours=5)
    line = lines(browser, cast, incident, started_at=NOON, detected_at=late)
    assert line.startswith("broke 21 Nov 12:00 · noticed 21 Nov 17:00 · Restart")


def test_what_broke_at_a_time_that_is_not_known_does_not_pass_for_what_broke_when_noticed(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    line = lines(browser, cast, incident, started_at=None, detected_at=NOON)
    assert line.startswith("noticed 21 Nov 12:00, when it began is not known · Restart")


def test_what_slowed_a_session_began(cast: Cast, incident: Incident, browser: Browser) -> None:
    with organization_scope(*cast.ids):
        Incident.objects.filter(pk=incident.pk).update(kind="slow", started_at=NOON)
    text = one_line(browser(cast.tenant).get(f"/o/{cast.tenant.slug}/incidents/").content.decode())
    assert "<small>began 21 Nov 12:00 · " in text


def test_the_axis_says_of_which_day_it_is(cast: Cast, incident: Incident, browser: Browser) -> None:
    text = page(browser(cast.tenant), cast.tenant, incident)
    assert '<text class="axis-name" x="16" y="16">21 Nov UTC</text>' in text
    assert make.AT.date().isoformat() == "2026-11-21"


def test_an_axis_over_midnight_names_both_days_and_where_the_second_begins() -> None:
    midnight = NOON + timedelta(hours=12)
    span = Span(starts_at=midnight - timedelta(hours=1), ends_at=midnight + timedelta(hours=1))
    assert days_text(span) == "21 Nov – 22 Nov"  # noqa: RUF001  a span
    named = [tick.utc for tick in ticks(span=span, zone=None) if "Nov" in tick.utc]
    assert named == ["22 Nov 00:00"]
