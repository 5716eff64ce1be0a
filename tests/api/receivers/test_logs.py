"""POST /api/v1/logs: a file comes in, its lines are kept once, its facts are there."""

import pytest

from apps.fleet.models import Session
from apps.telemetry.models import Event, LogChunk, LogStream, TouchedWindow
from apps.tenancy.scope import organization_scope
from tests.api.receivers.pushing import cast, drain_all, push_text

WATCHDOG = (
    "[rank3]:[E1121 02:11:07.123456789 ProcessGroupNCCL.cpp:616] [Rank 3] Watchdog caught "
    "collective operation timeout: WorkNCCL(SeqNum=148, OpType=ALLREDUCE, NumelIn=1, NumelOut=1, "
    "Timeout(ms)=600000) ran for 600029 milliseconds before timing out."
)
LOG = f"starting\nepoch 1\n{WATCHDOG}\nlast line\n"


@pytest.mark.django_db(transaction=True)
def test_an_upload_becomes_events_and_a_touched_window_of_its_session() -> None:
    people = cast()
    answer = push_text(people.token(people.tenant), LOG, session="run-1")
    assert answer.status_code == 200
    said = answer.json()
    assert (said["accepted"], said["duplicates"], said["rejected"]) == (4, 0, [])
    assert said["url"].endswith(f"/o/{people.tenant.slug}/upload/{said['batch']}/")
    assert drain_all(people.tenant) == 4
    with organization_scope(people.tenant.pk):
        session = Session.objects.get(name="run-1")
        assert session.cluster == people.cluster
        events = list(Event.objects.values_list("signature", "rank", "session"))
        assert [event[1:] for event in events] == [(3, session.pk)]
        assert TouchedWindow.objects.get().session == session
        assert LogStream.objects.get().line_count == 4
        assert LogChunk.objects.get().line_count == 4
