"""From an e-mail of the portal to a decision, by one who is signed out when it is read."""

import re
from dataclasses import dataclass, replace
from typing import Any, Final

import pytest
from django.utils import timezone
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from apps.fleet.models import ParticipationRole
from apps.notifications.occasions.incident_changes import look
from tests.apps.notifications.email.sent_emails import send
from tests.apps.notifications.receiving import mail_server, person
from tests.cast import make
from tests.cast.incidents import Cast
from tests.e2e.conftest import OpenPage
from tests.e2e.hand_overs import LAYERS, handed_over

pytestmark = [
    pytest.mark.usefixtures("lately"),
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
]
TOO_WIDE: Final = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Who reads the e-mail, on what, in which language; and the words that are met on the way."""

    part: ParticipationRole
    width: int = 1440
    language: str = "en"
    user_name: str = "User name"
    password: str = "Password"  # noqa: S105  a label
    sign_in: str = "Sign in"
    accept: str = "Accept"
    in_hands: str = "In {name}'s hands for"


KOREAN: Final[dict[str, Any]] = {
    "language": "ko",
    "user_name": "사용자 이름",
    "password": "비밀번호",
    "sign_in": "로그인",
    "accept": "수락",
    "in_hands": "현재 담당: {name}",
}
READINGS: Final = {
    "tenant": Reading(part=ParticipationRole.TENANT),
    "tenant on a phone in Korean": Reading(part=ParticipationRole.TENANT, width=390, **KOREAN),
    "storage vendor": Reading(part=ParticipationRole.STORAGE_VENDOR),
    "network vendor on a phone": Reading(part=ParticipationRole.NETWORK_VENDOR, width=390),
}


@pytest.mark.parametrize("reading", READINGS.values(), ids=READINGS)
def test_the_link_of_a_letter_leads_through_the_door_to_the_decision(
    cast: Cast, live_server: LiveServer, open_page: OpenPage, settings: Any, reading: Reading
) -> None:
    settings.PORTAL_BASE_URL = live_server.url
    who = cast.tenant
    if reading.part != ParticipationRole.TENANT:
        who = make.organization()
        make.participation(organization=who, cluster=cast.cluster, part=reading.part)
        cast = replace(cast, vendor=who)
    reader = person(who, "ann")
    reader.language = reading.language
    reader.save()
    incident = handed_over(cast, who, *LAYERS[reading.part])
    now = timezone.now()  # noqa: TID251  beside a browser that has the real time
    with mail_server(settings) as box:
        look(organization_id=who.pk, now=now)
        send(now)
    (letter,) = box.letters
    page = open_page(width=reading.width, locale=reading.language)
    page.set_content(letter.get_body(("html",)).get_content())  # type: ignore[union-attr]
    assert page.evaluate(TOO_WIDE) == 0

    page.locator(f"a[href*='{incident.public_id}']").first.click()
    page.get_by_label(reading.user_name).fill(reader.username)
    page.get_by_label(reading.password).fill(make.PASSWORD)
    page.get_by_role("button", name=reading.sign_in, exact=True).click()

    expect(page).to_have_url(re.compile(f"/o/{who.slug}/incidents/{incident.public_id}/"))
    assert page.evaluate(TOO_WIDE) == 0
    page.get_by_role("button", name=reading.accept, exact=True).click()
    line = page.get_by_text(reading.in_hands.format(name=who.name)).first
    expect(line).to_be_visible()
    page.reload()
    expect(line).to_be_visible()  # it was written down, not only shown
    assert page.evaluate(TOO_WIDE) == 0
