"""Replies: one level, and never for more than read what is answered."""

from datetime import timedelta

import pytest

from apps.fleet.models import ParticipationRole
from apps.incidents.annotations import annotate, revise, withdraw
from apps.incidents.entries import Audience, Note
from apps.incidents.models import Incident
from apps.incidents.projection.annotations import history_of
from apps.incidents.refusals import AudienceUnknown, ReplyMisplaced, TooManyAnnotations
from apps.tenancy.access import NotFound
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.leaving import leave
from tests.apps.incidents.threads.scene import NOW, texts, write
from tests.cast.incidents import Cast, actor


def test_a_reply_stands_behind_what_it_answers(cast: Cast, incident: Incident) -> None:
    first = write(incident, cast.tenant, "first", cast.operator)
    write(incident, cast.tenant, "second", cast.operator)
    write(incident, cast.operator, "to the first", cast.tenant, answers=first)
    assert texts(incident, cast.tenant) == ["first", "to the first", "second"]


def test_an_edit_leaves_an_annotation_in_its_place(cast: Cast, incident: Incident) -> None:
    first = write(incident, cast.tenant, "first")
    write(incident, cast.tenant, "second")
    with organization_scope(cast.tenant.pk):
        revise(actor=actor(cast.tenant), former=first, note=Note(text="edited"), now=NOW)
    assert texts(incident, cast.tenant) == ["edited", "second"]


def test_a_reply_is_for_nobody_who_does_not_read_what_it_answers(
    cast: Cast, incident: Incident
) -> None:
    first = write(incident, cast.tenant, "for the operator", cast.operator)
    with pytest.raises(AudienceUnknown, match=cast.vendor.slug):
        write(incident, cast.operator, "reply", cast.vendor, answers=first)


def test_for_all_parties_a_reply_is_for_those_who_read_what_it_answers(
    cast: Cast, incident: Incident
) -> None:
    first = write(incident, cast.tenant, "for the operator", cast.operator)
    with organization_scope(cast.operator.pk):
        annotate(
            actor=actor(cast.operator),
            incident=incident,
            note=Note(text="reply", answers=first.public_id),
            audience=Audience(all_parties=True),
            now=NOW,
        )
    assert texts(incident, cast.tenant) == ["for the operator", "reply"]
    assert texts(incident, cast.vendor) == []


def test_who_reads_the_thread_no_more_reads_no_reply_in_it(cast: Cast, incident: Incident) -> None:
    first = write(incident, cast.tenant, "first", cast.operator, cast.vendor)
    reply = write(incident, cast.operator, "reply", cast.tenant, cast.vendor, answers=first)
    with organization_scope(cast.tenant.pk):
        audience = Audience(organizations=(cast.operator.slug,))
        revise(
            actor=actor(cast.tenant), former=first, note=Note(text="first"),
            audience=audience, now=NOW,
        )  # fmt: skip
    assert texts(incident, cast.operator) == ["first", "reply"]
    assert texts(incident, cast.vendor) == []
    with organization_scope(cast.vendor.pk), pytest.raises(NotFound):
        history_of(actor=actor(cast.vendor), incident=incident, public_id=reply.public_id)


def test_what_is_not_read_and_what_is_not_there_are_refused_alike(
    cast: Cast, incident: Incident
) -> None:
    hidden = write(incident, cast.tenant, "ours")
    words = []
    for public_id in (hidden.public_id, "NOTE-0000000000"):
        with organization_scope(cast.operator.pk), pytest.raises(ReplyMisplaced) as refused:
            annotate(
                actor=actor(cast.operator),
                incident=incident,
                note=Note(text="reply", answers=public_id),
                now=NOW,
            )
        words.append(str(refused.value))
    assert words[0] == words[1]


def test_a_reply_is_not_answered_itself_nor_is_what_was_withdrawn(
    cast: Cast, incident: Incident
) -> None:
    first = write(incident, cast.tenant, "first")
    reply = write(incident, cast.tenant, "reply", answers=first)
    with pytest.raises(ReplyMisplaced):
        write(incident, cast.tenant, "deeper", answers=reply)
    with organization_scope(cast.tenant.pk):
        withdraw(actor=actor(cast.tenant), former=first, now=NOW)
    with pytest.raises(ReplyMisplaced):
        write(incident, cast.tenant, "late", answers=first)
    assert texts(incident, cast.tenant) == ["", "reply"]


def test_an_edit_keeps_a_reply_in_its_thread(cast: Cast, incident: Incident) -> None:
    first = write(incident, cast.tenant, "first")
    reply = write(incident, cast.tenant, "reply", answers=first)
    with organization_scope(cast.tenant.pk):
        revised = revise(actor=actor(cast.tenant), former=reply, note=Note(text="new"), now=NOW)
    assert revised.answers == first.public_id
    assert texts(incident, cast.tenant) == ["first", "new"]


def test_an_organization_writes_as_many_as_there_may_be_and_others_go_on(
    cast: Cast, incident: Incident, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("apps.incidents.annotations.COUNT_LIMIT", 2)
    first = write(incident, cast.tenant, "one")
    with organization_scope(cast.tenant.pk):
        revise(actor=actor(cast.tenant), former=first, note=Note(text="one, edited"), now=NOW)
    write(incident, cast.tenant, "two")
    with pytest.raises(TooManyAnnotations):
        write(incident, cast.tenant, "three")
    write(incident, cast.operator, "another party")


def test_who_left_the_cluster_reads_no_later_reply_and_can_not_answer(
    cast: Cast, incident: Incident
) -> None:
    first = write(incident, cast.tenant, "first", cast.operator, cast.vendor)
    leave(cast.vendor, cast, ParticipationRole.GPU_VENDOR, at=NOW + timedelta(minutes=1))
    with organization_scope(cast.operator.pk):
        annotate(
            actor=actor(cast.operator),
            incident=incident,
            note=Note(text="later", answers=first.public_id),
            audience=Audience(all_parties=True),
            now=NOW + timedelta(minutes=2),
        )
    assert texts(incident, cast.tenant) == ["first", "later"]
    assert texts(incident, cast.vendor) == ["first"]
    with pytest.raises(NotFound):
        write(incident, cast.vendor, "from outside", answers=first)
    with pytest.raises(AudienceUnknown):
        write(incident, cast.operator, "to who left", cast.vendor, answers=first)
