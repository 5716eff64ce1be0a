"""Hand-overs by two at once: one stands, and the other is told that it is too late."""

from collections.abc import Callable
from threading import Barrier, Thread

import pytest
from django.db import connection

from apps.incidents.models import IncidentStep
from apps.tenancy.scope import organization_scope
from tests.apps.incidents.handing_over import (
    State,
    hand,
    read,
    step,
)
from tests.cast.incidents import assemble, attempt_of, stop_of


@pytest.mark.django_db(transaction=True)
def test_of_two_who_answer_at_once_one_is_too_late() -> None:
    cast = assemble()
    incident = stop_of(cast, attempt_of(cast, cast.tenant))
    subject = hand(cast.operator, cast.vendor, incident)
    results = together(
        lambda: step(cast.vendor, incident, subject, State.ACCEPTED),
        lambda: step(cast.operator, incident, subject, State.WITHDRAWN),
    )
    assert sorted(results) == ["AlreadyHandled", "done"]
    with organization_scope(*cast.ids):
        assert IncidentStep.objects.filter(subject=subject).count() == 2


@pytest.mark.django_db(transaction=True)
def test_of_two_proposals_at_once_one_stands() -> None:
    cast = assemble()
    incident = stop_of(cast, attempt_of(cast, cast.tenant))
    results = together(
        lambda: hand(cast.operator, cast.vendor, incident),
        lambda: hand(cast.operator, cast.tenant, incident),
    )
    assert sorted(results) == ["HandOverOpen", "done"]
    assert len(read(cast.tenant, incident).hand_overs) == 1


def together(*acts: Callable[[], object]) -> list[str]:
    """Let several do something at the same time; return how each ended."""
    gate, ended = Barrier(len(acts)), list[str]()

    def run(act: Callable[[], object]) -> None:
        gate.wait(10)
        try:
            act()
            ended.append("done")
        except Exception as error:  # noqa: BLE001  how it ended is what is asked
            ended.append(type(error).__name__)
        finally:
            connection.close()

    threads = [Thread(target=run, args=(act,)) for act in acts]
    for each in threads:
        each.start()
    for each in threads:
        each.join(30)
    return ended
