"""Annotations on an incident: whom they reach, how they are changed, what is refused."""

import html
from datetime import UTC, datetime

import pytest
from django.conf import LazySettings

from apps.incidents.models import Annotation, Incident
from apps.incidents.projection.annotations import read_annotations
from apps.tenancy.scope import organization_scope
from apps.web.incident.contributions.annotations import mark_of
from tests.cast.incidents import Cast, attempt_of, stop_of
from tests.web.conftest import Browser
from tests.web.incident.incident_pages import address, page


def test_a_note_reaches_the_named_party_and_no_other(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    author, there = browser(cast.tenant), address(cast.tenant, incident)
    author.post(there + "annotations/", {"text": "for us alone"})
    author.post(
        there + "annotations/", {"text": "for the operator", "audience": cast.operator.slug}
    )
    operator = page(browser(cast.operator), cast.operator, incident)
    vendor = page(browser(cast.vendor), cast.vendor, incident)
    assert "for the operator" in operator
    assert "for us alone" not in operator
    assert "for the operator" not in vendor


def test_the_history_of_an_edited_note_stays_readable(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    client, there = browser(cast.tenant), address(cast.tenant, incident)
    client.post(there + "annotations/", {"text": "first words"})
    with organization_scope(cast.tenant.pk):
        note = Annotation.objects.get(incident=incident)
    client.post(f"{there}annotations/{note.public_id}/", {"text": "second words"})
    text = page(client, cast.tenant, incident)
    assert "edited once" in text
    assert "first words" in text


@pytest.mark.parametrize("field", ["starts_at", "ends_at"])
@pytest.mark.parametrize("typed", ["yesterday", "2026-13-45 99:00", "9999-12-31T23:59:59"])
def test_a_time_that_can_not_be_read_is_refused_and_the_note_stays_typed(
    cast: Cast, browser: Browser, field: str, typed: str
) -> None:
    incident = stop_of(cast, attempt_of(cast, cast.tenant))
    where = f"/o/{cast.tenant.slug}/incidents/{incident.public_id}/annotations/"
    client = browser(cast.tenant)
    answer = client.post(where, {"text": "we saw it flap", field: typed})
    text = html.unescape(answer.content.decode())
    assert "That time can't be read. Write it like 2026-11-22 14:03:05, in UTC." in text
    assert "we saw it flap" in text
    with organization_scope(cast.tenant.pk):
        assert not Annotation.objects.exists()
    client.post(where, {"text": "we saw it flap", field: "2026-11-22 14:03:05"})
    at = datetime(2026, 11, 22, 14, 3, 5, tzinfo=UTC)
    with organization_scope(cast.tenant.pk):
        assert getattr(Annotation.objects.get(), field) == at


def test_an_empty_note_keeps_what_was_written_and_says_what_to_do(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    response = browser(cast.tenant).post(
        address(cast.tenant, incident) + "annotations/",
        {"text": " "},
        headers={"HX-Request": "true"},
    )
    assert "Write something first" in response.content.decode()


def test_a_stranger_among_the_recipients_is_refused(
    cast: Cast, incident: Incident, browser: Browser
) -> None:
    response = browser(cast.tenant).post(
        address(cast.tenant, incident) + "annotations/",
        {"text": "hello", "audience": cast.stranger.slug},
    )
    assert "no party of this incident" in response.content.decode()


def test_who_else_reads_it_is_not_guessed_from_the_mark(
    cast: Cast, incident: Incident, browser: Browser, settings: LazySettings
) -> None:
    """A tenant is not told of another one among the readers, nor may it try all organizations."""
    browser(cast.operator).post(
        address(cast.operator, incident) + "annotations/", {"text": "x", "all_parties": "1"}
    )
    with organization_scope(cast.tenant.pk):
        told = read_annotations(incident=incident)
    mark = mark_of(told)
    assert f'data-mark="{mark}"' in page(browser(cast.tenant), cast.tenant, incident)

    settings.SECRET_KEY = "another"  # noqa: S105  no secret of anything

    assert mark_of(told) != mark


@pytest.mark.parametrize("sent", [{"text": "\x00"}, {"text": "x", "answers": "a\x00"}])
def test_what_no_text_has_is_refused(
    cast: Cast, incident: Incident, browser: Browser, sent: dict[str, str]
) -> None:
    answer = browser(cast.tenant).post(address(cast.tenant, incident) + "annotations/", sent)

    assert answer.status_code == 200  # the page, with the reason
    with organization_scope(cast.tenant.pk):
        assert not Annotation.objects.filter(incident=incident).exists()
