"""Working on an incident together, as its page shows it and its forms do it."""

import re
from html import unescape

import pytest
from django.test import Client

from apps.incidents.models import Incident
from apps.tenancy.models import MemberRole, Organization
from tests.cast.incidents import Cast
from tests.web.conftest import Browser

PROPOSAL = {"reason": "your-layer", "text": "HAND-OVER-WORDS", "ticket": "OPS-17"}


def there(organization: Organization, incident: Incident, more: str = "") -> str:
    """Return the address of the page, or below it."""
    return f"/o/{organization.slug}/incidents/{incident.public_id}/{more}"


def card(client: Client, organization: Organization, incident: Incident) -> str:
    """Return the card of the work as its reader sees it."""
    text = client.get(there(organization, incident)).content.decode()
    found = re.search(r'<section class="card" id="work".*?</section>', text, re.DOTALL)
    assert found
    return unescape(found[0])


def propose(client: Client, cast: Cast, incident: Incident, **more: str) -> str:
    """Let the operator propose to hand over to the vendor; return the id of that."""
    form = {"to": cast.vendor.slug, **PROPOSAL, **more}
    answer = client.post(there(cast.operator, incident, "hand-overs/"), form)
    assert answer.status_code == 302
    found = re.search(r"HND-\w+", card(client, cast.operator, incident))
    assert found
    return found[0]


def test_the_card_says_whose_hands_it_is_in_and_offers_what_one_may(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    shown = {who: card(browser(who), who, incident) for who in (cast.operator, cast.tenant)}
    assert all(f"In {cast.operator.name}'s hands for" in text for text in shown.values())
    assert "Hand over…" in shown[cast.operator]
    assert "Propose to resolve…" in shown[cast.operator]
    assert "Hand over…" not in shown[cast.tenant]
    assert "Resolve…" in shown[cast.tenant]
    viewer = card(browser(cast.operator, MemberRole.VIEWER), cast.operator, incident)
    assert "<form" not in viewer


def test_a_hand_over_is_declined_and_then_accepted(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    operator, vendor, tenant = (browser(each) for each in (cast.operator, cast.vendor, cast.tenant))
    first = propose(operator, cast, incident)
    assert "HAND-OVER-WORDS" in card(vendor, cast.vendor, incident)
    assert "Ticket at" in card(vendor, cast.vendor, incident)
    told = card(tenant, cast.tenant, incident)
    assert "proposes to hand over" in told
    assert "HAND-OVER-WORDS" not in told
    assert "OPS-17" not in told
    answer = there(cast.vendor, incident, f"hand-overs/{first}/")
    vendor.post(answer, {"state": "declined", "reason": "not-ours", "text": "the host's"})
    assert f"it is back with {cast.operator.name}" in card(operator, cast.operator, incident)
    second = propose(operator, cast, incident, due_at="2099-01-01T14:00")
    vendor.post(there(cast.vendor, incident, f"hand-overs/{second}/"), {"state": "accepted"})
    told = card(tenant, cast.tenant, incident)
    assert f"In {cast.vendor.name}'s hands for" in told
    assert "due 1 Jan 14:00 UTC" in told
    bars = re.findall(r'x="([\d.]+)"\s+y="0"\s+width="([\d.]+)"', told)
    assert [float(x) + float(width) <= 100 for x, width in bars] == [True, True]
    assert "Give it back…" in card(vendor, cast.vendor, incident)


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"reason": ""}, "Choose a reason."),
        ({"reason": "other", "text": ""}, "Say it in your own words"),
        ({"due_at": "2020-01-01T00:00"}, "still to come"),
        ({"due_at": "tomorrow"}, "still to come"),
        ({"ticket": "x" * 81}, "at most 80"),
        ({"to": "nobody"}, "Choose another party"),
        ({"text": "@{tenant} look at this"}, "would not read this"),
    ],
)
def test_what_is_missing_is_said_and_nothing_that_was_typed_is_lost(
    form: dict[str, str], said: str, cast: Cast, incident: Incident, browser: Browser
) -> None:
    given = {"to": cast.vendor.slug, "reason": "your-layer", "text": "TYPED", **form}
    given["text"] = given["text"].format(tenant=cast.tenant.slug)
    answer = browser(cast.operator).post(there(cast.operator, incident, "hand-overs/"), given)
    assert answer.status_code == 422
    text = answer.content.decode()
    assert said in text
    assert given["text"] in text


def test_resolving_asks_why_and_says_it(cast: Cast, incident: Incident, browser: Browser) -> None:
    tenant = browser(cast.tenant)
    refused = tenant.post(there(cast.tenant, incident, "resolve/"))
    assert refused.status_code == 422
    assert "Choose a reason." in refused.content.decode()
    form = {"reason": "replaced", "text": "a new cable"}
    assert tenant.post(there(cast.tenant, incident, "resolve/"), form).status_code == 302
    told = card(browser(cast.vendor), cast.vendor, incident)
    assert f"{cast.tenant.name} resolved the incident: a part was replaced" in told
    assert "a new cable" in told
    assert "Reopen…" in told


def test_what_somebody_else_proposes_is_answered_by_the_owner(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    operator, tenant = browser(cast.operator), browser(cast.tenant)
    operator.post(there(cast.operator, incident, "resolutions/"), {"reason": "fixed"})
    told = card(tenant, cast.tenant, incident)
    assert f"{cast.operator.name} proposes to resolve it: fixed" in told
    found = re.search(r"RES-\w+", told)
    assert found
    answer = there(cast.tenant, incident, f"resolutions/{found[0]}/")
    assert tenant.post(answer, {"state": "resolved"}).status_code == 302
    assert "Reopen…" in card(operator, cast.operator, incident)


def test_an_action_is_taken_and_others_read_by_which_party(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    operator = browser(cast.operator)
    text = operator.get(there(cast.operator, incident)).content.decode()
    found = re.search(r"ACT-\w+", text)
    assert found
    assert "Take it" in text
    at = there(cast.operator, incident, f"actions/{found[0]}/")
    assert operator.post(at, {"state": "taken"}).status_code == 302
    told = browser(cast.tenant).get(there(cast.tenant, incident)).content.decode()
    assert f"{cast.operator.name} is on it" in told
    assert "Take it" not in told


def test_a_contested_verdict_says_so_to_all(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    vendor, tenant = browser(cast.vendor), browser(cast.tenant)
    asked = vendor.get(there(cast.vendor, incident)).content.decode()
    assert "Do you agree?" in asked
    assert "you may agree or contest" in asked
    form = {"judgement": "wrong", "revision": "1", "really": "network/link-down"}
    vendor.post(there(cast.vendor, incident, "feedback/"), form)
    told = tenant.get(there(cast.tenant, incident)).content.decode()
    assert f"Contested by {cast.vendor.name}" in told
    assert "it was Network, link down" in told


def test_a_script_is_told_how_it_went_and_nothing_of_the_page(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    script = {"HX-Request": "true"}
    operator, viewer = browser(cast.operator), browser(cast.operator, MemberRole.VIEWER)
    asked = there(cast.operator, incident, "hand-overs/")
    form = {"to": cast.vendor.slug, **PROPOSAL}

    assert viewer.post(asked, form, headers=script).status_code == 404
    refused = operator.post(asked, form | {"reason": ""}, headers=script)
    assert (refused.status_code, refused.content) == (422, b"")
    assert "HND-" not in card(operator, cast.operator, incident)
    done = operator.post(asked, form, headers=script)
    assert (done.status_code, done.content) == (204, b"")
    assert "HAND-OVER-WORDS" in card(operator, cast.operator, incident)
    late = operator.post(asked, form, headers=script)
    assert (late.status_code, late.content) == (205, b"")
    shown = operator.get(there(cast.operator, incident)).content.decode()
    assert "A hand-over waits for its answer already" in shown
