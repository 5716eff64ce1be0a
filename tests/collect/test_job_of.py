"""A job out of what Slurm says of it: its time, its nodes, its files and its owner."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from apps.collect import jobs
from apps.collect.asking import ProgramAnswer
from apps.collect.jobs import MOST_NODES, HostsOf, Job, job_of, span

AT = datetime(2026, 11, 20, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


def _nobody(command: Sequence[str], _into: Path) -> ProgramAnswer:
    raise AssertionError(command)


def _job(folder: Path, *, sacct: str = "", scontrol: str = "", job_id: str = "4711") -> Job:
    (folder / "sacct").write_text(sacct)
    (folder / "scontrol").write_text(scontrol)
    return job_of(job_id=job_id, folder=folder, hosts_of=HostsOf(ask=_nobody, folder=folder))


@pytest.mark.parametrize("state", ["RUNNING", "SUSPENDED", "COMPLETING"])
def test_a_job_that_runs_has_no_end_whoever_says_that_it_runs(tmp_path: Path, state: str) -> None:
    table = "JobID|State|End\n4711|{}|2026-11-20T03:15:00+0900\n"
    by_accounting = _job(tmp_path, sacct=table.format(f"{state} by 1000"))
    by_controller = _job(tmp_path, sacct=table.format("PENDING"), scontrol=f"JobState={state}")
    ended = _job(tmp_path, sacct=table.format("FAILED"), scontrol="JobState=FAILED")

    for one in (by_accounting, by_controller):
        assert (one.is_running, one.ends_at) == (True, None)
    assert (ended.is_running, ended.ends_at) == (False, datetime(2026, 11, 19, 18, 15, tzinfo=UTC))


def test_a_job_that_was_requeued_lasts_from_its_first_start_to_its_last_end(
    tmp_path: Path,
) -> None:
    rows = ["4711|FAILED|2026-11-20T02:00Z|2026-11-20T03:00Z|n1,n2"]
    rows += ["4711.batch|FAILED|2026-11-20T01:00Z|2026-11-20T09:00Z|n9"]
    rows += ["4711|FAILED|2026-11-20T04:00Z|2026-11-20T05:00Z|n2,n3"]
    found = _job(tmp_path, sacct="\n".join(["JobID|State|Start|End|NodeList", *rows]))
    assert (found.starts_at, found.ends_at) == (AT - 10 * HOUR, AT - 7 * HOUR)
    assert found.nodes == ("n1", "n2", "n3")


def test_a_job_names_its_outputs_once_and_by_names_that_are_filled_in(tmp_path: Path) -> None:
    (tmp_path / "a.out").write_text("")
    (tmp_path / "%j.err").write_text("")
    (tmp_path / "4711.log").write_text("")
    table = f"JobID|StdOut|StdErr|WorkDir\n4711|{tmp_path}/a.out|{tmp_path}/%j.err|{tmp_path}\n"
    shown = f"StdOut={tmp_path}/a.out\nStdErr={tmp_path}/gone.err\n"
    assert _job(tmp_path, sacct=table, scontrol=shown).outputs == (tmp_path / "a.out",)


def test_without_an_output_that_is_there_files_with_the_jobs_number_are_taken(
    tmp_path: Path,
) -> None:
    for name in ("run-4711.out", "run-47110.out", "4711_2.out"):
        (tmp_path / name).write_text("")
    (tmp_path / "4711").mkdir()
    shown = f"StdOut=/dev/null\nWorkDir={tmp_path}\nWorkDir=(null)\nWorkDir={tmp_path}/gone\n"
    assert _job(tmp_path, scontrol=shown).outputs == (tmp_path / "run-4711.out",)
    found = _job(tmp_path, scontrol=shown, job_id="4711_2")
    assert found.outputs == (tmp_path / "4711_2.out",)


@pytest.mark.parametrize(
    ("sacct", "scontrol", "owner"),
    [
        ("JobID|UID\n4711|1007\n", "UserId=kim(1008)", 1007),
        ("JobID|UID\n4711|\n", "UserId=kim(1008)", 1008),
        ("", "UserId=kim", None),
        ("", "Comment=x UserId=kim(1)\n UserId=kim(1008) GroupId=ml(1)", 1008),
    ],
)
def test_who_ran_a_job_stands_at_the_head_of_its_line(
    tmp_path: Path, sacct: str, scontrol: str, owner: int | None
) -> None:
    assert _job(tmp_path, sacct=sacct, scontrol=scontrol).owner == owner


def test_as_many_nodes_as_the_limit_are_asked_and_one_more_is_refused(tmp_path: Path) -> None:
    hosts_of = HostsOf(ask=_nobody, folder=tmp_path)
    names = [f"n{number}" for number in range(MOST_NODES)]
    assert len(hosts_of([",".join(names)])) == MOST_NODES
    with pytest.raises(ValueError, match="more than"):
        hosts_of([",".join([*names, "one-more"])])


def test_a_list_that_slurm_writes_short_is_written_out_by_slurm(tmp_path: Path) -> None:
    def ask(command: Sequence[str], into: Path) -> ProgramAnswer:
        into.write_text(f"{command[-1][:3]}1\n-x\n")
        return ProgramAnswer(code=0)

    assert HostsOf(ask=ask, folder=tmp_path)(["gpu[1-2]", "n7", "(null)", ""]) == ("gpu1", "n7")


@pytest.mark.parametrize(
    ("starts_at", "ends_at", "begins", "ends"),
    [
        (AT - 5 * HOUR, AT - 2 * HOUR, AT - 6 * HOUR, AT - 2 * HOUR + HOUR / 6),
        (AT - 5 * HOUR, None, AT - 6 * HOUR, AT),
        (AT - 5 * HOUR, AT - HOUR / 60, AT - 6 * HOUR, AT),
        (None, AT - 2 * HOUR, AT - 27 * HOUR + HOUR / 6, AT - 2 * HOUR + HOUR / 6),
    ],
)
def test_logs_are_asked_for_from_an_hour_before_to_ten_minutes_after_and_never_the_future(
    starts_at: datetime | None, ends_at: datetime | None, begins: datetime, ends: datetime
) -> None:
    job = Job(job_id="4711", starts_at=starts_at, ends_at=ends_at)
    assert span(job=job, now=AT) == (begins, ends)


def test_the_guess_is_a_bounded_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "MOST_GUESSED", 2)
    for number in range(3):
        (tmp_path / f"4711-{number}.out").write_text("")
    found = _job(tmp_path, scontrol=f"WorkDir={tmp_path}\n")
    assert [one.name for one in found.outputs] == ["4711-0.out", "4711-1.out"]
