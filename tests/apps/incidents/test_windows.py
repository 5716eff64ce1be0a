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
        windows.finish(
            organization_id=owner, attempt_id=attempt.pk, touched_at=BEGAN, now=BEGAN, again_at=None
        )
        connection.close()

    ending = threading.Thread(target=end)
    with organization_scope(owner):
        windows.map_windows(organization_id=owner, now=TOUCHED)
        ending.start()
        ending.join(timeout=0.5)
    ending.join()
    with organization_scope(owner):
        assert Correlation.objects.get().touched_at == TOUCHED


@pytest.mark.django_db
def test_a_look_that_nothing_came_after_is_closed_and_another_one_is_due() -> None:
    people = assemble()
    owner, attempt = people.tenant.pk, attempt_of(people, people.tenant)
    with organization_scope(owner):
        order = Correlation.objects.create(
            organization_id=owner, attempt=attempt, due_at=BEGAN, touched_at=BEGAN
        )
        assert windows.claim_due(organization_id=owner, now=TOUCHED) == [attempt.pk]
        assert windows.claim_due(organization_id=owner, now=TOUCHED) == []
    seen = windows.begin(organization_id=owner, attempt_id=attempt.pk, now=TOUCHED)
    assert seen == BEGAN
    with organization_scope(owner):
        # Its clock may be behind: what counts is that it is another touch.
        Correlation.objects.filter(pk=order.pk).update(touched_at=BEGAN - timedelta(minutes=1))
    windows.finish(
        organization_id=owner, attempt_id=attempt.pk, touched_at=seen, now=TOUCHED, again_at=None
    )
    with organization_scope(owner):
        order.refresh_from_db()
    assert order.claimed_until is None
    windows.finish(
        organization_id=owner,
        attempt_id=attempt.pk,
        touched_at=order.touched_at,
        now=TOUCHED,
        again_at=None,
    )
    assert windows.begin(organization_id=owner, attempt_id=attempt.pk, now=TOUCHED) is None
