"""One command → one tar that a diagnosis reads, whatever could not be had."""

import json
import os
import stat
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from apps.collect import asking
from apps.collect.asking import ask
from apps.collect.jobs import HostsOf
from tests.collect.collecting import collected, inside, programs_of
from tests.collect.programs import Programs


def manifest(tar: Path) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(inside(tar)["about/manifest.json"])
    return told


def test_a_job_number_is_enough_for_a_tar_that_names_the_broken_gpu(programs: Programs) -> None:
    tar, said = collected("--job", "4711")
    assert set(inside(tar)) == {
        "faultline.json",
        "scheduler/sacct.txt",
        "about/scontrol.txt",
        "about/batch_script.sh",
        "session/slurm 4711.out",
        "kernel/gpu002.log",
        "nvidia-smi/gpu001.txt",
        "nvidia-smi/gpu002.txt",
        "about/hosts/gpu001.txt",
        "about/hosts/gpu002.txt",
        "about/manifest.json",
    }
    assert "kernel/gpu001.log: dmesg: read kernel buffer failed" in said
    out = StringIO()
    call_command("diagnose", str(tar), "--format", "json", stdout=out)
    verdict = json.loads(out.getvalue())["verdict"]
    assert verdict["cause"] == "gpu-off-bus"
    assert {one["host"] for one in verdict["culprits"]} == {"gpu002"}


def test_the_tar_is_its_owners_alone_and_holds_no_credential(programs: Programs) -> None:
    tar, _ = collected("--job", "4711")
    assert stat.S_IMODE(tar.stat().st_mode) == 0o600
    everything = "".join(inside(tar).values())
    assert "hf_abcdef" not in everything
    assert "0123456789abcdef" not in everything
    assert "token=[secret]" in everything
    assert manifest(tar)["hidden"] == ["secrets"]


def test_redacted_it_names_no_host_user_or_folder_and_says_the_same(programs: Programs) -> None:
    tar, said = collected("--job", "4711", "--redact", "all")
    everything = "".join([*inside(tar), *inside(tar).values()])
    for name in ("gpu001", "gpu002", "minji", str(programs.work)):
        assert name not in everything
    (names,) = Path().glob("*.names.json")
    assert stat.S_IMODE(names.stat().st_mode) == 0o600
    assert json.loads(names.read_text())["node-0002"] == "gpu002"
    assert names.name in said
    out = StringIO()
    call_command("diagnose", str(tar), "--format", "json", stdout=out)
    verdict = json.loads(out.getvalue())["verdict"]
    assert verdict["cause"] == "gpu-off-bus"
    assert {one["host"] for one in verdict["culprits"]} == {"node-0002"}


def test_nodes_of_an_ended_job_are_asked_by_ssh_of_a_running_one_inside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = programs_of(tmp_path, monkeypatch, "RUNNING")
    collected("--job", "4711")
    assert "--jobid 4711 --overlap" in running.asked()
    assert "BatchMode" not in running.asked()
    # The kernel is asked about the hour before the job as well, and about boots before this one.
    start = int(datetime(2026, 11, 19, 16, tzinfo=UTC).timestamp())
    assert f"_TRANSPORT=kernel --since=@{start}" in running.asked()


def test_ended_jobs_are_asked_by_ssh_that_never_waits_for_a_password(programs: Programs) -> None:
    collected("--job", "4711")
    assert programs.asked().count("BatchMode=yes") == len(["gpu001", "gpu002"]) * 3 + 1


def test_without_slurm_nodes_and_files_are_enough(programs: Programs) -> None:
    tar, _ = collected(
        *("--nodes", "gpu002", "--output", "slurm 4711.out", "--from", "2026-11-20T02:00+09:00")
    )
    assert {"kernel/gpu002.log", "session/slurm 4711.out"} <= set(inside(tar))


def test_what_slurm_forgot_is_found_by_its_number_in_the_folder_it_ran_in(
    programs: Programs,
) -> None:
    programs.make("scontrol", 'case "$*" in *hostnames*) echo gpu001;; *) exit 1;; esac')
    Path("slurm-14711.out").write_text("of another job\n")
    tar, said = collected("--job", "4711")
    assert [name for name in inside(tar) if name.startswith("session/")] == [
        "session/slurm 4711.out"
    ]
    assert "about/scontrol.txt: exit status 1" in said


def test_the_manifest_tells_how_far_each_clock_is_off(programs: Programs) -> None:
    programs.make("date", "echo $(($(/bin/date +%s) + 100)).0")
    tar, _ = collected("--job", "4711")
    clock = manifest(tar)["clocks"]["gpu002"]
    assert clock["ahead_s"] == pytest.approx(100, abs=clock["error_s"] + 1.1)


def test_a_node_that_does_not_answer_costs_its_part_alone(
    programs: Programs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "SECONDS", 0.3)
    programs.make(
        "ssh",
        'case "$*" in *gpu001*) sleep 60;; esac; for one; do last=$one; done; '
        'NODE=gpu002 sh -c "$last"',
    )
    tar, said = collected("--job", "4711")
    assert "kernel/gpu002.log" in inside(tar)
    assert "nvidia-smi/gpu001.txt: no answer within" in said


def test_endless_answers_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "MOST_BYTES", 100_000)
    answer = ask(["sh", "-c", "yes"], tmp_path / "out")
    assert not answer.is_given
    assert (tmp_path / "out").stat().st_size == 100_000


@pytest.mark.parametrize(
    "arguments",
    [
        ["--job", "4711; rm -rf /"],
        ["--job", "-V"],
        ["--nodes", "gpu001,-oProxyCommand=x"],
        ["--nodes", "$(id)"],
        [],
    ],
)
def test_what_is_no_job_and_no_node_is_refused_before_anything_runs(
    programs: Programs, arguments: list[str]
) -> None:
    with pytest.raises(CommandError):
        call_command("collect", *arguments)
    assert not programs.asked()


def test_lists_of_hosts_that_expand_to_options_name_nobody(tmp_path: Path) -> None:
    hosts_of = HostsOf(ask=ask, folder=tmp_path)
    assert hosts_of(["-oProxyCommand=x,gpu1", "None assigned"]) == ("gpu1",)


def test_where_nothing_answers_nothing_is_written(
    programs: Programs, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("sacct", "scontrol", "ssh"):
        programs.make(name, "echo 'Unable to contact slurm controller' >&2; exit 1")
    Path("slurm 4711.out").unlink()
    with pytest.raises(SystemExit) as ended:
        call_command("collect", "--job", "4711")
    assert ended.value.code == 2
    assert "Unable to contact slurm controller" in capsys.readouterr().err
    assert not list(Path().glob("faultline-*"))


def test_a_file_that_is_there_already_is_not_written_over(
    programs: Programs, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("mine.tar.gz").write_text("mine")
    with pytest.raises(SystemExit):
        call_command("collect", "--job", "4711", "--into", "mine.tar.gz")
    assert Path("mine.tar.gz").read_text() == "mine"
    assert "File exists" in capsys.readouterr().err


def test_a_zero_in_a_log_hides_no_credential(programs: Programs) -> None:
    Path("torn.log").write_bytes(b"\0\0\0step 1\nHF_TOKEN=hf_abcdefghijklmnopqrstuv\0\n")
    tar, _ = collected("--output", "torn.log")
    assert "hf_abcdef" not in inside(tar)["session/torn.log"]
    assert "HF_TOKEN=[secret]" in inside(tar)["session/torn.log"]


def test_what_a_user_names_as_its_output_is_no_way_to_others_files(programs: Programs) -> None:
    Path("shadow").write_text("root:$6$secret\n")
    Path("slurm 4711.out").unlink()
    Path("slurm 4711.out").symlink_to("shadow")
    tar, said = collected("--job", "4711")
    assert "session/slurm 4711.out" not in inside(tar)
    assert "session/slurm 4711.out: it is a link" in said


@pytest.mark.skipif(os.geteuid() != 0, reason="only root reads what is not its own: run it as root")
def test_root_packs_what_the_jobs_user_owns_alone(programs: Programs) -> None:
    os.chown("slurm 4711.out", 1001, 1001)
    _, said = collected("--job", "4711")
    assert "session/slurm 4711.out: it is not of who ran the job" in said


def test_a_jobs_name_names_no_node(programs: Programs) -> None:
    shown = (programs.folder / "shown").read_text()
    named = shown.replace("JobName=pretrain", "JobName=x NodeList=elsewhere.example y")
    (programs.folder / "shown").write_text(named)
    collected("--job", "4711")
    assert "elsewhere" not in programs.asked()


def test_a_node_does_not_write_to_the_terminal(programs: Programs) -> None:
    programs.make("ssh", "printf '\\033]0;owned\\007Password for admin:\\n' >&2; exit 1")
    _, said = collected("--job", "4711")
    assert "Password for admin:" in said
    assert "\033" not in said


def test_without_a_job_hosts_are_hidden_that_the_output_names(programs: Programs) -> None:
    Path("kim-gpu021.log").write_text(
        "host      : gpu021.cluster.local\nHOSTNAME=gpu017\nkim@gpu018\n"
        "srun: error: gpu003: tasks 3: Killed\ngpu044 is numbered like them\n"
    )
    tar, _ = collected("--output", "kim-gpu021.log", "--redact", "all")
    everything = "".join([*inside(tar), *inside(tar).values()])
    for name in ("gpu0", "cluster.local", "kim-"):
        assert name not in everything, name


def test_what_is_nothing_that_is_hidden_is_named(programs: Programs) -> None:
    with pytest.raises(
        CommandError, match=r"'hots' is nothing that is hidden; one of none, all.*mean `hosts`"
    ):
        call_command("collect", "--job=4711", "--redact=hots")
