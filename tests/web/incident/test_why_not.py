"""Why not another cause: what would show it, whether its sources were there, and what stands."""

import pytest

from apps.incidents.models import Incident
from apps.web.incident.hypotheses.why_not import NOT_ASKED, askable_causes
from tests.cast.incidents import Cast
from tests.web.conftest import Browser
from tests.web.incident.incident_pages import page

pytestmark = pytest.mark.django_db


def asked(browser: Browser, cast: Cast, incident: Incident, slug: str) -> str:
    text = page(browser(cast.tenant), cast.tenant, incident, f"?why={slug}")
    return text.partition("Why not another cause?")[2].partition("</details>")[0]


def test_every_cause_can_be_asked_for_by_its_name() -> None:
    causes = askable_causes()
    assert len(causes) > 30
    assert [name for _, name in causes] == sorted((n for _, n in causes), key=str.casefold)
    assert not {slug for slug, _ in causes} & set(NOT_ASKED)


def test_of_a_cause_that_nothing_speaks_for_it_says_what_would(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    told = asked(browser, cast, incident, "container-limits")
    assert "speaks for it." in told
    assert "It would show by any of these:" in told
    assert told.count("<li>") > 1
    assert "Sources that settle it:" in told


def test_of_the_verdict_it_says_that_it_is_the_one(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    told = asked(browser, cast, incident, incident.cause)
    assert "It is the verdict." in told
    assert "It would show by any of these" not in told


def test_nothing_is_said_where_nobody_asks(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    text = page(browser(cast.tenant), cast.tenant, incident)
    assert "speaks for it." not in text
    assert "It is the verdict." not in text


@pytest.mark.parametrize("slug", ["unknown", "made-up", "%3Cscript%3E"])
def test_what_is_no_cause_is_told_and_changes_nothing(
    cast: Cast, incident: Incident, browser: Browser, slug: str
) -> None:
    text = page(browser(cast.tenant), cast.tenant, incident, f"?why={slug}")
    assert "Sources that settle it" not in text
    assert "<script>" not in text
