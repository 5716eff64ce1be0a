"""Was it right: one click on an incident's page, and the page of how right all answers were."""

import re
from typing import Any

import pytest
from django.test import Client

from apps.incidents.models import Feedback, Incident
from apps.tenancy.models import AuditEntry, MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast.incidents import Cast
from tests.web.conftest import Browser
from tests.web.incident.incident_pages import HOSTILE, address, page

WRONG = {"judgement": "wrong", "really": "network/link-down"}


def said(
    client: Client, organization: Organization, incident: Incident, **fields: Any
) -> tuple[int, str]:
    """Judge the answer that stands; return the status and the page behind it."""
    there = address(organization, incident)
    values = {"revision": incident.revision, "judgement": "right"} | fields
    answer = client.post(there + "feedback/", values)
    shown = answer if answer.status_code != 302 else client.get(there)
    return answer.status_code, shown.content.decode()


def words(text: str) -> str:
    """Return the text of the card."""
    card = re.search(r'<section class="card" id="feedback".*?</section>', text, re.DOTALL)
    assert card is not None
    return " ".join(re.sub(r"<[^>]+>", " ", card[0]).split())


def test_one_click_says_right_and_all_parties_read_it(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    status, text = said(browser(cast.tenant), cast.tenant, incident)

    assert status == 302
    assert f"{cast.tenant.name}, you" in words(text)
    assert 'aria-pressed="true"' in text
    for party in (cast.operator, cast.vendor):
        read = page(browser(party), party, incident, "?group=list&all=1")
        assert f"{cast.tenant.name} user-" in words(read)
        assert "judged answer 1 right" in read
    with organization_scope(cast.tenant.pk):
        assert AuditEntry.objects.filter(action="incident.judged").count() == 1


def test_wrong_because_with_words_for_the_operator_alone(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    client = browser(cast.tenant)
    note = {"note": f"port 4 {HOSTILE}", "audience": [cast.operator.slug]}
    status, text = said(client, cast.tenant, incident, **WRONG, **note)

    assert status == 302
    assert "Wrong: it was Network, link down" in words(text)
    assert "port 4 &lt;script&gt;" in text
    assert "<script>alert" not in text
    assert "port 4" in page(browser(cast.operator), cast.operator, incident)
    vendors = page(browser(cast.vendor), cast.vendor, incident)
    assert "Wrong: it was Network, link down" in words(vendors)
    assert "port 4" not in vendors
    assert "Take it back" in text
    _, text = said(client, cast.tenant, incident, judgement="taken-back")
    assert "it was Network" not in text


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"revision": 99}, "The answer changed while you looked"),
        ({"judgement": "wrong", "really": "gpu/gpu-off-bus"}, "this is what the verdict says"),
        ({"judgement": "wrong", "really": "weather/rain"}, "one of gpu"),
        ({"judgement": "wrong", "really": "gpu/gpu-of-bus"}, "did you mean `gpu-off-bus`?"),
        ({"judgement": "maybe"}, "one of right"),
        ({**WRONG, "note": "x", "audience": ["nobody"]}, "no party of this incident"),
        ({**WRONG, "note": "x" * 10_001}, "at most 10,000"),
    ],
)
def test_what_can_not_be_kept_is_told_and_nothing_half_done(
    cast: Cast, incident: Incident, browser: Browser, fields: dict[str, Any], told: str
) -> None:
    status, text = said(browser(cast.tenant), cast.tenant, incident, **fields)

    assert status == 422
    assert told in words(text)
    with organization_scope(cast.tenant.pk):
        assert not Feedback.objects.exists()


@pytest.mark.parametrize("revision", ["", "x", "9" * 30, "\N{SUPERSCRIPT TWO}"])
def test_a_made_up_revision_is_not_found(
    cast: Cast, incident: Incident, browser: Browser, revision: str
) -> None:
    assert said(browser(cast.tenant), cast.tenant, incident, revision=revision)[0] == 404


def test_a_viewer_reads_what_was_said_and_has_no_button(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    viewer = browser(cast.tenant, MemberRole.VIEWER)
    assert "Nobody has judged it yet" in words(page(viewer, cast.tenant, incident))
    assert said(viewer, cast.tenant, incident)[0] == 404


@pytest.mark.parametrize("who", ["stranger", "other_tenant"])
def test_an_outsider_can_not_judge(
    cast: Cast, incident: Incident, browser: Browser, who: str
) -> None:
    outsider = getattr(cast, who)
    assert said(browser(outsider), outsider, incident)[0] == 404
    assert said(browser(outsider), cast.tenant, incident)[0] == 404
    assert browser(outsider).get(f"/o/{cast.tenant.slug}/accuracy/").status_code == 404


def test_a_judgement_of_an_earlier_answer_says_so(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    client = browser(cast.tenant)
    said(client, cast.tenant, incident)
    with organization_scope(*cast.ids):
        Incident.objects.update(cause="gpu-nvlink", revision=2)
    assert "(said of an earlier answer)" in words(page(client, cast.tenant, incident))


def test_the_page_of_all_answers_tells_n_and_interval_and_that_few_say_little(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    client, there = browser(cast.tenant), f"/o/{cast.tenant.slug}/accuracy/"
    assert "Nobody has judged an answer yet." in client.get(there).content.decode()
    said(client, cast.tenant, incident)

    text = client.get(there).content.decode()

    assert "1 of 1" in text
    assert "21 to 100 %" in text
    assert "too few to say" in text
    assert "of 1" in text
    assert there in client.get(f"/o/{cast.tenant.slug}/").content.decode()
    stranger = browser(cast.stranger).get(f"/o/{cast.stranger.slug}/accuracy/").content.decode()
    assert "1 of 1" not in stranger


def test_parties_that_agree_on_the_layer_alone_contradict_each_other(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    other_cause = {"judgement": "wrong", "really": f"{incident.layer}/gpu-nvlink"}
    said(browser(cast.tenant), cast.tenant, incident)
    said(browser(cast.operator), cast.operator, incident, **other_cause)

    text = browser(cast.tenant).get(f"/o/{cast.tenant.slug}/accuracy/").content.decode()

    card = text[text.index("Contradicting") :]
    assert '<dd class="big">1</dd>' in card[: card.index("</dl>")]
    assert "0 on the layer, 1 on the cause alone" in card
    assert '<td data-label="Contradicting">1</td>' in card


@pytest.mark.parametrize("path", ["feedback/", "annotations/"])
def test_an_address_that_a_refused_form_left_behind_leads_to_the_incident(
    cast: Cast, incident: Incident, browser: Browser, path: str
) -> None:
    there = address(cast.tenant, incident)
    answer = browser(cast.tenant).get(there + path)

    assert (answer.status_code, answer["Location"]) == (302, there)
    assert browser(cast.stranger).get(there + path).status_code == 404
