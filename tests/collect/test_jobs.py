"""What is asked of Slurm, and which of its answers and of the nodes' go into the tar."""

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from apps.collect.asking import ProgramAnswer
from apps.collect.jobs import slurm_tables
from tests.collect.collecting import collected, inside
from tests.collect.programs import Programs


@pytest.mark.parametrize(
    ("code", "columns"), [(0, "JobID,State,NodeList,WorkDir"), (1, "JobID,State")]
)
def test_the_accounting_is_asked_for_what_it_knows_else_for_what_each_knows(
    tmp_path: Path, code: int, columns: str
) -> None:
    asked: list[Sequence[str]] = []

    def ask(command: Sequence[str], into: Path) -> ProgramAnswer:
        asked.append(command)
        into.write_text("JobID JobName State NodeList WorkDir")
        return ProgramAnswer(code=code)

    slurm_tables(job_id="4711", ask=ask, folder=tmp_path)

    assert [one[-1] for one in asked if "--jobs" in one] == [f"--format={columns}"]


def test_what_the_job_itself_names_as_its_output_goes_before_what_bears_its_number(
    programs: Programs,
) -> None:
    shown = programs.folder / "shown"
    shown.write_text(shown.read_text().replace("slurm 4711.out", "train.out"))
    Path("train.out").write_text("step 1\n")
    tar, _ = collected("--job", "4711")
    assert [name for name in inside(tar) if name.startswith("session/")] == ["session/train.out"]


def test_an_answer_that_says_nothing_is_named_and_not_packed(programs: Programs) -> None:
    programs.make("nvidia-smi", "exit 0")
    programs.make("sacct", "exit 0")
    tar, said = collected("--job", "4711")
    assert not {"scheduler/sacct.txt", "nvidia-smi/gpu001.txt"} & set(inside(tar))
    assert "scheduler/sacct.txt: it says nothing" in said
    assert "nvidia-smi/gpu001.txt: it says nothing" in said


def test_streams_and_hosts_are_told_of_files_that_are_packed_and_read(programs: Programs) -> None:
    programs.make("nvidia-smi", "exit 1")
    files = inside(collected("--job", "4711")[0])
    paths = {each["path"] for each in json.loads(files.pop("faultline.json"))}
    assert "kernel/gpu002.log" in paths
    assert paths == {name for name in files if not name.startswith("about/")}
