"""The page of an incident: what each party reads, what it can do, what never gets in."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.translation import override
from pytest_django import DjangoAssertNumQueries

from apps.incidents.exports.known_formats import all_formats
from apps.incidents.models import (
    EvidenceItem,
    Hypothesis,
    Incident,
    IncidentParty,
)
from apps.incidents.timeline import append
from apps.tenancy.models import AuditEntry, MemberRole
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, attempt_of, stop_of, telling
from tests.cast.make import text_fact
from tests.web.conftest import Browser
from tests.web.incident.incident_pages import HOSTILE, address, page


def test_the_tenant_reads_why_whether_to_restart_and_whom_to_leave_out(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    text = page(browser(cast.tenant), cast.tenant, incident)
    heading = re.search(r"<h1>(.*?)</h1>", text)
    assert heading is not None
    assert heading[1].startswith("Session run-")
    assert heading[1].endswith("stopped: a GPU on gpu001 fell off the bus")
    assert "Restart without gpu001." in text


def test_each_party_reads_its_own_evidence_and_how_much_the_others_hold(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    tenant = page(browser(cast.tenant), cast.tenant, incident)
    operator = page(browser(cast.operator), cast.operator, incident)
    assert "TENANT-WORDS" in tenant
    assert "OPERATOR-WORDS" not in tenant
    assert f"1 item held by {cast.operator.name}" in tenant
    assert "OPERATOR-WORDS" in operator
    assert "TENANT-WORDS" not in operator
    assert f"1 item held by {cast.tenant.name}" in operator


@pytest.mark.parametrize("who", ["stranger", "other_tenant"])
def test_an_outsider_gets_404(cast: Cast, incident: Incident, browser: Browser, who: str) -> None:
    outsider = getattr(cast, who)
    client = browser(outsider)
    assert client.get(address(outsider, incident)).status_code == 404
    assert client.get(address(cast.tenant, incident)).status_code == 404
    assert client.post(address(cast.tenant, incident) + "acknowledge/").status_code == 404
    assert client.post(address(cast.tenant, incident) + "annotations/").status_code == 404


def test_who_is_not_signed_in_is_led_to_the_door(cast: Cast, incident: Incident) -> None:
    response = Client().get(address(cast.tenant, incident))
    assert response.status_code == 302
    assert response["Location"].startswith("/sign-in/?next=")


@pytest.mark.parametrize("query", ["?group=party", "?group=list&all=1", "?span=all", "?span=x'\""])
def test_every_grouping_and_window_is_drawn(
    cast: Cast, incident: Incident, browser: Browser, query: str
) -> None:
    assert "TENANT-MOMENT" in page(browser(cast.tenant), cast.tenant, incident, query)


def test_hostile_text_of_a_log_and_of_a_note_stays_text(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    with organization_scope(*cast.ids):
        hostile = telling(cast.tenant, HOSTILE, role="initiating", detail={"host": HOSTILE})
        append(incident=incident, tellings=[hostile], now=make.AT)
    client = browser(cast.tenant)
    client.post(address(cast.tenant, incident) + "annotations/", {"text": HOSTILE})
    text = page(client, cast.tenant, incident)
    assert "&lt;script&gt;alert(1)" in text
    assert "<script>alert" not in text
    assert "<img src=x" not in text


def test_a_page_carries_no_inline_script_style_or_handler(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    text = page(browser(cast.tenant), cast.tenant, incident)
    assert " style=" not in text
    assert "<style" not in text
    assert not re.search(r"<script(?![^>]*(src=|application/json))", text)
    assert not re.search(r"\son[a-z]+=", text)


def test_acknowledge_resolve_and_reopen_are_done_with_buttons(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    client = browser(cast.tenant)
    there = address(cast.tenant, incident)
    assert client.post(there + "acknowledge/").status_code == 302
    assert "you acknowledged it" in page(client, cast.tenant, incident)
    assert client.post(there + "resolve/", {"reason": "fixed"}).status_code == 302
    assert "Reopen" in page(client, cast.tenant, incident)
    assert client.post(there + "reopen/", {"reason": "came-back"}).status_code == 302
    assert "Resolve" in page(client, cast.tenant, incident)
    client.post(
        there + "reopen/", {"reason": "came-back"}
    )  # somebody was faster: nothing was done, nothing is noted
    with organization_scope(cast.tenant.pk):
        noted = AuditEntry.objects.filter(action__startswith="incident.").order_by("sequence")
        told = list(noted.values_list("action", "subject"))
    acts = ["acknowledged", "resolved", "reopened"]
    assert told == [(f"incident.{act}", incident.public_id) for act in acts]
    record = browser(cast.tenant, MemberRole.ADMIN)
    text = record.get(f"/o/{cast.tenant.slug}/settings/audit/?kind=incidents").content.decode()
    assert all(f"{act} an incident" in text for act in acts)


def test_a_deed_done_twice_says_that_somebody_was_faster(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    client = browser(cast.tenant)
    client.post(address(cast.tenant, incident) + "acknowledge/")
    response = client.post(address(cast.tenant, incident) + "acknowledge/", follow=True)
    assert "Somebody was faster" in response.content.decode()


@pytest.mark.parametrize("act", ["delete", "acknowledge"])
def test_what_a_viewer_may_not_do_is_not_found(
    cast: Cast, incident: Incident, browser: Browser, act: str
) -> None:
    client = browser(cast.tenant, MemberRole.VIEWER)
    assert client.post(address(cast.tenant, incident) + f"{act}/").status_code == 404
    assert "Acknowledge</button>" not in page(client, cast.tenant, incident)


def test_a_form_of_another_site_is_refused(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    client = browser(cast.tenant, strict=True)
    assert client.post(address(cast.tenant, incident) + "acknowledge/").status_code == 403


def test_while_it_is_collecting_the_page_asks_again_and_hears_nothing_new(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    client = browser(cast.tenant)
    shown = page(client, cast.tenant, incident)
    assert "Still collecting." in shown
    assert "data-collecting" in shown
    seen = shown.split('data-seen="')[1].split('"')[0]
    assert client.get(address(cast.tenant, incident), {"seen": seen}).status_code == 204


def test_an_open_page_that_lacks_an_annotation_is_given_the_page(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    client, third = browser(cast.operator), browser(cast.vendor)
    asked = {}
    for who, asking in ((cast.operator, client), (cast.vendor, third)):
        shown = page(asking, who, incident)
        names = {"seen": "data-seen", "notes": "data-mark"}
        asked[who.pk] = {
            name: shown.split('id="incident"')[1].split(f'{given}="')[1].split('"')[0]
            for name, given in names.items()
        }
        assert asking.get(address(who, incident), asked[who.pk]).status_code == 204
    browser(cast.tenant).post(
        address(cast.tenant, incident) + "annotations/",
        {"text": "for you", "audience": cast.operator.slug},
    )
    answer = client.get(address(cast.operator, incident), asked[cast.operator.pk])
    assert "for you" in answer.content.decode()
    assert third.get(address(cast.vendor, incident), asked[cast.vendor.pk]).status_code == 204


def test_a_settled_incident_no_longer_asks(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    with organization_scope(*cast.ids):
        Incident.objects.filter(pk=incident.pk).update(settled_at=make.AT)
    text = page(browser(cast.tenant), cast.tenant, incident)
    assert "Still collecting." not in text
    assert "data-collecting" not in text


def test_a_hidden_culprit_is_said_to_be_hidden(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    with organization_scope(*cast.ids):
        IncidentParty.objects.filter(organization=cast.vendor).update(sees_culprit=False)
    text = page(browser(cast.vendor), cast.vendor, incident)
    assert "gpu001" not in text
    assert "Hidden by policy" in text
    assert "its place is hidden from you by policy" in text


def test_the_answer_is_the_portals_and_nobody_elses(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    for who in (cast.tenant, cast.operator):
        text = page(browser(who), who, incident)
        (line,) = [each for each in text.split("<li") if "<b>Answer 1" in each]
        assert '<span class="caption">The portal</span>' in line


def test_actions_say_which_of_two_causes_they_are_for(cast: Cast, browser: Browser) -> None:
    reboot = {
        "statement": text_fact("Reboot the node"),
        "owner": "operator",
        "hosts": [],
    }
    mend = {
        "statement": text_fact("Fix that exception"),
        "owner": "tenant",
        "hosts": [],
        "rival": "rank-exception",
    }
    status = {"verdict_status": "possible", "cause": "gpu-off-bus"}
    incident = stop_of(cast, attempt_of(cast, cast.tenant), actions=[reboot, mend], **status)
    text = page(browser(cast.tenant), cast.tenant, incident)
    assert "If it was “GPU lost on PCIe”: Reboot the node" in text
    assert "If it was “Exception in one rank”: Fix that exception" in text
    assert "or as likely the program raised an exception or crashed" in text


def test_where_nobody_has_the_part_the_operator_is_asked(cast: Cast, browser: Browser) -> None:
    asking = {
        "statement": text_fact("Provide the scheduler logs"),
        "owner": "platform",
        "hosts": [],
    }
    incident = stop_of(cast, attempt_of(cast, cast.tenant), actions=[asking])

    tenant = page(browser(cast.tenant), cast.tenant, incident)
    operator = page(browser(cast.operator), cast.operator, incident)

    assert f"<small>{cast.operator.name}</small>" in tenant
    assert f"<small>{cast.operator.name}, you</small>" in operator
    assert "platform" not in tenant


def test_where_there_is_no_operator_either_nobody_is_named(cast: Cast, browser: Browser) -> None:
    asking = {
        "statement": text_fact("Provide the fabric logs"),
        "owner": "network_vendor",
        "hosts": [],
    }
    lacking = {
        "source": "fabric-log",
        "hosts": [],
        "held_by": "network_vendor",
        "would": {"kind": "says-if-running", "values": {}},
    }
    incident = stop_of(cast, attempt_of(cast, cast.tenant), actions=[asking])
    with organization_scope(*cast.ids):
        Hypothesis.objects.filter(incident=incident).update(missing=[lacking])
    with_operator = page(browser(cast.tenant), cast.tenant, incident)
    with organization_scope(*cast.ids):
        IncidentParty.objects.filter(organization=cast.operator).delete()
        incident.parties = [p for p in incident.parties if "operator" not in p["parts"]]
        incident.save()

    text = page(browser(cast.tenant), cast.tenant, incident)

    assert f"Ask {cast.operator.name}." in with_operator
    assert "<small>nobody here</small>" in text
    assert "Nobody here holds it." in text
    assert "network vendor" not in text


@pytest.mark.parametrize("group", ["layer", "party"])
def test_a_lane_without_entries_says_who_else_holds_lines_there(
    cast: Cast, browser: Browser, group: str
) -> None:
    source = {"source": "session-log", "state": "present", "missing_hosts": [], "held_by": "tenant"}
    incident = stop_of(cast, attempt_of(cast, cast.tenant), coverage=[source])
    operator, tenant = (
        browser(who).get(f"{address(who, incident)}?group={group}").content.decode()
        for who in (cast.operator, cast.tenant)
    )
    says = "holds session logs" if group == "party" else f"held by {cast.tenant.name}"

    assert says in operator
    assert says not in tenant


def test_an_unknown_cause_is_not_guessed(cast: Cast, browser: Browser) -> None:
    incident = stop_of(
        cast,
        attempt_of(cast, cast.tenant),
        verdict_status="unknown",
        layer="unknown",
        cause="unknown",
        probability=0.3,
        culprits=[],
        restart={"advice": "unknown", "exclude_hosts": []},
    )
    with organization_scope(*cast.ids):
        Incident.objects.filter(pk=incident.pk).update(settled_at=make.AT)
    text = page(browser(cast.tenant), cast.tenant, incident)
    assert "the cause is not established" in text
    assert "not settled" in text
    assert "Nobody named" in text


def test_the_page_of_a_thousand_entries_takes_no_more_queries_than_that_of_ten(
    cast: Cast,
    incident: Incident,
    browser: Browser,
    django_assert_max_num_queries: DjangoAssertNumQueries,
) -> None:
    many = [
        telling(cast.tenant, f"moment {n}", at=make.AT + timedelta(seconds=n), order_key=n)
        for n in range(1000)
    ]
    client = browser(cast.tenant)
    with organization_scope(*cast.ids):
        append(incident=incident, tellings=many[:10], now=make.AT)
    page(client, cast.tenant, incident)  # what is asked once a process stands aside
    with organization_scope(*cast.ids):
        append(incident=incident, tellings=many[:20], now=make.AT)
    with CaptureQueriesContext(connection) as few:
        page(client, cast.tenant, incident)
    with organization_scope(*cast.ids):
        append(incident=incident, tellings=many, now=make.AT)

    with django_assert_max_num_queries(len(few)):
        text = page(client, cast.tenant, incident)

    assert "Show all" in text


@pytest.mark.parametrize("form", all_formats())
def test_the_export_links_of_the_page_open_for_who_is_signed_in(
    cast: Cast, incident: Incident, browser: Browser, form: str
) -> None:
    client = browser(cast.tenant)
    text = page(client, cast.tenant, incident)
    links = re.findall(r'href="(/api/[^"]+)"', text)
    found = [each for each in links if each.endswith(f".{form}")]
    if all_formats()[form].lacks():
        assert found == []  # no link to what this machine can't make
        return

    assert client.get(found[0].replace("&amp;", "&")).status_code == 200


def test_a_vendor_learns_no_ranks_of_the_session(cast: Cast, browser: Browser) -> None:
    stopper = {"ranks": [217], "by": "flight-recorder"}
    incident = stop_of(cast, attempt_of(cast, cast.tenant), first_stopper=stopper)
    assert "rank 217 stopped first" in page(browser(cast.tenant), cast.tenant, incident)
    assert "rank 217" not in page(browser(cast.vendor), cast.vendor, incident)


def test_what_was_ruled_out_shows_the_strongest_evidence_against_it(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    with organization_scope(*cast.ids):
        EvidenceItem.objects.update(side="against", weight=-2.5)
        held = [
            {**each, "side": "against", "weight": -2.5} for each in Hypothesis.objects.get().held
        ]
        Hypothesis.objects.update(ruled_out={"kind": "evidence-against", "values": {}}, held=held)

    own = _ruled_out(page(browser(cast.operator), cast.operator, incident))
    assert "−2.5 OPERATOR-WORDS" in own  # noqa: RUF001  a true minus sign
    vendors = _ruled_out(page(browser(cast.vendor), cast.vendor, incident))
    assert f"−2.5 1 item held by {cast.operator.name}" in vendors  # noqa: RUF001  as above
    assert "WORDS" not in vendors

    client = browser(cast.operator)
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "ko"
    with override("en"):
        korean = _ruled_out(page(client, cast.operator, incident))
        assert "반박하는 근거가 있음 −2.5 OPERATOR-WORDS" in korean  # noqa: RUF001  as above
        with organization_scope(*cast.ids):
            better = {"kind": "explained-better-by-cause", "values": {"cause": "gpu-nvlink"}}
            Hypothesis.objects.update(ruled_out=better)
        korean = _ruled_out(page(client, cast.operator, incident))
    assert "더 잘 설명하는 원인" in korean
    assert "because" not in korean


def _ruled_out(text: str) -> str:
    """Return the words of what was ruled out."""
    found = re.search(r'<details class="ruled-out".*?</details>', text, re.DOTALL)
    assert found is not None
    return " ".join(re.sub(r"<[^>]+>", " ", found[0]).split())
