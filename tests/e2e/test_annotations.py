"""Annotations in browsers of several parties: written on the timeline, read while it is open."""

from collections.abc import Iterator
from time import monotonic

import pytest
from playwright.sync_api import Page, expect

from apps.incidents.models import Annotation, Incident
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.e2e.asgi_server import CUT_OFF, serving
from tests.e2e.conftest import OpenPage
from tests.e2e.delays import print_delays
from tests.e2e.signing_in import sign_in

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True, databases=["default", "owner"]),
    CUT_OFF,
]


@pytest.fixture
def base() -> Iterator[str]:
    """Serve the portal as it runs."""
    with serving() as address:
        yield address


@pytest.fixture
def incident(cast: Cast) -> Incident:
    """Record a stop that has settled: its page asks for nothing else by itself."""
    found = stop_of(cast, attempt_of(cast, cast.tenant))
    with organization_scope(*cast.ids):
        Incident.objects.filter(pk=found.pk).update(settled_at=make.AT)
    return found


def _open(open_page: OpenPage, base: str, who: Organization, incident: Incident) -> Page:
    page = open_page()
    sign_in(page, base, make.user(organization=who))
    page.goto(f"{base}/o/{who.slug}/incidents/{incident.public_id}/")
    expect(page.locator("[data-live-state]")).to_have_attribute("data-state", "live")
    return page


def _drag(page: Page) -> None:
    """Drag over a quarter of the plot, in the lane of GPUs."""
    lane = page.locator(".lane-place[data-lane=gpu]")
    lane.scroll_into_view_if_needed()
    box = lane.bounding_box()
    assert box is not None
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.25, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.4, y)
    page.mouse.move(box["x"] + box["width"] * 0.5, y)
    page.mouse.up()


def test_what_is_written_by_a_drag_is_on_the_others_by_itself(
    cast: Cast, incident: Incident, base: str, open_page: OpenPage
) -> None:
    author = _open(open_page, base, cast.tenant, incident)
    reader = _open(open_page, base, cast.operator, incident)
    third = _open(open_page, base, cast.vendor, incident)
    third.wait_for_timeout(500)  # what was recorded just before it was opened is asked for once
    asked: list[str] = []
    third.on("request", lambda request: asked.append(request.url))

    _drag(author)
    form = author.locator("#note-form")
    expect(form.locator("[name=starts_at]")).not_to_have_value("")
    expect(form.locator("[name=lane]")).to_have_value("gpu")
    form.get_by_label(cast.operator.name, exact=True).check()
    expect(form.locator("[data-audience-note]")).to_contain_text(
        f"{cast.operator.name} will read this"
    )
    form.locator("[name=text]").fill("the **first** Xid is here")
    seconds = [_seconds_until_read(author, reader, count=1)]
    expect(author.locator("a.pin")).to_have_count(1)
    for count in (2, 3):
        _drag(author)
        form.get_by_label(cast.operator.name, exact=True).check()
        form.locator("[name=text]").fill("once more")
        seconds.append(_seconds_until_read(author, reader, count=count))
    print_delays(seconds, reader)
    expect(reader.locator("a.pin text")).to_have_text("3")
    expect(reader.locator("#notes-list strong")).to_have_text("first")

    third.wait_for_timeout(1_000)
    assert asked == []
    expect(third.locator("#notes-list li")).to_have_count(0)


def _seconds_until_read(author: Page, reader: Page, *, count: int) -> float:
    began = monotonic()
    author.locator("#note-form [type=submit]").click()
    reader.wait_for_function(
        "count => document.querySelectorAll('#notes-list > li').length === count", arg=count
    )
    seconds = monotonic() - began
    expect(author.locator("#notes-list > li")).to_have_count(count)
    return seconds


def test_what_is_being_typed_stays_while_others_write_and_edit(
    cast: Cast, incident: Incident, base: str, open_page: OpenPage
) -> None:
    author = _open(open_page, base, cast.tenant, incident)
    reader = _open(open_page, base, cast.operator, incident)
    _send(author, "first", cast.operator)
    reply = reader.locator("#notes-list li").first
    reply.get_by_text("Reply", exact=True).first.click()
    reply.locator("textarea").first.fill("half a rep")
    reader.locator("#note-text").fill("half a note")

    _send(author, "second", cast.operator)
    expect(reader.locator("#notes-list > li")).to_have_count(2)
    own = author.locator("#notes-list > li").first
    own.get_by_text("Edit", exact=True).click()
    own.locator("[id^=edit-]").fill("first, edited")
    own.get_by_role("button", name="Save the new text").click()
    expect(reply.locator(".typed").first).to_have_text("first, edited")
    expect(reply.locator("textarea").first).to_have_value("half a rep")
    expect(reader.locator("#note-text")).to_have_value("half a note")

    reply.locator("[type=submit]").first.click()
    expect(author.locator("#notes-list > li.is-reply")).to_contain_text("half a rep")


def test_who_edits_what_was_edited_meanwhile_keeps_both_texts(
    cast: Cast, incident: Incident, base: str, open_page: OpenPage
) -> None:
    page = _open(open_page, base, cast.tenant, incident)
    _send(page, "one")
    item = page.locator("#notes-list > li").first
    item.get_by_text("Edit", exact=True).click()
    item.locator("[id^=edit-]").fill("mine")
    with organization_scope(cast.tenant.pk):
        row = Annotation.objects.get(incident=incident)
        row.pk, row.version, row.text = None, 2, "theirs"
        row.save(force_insert=True)
    item.get_by_role("button", name="Save the new text").click()
    expect(item.locator("[role=alert]:visible")).to_contain_text("changed meanwhile")
    expect(item.locator(".note-body .typed").first).to_have_text("theirs")
    expect(item.locator("[id^=edit-]")).to_have_value("mine")
    item.get_by_role("button", name="Save the new text").click()
    expect(item.locator(".note-body .typed").first).to_have_text("mine")


def test_the_key_a_writes_at_the_moment_under_the_pointer(
    cast: Cast, incident: Incident, base: str, open_page: OpenPage
) -> None:
    page = _open(open_page, base, cast.tenant, incident)
    page.locator(".lane-place[data-lane=gpu]").hover()
    page.keyboard.press("a")
    expect(page.locator("#note-text")).to_be_focused()
    expect(page.locator("#note-text")).to_have_value("")
    expect(page.locator("#note-from")).not_to_have_value("")
    expect(page.locator("#note-form [name=lane]")).to_have_value("gpu")


def test_without_scripts_people_write_answer_and_withdraw(
    cast: Cast, incident: Incident, base: str, open_page: OpenPage
) -> None:
    page = open_page(java_script_enabled=False)
    sign_in(page, base, make.user(organization=cast.tenant))
    page.goto(f"{base}/o/{cast.tenant.slug}/incidents/{incident.public_id}/")
    page.locator("#note-text").fill("by hand")
    page.locator("#note-form [type=submit]").click()
    item = page.locator("#notes-list > li").first
    item.get_by_text("Reply", exact=True).first.click()
    item.locator("textarea").first.fill("an answer")
    item.locator("[type=submit]").first.click()
    expect(page.locator("#notes-list > li.is-reply")).to_contain_text("an answer")
    item = page.locator("#notes-list > li").first
    item.get_by_text("Withdraw", exact=True).click()
    item.get_by_role("button", name="Withdraw it").click()
    expect(page.locator("#notes-list > li").first).to_contain_text("Withdrawn by")
    expect(page.locator("#notes-list > li").first.locator(".note-body > .typed")).to_have_count(0)


def _send(page: Page, text: str, *readers: Organization) -> None:
    count = page.locator("#notes-list > li").count()
    form = page.locator("#note-form")
    form.locator("[name=text]").fill(text)
    for each in readers:
        form.get_by_label(each.name, exact=True).check()
    form.locator("[type=submit]").click()
    expect(page.locator("#notes-list > li")).to_have_count(count + 1)
