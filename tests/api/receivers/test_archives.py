"""Many files in one are refused by what they hold, packed or not, and nothing of them is kept."""

import gzip
from random import Random

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from apps.telemetry.files.file_magic import is_noise
from apps.telemetry.logs.accept import BATCH_BYTES
from apps.telemetry.models import Batch
from apps.tenancy.scope import organization_scope
from tests.api.receivers.packed_bodies import BODIES
from tests.cast.pushes import cast, push_text


@pytest.mark.django_db
@pytest.mark.parametrize("body", BODIES.values(), ids=list(BODIES))
def test_an_archive_is_refused_with_what_to_do_instead(body: bytes) -> None:
    people = cast()

    answer = push_text(people.token(people.tenant), body, session="run-1")

    assert answer.status_code == 415
    assert "send the files in it" in answer.json()["detail"]


OTHERS = {
    "picture": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40,
    "packed picture": gzip.compress(b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40),
    "program": b"\x7fELF\x02\x01\x01" + bytes(600),
    "PDF": b"%PDF-1.7\n1 0 obj\n",
    "bzip2": b"BZh91AY&SY" + bytes(range(200)),
}


@pytest.mark.django_db
@pytest.mark.parametrize("body", OTHERS.values(), ids=list(OTHERS))
def test_a_file_that_is_no_text_is_refused_whole_with_what_it_is(body: bytes) -> None:
    people = cast()

    answer = push_text(people.token(people.tenant), body, session="run-1")

    assert answer.status_code == 415
    assert "is no log, it is" in answer.json()["detail"]
    with organization_scope(people.tenant.pk):
        assert not Batch.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("seed", range(3))
def test_bytes_that_are_no_text_are_refused(seed: int) -> None:
    people = cast()
    body = Random(seed).randbytes(3000)  # noqa: S311  the same each time

    answer = push_text(people.token(people.tenant), body, session="run-1")

    assert answer.status_code == 415
    assert "its bytes are no text" in answer.json()["detail"]


@pytest.mark.parametrize(
    "body",
    [
        *("학습이 멈추었습니다\n".encode(each) for each in ("utf-8", "cp949")),
        b"\x1b[31mERROR\x1b[0m loss is nan\n",
        b"a\x00b\n" * 20 + b"a line of text\n",
        b"a\x00b\nc",
        bytes(4096),  # before what was written to a log that had been cut to nothing meanwhile
        bytes(4000) + b"step 1\x00\n",
        b"",
    ],
)
def test_old_encodings_colors_and_a_few_odd_bytes_are_text(body: bytes) -> None:
    assert not is_noise(head=body)


@pytest.mark.django_db
def test_a_line_of_garbage_loses_no_other() -> None:
    people = cast()
    body = b"a line\n" + OTHERS["picture"] + b"\nanother line\n"

    answer = push_text(people.token(people.tenant), body, session="run-1")

    assert answer.status_code == 200
    assert answer.json()["accepted"] >= 2


@pytest.mark.django_db
def test_an_archive_among_files_leaves_nothing_of_those_before_it() -> None:
    people = cast()
    form = {
        "a": SimpleUploadedFile("a.log", b"a line of some length\n" * (BATCH_BYTES // 10)),
        "b": SimpleUploadedFile("b.log", BODIES["tar.gz"]),
    }

    answer = Client().post(
        "/api/v1/logs", form, headers={"Authorization": f"Bearer {people.token(people.tenant)}"}
    )

    assert answer.status_code == 415
    with organization_scope(people.tenant.pk):
        assert not Batch.objects.exists()
