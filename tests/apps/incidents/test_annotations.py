"""Annotations reach the audience they name and nobody else."""

from datetime import timedelta

import pytest

from apps.incidents.annotations import annotate, revise, withdraw
from apps.incidents.entries import Audience, Note
from apps.incidents.models import Incident
from apps.incidents.projection.annotations import annotations_of, history_of
from apps.incidents.refusals import AudienceUnknown, TextMissing
from apps.tenancy.access import NotFound
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.cast import make
from tests.cast.incidents import Cast, actor, attempt_of, stop_of

NOW = make.AT + timedelta(minutes=5)


@pytest.fixture
def incident(cast: Cast) -> Incident:
    """A stop of the tenant's session."""
    return stop_of(cast, attempt_of(cast, cast.tenant))


def _texts(reader: Organization, incident: Incident) -> list[str]:
    with organization_scope(reader.pk):
        return [note.text for note in annotations_of(incident=incident)]


def test_by_default_only_the_own_organization_reads_it(cast: Cast, incident: Incident) -> None:
    with organization_scope(cast.operator.pk):
        annotate(actor=actor(cast.operator), incident=incident, note=Note(text="ours"), now=NOW)
    assert _texts(cast.operator, incident) == ["ours"]
    assert _texts(cast.tenant, incident) == []


def test_a_named_party_reads_it_and_the_others_do_not(cast: Cast, incident: Incident) -> None:
    audience = Audience(organizations=(cast.vendor.slug,))
    with organization_scope(cast.operator.pk):
        annotate(
            actor=actor(cast.operator),
            incident=incident,
            note=Note(text="for you"),
            audience=audience,
            now=NOW,
        )
    assert _texts(cast.vendor, incident) == ["for you"]
    assert _texts(cast.tenant, incident) == []


def test_who_is_no_party_can_not_be_named(cast: Cast, incident: Incident) -> None:
    audience = Audience(organizations=(cast.stranger.slug,))
    with organization_scope(cast.operator.pk), pytest.raises(AudienceUnknown):
        annotate(
            actor=actor(cast.operator),
            incident=incident,
            note=Note(text="x"),
            audience=audience,
            now=NOW,
        )


def test_an_edit_is_a_new_version_and_the_former_stays(cast: Cast, incident: Incident) -> None:
    author = actor(cast.tenant)
    with organization_scope(cast.tenant.pk):
        first = annotate(actor=author, incident=incident, note=Note(text="one"), now=NOW)
        revise(actor=author, former=first, note=Note(text="two"), now=NOW)
        versions = history_of(actor=author, incident=incident, public_id=first.public_id)
    assert [(row.version, row.text) for row in versions] == [(1, "one"), (2, "two")]
    assert _texts(cast.tenant, incident) == ["two"]


def test_who_leaves_the_audience_reads_no_version_and_who_joins_reads_the_new_one(
    cast: Cast, incident: Incident
) -> None:
    author = actor(cast.tenant)
    with organization_scope(cast.tenant.pk):
        first = annotate(
            actor=author,
            incident=incident,
            note=Note(text="names the program"),
            audience=Audience(organizations=(cast.operator.slug,)),
            now=NOW,
        )
        revise(
            actor=author,
            former=first,
            note=Note(text="without the name"),
            audience=Audience(organizations=(cast.vendor.slug,)),
            now=NOW,
        )
    assert _texts(cast.operator, incident) == []
    assert _texts(cast.vendor, incident) == ["without the name"]


def test_another_organization_can_not_edit_it(cast: Cast, incident: Incident) -> None:
    with organization_scope(cast.tenant.pk):
        first = annotate(
            actor=actor(cast.tenant),
            incident=incident,
            note=Note(text="ours"),
            audience=Audience(all_parties=True),
            now=NOW,
        )
    with organization_scope(cast.operator.pk), pytest.raises(NotFound):
        revise(actor=actor(cast.operator), former=first, note=Note(text="theirs"), now=NOW)


def test_of_a_withdrawn_note_its_readers_keep_who_took_it_back_and_when(
    cast: Cast, incident: Incident
) -> None:
    author = actor(cast.tenant)
    with organization_scope(cast.tenant.pk):
        first = annotate(
            actor=author,
            incident=incident,
            note=Note(text="a mistake"),
            audience=Audience(organizations=(cast.operator.slug,)),
            now=NOW,
        )
        withdraw(actor=author, former=first, now=NOW + timedelta(minutes=1))
    for reader in (cast.operator, cast.tenant):
        with organization_scope(reader.pk):
            (trace,) = annotations_of(incident=incident)
        assert (trace.is_withdrawn, trace.text) == (True, "")
        assert trace.created_at == NOW + timedelta(minutes=1)
    with organization_scope(cast.operator.pk):
        (read,) = history_of(
            actor=actor(cast.operator), incident=incident, public_id=first.public_id
        )
    assert read.text == ""
    assert _texts(cast.vendor, incident) == []


def test_words_are_needed(cast: Cast, incident: Incident) -> None:
    with organization_scope(cast.tenant.pk), pytest.raises(TextMissing):
        annotate(actor=actor(cast.tenant), incident=incident, note=Note(text="  "), now=NOW)
