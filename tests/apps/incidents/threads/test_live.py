"""Changes for open pages: of those who read an annotation, and of nobody else."""

from django.db import transaction

from apps.incidents.annotations import revise, withdraw
from apps.incidents.entries import Note
from apps.incidents.models import Incident
from apps.tenancy.models import Topic
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.threads.scene import NOW, write
from tests.cast.incidents import Cast, actor
from tests.cast.page_changes import told


def test_readers_alone_are_told(cast: Cast, incident: Incident) -> None:
    before = told(cast, incident, Topic.INCIDENT)
    write(incident, cast.tenant, "for you", cast.operator)
    assert set(told(cast, incident, Topic.ANNOTATION)) == {cast.tenant.pk, cast.operator.pk}
    assert told(cast, incident, Topic.INCIDENT) == before


def test_who_read_it_until_now_is_told_of_an_edit_and_of_a_withdrawal(
    cast: Cast, incident: Incident
) -> None:
    first = write(incident, cast.tenant, "for you", cast.operator)
    known = [told(cast, incident, Topic.ANNOTATION)]
    with organization_scope(cast.tenant.pk):
        second = revise(actor=actor(cast.tenant), former=first, note=Note(text="ours"), now=NOW)
    known.append(told(cast, incident, Topic.ANNOTATION))
    with organization_scope(cast.tenant.pk):
        withdraw(actor=actor(cast.tenant), former=second, now=NOW)
    known.append(told(cast, incident, Topic.ANNOTATION))
    assert [each[cast.operator.pk] for each in known] == [1, 2, 2]
    assert [each[cast.tenant.pk] for each in known] == [1, 2, 3]
    assert cast.vendor.pk not in known[-1]


def test_what_is_undone_is_told_to_nobody(cast: Cast, incident: Incident) -> None:
    with transaction.atomic():
        write(incident, cast.tenant, "for you", cast.operator)
        transaction.set_rollback(True)
    assert told(cast, incident, Topic.ANNOTATION) == {}
