"""The window of the timeline: named, or drawn over the density by whoever looks."""

from datetime import UTC, datetime, timedelta

import pytest

from apps.incidents.models import Incident
from apps.web.incident.timeline.window import chosen_span
from tests.cast import make
from tests.cast.incidents import Cast
from tests.web.conftest import Browser
from tests.web.incident.incident_pages import page

STOP = int(make.AT.timestamp())


def test_a_window_is_two_unix_seconds() -> None:
    found = chosen_span(f"{STOP}-{STOP + 90}")
    assert found is not None
    assert (found.starts_at, found.ends_at - found.starts_at) == (make.AT, timedelta(seconds=90))


@pytest.mark.parametrize(
    "told",
    [
        "",
        "2h",
        "all",
        "-",
        f"{STOP}",
        f"{STOP}-",
        f"-{STOP}",
        f"{STOP}-{STOP}",
        f"{STOP + 9}-{STOP}",
        f"{STOP}.5-{STOP + 9}",
        f"0-{STOP}",
        f"{STOP}-{STOP + 9}-1",
        "٣٣٣-٤٤٤",
        "9" * 400 + "-" + "9" * 401,
    ],
    ids=lambda told: told[:24],
)
def test_what_is_no_window_is_none(told: str) -> None:
    assert chosen_span(told) is None


def test_the_last_second_that_fits_is_a_date() -> None:
    found = chosen_span("9999999998-9999999999")
    assert found is not None
    assert found.ends_at > datetime(2286, 1, 1, tzinfo=UTC)


@pytest.mark.django_db
def test_a_window_that_was_drawn_stands_in_the_address_and_among_the_choices(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    text = page(browser(cast.tenant), cast.tenant, incident, f"?span={STOP - 60}-{STOP + 60}")
    begin = make.AT - timedelta(seconds=60)
    assert f"?span={STOP - 60}-{STOP + 60}&amp;group=layer" in text
    assert f"{begin:%H:%M:%S}" in text
    assert f'data-from="{begin:%Y-%m-%dT%H:%M:%S}+00:00"' in text
    plain = page(browser(cast.tenant), cast.tenant, incident)
    assert f"{begin:%H:%M:%S}–" not in plain  # noqa: RUF001  a span
