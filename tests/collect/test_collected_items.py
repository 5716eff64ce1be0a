"""What is collected of a job: which outputs, under which names, and what of empty answers."""

import json
from pathlib import Path
from typing import Any

from tests.collect.collecting import collected, inside
from tests.collect.programs import Programs


def _manifest(files: dict[str, str]) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(files["about/manifest.json"])
    return told


def test_outputs_of_one_name_are_numbered_from_the_second(programs: Programs) -> None:
    for folder in ("a", "b", "c"):
        Path(folder).mkdir()
        Path(folder, "train.out").write_text(f"of {folder}\n")
    options = [f"--output={folder}/train.out" for folder in ("a", "b", "c")]
    files = inside(collected(*options)[0])
    sessions = {name: text for name, text in files.items() if name.startswith("session/")}
    assert sessions == {
        "session/train.out": "of a\n",
        "session/train-2.out": "of b\n",
        "session/train-3.out": "of c\n",
    }


def test_a_link_that_is_named_at_the_command_is_followed(programs: Programs) -> None:
    Path("link.out").symlink_to("slurm 4711.out")
    files = inside(collected("--output", "link.out")[0])
    assert "step 100" in files["session/link.out"]


def test_the_streams_of_what_is_packed_are_told(programs: Programs) -> None:
    files = inside(collected("--job", "4711")[0])
    told = {one["path"]: one.get("stream") for one in json.loads(files["faultline.json"])}
    assert told == {
        "scheduler/sacct.txt": "scheduler",
        "session/slurm 4711.out": "session",
        "kernel/gpu002.log": "kernel",
        "nvidia-smi/gpu001.txt": None,
        "nvidia-smi/gpu002.txt": None,
    }


def test_answers_are_packed_however_short_and_not_where_they_are_empty(
    programs: Programs,
) -> None:
    programs.make("sacct", "printf x")
    programs.make("nvidia-smi", "printf x")
    programs.make("scontrol", 'case "$*" in *batch_script*) exit 1;; *) exit 0;; esac')
    tar, said = collected("--job", "4711", "--nodes", "gpu002", "--output", "slurm 4711.out")
    files = inside(tar)
    assert (files["scheduler/sacct.txt"], files["nvidia-smi/gpu002.txt"]) == ("x", "x")
    assert not {"about/scontrol.txt", "about/batch_script.sh"} & set(files)
    assert "about/scontrol.txt: it says nothing" in said


def test_what_is_said_at_the_command_goes_before_what_slurm_says(programs: Programs) -> None:
    span = ("--from", "2026-11-20T00:00+00:00", "--to", "2026-11-20T01:00+00:00")
    files = inside(collected("--job", "4711", "--nodes", "gpu002", *span)[0])
    told = _manifest(files)
    assert (told["kernel_from"], told["kernel_to"]) == (
        "2026-11-19T23:00:00+00:00",
        "2026-11-20T01:10:00+00:00",
    )
    assert "nvidia-smi/gpu001.txt" not in files


def test_a_node_whose_clock_says_nothing_is_no_clock_of_the_manifest(programs: Programs) -> None:
    programs.make("date", "exit 1")
    files = inside(collected("--job", "4711")[0])
    assert _manifest(files)["clocks"] == {}
    assert "about/hosts/gpu002.txt" in files


def test_hosts_of_the_output_are_hidden_beside_those_of_the_job(programs: Programs) -> None:
    Path("slurm 4711.out").write_text("srun: error: other07: task 0: Killed\nhost: gpu001\n")
    tar, _ = collected("--job", "4711", "--output", "slurm 4711.out", "--redact", "hosts")
    (names,) = Path().glob("*.names.json")
    assert json.loads(names.read_text()) == {
        "node-0001": "gpu001",
        "node-0002": "gpu002",
        "node-0003": "other07",
        "node-0004": "gpu009",  # numbered like them
        "nodes-001": "gpu[001-002]",
    }
    assert "other07" not in "".join(inside(tar).values())


def test_nothing_but_credentials_hidden_leaves_no_list_of_names(programs: Programs) -> None:
    collected("--output", "slurm 4711.out")
    assert not list(Path().glob("*.names.json"))


def test_what_was_had_and_what_was_not_is_counted_by_kind(programs: Programs) -> None:
    _, said = collected("--job", "4711")
    assert "kernel logs:         1, 1 missing" in said
    assert "nvidia-smi -q:       2\n" in said
