"""POST /api/v1/logs: a file comes in, its lines are kept once, its facts are there."""

import gzip

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from apps.fleet.models import Session
from apps.telemetry.logs.raw_lines import lines_around
from apps.telemetry.models import Event, LogChunk, LogStream, TouchedWindow
from apps.tenancy.access import Actor, NotFound, Right
from apps.tenancy.scope import organization_scope
from tests.cast.pushes import cast, drain_all, push_text

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


@pytest.mark.django_db
def test_files_of_a_form_stay_apart_and_share_the_forms_labels() -> None:
    people = cast()
    form = {
        "session": "run-2",
        "a": SimpleUploadedFile("kernel.log", b"one\ntwo"),
        "b": SimpleUploadedFile("rank0.log.gz", gzip.compress(b"three")),
    }
    answer = Client().post(
        "/api/v1/logs", form, headers={"Authorization": f"Bearer {people.token(people.tenant)}"}
    )
    assert answer.json()["accepted"] == 3
    drain_all(people.tenant)
    with organization_scope(people.tenant.pk):
        rows = LogStream.objects.order_by("labels__filename")
        found = [(row.labels["filename"], row.kind, row.line_count) for row in rows]
        assert found == [("kernel.log", "kernel", 2), ("rank0.log.gz", "", 1)]
        assert Session.objects.get().name == "run-2"


@pytest.mark.django_db
def test_an_upload_with_nothing_to_join_is_a_session_of_its_uploader_alone() -> None:
    people = cast()
    for text in (LOG, f"{LOG}more", LOG):
        push_text(people.token(people.tenant), text)
    drain_all(people.tenant)
    with organization_scope(people.tenant.pk):
        assert list(Session.objects.values_list("cluster", flat=True)) == [None, None]
        assert {row.session_id for row in LogStream.objects.all()} == {
            row.pk for row in Session.objects.all()
        }
    for party in (people.operator, people.platform, people.other):
        with organization_scope(party.pk):
            assert not Session.objects.exists()


@pytest.mark.django_db
def test_only_posts_are_taken() -> None:
    answer = Client().get("/api/v1/logs")
    assert answer.status_code == 405
    assert answer["Allow"] == "POST"


@pytest.mark.django_db
def test_lines_are_read_back_by_number_for_their_holder_alone() -> None:
    people = cast()
    push_text(people.token(people.tenant), LOG, session="run-1")
    drain_all(people.tenant)
    with organization_scope(people.tenant.pk):
        stream = LogStream.objects.get()
        own = Actor(organization=people.tenant, rights=frozenset({Right.READ}))
        lines = lines_around(actor=own, stream_id=stream.pk, number=2, margin=1)
        assert [(line.number, line.text) for line in lines][:2] == [(1, "starting"), (2, "epoch 1")]
    other = Actor(organization=people.other, rights=frozenset({Right.READ}))
    with organization_scope(people.other.pk), pytest.raises(NotFound):
        lines_around(actor=other, stream_id=stream.pk, number=2, margin=1)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("label", "most"), [("session", 200), ("host", 253)])
def test_a_name_that_is_too_long_is_refused_and_never_cut(label: str, most: int) -> None:
    people = cast()
    token = people.token(people.tenant)
    refused = push_text(token, LOG, **{label: "n" * (most + 1)})
    assert refused.status_code == 400
    words = f"`{label}`: it has {most + 1} characters; at most {most} are taken"
    assert words in refused.content.decode()
    assert drain_all(people.tenant) == 0
    assert push_text(token, LOG, **{label: "n" * most}).status_code == 200


@pytest.mark.django_db(transaction=True)
def test_of_several_files_the_bad_one_is_named_and_nothing_is_stored() -> None:
    people = cast()
    files = [
        SimpleUploadedFile("rank0.log", LOG.encode()),
        SimpleUploadedFile("report.pdf", b"%PDF-1.7 of that night"),
    ]
    answer = Client(raise_request_exception=False).post(
        "/api/v1/logs",
        {"files": files},
        headers={"Authorization": f"Bearer {people.token(people.tenant)}"},
    )
    assert answer.status_code == 415
    words = "report.pdf: the file is no log, it is a PDF; nothing was stored"
    assert words in answer.content.decode()
    assert drain_all(people.tenant) == 0
