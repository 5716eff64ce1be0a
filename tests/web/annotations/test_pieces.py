"""What an open page asks for and gets: changes of annotations, refusals with what was typed."""

import html
from collections.abc import Callable
from typing import Any

from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.incidents.models import Annotation, Incident
from apps.tenancy.models import MemberRole, Organization
from apps.tenancy.scope import organization_scope
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.web.markup import one_line

Browser = Callable[..., Client]
PIECE = {"HX-Request": "true"}


def _at(organization: Organization, incident: Incident) -> str:
    return f"/o/{organization.slug}/incidents/{incident.public_id}/annotations/"


def _changes(client: Client, where: str, seen: str = "") -> Any:
    return client.get(f"{where}changes/?seen={seen}", headers=PIECE)


def _mark(answer: Any) -> str:
    return str(answer.content.decode().partition('data-mark="')[2].partition('"')[0])


def test_changes_are_a_piece_of_the_page_and_nothing_where_there_is_none(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    where, reader = _at(cast.operator, incident), browser(cast.operator)
    browser(cast.tenant).post(
        _at(cast.tenant, incident),
        {"text": "**for** you", "audience": cast.operator.slug, "lane": "gpu"},
    )
    answer = _changes(reader, where)
    assert "<strong>for</strong> you" in answer.content.decode()
    assert 'class="pin' in answer.content.decode()
    assert _changes(reader, where, seen=_mark(answer)).status_code == 204


def test_for_a_third_party_nothing_changed(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    where, third = _at(cast.vendor, incident), browser(cast.vendor)
    before = _changes(third, where)
    browser(cast.tenant).post(
        _at(cast.tenant, incident), {"text": "for you", "audience": cast.operator.slug}
    )
    after = _changes(third, where, seen=_mark(before))
    assert (after.status_code, after.content) == (204, b"")
    assert len(_changes(third, where).content) == len(before.content)


def test_streams_and_changes_of_what_is_not_ones_own_are_not_found(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    stranger, where = browser(cast.stranger), _at(cast.stranger, incident)
    for path in ("stream/", "changes/"):
        assert stranger.get(where + path).status_code == 404


def test_what_is_refused_is_said_beside_what_stands(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    client, where = browser(cast.tenant), _at(cast.tenant, incident)
    answer = client.post(where, {"text": f"@{cast.vendor.slug} look"}, headers=PIECE)
    told = html.unescape(answer.content.decode())
    assert f"@{cast.vendor.slug} would not read this" in told
    backwards = {"text": "x", "starts_at": "2026-11-22T02:00:00", "ends_at": "2026-11-22T01:00:00"}
    assert "ends before it begins" in client.post(where, backwards, headers=PIECE).content.decode()


def test_an_edit_of_a_former_version_keeps_both_texts_without_scripts(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    client, where = browser(cast.tenant), _at(cast.tenant, incident)
    client.post(where, {"text": "one"})
    with organization_scope(cast.tenant.pk):
        note = Annotation.objects.get(incident=incident).public_id
    client.post(f"{where}{note}/", {"text": "theirs", "version": "1"})
    page = client.post(f"{where}{note}/", {"text": "mine", "version": "1"}).content.decode()
    assert "It was changed meanwhile" in page
    assert "<p>theirs</p>" in page
    assert ">mine</textarea>" in page
    with organization_scope(cast.tenant.pk):
        assert Annotation.objects.filter(public_id=note).count() == 2


def test_an_unread_annotation_is_marked_until_the_page_was_shown(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    where = f"/o/{cast.operator.slug}/incidents/{incident.public_id}/"
    reader = browser(cast.operator, MemberRole.VIEWER)
    browser(cast.tenant).post(
        _at(cast.tenant, incident), {"text": "for you", "audience": cast.operator.slug}
    )
    assert "is-unread" in reader.get(where).content.decode()
    assert "is-unread" not in reader.get(where).content.decode()


def test_what_an_open_page_takes_over_was_shown(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    where = f"/o/{cast.operator.slug}/incidents/{incident.public_id}/"
    reader = browser(cast.operator, MemberRole.VIEWER)
    browser(cast.tenant).post(
        _at(cast.tenant, incident), {"text": "for you", "audience": cast.operator.slug}
    )
    assert "is-unread" in reader.get(where, headers=PIECE).content.decode()
    assert "is-unread" not in reader.get(where).content.decode()


def test_names_become_links_for_who_may_read_what_they_name(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    other = stop_of(cast, attempt_of(cast, cast.other_tenant, hosts=["gpu002"]))
    text = f"as in {other.public_id}, INC-000000, on gpu001 and gpu002"
    browser(cast.tenant).post(
        _at(cast.tenant, incident), {"text": text, "audience": cast.operator.slug}
    )
    for organization, is_linked in ((cast.operator, True), (cast.tenant, False)):
        page = browser(organization).get(f"/o/{organization.slug}/incidents/{incident.public_id}/")
        there = f"/o/{organization.slug}/incidents/{other.public_id}/"
        assert (f'<a href="{there}">' in page.content.decode()) is is_linked
        assert "INC-000000," in page.content.decode()
        assert ">gpu001</a>" in page.content.decode()
        assert ">gpu002</a>" not in page.content.decode()


def test_many_annotations_cost_no_more_queries_than_one(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    client, where = browser(cast.tenant), _at(cast.tenant, incident)

    def write(text: str) -> None:
        client.post(where, {"text": text})
        with organization_scope(cast.tenant.pk):
            note = Annotation.objects.order_by("-pk").first()
        assert note is not None
        client.post(f"{where}{note.public_id}/", {"text": f"{text} again"})

    def asked() -> int:
        with CaptureQueriesContext(connection) as caught:
            assert _changes(client, where).status_code == 200
        return len(caught)

    write("on gpu001")
    asked()  # what is read once for a process is read
    one = asked()
    for number in range(5):
        write(f"on gpu00{number}")
    assert 0 < asked() <= one


def test_lists_count_what_is_new_to_the_reader_until_it_was_looked_at(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    reader, third = browser(cast.operator), browser(cast.vendor)
    for text in ("one", "two"):
        browser(cast.tenant).post(
            _at(cast.tenant, incident), {"text": text, "audience": cast.operator.slug}
        )
    base = f"/o/{cast.operator.slug}/"
    assert "2 new annotations" in one_line(reader.get(f"{base}incidents/").content.decode())
    assert "new annotation" not in third.get(f"/o/{cast.vendor.slug}/incidents/").content.decode()
    reader.get(f"{base}incidents/{incident.public_id}/")
    assert "new annotation" not in reader.get(f"{base}incidents/").content.decode()
