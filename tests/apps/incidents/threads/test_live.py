"""Marks of change: of those who read an annotation, and of nobody else."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any

from apps.incidents.annotations import revise, withdraw
from apps.incidents.entries import Note
from apps.incidents.models import Incident
from apps.incidents.threads.live import notes_key_of
from apps.tenancy.page_marks import marks
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.threads.scene import NOW, write
from tests.cast.incidents import Cast, actor

OnCommit = Callable[..., AbstractContextManager[Any]]


def _marks(cast: Cast, incident: Incident) -> dict[int, str]:
    keys = {notes_key_of(incident_id=incident.pk, organization_id=pk): pk for pk in cast.ids}
    return {keys[key]: mark for key, mark in (marks(keys) or {}).items()}


def test_readers_alone_get_a_mark_and_only_once_it_is_durable(
    cast: Cast, incident: Incident, django_capture_on_commit_callbacks: OnCommit
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        write(incident, cast.tenant, "for you", cast.operator)
        assert _marks(cast, incident) == {}
    assert set(_marks(cast, incident)) == {cast.tenant.pk, cast.operator.pk}


def test_who_read_it_until_now_gets_a_mark_of_an_edit_and_of_a_withdrawal(
    cast: Cast, incident: Incident, django_capture_on_commit_callbacks: OnCommit
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        first = write(incident, cast.tenant, "for you", cast.operator)
    known = [_marks(cast, incident)]
    with django_capture_on_commit_callbacks(execute=True), organization_scope(cast.tenant.pk):
        second = revise(actor=actor(cast.tenant), former=first, note=Note(text="ours"), now=NOW)
    known.append(_marks(cast, incident))
    with django_capture_on_commit_callbacks(execute=True), organization_scope(cast.tenant.pk):
        withdraw(actor=actor(cast.tenant), former=second, now=NOW)
    known.append(_marks(cast, incident))
    assert len({each[cast.operator.pk] for each in known}) == 2
    assert len({each[cast.tenant.pk] for each in known}) == 3
    assert cast.vendor.pk not in known[-1]
