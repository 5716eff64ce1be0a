"""Why not another cause: what would show it, whether its sources were there, and what stands."""

import re

import pytest

from apps.diagnosis.causes.load import load_causes
from apps.incidents.models import Hypothesis, Incident
from apps.tenancy.scope import organization_scope
from apps.web.incident.hypotheses.why_not import NOT_ASKED, askable_causes
from tests.apps.notifications.revised_incidents import revise
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


def test_no_cause_names_one_sign_twice_or_one_that_says_nothing(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    for slug in ("container-limits", "disk-full", "cpu-starvation"):
        signs = re.findall(r"<li>([^<]+)</li>", asked(browser, cast, incident, slug))
        assert len(signs) > 1
        assert len(signs) == len(set(signs)), slug
        generic = [each.text for each in load_causes()[slug].symptoms if each.is_generic]
        assert not {each.strip().casefold() for each in signs} & {*map(str.casefold, generic)}


def test_of_a_source_that_was_on_few_hosts_it_says_on_how_many(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    few = {"source": "kernel-log", "state": "present", "hosts_present": 1, "hosts_expected": 63}
    revise(cast, incident, coverage=[few | {"missing_hosts": ["gpu007"]}])
    told = asked(browser, cast, incident, "gpu-memory-fault")
    assert "1 of 63 hosts" in told
    assert "gpu007" in told
    vendor = page(browser(cast.vendor), cast.vendor, incident, "?why=gpu-memory-fault")
    assert "gpu007" not in vendor.partition("Why not another cause?")[2].partition("</details>")[0]


def test_a_weak_explanation_that_is_asked_for_stands_on_the_board(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    weak = ("gpu-memory-fault", "gpu-throttling", "gpu-other", "host-oom", "disk-full")
    with organization_scope(*cast.ids):
        first = Hypothesis.objects.get(incident=incident)
        for place, cause in enumerate(weak, start=first.position + 1):
            first.pk = None
            first.position, first.cause, first.probability = place, cause, 0.01 / place
            first.save(force_insert=True)
    assert ">disk-full<" not in page(browser(cast.tenant), cast.tenant, incident)
    text = page(browser(cast.tenant), cast.tenant, incident, "?why=disk-full")
    assert ">disk-full<" in text
    assert "It stands above" in text


def test_asking_keeps_the_other_wishes(cast: Cast, incident: Incident, browser: Browser) -> None:
    text = page(browser(cast.tenant), cast.tenant, incident, "?group=party&span=30m&all=1")
    form = text.partition("Why not another cause?")[2].partition("</form>")[0]
    for name, value in (("group", "party"), ("span", "30m"), ("all", "1")):
        assert f'name="{name}" value="{value}"' in form
