"""Orders to look at an attempt: none is lost while a look at it ends."""

import threading
from datetime import timedelta

import pytest
from django.db import connection

from apps.incidents import windows
from apps.incidents.models import Correlation
from apps.telemetry.models import TouchedWindow
from apps.tenancy.scope import organization_scope
from tests import make
from tests.apps.incidents.cast import assemble, attempt_of

BEGAN = make.AT
TOUCHED = BEGAN + timedelta(seconds=1)


@pytest.mark.django_db(transaction=True)
def test_facts_that_are_told_while_a_look_ends_are_looked_at() -> None:
    people = assemble()
    owner, attempt = people.tenant.pk, attempt_of(people, people.tenant)
    with organization_scope(owner):
        Correlation.objects.create(
            organization_id=owner, attempt=attempt, due_at=BEGAN, touched_at=BEGAN
        )
        TouchedWindow.objects.create(
            organization_id=owner,
            cluster=people.cluster,
            session_id=attempt.session_id,
            attempt=attempt,
            is_telling=True,
            created_at=TOUCHED,
        )

    def end() -> None:
        windows.finish(organization_id=owner, attempt_id=attempt.pk, began_at=BEGAN, again_at=None)
        connection.close()

    ending = threading.Thread(target=end)
    with organization_scope(owner):
        windows.map_windows(organization_id=owner, now=TOUCHED)
        ending.start()
        ending.join(timeout=0.5)
    ending.join()
    with organization_scope(owner):
        assert Correlation.objects.get().touched_at == TOUCHED
