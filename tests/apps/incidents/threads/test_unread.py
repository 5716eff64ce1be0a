"""What a person has not seen yet."""

from datetime import timedelta

from apps.incidents.annotations import revise, withdraw
from apps.incidents.entries import Audience, HandOverEntry, Note
from apps.incidents.lifecycle.hand_over import propose
from apps.incidents.models import AnnotationRead, Incident
from apps.incidents.projection.access import access_incident
from apps.incidents.threads.unread import mark_read, unread_counts
from apps.tenancy.access import Actor
from apps.tenancy.models import Organization
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.threads.scene import NOW, write
from tests.cast.incidents import Cast, actor


def _person(organization: Organization) -> Actor:
    """Return somebody who was there before anything was written."""
    found = actor(organization)
    assert found.user is not None
    found.user.date_joined = NOW - timedelta(days=1)
    return found


def _count(reader: Actor, incident: Incident) -> int:
    with organization_scope(reader.organization.pk):
        return unread_counts(actor=reader, incident_ids=[incident.pk]).get(incident.pk, 0)


def _read(reader: Actor, incident: Incident) -> int:
    with organization_scope(reader.organization.pk):
        return mark_read(actor=reader, incident=incident, now=NOW)


def test_what_others_wrote_is_unread_until_it_is_seen(cast: Cast, incident: Incident) -> None:
    reader, colleague = _person(cast.operator), _person(cast.operator)
    write(incident, cast.tenant, "for you", cast.operator)
    write(incident, cast.tenant, "ours")
    assert _count(reader, incident) == 1
    assert _read(reader, incident) == 1
    assert (_count(reader, incident), _count(colleague, incident)) == (0, 1)
    assert _read(reader, incident) == 0


def test_an_edit_is_unread_again_and_one_time_only(cast: Cast, incident: Incident) -> None:
    reader = _person(cast.operator)
    first = write(incident, cast.tenant, "for you", cast.operator)
    _read(reader, incident)
    with organization_scope(cast.tenant.pk):
        revise(
            actor=actor(cast.tenant), former=first, note=Note(text="corrected"),
            audience=Audience(organizations=(cast.operator.slug,)), now=NOW,
        )  # fmt: skip
    assert _count(reader, incident) == 1


def test_what_was_withdrawn_is_no_news(cast: Cast, incident: Incident) -> None:
    reader = _person(cast.operator)
    first = write(incident, cast.tenant, "for you", cast.operator)
    with organization_scope(cast.tenant.pk):
        withdraw(actor=actor(cast.tenant), former=first, now=NOW)
    assert _count(reader, incident) == 0


def test_a_reply_in_a_thread_that_is_hidden_is_not_counted(cast: Cast, incident: Incident) -> None:
    reader = _person(cast.vendor)
    first = write(incident, cast.tenant, "first", cast.operator, cast.vendor)
    write(incident, cast.operator, "reply", cast.tenant, cast.vendor, answers=first)
    assert _count(reader, incident) == 2
    with organization_scope(cast.tenant.pk):
        revise(
            actor=actor(cast.tenant), former=first, note=Note(text="first"),
            audience=Audience(organizations=(cast.operator.slug,)), now=NOW,
        )  # fmt: skip
    assert _count(reader, incident) == 0


def test_what_was_written_before_somebody_came_is_no_news(cast: Cast, incident: Incident) -> None:
    late = _person(cast.operator)
    assert late.user is not None
    late.user.date_joined = NOW + timedelta(minutes=1)
    write(incident, cast.tenant, "for you", cast.operator)
    assert _count(late, incident) == 0


def test_ones_own_words_are_read_and_a_token_reads_nothing(cast: Cast, incident: Incident) -> None:
    author = _person(cast.tenant)
    machine = Actor(organization=cast.operator, rights=author.rights)
    first = write(incident, cast.tenant, "for you", cast.operator)
    assert first.author is not None
    first.author.date_joined = NOW - timedelta(days=1)
    own = Actor(organization=cast.tenant, rights=author.rights, user=first.author)
    assert _count(own, incident) == 0
    assert (_count(author, incident), _count(machine, incident)) == (1, 0)
    assert _read(machine, incident) == 0
    with organization_scope(*cast.ids):
        assert not AnnotationRead.objects.exists()


def test_words_that_go_with_a_step_are_no_new_annotation(cast: Cast, incident: Incident) -> None:
    reader = _person(cast.vendor)
    entry = HandOverEntry(to=cast.vendor.slug, reason="your-layer", text="the bus error is yours")
    with organization_scope(cast.operator.pk):
        found = access_incident(actor=actor(cast.operator), public_id=incident.public_id)
        propose(actor=actor(cast.operator), incident=found, entry=entry, now=NOW)
    assert _count(reader, incident) == 0
    write(incident, cast.operator, "look at this, too", cast.vendor)
    assert _count(reader, incident) == 1
