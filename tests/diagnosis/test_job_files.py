"""Files of several jobs in one folder: said, and left out where one job is asked for."""

import io
from collections.abc import Mapping
from pathlib import Path

import pytest
from django.core.management import call_command

from apps.offline.reading.job_files import job_of_file

DIED = "{at} [rank0]: RuntimeError: NCCL error: unhandled system error\n"


def _said(folder: Path, texts: Mapping[str, str], *options: str) -> tuple[str, str]:
    """Return (standard output, standard error) of a diagnosis of these files."""
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    out, err = io.StringIO(), io.StringIO()
    try:
        call_command("diagnose", str(folder), *options, stdout=out, stderr=err)
    except SystemExit as left:
        assert left.code in (2, 3)  # noqa: PT017  the code is what is tested
    return out.getvalue(), err.getvalue()


def _at(moment: str) -> str:
    return DIED.format(at=f"2026-03-0{moment}:00:00")


@pytest.mark.parametrize(
    ("source", "job"),
    [
        ("slurm-4711.out", "4711"),
        ("slurm-812_3.out", "812"),
        ("logs/job_4711/rank0.log", "4711"),
        ("gpt2_n16-1832552.out", "1832552"),
        ("train.o4711", "4711"),
        ("train-20260301.out", None),
        ("kernel/gpu01234.log", None),
        ("session/gpu017/rank12.log", None),
        ("train.log", None),
    ],
)
def test_the_job_of_a_file_is_what_its_name_says(source: str, job: str | None) -> None:
    assert job_of_file(source=source) == job


def test_files_of_several_jobs_are_said_to_be_before_the_answer(tmp_path: Path) -> None:
    texts = {"a-71001.out": _at("1 10"), "b-71002.out": _at("2 10"), "slurm-71003.out": _at("3 10")}
    assert _said(tmp_path, texts)[1].startswith(
        "These files are of 3 jobs: 71001, 71002, 71003. They were read as runs of one session"
    )


@pytest.mark.parametrize(
    "names",
    [
        ("node-10001.out", "node-10002.out"),
        ("slurm-4711.out", "slurm-4711.err", "kernel/gpu017.log"),
        ("slurm-812_1.out", "slurm-812_2.out"),
        ("session/gpu017/rank0.log", "session/gpu018/rank1.log"),
    ],
)
def test_files_of_one_job_at_one_time_are_read_together(
    names: tuple[str, ...], tmp_path: Path
) -> None:
    assert "jobs" not in _said(tmp_path, dict.fromkeys(names, _at("1 10")))[1]


def test_names_that_differ_in_more_than_a_number_are_of_several_jobs(tmp_path: Path) -> None:
    texts = dict.fromkeys(("large-71001.out", "small-71002.out"), _at("1 10"))
    assert "2 jobs: 71001, 71002" in _said(tmp_path, texts)[1]


def test_jobs_at_one_time_are_told_apart_by_the_schedulers_names(tmp_path: Path) -> None:
    texts = dict.fromkeys(("slurm-4711.out", "slurm-4712.out"), _at("1 10"))
    assert "2 jobs: 4711, 4712" in _said(tmp_path, texts)[1]


def test_of_one_job_its_files_are_read_and_those_of_no_job(tmp_path: Path) -> None:
    gone = "[ 9.1] NVRM: Xid (PCI:0000:1b:00): 79, GPU has fallen off the bus.\n"
    texts = {
        "slurm-4711.out": _at("1 10"),
        "slurm-4712.out": "2026-03-02 10:00:00 [rank0]: KeyError: 'other'\n",
        "kernel/gpu017.log": gone,
    }
    out, err = _said(tmp_path, texts, "--job", "4711")
    assert "jobs" not in err
    assert "KeyError" not in out
    assert "GPU has fallen off the bus" in out


def test_a_job_that_no_file_names_is_refused(tmp_path: Path) -> None:
    out, err = _said(tmp_path, {"slurm-4711.out": _at("1 10")}, "--job", "5")
    assert (out, err) == ("", "--job: no file's name says job 5; there are 4711\n")
