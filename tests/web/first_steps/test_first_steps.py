"""First steps on Home: done, waited for or missing, from what is really there."""

import re

import pytest
from django.test import override_settings

from apps.fleet.models import ParticipationRole
from apps.telemetry.models import Source
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.web.conftest import Browser
from tests.web.pressing import read

STEP = re.compile(
    r"<li>\s*<span>\s*(?:<a[^>]*>|<span[^>]*>)([^<]+)<.*?<small>([^<]*)</small>"
    r".*?state-(\w+)\">([^<]*)</span>",
    re.DOTALL,
)


def steps(browser: Browser, who: Organization, role: MemberRole = MemberRole.ADMIN) -> str:
    """Return the card of first steps, "" where there is none."""
    page = read(browser(who, role), f"/o/{who.slug}/")
    _, found, rest = page.partition('aria-labelledby="first-title"')
    return rest.split("</section>", 1)[0] if found else ""


def states(card: str) -> dict[str, str]:
    """Return the state of each step by its name."""
    return {found[1].strip(): found[4].strip() for found in STEP.finditer(card)}


@pytest.mark.django_db
def test_who_takes_part_in_nothing_is_told_what_is_missing(browser: Browser) -> None:
    alone = make.organization()
    found = states(steps(browser, alone))
    assert found["A part in a cluster"] == "missing"
    assert found["Logs"] == "missing"
    assert found["The first session"] == "waiting"
    assert found["A second person"] == "missing"
    assert "Metrics" not in found
    assert "An agreement" not in found


def test_steps_and_purposes_are_those_of_the_part(cast: Cast, browser: Browser) -> None:
    operator, tenant = steps(browser, cast.operator), steps(browser, cast.tenant)
    assert "As the operator you send kernel logs" in operator
    assert "As the operator" not in tenant
    assert "As a tenant you send the logs of your sessions" in tenant
    assert states(operator)["Metrics"] == "missing"
    assert "Metrics" not in states(tenant)
    assert states(tenant)["A part in a cluster"] == "done"


@pytest.mark.django_db
def test_a_vendor_alone_is_not_asked_for_logs_of_sessions(browser: Browser) -> None:
    cluster, vendor = make.cluster(), make.organization()
    make.participation(
        organization=vendor, cluster=cluster, part=ParticipationRole.GPU_VENDOR, layers=["gpu"]
    )
    card = steps(browser, vendor)
    assert "As the GPU vendor you read the evidence" in card
    assert "Logs" not in states(card)


def test_a_session_is_a_step_done_and_another_tenants_is_not(cast: Cast, browser: Browser) -> None:
    attempt_of(cast, cast.tenant, state="running")
    assert states(steps(browser, cast.tenant))["The first session"] == "done"
    assert states(steps(browser, cast.other_tenant))["The first session"] == "waiting"


def test_a_source_that_does_not_answer_is_waited_for(cast: Cast, browser: Browser) -> None:
    with organization_scope(cast.operator.pk):
        Source.objects.create(
            organization=cast.operator, cluster=cast.cluster, name="P", url="http://p:9090",
            public_id="SRC-1", created_at=make.AT,
        )  # fmt: skip
    assert states(steps(browser, cast.operator))["Metrics"] == "waiting"
    assert "0 of 1 sources answer" in steps(browser, cast.operator)


def test_a_second_member_and_mail_that_nobody_set_up(cast: Cast, browser: Browser) -> None:
    assert states(steps(browser, cast.tenant))["A second person"] == "missing"
    make.user(organization=cast.tenant)
    card = steps(browser, cast.tenant)
    assert states(card)["A second person"] == "done"
    assert states(card)["E-mail"] == "missing"
    with override_settings(PORTAL_SMTP={"host": "mail.example"}):
        assert states(steps(browser, cast.tenant))["E-mail"] == "waiting"


def test_a_viewer_reads_the_steps_and_is_not_sent_where_it_may_not_act(
    cast: Cast, browser: Browser
) -> None:
    members = f"/o/{cast.tenant.slug}/settings/members/"
    assert members in steps(browser, cast.tenant)
    card = steps(browser, cast.tenant, MemberRole.VIEWER)
    assert "First steps" in card
    assert states(card)["E-mail"] == "missing"


def test_with_the_first_incident_the_steps_go(cast: Cast, browser: Browser) -> None:
    assert steps(browser, cast.tenant)
    stop_of(cast, attempt_of(cast, cast.tenant))
    assert not steps(browser, cast.tenant)
    assert steps(browser, cast.other_tenant)
