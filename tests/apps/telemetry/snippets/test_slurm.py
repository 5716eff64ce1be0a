"""Slurm's hook: what it makes of what Slurm tells, and what becomes of what can't be sent.

The facts are those of a real Slurm 22.05 (tests/live/test_slurm.py has one).
"""

import json
import os
import stat
from datetime import datetime
from pathlib import Path
from threading import Event as Pause
from typing import Any

import pytest

from apps.fleet.models import Attempt
from apps.telemetry.submissions.pieces import EVENTS_AT_ONCE
from apps.tenancy.scope import organization_scope
from tests.apps.telemetry.snippets.slurm_hook import SECONDS, TOKEN, Hook, Portal, installed
from tests.cast.pushes import cast, push_json

START, END = 1795378395, 1795378401
NODES = "gpu[001-002]"
PROLOG = {
    "SLURM_JOB_ID": "4711",
    "SLURM_JOB_ACCOUNT": "solar",
    "SLURM_JOB_USER": "ada",
    "SLURM_JOB_NAME": "llm",
    "SLURM_JOB_NODELIST": NODES,
    "SLURM_JOB_RESTART_COUNT": "0",
    "SLURM_SCRIPT_CONTEXT": "prolog_slurmctld",
}
EPILOG = {
    **PROLOG,
    "SLURM_JOB_EXIT_CODE": "0",
    "SLURM_JOB_EXIT_CODE2": "0:0",
    "SLURM_SCRIPT_CONTEXT": "epilog_slurmctld",
}
JOBCOMP = {
    "JOBID": "4711",
    "JOBNAME": "llm",
    "ACCOUNT": "solar",
    "USERNAME": "ada",
    "ARRAYJOBID": "0",
    "ARRAYTASKID": "4294967294",
    "NODES": NODES,
    "JOBSTATE": "COMPLETED",
    "EXITCODE": "0:0",
    "START": str(START),
    "END": str(END),
}


@pytest.fixture
def portal() -> Portal:
    """A stand-in of the portal, still away."""
    return Portal()


@pytest.fixture
def hook(tmp_path: Path, portal: Portal, monkeypatch: pytest.MonkeyPatch) -> Hook:
    """The hook as it is pasted."""
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    return installed(tmp_path, portal.url)


def read(hook: Hook, *told: dict[str, str]) -> list[dict[str, Any]]:
    """Return the events that become of what was told, in this order."""
    sender = hook.module()
    found: list[dict[str, Any]] = []
    for number, facts in enumerate(told):
        is_run = facts.get("SLURM_SCRIPT_CONTEXT") == "prolog_slurmctld"
        at = float(START + number if is_run else END + number)
        found += sender.Sender(str(hook.spool)).events(facts, at, f"file{number}") or []
    return found


def ends(events: list[dict[str, Any]]) -> list[tuple[str, int, str]]:
    """Return session, attempt and state of each."""
    return [(each["session"], each["attempt"], each["state"]) for each in events]


@pytest.mark.django_db
def test_a_start_and_an_end_arrive_with_their_times_and_hosts(hook: Hook, portal: Portal) -> None:
    people = cast()
    with portal.opened():
        hook.run(PROLOG)
        hook.run({**JOBCOMP, "JOBSTATE": "TIMEOUT"})
        events = [{**each, "cluster": people.cluster.slug} for each in portal.events(3)]
    answer = push_json("/api/v1/session-events", people.token(people.platform), {"events": events})

    assert answer.json() == {"accepted": 3, "rejected": []}
    with organization_scope(people.tenant.pk):
        attempt = Attempt.objects.select_related("session").get()
    assert (attempt.number, attempt.state) == (1, "walltime")
    assert attempt.hosts == ["gpu001", "gpu002"]
    assert attempt.started_at
    assert attempt.ended_at
    assert int(attempt.started_at.timestamp()) == START
    assert int(attempt.ended_at.timestamp()) == END
    session = attempt.session
    assert (session.scheduler, session.name, session.project) == ("slurm", "4711", "solar")
    assert session.job == "llm"


def test_slurms_states_have_words_here(hook: Hook) -> None:
    states = {
        "COMPLETED": "finished",
        "FAILED": "failed",
        "NODE_FAIL": "failed",
        "BOOT_FAIL": "failed",
        "OUT_OF_MEMORY": "failed",
        "CANCELLED": "cancelled",
        "PREEMPTED": "preempted",
        "TIMEOUT": "walltime",
        "DEADLINE": "walltime",
        "PENDING": "cancelled",  # put back into the queue by somebody
    }
    told = [{**JOBCOMP, "JOBID": str(n), "JOBSTATE": s} for n, s in enumerate(states, start=1)]

    assert [each["state"] for each in read(hook, *told)[1::2]] == list(states.values())


def test_what_is_no_end_tells_nothing(hook: Hook) -> None:
    assert read(hook, {**JOBCOMP, "JOBSTATE": "RESIZING"}) == []


def test_a_job_that_asked_to_run_again_by_its_exit_code_failed(hook: Hook) -> None:
    again = {**JOBCOMP, "JOBSTATE": "SPECIAL_EXIT", "EXITCODE": "7:0"}

    assert read(hook, again)[-1]["state"] == "failed"


@pytest.mark.parametrize("account", ["", "(null)", None])
def test_no_account_is_no_project(hook: Hook, account: str | None) -> None:
    told = {key: value for key, value in PROLOG.items() if key != "SLURM_JOB_ACCOUNT"}
    told |= {} if account is None else {"SLURM_JOB_ACCOUNT": account}

    assert [each["project"] for each in read(hook, told)] == [""]


def test_any_name_is_sent_as_it_is(hook: Hook, portal: Portal) -> None:
    name = "a \"named\" \\ job\twith\na line, é, 학습, $(id) `id` '%s' and "
    with portal.opened():
        hook.run({**PROLOG, "SLURM_JOB_NAME": name.encode() + b"\xff\xfe"})
        (event,) = portal.events(1)

    assert event["job"] == f"{name}\ufffd\ufffd"
    assert event["state"] == "running"


@pytest.mark.parametrize(
    ("said", "hosts"),
    [
        ("gpu001", ["gpu001"]),
        ("gpu[001-002,7],login1", ["gpu001", "gpu002", "gpu7", "login1"]),
        ("r[1-2]n[09-10]x", ["r1n09x", "r1n10x", "r2n09x", "r2n10x"]),
        ("", []),
        ("(null)", []),
    ],
)
def test_hosts_are_each_named(hook: Hook, said: str, hosts: list[str]) -> None:
    assert [each["hosts"] for each in read(hook, {**PROLOG, "SLURM_JOB_NODELIST": said})] == [hosts]


def test_each_start_of_a_requeued_job_is_an_attempt(hook: Hook) -> None:
    again = {**PROLOG, "SLURM_JOB_RESTART_COUNT": "1"}
    put_back = {**JOBCOMP, "JOBSTATE": "PREEMPTED"}
    # The epilog of the first attempt counts the restart that is to come.
    first = (PROLOG, {**EPILOG, "SLURM_JOB_RESTART_COUNT": "1"}, put_back)
    done = {**JOBCOMP, "START": str(START + 3), "END": str(END + 9)}

    assert ends(read(hook, *first, again, done)) == [
        ("4711", 1, "running"),
        ("4711", 1, "running"),
        ("4711", 1, "preempted"),
        ("4711", 2, "running"),
        ("4711", 2, "running"),
        ("4711", 2, "finished"),
    ]


def test_a_completion_that_is_told_twice_is_of_one_attempt(hook: Hook) -> None:
    assert {number for _, number, _ in ends(read(hook, PROLOG, JOBCOMP, JOBCOMP))} == {1}


def test_a_job_that_began_before_the_hook_has_the_attempt_that_slurm_counts(hook: Hook) -> None:
    hook.says("scontrol", "JobId=4711 JobState=FAILED Restarts=2 EndTime=1795378401\n")
    assert ends(read(hook, JOBCOMP)) == [("4711", 3, "running"), ("4711", 3, "finished")]

    hook.says("scontrol", "JobId=4712 JobState=PENDING Restarts=2 EndTime=Unknown\n")
    assert ends(read(hook, {**JOBCOMP, "JOBID": "4712"}))[0] == ("4712", 2, "running")


def test_a_job_cancelled_before_it_ran_has_no_start_and_no_hosts(hook: Hook) -> None:
    told = {**JOBCOMP, "JOBSTATE": "CANCELLED", "NODES": "", "START": str(END)}
    (event,) = read(hook, told)

    assert (event["state"], event["attempt"], event["hosts"]) == ("cancelled", 1, [])
    assert event["at"] == "2026-11-22T20:13:21Z"


def test_a_task_of_an_array_is_called_as_squeue_calls_it(hook: Hook) -> None:
    start = {**PROLOG, "SLURM_ARRAY_JOB_ID": "7", "SLURM_ARRAY_TASK_ID": "3"}
    end = {**JOBCOMP, "ARRAYJOBID": "7", "ARRAYTASKID": "3"}

    events = read(hook, start, end)

    assert {name for name, _, _ in ends(events)} == {"7_3"}
    assert [each["aliases"] for each in events] == [["4711"]] * 3


def test_a_heterogeneous_job_is_one_session_on_the_hosts_of_all_components(hook: Hook) -> None:
    leader = {"SLURM_HET_JOB_ID": "4711", "SLURM_HET_JOB_OFFSET": "0"}
    second = {**PROLOG, "SLURM_JOB_ID": "4712", "SLURM_JOB_NODELIST": "gpu009"}
    second |= {"SLURM_HET_JOB_ID": "4711", "SLURM_HET_JOB_OFFSET": "1"}
    events = read(
        hook,
        second,
        {**PROLOG, **leader, "SLURM_HET_JOB_NODELIST": "gpu[001-002,009]"},
        {**JOBCOMP, "HETJOBID": "4711", "HETJOBOFFSET": "0", "JOBSTATE": "NODE_FAIL"},
        {**JOBCOMP, "JOBID": "4712", "HETJOBID": "4711", "HETJOBOFFSET": "1", "NODES": "gpu009"},
    )

    named, told = [[each for each in events if is_of == ("state" in each)] for is_of in (0, 1)]
    assert ends(told)[-1] == ("4711", 1, "failed")
    assert {tuple(each["hosts"]) for each in told} == {("gpu001", "gpu002", "gpu009")}
    assert {each["session"] for each in events} == {"4711"}
    assert [each["aliases"] for each in named] == [["4712", "4711+1"]] * 2
    assert {tuple(each["aliases"]) for each in told} == {("4711+0",)}


def test_a_site_without_accounts_may_name_projects_by_its_users(hook: Hook) -> None:
    sender = hook.folder / "faultline-sender"
    sender.write_text(sender.read_text().replace('PROJECT = "account"', 'PROJECT = "user"'))

    assert {each["project"] for each in read(hook, PROLOG, JOBCOMP)} == {"ada"}


def test_only_its_account_says_whose_a_job_is(hook: Hook) -> None:
    assert "ada" not in json.dumps(read(hook, PROLOG, JOBCOMP))


ROW = "4711|{}|0:0|{}|{}\n"


@pytest.mark.parametrize(
    ("sacct", "scontrol", "state"),
    [
        (ROW.format("CANCELLED by 1004", START, END), "", "cancelled"),
        (ROW.format("NODE_FAIL", START, END) + ROW.format("PENDING", "Unknown", "Unknown"), "",
         "failed"),
        ("", f"JobId=4711 JobState=TIMEOUT ExitCode=0:0 StartTime={START} EndTime={END}\n",
         "walltime"),
    ],
)  # fmt: skip
def test_where_only_the_epilog_speaks_slurm_is_asked_for_the_end(
    hook: Hook, sacct: str, scontrol: str, state: str
) -> None:
    hook.says("sacct", sacct)
    hook.says("scontrol", scontrol)
    events = read(hook, PROLOG, EPILOG)

    assert ends(events)[-1] == ("4711", 1, state)
    assert events[-1]["at"] == "2026-11-22T20:13:21Z"


def test_an_epilog_waits_for_slurm_and_then_says_what_the_exit_code_says(hook: Hook) -> None:
    hook.says("scontrol", "JobId=4711 JobState=COMPLETING ExitCode=0:0 StartTime=5 EndTime=6\n")
    sender = hook.module().Sender(str(hook.spool))
    moment = sender.until - 86400  # now
    assert sender.events(EPILOG, moment, "file") is None

    failed = {**EPILOG, "SLURM_JOB_EXIT_CODE": "256"}
    assert [each["state"] for each in sender.events(failed, moment - 301, "older")] == ["failed"]
    unknown = {**EPILOG, "SLURM_JOB_ID": "4712"}
    assert sender.events(unknown, moment - 301, "oldest") == []
    assert "how job 4712 ended can't be told" in hook.logged()[-1]


def test_what_the_portal_does_not_take_waits_and_is_sent_again(hook: Hook, portal: Portal) -> None:
    hook.run(PROLOG)
    hook.run({**PROLOG, "SLURM_JOB_ID": "4712"})
    portal.answers.extend((503, 401, 429))
    with portal.opened():
        tries = [portal.sent.get(timeout=SECONDS)[2]["events"] for _ in range(4)]
        _settle(hook)

    assert {each["session"] for each in tries[-1]} == {"4711", "4712"}
    assert portal.sent.empty()
    assert hook.waiting() == []


def test_of_many_that_wait_each_request_is_answered_at_once(hook: Hook, portal: Portal) -> None:
    """More of them are carried out later: nobody told Slurm's host then what was wrong."""
    jobs = [str(job) for job in range(4711, 4717)]
    submitted = {**JOBCOMP, "SUBMIT": str(START - 60)}  # of three events each
    for job in jobs:
        hook.run({**submitted, "JOBID": job})
    requests: list[list[dict[str, Any]]] = []
    with portal.opened():
        while sum(map(len, requests)) < 3 * len(jobs):
            requests.append(portal.sent.get(timeout=SECONDS)[2]["events"])
        _settle(hook)

    assert {each["session"] for events in requests for each in events} == set(jobs)
    assert max(map(len, requests)) <= EVENTS_AT_ONCE
    assert len(requests) < len(jobs)


def test_what_is_refused_stands_in_the_systems_log_and_holds_up_nothing(
    hook: Hook, portal: Portal
) -> None:
    portal.answers.append(400)
    with portal.opened():
        hook.run(PROLOG)
        portal.events(1)
        _settle(hook)
        hook.run({**PROLOG, "SLURM_JOB_ID": "4712"})
        assert [each["session"] for each in portal.events(1)] == ["4712"]

    (line,) = hook.logged()
    assert line.startswith("the portal answers 400: {")
    assert "mapped to nobody" in line
    assert TOKEN not in line


def test_the_token_goes_to_the_portal_alone(hook: Hook, portal: Portal) -> None:
    portal.answers.append(307)
    with portal.opened():
        hook.run(PROLOG)
        first, second = (portal.sent.get(timeout=SECONDS) for _ in range(2))
        _settle(hook)

    assert [path for path, _, _ in (first, second)] == ["/api/v1/session-events"] * 2
    assert first[1] == f"Bearer {TOKEN}"


def test_the_token_is_in_a_file_for_slurm_alone(hook: Hook) -> None:
    token = hook.folder / "faultline.token"
    assert token.read_text() == f"{TOKEN}\n"
    assert stat.S_IMODE(token.stat().st_mode) == 0o600
    assert stat.S_IMODE(hook.spool.stat().st_mode) == 0o700
    for program in ("faultline-hook", "faultline-sender"):
        assert TOKEN not in (hook.folder / program).read_text()


def test_slurm_is_never_failed_by_it(hook: Hook) -> None:
    (hook.folder / "faultline-sender").write_text("raise SystemExit(1)")
    hook.run(PROLOG)
    (hook.folder / "faultline-sender").unlink()
    hook.run(PROLOG)
    assert len(hook.waiting()) == 2
    hook.spool.rename(hook.folder / "gone")
    hook.run(PROLOG)


def test_a_damaged_fact_stops_nothing_behind_it(hook: Hook, portal: Portal) -> None:
    (hook.spool / "new" / "damaged").write_bytes(b"JOBSTATE=COMPLETED\0")
    with portal.opened():
        hook.run(PROLOG)
        assert portal.events(1)[0]["session"] == "4711"
        _settle(hook)

    assert hook.logged() == ["what Slurm told of a job can't be read: KeyError"]


def test_what_the_disk_does_not_give_now_is_kept_and_holds_up_nothing(
    hook: Hook, portal: Portal
) -> None:
    unreadable = [hook.spool / kind / "unreadable" for kind in ("new", "out")]
    for each in unreadable:
        each.mkdir(parents=True)  # to open it is an error of the system, as of a bad disk
    with portal.opened():
        hook.run(PROLOG)
        assert portal.events(1)[0]["session"] == "4711"
        assert all(each.exists() for each in unreadable)
        for each in unreadable:
            each.rmdir()
        _settle(hook)

    assert hook.logged() == ["the spool can't be read: IsADirectoryError"]
    assert portal.sent.empty()


def _settle(hook: Hook) -> None:
    pause = Pause()
    for _ in range(SECONDS * 20):
        if not hook.waiting():
            return
        pause.wait(0.05)


def test_a_completion_tells_when_the_job_was_submitted_and_what_slurm_calls_its_states(
    hook: Hook,
) -> None:
    submit = START - 300
    told = read(hook, {**JOBCOMP, "SUBMIT": str(submit), "JOBSTATE": "NODE_FAIL"})
    assert [each["scheduler_state"] for each in told] == ["PENDING", "RUNNING", "NODE_FAIL"]
    assert [each.get("state") for each in told] == [None, "running", "failed"]
    began = datetime.fromisoformat(told[1]["at"]) - datetime.fromisoformat(told[0]["at"])
    assert began.total_seconds() == 300
