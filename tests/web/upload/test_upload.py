"""Files dropped in the browser: kept, counted, refused in words, led on to what they tell."""

import gzip
import html

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, override_settings

from apps.fleet.models import Session
from apps.incidents.models import Incident
from apps.telemetry.formats.file_sets import EMPTY
from apps.telemetry.formats.upload import NO_TEXT, OTHER_KIND
from apps.telemetry.limits import push_turns
from apps.telemetry.models import Batch, LogStream
from apps.tenancy.models import MemberRole
from apps.tenancy.scope import organization_scope
from tests.api.receivers.packed_bodies import BODIES
from tests.cast import make
from tests.cast.incidents import Cast
from tests.cast.pushes import drain_all
from tests.scenarios.told_in_order import AFTER, BEFORE, DONE
from tests.scenarios.told_in_order import STEPS as STEPS_OF_RUN
from tests.web.conftest import Browser
from tests.web.upload.uploads import LINES, plain


@pytest.mark.parametrize("body", [LINES, gzip.compress(LINES)], ids=["plain", "gzip"])
def test_files_are_kept_and_their_page_says_so(cast: Cast, browser: Browser, body: bytes) -> None:
    client = browser(cast.tenant)
    response = client.post(f"/o/{cast.tenant.slug}/upload/", {"files": [plain(body)]}, follow=True)
    text = response.content.decode()
    assert "What your files tell" in text
    assert "2 lines are kept." in text


def test_the_progress_of_a_batch_is_nobody_elses_business(cast: Cast, browser: Browser) -> None:
    client = browser(cast.tenant)
    client.post(f"/o/{cast.tenant.slug}/upload/", {"files": [plain()]})
    with organization_scope(cast.tenant.pk):
        batch = Batch.objects.for_organization(cast.tenant).get()
    there = f"upload/{batch.public_id}/"
    assert client.get(f"/o/{cast.tenant.slug}/{there}").status_code == 200
    other = browser(cast.operator)
    assert other.get(f"/o/{cast.operator.slug}/{there}").status_code == 404


def test_a_file_without_a_line_is_refused_in_words(cast: Cast, browser: Browser) -> None:
    response = browser(cast.tenant).post(f"/o/{cast.tenant.slug}/upload/", {"files": [plain(b"")]})
    assert "message-bad" in response.content.decode()


def send(client: Client, *files: SimpleUploadedFile, **said: str) -> str:
    """Return the page that follows an upload."""
    home = client.get("/")["Location"]
    answer = client.post(f"{home}upload/", {"files": files, **said}, follow=True)
    return html.unescape(answer.content.decode())


def batches(cast: Cast) -> list[Batch]:
    """Return what the tenant's uploads stored."""
    with organization_scope(cast.tenant.pk):
        return list(Batch.objects.for_organization(cast.tenant))


PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40


def test_what_is_no_log_is_left_out_and_named_beside_the_result(
    cast: Cast, browser: Browser
) -> None:
    files = (
        plain(PICTURE, "screen.png"),
        plain(),
        plain(b"", "empty.log"),
        plain(BODIES["zip"], "run.zip"),
    )

    text = send(browser(cast.tenant), *files)

    assert "2 lines are kept." in text
    assert "screen.png: the file is no log, it is a picture" in text
    assert "empty.log: it is empty" in text
    assert "run.zip: a tar or zip is not taken here" in text
    assert "train.log" not in text
    assert [batch.line_count for batch in batches(cast)] == [2]


def test_where_none_is_a_log_each_is_named_and_nothing_stored(cast: Cast, browser: Browser) -> None:
    pictures = [plain(PICTURE, f"{number}.png") for number in range(12)]

    text = send(browser(cast.tenant), *pictures)

    assert "None of these files is a log. Nothing was stored." in text
    assert "0.png: the file is no log, it is a picture" in text
    assert "and 2 more" in text
    assert batches(cast) == []


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ({"tz": "Asia/Soul"}, "did you mean `Asia/Seoul`?"),
        ({"tz": "KST"}, "did you mean `Asia/Seoul`?"),
        ({"stream": "kernl"}, "did you mean `kernel`?"),
    ],
)
def test_a_mistyped_label_is_refused_with_what_was_meant_and_the_rest_stays(
    cast: Cast, browser: Browser, said: dict[str, str], meant: str
) -> None:
    text = send(browser(cast.tenant), plain(), session="my-run", host="gpu1", **said)

    assert "Not taken: " in text
    assert meant in text
    assert 'value="my-run"' in text
    assert 'value="gpu1"' in text
    assert batches(cast) == []


def test_why_a_file_is_left_out_is_said_in_the_readers_language(
    cast: Cast, browser: Browser
) -> None:
    client = browser(cast.tenant)
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "ko"
    files = {"a.pdf": b"%PDF-1.7", "b.log": b"", "c.bin": bytes(range(32)) * 40}
    text = send(client, plain(), *(plain(body, name=name) for name, body in files.items()))
    for reason in (EMPTY, NO_TEXT, OTHER_KIND % {"kind": "a PDF"}):
        assert reason not in text
    assert "a.pdf: 로그가 아닌 파일입니다: PDF" in text
    assert "b.log: 비어 있습니다" in text


@pytest.mark.parametrize("body", [BODIES[name] for name in ("tar", "tar.gz", "tar.zst")])
def test_a_tar_is_read_and_its_paths_tell_host_and_rank(
    cast: Cast, browser: Browser, body: bytes
) -> None:
    assert "1 line is kept." in send(browser(cast.tenant), plain(body, "run.tar"))

    drain_all(cast.tenant)
    with organization_scope(cast.tenant.pk):
        stream = LogStream.objects.get()
    assert (stream.labels["host"], stream.labels["rank"]) == ("gpu1", "0")


@override_settings(PORTAL_MAX_DECODED_BYTES=5_000_000)
def test_a_file_that_is_too_big_is_named_and_nothing_is_stored(
    cast: Cast, browser: Browser
) -> None:
    bomb = plain(gzip.compress(LINES * 300_000), "bomb.gz")

    text = send(browser(cast.tenant), plain(), bomb)

    assert "bomb.gz: a file is taken up to 64 MiB and 4 MiB unpacked. Nothing was stored." in text
    assert batches(cast) == []


def test_a_form_without_files_is_refused_in_words(cast: Cast, browser: Browser) -> None:
    response = browser(cast.tenant).post(f"/o/{cast.tenant.slug}/upload/", {})
    assert "Choose at least one file" in response.content.decode()


def test_the_good_part_of_a_torn_file_is_kept(cast: Cast, browser: Browser) -> None:
    torn = gzip.compress(LINES * 5000)[:-200]
    response = browser(cast.tenant).post(
        f"/o/{cast.tenant.slug}/upload/", {"files": [plain(torn, "a.gz")]}
    )
    text = response.content.decode()
    assert "the gzip stream ends too early" in text
    assert "lines are kept." in text


def test_a_cluster_one_takes_no_part_in_is_not_found(cast: Cast, browser: Browser) -> None:
    foreign = make.cluster()
    response = browser(cast.tenant).post(
        f"/o/{cast.tenant.slug}/upload/", {"files": [plain()], "cluster": foreign.slug}
    )
    assert response.status_code == 404


def test_a_viewer_may_not_upload(cast: Cast, browser: Browser) -> None:
    client = browser(cast.tenant, MemberRole.VIEWER)
    response = client.post(f"/o/{cast.tenant.slug}/upload/", {"files": [plain()]})
    assert response.status_code == 404


def test_lines_that_arrive_while_one_watches_are_told(cast: Cast, browser: Browser) -> None:
    client = browser(cast.tenant)
    client.post(f"/o/{cast.tenant.slug}/upload/", {"files": [plain()]})
    response = client.get(
        f"/o/{cast.tenant.slug}/sources/?since=2001-01-01T00:00:00%2B00:00",
        headers={"HX-Request": "true"},
    )
    assert "2 lines arrived since you opened this page" in response.content.decode()


def test_one_line_is_told_as_one(cast: Cast, browser: Browser) -> None:
    client, home = browser(cast.tenant), f"/o/{cast.tenant.slug}"
    form = {"files": [plain(b"a line\n")]}
    kept = client.post(f"{home}/upload/", form, follow=True)
    told = client.get(
        f"{home}/sources/?since=2001-01-01T00:00:00%2B00:00", headers={"HX-Request": "true"}
    )

    assert "1 line is kept." in kept.content.decode()
    assert "1 line arrived since you opened this page, the newest" in told.content.decode()


def test_who_has_its_turns_at_work_is_asked_to_come_back(
    cast: Cast, browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(push_turns, "TURNS", push_turns.Turns(at_once=8, of_one=1, waiting=0))
    where = f"/o/{cast.tenant.slug}/upload/"
    client = browser(cast.tenant)
    with push_turns.TURNS.turn(cast.tenant.pk, seconds=0):
        response = client.post(where, {"files": [plain()]})
    assert "Try again in a minute" in response.content.decode()
    response = client.post(where, {"files": [plain()]}, follow=True)
    assert "2 lines are kept." in response.content.decode()


STEPS = [
    f"2026-11-21 02:00:{second:02} [Rank 0] INFO iteration {second}/40 | loss 2.{second:02}"
    for second in range(40)
]
TIME_LIMIT = (
    "slurmstepd: error: *** JOB 40097 ON gpu001 CANCELLED AT 2026-11-21T02:01:07 "
    "DUE TO TIME LIMIT ***"
)
ENDINGS = {
    "finished": (
        [*STEPS, "2026-11-21 02:01:00 INFO Training finished."],
        "40097 finished at 21 Nov 02:01:00 UTC; nothing broke.",
    ),
    "cancelled by": (
        [
            *STEPS,
            "[2026-11-21T02:01:06.222] _slurm_rpc_kill_job: REQUEST_KILL_JOB JobId=40097 uid 1004",
            "slurmstepd: error: *** JOB 40097 ON gpu001 CANCELLED AT 2026-11-21T02:01:07 ***",
        ],
        "40097 was cancelled by user 1004 at 21 Nov 02:01:07 UTC; nothing broke.",
    ),
    "cancelled": (
        [
            *STEPS,
            "slurmstepd: error: *** JOB 40097 ON gpu001 CANCELLED AT 2026-11-21T02:01:07 ***",
        ],
        "40097 was cancelled at 21 Nov 02:01:07 UTC; nothing broke.",
    ),
    "time limit": (
        [
            *STEPS,
            TIME_LIMIT,
        ],
        "40097 reached its time limit at 21 Nov 02:01:07 UTC; nothing broke.",
    ),
    "nothing told": (["first line", "second line"], "Nothing in them says that a session stopped."),
}


@pytest.mark.parametrize("name", ENDINGS)
def test_what_did_not_break_is_said_to_have_ended_with_a_way_to_the_session(
    cast: Cast, browser: Browser, name: str
) -> None:
    lines, sentence = ENDINGS[name]
    client = browser(cast.tenant)
    form = {"files": [plain("\n".join(lines).encode())], "session": "40097", "tz": "UTC"}
    client.post(f"/o/{cast.tenant.slug}/upload/", form)
    drain_all(cast.tenant)
    with organization_scope(cast.tenant.pk):
        batch = Batch.objects.get()
        session = Session.objects.get()
        Batch.objects.update(finished_at=make.AT)
    for _ in range(2):
        text = client.get(f"/o/{cast.tenant.slug}/upload/{batch.public_id}/").content.decode()
        assert sentence in text
        assert f"/sessions/{session.public_id}/" in text


OLD_UNIT = (
    "2026-11-20T12:11:00+09:00 gpu-n01 systemd[1]: train.service: Main process exited, "
    "code=exited, status=1/FAILURE\n"
)


@pytest.mark.parametrize("name", ["kernel.log", "node.log"])
@pytest.mark.parametrize("kernel", [BEFORE, AFTER, OLD_UNIT], ids=["before", "after", "unit"])
def test_a_run_that_finished_is_blamed_on_nothing_that_a_kernel_log_of_days_apart_tells(
    cast: Cast, browser: Browser, kernel: str, name: str
) -> None:
    client = browser(cast.tenant)
    files = [plain((STEPS_OF_RUN + DONE).encode()), plain(kernel.encode(), name=name)]
    client.post(f"/o/{cast.tenant.slug}/upload/", {"files": files, "tz": "UTC"})
    drain_all(cast.tenant)
    with organization_scope(cast.tenant.pk):
        assert not Incident.objects.exists()
        Batch.objects.update(finished_at=make.AT)
        batch = Batch.objects.get()
    text = client.get(f"/o/{cast.tenant.slug}/upload/{batch.public_id}/").content.decode()
    assert "finished at 22 Nov 13:02:58 UTC; nothing broke." in text
