"""What is said to be done fits what the lines say: which memory was full, whose disk, what helps."""
# ruff: noqa: E501  lines of logs keep their length

import pytest

from apps.diagnosis.causes.decisions import answer_of, concluded_of
from apps.diagnosis.diagnose import diagnose
from apps.diagnosis.model import Device, Diagnosis, EndState, Topology
from apps.offline.report import as_text
from apps.offline.report.wording import device
from apps.wording import ENGLISH, headline_in_english, in_english
from apps.wording.restart import restart_sentence
from tests.scenarios.verdicts import diagnosed, readings_of

AT = "2026-11-20T03:00:{:02d}+00:00 node12 kernel: "
OOM = "oom-kill:constraint={},nodemask=(null),cpuset=/,mems_allowed=0-1,{}task_memcg=/system.slice/job_7,task=python,pid=4115,uid=1001"
KILL = "{}: Killed process 4115 (python) total-vm:409174560kB, anon-rss:300123456kB, file-rss:0kB, shmem-rss:0kB"
NONE = (OOM.format("CONSTRAINT_NONE", "global_oom,"), KILL.format("Out of memory"))
MEMCG = (
    OOM.format("CONSTRAINT_MEMCG", "oom_memcg=/system.slice/job_7,"),
    KILL.format("Memory cgroup out of memory"),
)
CPUSET = (OOM.format("CONSTRAINT_CPUSET", ""), KILL.format("Out of memory"))
POLICY = (OOM.format("CONSTRAINT_MEMORY_POLICY", ""), KILL.format("Out of memory"))


def _kernel(*lines: str) -> Diagnosis:
    told = "".join(f"{AT.format(second)}{line}\n" for second, line in enumerate(lines))
    return diagnosed(texts={"kernel/node12.log": told})


@pytest.mark.parametrize(
    ("lines", "evidence", "action"),
    [
        (NONE, "the whole host ran out of memory", "a higher limit does not help"),
        (MEMCG, "a control group reached its memory limit", "raise the limit of the job"),
        (MEMCG[1:], "reached its memory limit", "raise the limit of the job"),
        (CPUSET, "the NUMA nodes that a process may use", "memory of more NUMA nodes"),
        (POLICY, "the NUMA nodes that a process may use", "memory of more NUMA nodes"),
        (NONE[1:], "the kernel killed a process for lack of memory", "or raise the limit"),
    ],
    ids=["host", "group", "group-killed", "cpuset", "policy", "untold"],
)
def test_the_memory_that_ran_out_is_the_one_to_care_for(
    lines: tuple[str, ...], evidence: str, action: str
) -> None:
    found = _kernel(*lines)
    assert found.verdict.cause == "host-oom"
    assert evidence in in_english(found.hypotheses[0].supporting[0].statement)
    assert action in in_english(found.actions[0].statement)


def test_a_whole_host_that_ran_out_is_told_of_no_control_group() -> None:
    text = " ".join(as_text(diagnosis=_kernel(*NONE)).split())
    assert "control group" not in text
    assert "raise the limit" not in text


XID = "NVRM: Xid (PCI:0000:c1:00): 119, pid=4115, name=python, Timeout after 6s of waiting for RPC response from GPU4 GSP! Expected function 76 (GSP_RM_CONTROL) (0x20801348 0x410)."
FATAL = "NVRM: nvGpuOpsReportFatalError: uvm encountered global fatal error 0x2b, requiring os reboot to recover."
ASKED = "NVRM: Xid (PCI:0000:c1:00): 154, GPU recovery action changed from 0x0 (None) to {}"


def test_where_only_a_reboot_helps_that_is_what_there_is_to_do() -> None:
    found = _kernel(XID, FATAL)
    assert in_english(found.actions[0].statement).startswith("Reboot the node:")
    assert found.actions[0].hosts == ("node12",)
    assert not any("Reset the GPU" in in_english(one.statement) for one in found.actions)
    assert "The driver can only recover by a reboot of the node" in {
        headline_in_english(one.statement) for one in found.timeline
    }


@pytest.mark.parametrize("asked", ["0x2 (Node Reboot Required)", "0x1 (GPU Reset Required)"])
def test_a_reboot_is_asked_for_once_and_first(asked: str) -> None:
    texts = [in_english(one.statement) for one in _kernel(XID, ASKED.format(asked), FATAL).actions]
    assert [text.startswith("Reboot the node:") for text in texts].count(True) == 1
    assert texts[0].startswith("Reboot the node:")


def test_without_it_nobody_is_told_to_reboot() -> None:
    assert not any("Reboot" in in_english(one.statement) for one in _kernel(XID).actions)


SAVE = "saving checkpoint at iteration     120 to {} in torch format\n"
SAVED = "  successfully saved checkpoint from iteration     120 to {}\n"
FULL = "OSError: [Errno 28] No space left on device\n"
TABLE = "[2026-11-20 03:00:20,412] torch.distributed.elastic.multiprocessing.api: [ERROR] failed (exitcode: 1) local_rank: 0 (pid: 7203) of binary: /opt/conda/bin/python\n"


def _full(text: str, name: str = "session/node12/rank0.log") -> Diagnosis:
    other = {"session/node13/rank8.log": "iteration 119 / 2000 loss 3.1\n"}
    return diagnosed(texts={name: text, "session/node12/torchrun.log": TABLE, **other})


@pytest.mark.parametrize("path", ["/local/ckpt", "/tmp/run7", "/raid/ckpt", "/mnt/nvme0/ckpt"])  # noqa: S108  no file is made
def test_a_full_disk_inside_a_host_is_that_hosts(path: str) -> None:
    found = _full(SAVE.format(path) + FULL)
    (part,) = found.verdict.culprits
    assert (part.kind, part.name, part.host) == ("mount", path, "node12")
    said = restart_sentence(diagnosis=found, speaker=ENGLISH)
    assert "node12" in said
    assert "any node" not in said
    text = " ".join(as_text(diagnosis=found).split())
    assert f"(node12, {path})" in text


@pytest.mark.parametrize("path", ["/lustre/ckpt", "/home/me/ckpt", "/scratches/ckpt"])
def test_a_full_file_system_that_may_be_shared_is_no_hosts(path: str) -> None:
    found = _full(SAVE.format(path) + FULL)
    assert {one.host for one in found.verdict.culprits} == {None}
    assert "until there is space again" in restart_sentence(diagnosis=found, speaker=ENGLISH)
    assert answer_of(concluded=concluded_of(diagnosis=found)).leave_out == "mended"


def test_a_full_scratch_is_of_the_host_that_alone_tells_of_it() -> None:
    # Some clusters have it in each host, some share it.
    error = "OSError: [Errno 28] No space left on device: '/scratch/run7/rank{}.pt'\n"
    one = _full(error.format(0))
    assert [(part.kind, part.host) for part in one.verdict.culprits] == [("mount", "node12")]
    assert "See to node12 first" in restart_sentence(diagnosis=one, speaker=ENGLISH)
    both = diagnosed(
        texts={
            "session/node12/rank0.log": error.format(0),
            "session/node13/rank8.log": error.format(8),
        }
    )
    assert {part.host for part in both.verdict.culprits} == {None}


def test_a_full_scratch_that_the_inventory_calls_a_mount_is_no_hosts() -> None:
    text = "OSError: [Errno 28] No space left on device: '/scratch/run7/rank0.pt'\n"
    files = {"session/node12/rank0.log": text}
    found = diagnose(
        readings=readings_of(texts=files), topology=Topology(mounts={"/scratch": "strata-nas1"})
    )
    assert {part.host for part in found.verdict.culprits} == {None}


def test_the_path_of_the_error_goes_before_that_of_the_save() -> None:
    named = "OSError: [Errno 28] No space left on device: '/local/other/7.pt'\n"
    names = {one.name for one in _full(SAVE.format("/lustre/ckpt") + named).verdict.culprits}
    assert names == {"/local/other/7.pt"}


def test_a_save_that_was_over_gives_no_path() -> None:
    found = _full(SAVE.format("/local/ckpt") + SAVED.format("/local/ckpt") + FULL)
    assert not any(one.name for one in found.verdict.culprits)


def test_no_checkpoint_is_called_good_that_nobody_looked_at() -> None:
    texts = [in_english(one.statement) for one in _full(SAVE.format("/local/ckpt") + FULL).actions]
    assert "still good" not in " ".join(texts)
    assert "check that the last checkpoint is whole" in texts[0]


def test_a_time_limit_is_no_reason_to_start_the_same_again() -> None:
    step = "[2026-11-20 03:01:02] iteration        2/   50000 | consumed samples: 640 | elapsed time per iteration (ms): 1002.1 | global batch size:    64 | lm loss: 3.2E+00 |\n"
    stop = "slurmstepd: error: *** JOB 4711 ON node12 CANCELLED AT 2026-11-20T03:02:40 DUE TO TIME LIMIT ***\n"
    found = diagnosed(texts={"slurm-4711.out": step + stop})
    assert found.end_state is EndState.WALLTIME
    said = restart_sentence(diagnosis=found, speaker=ENGLISH)
    assert "from the last checkpoint or with a longer limit" in said


GONE = "nfs: server nfs01 not responding, still trying"
HUNG = (
    "[rank0]:[E1122 17:16:00.120000000 ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective operation timeout: "
    "WorkNCCL(SeqNum=84312, OpType=ALLREDUCE, NumelIn=4096, NumelOut=4096, Timeout(ms)=600000) ran for 600014 milliseconds before timing out.\n"
)


@pytest.mark.parametrize(
    ("told", "says"),
    [
        ({"w01": ("OK",), "w02": ("OK",)}, "Restart now: the shared part is back."),
        ({"w01": ("OK",), "w02": ()}, "Wait with the restart"),
        ({"w01": ("OK", "not responding, still trying")}, "Wait with the restart"),
        ({"w01": ()}, "Wait with the restart"),
    ],
    ids=["back", "back-for-one", "gone-again", "gone"],
)
def test_nobody_waits_for_a_file_server_that_answers_again(
    told: dict[str, tuple[str, ...]], says: str
) -> None:
    texts = {"session/w01/rank0.log": HUNG}
    for host, words in told.items():
        lines = ((f"17:{7 + n:02d}:00", f"nfs: server nfs01 {w}") for n, w in enumerate(words, 20))
        texts[f"kernel/{host}.log"] = "".join(
            f"2025-11-22T{clock}+00:00 {host} kernel: {line}\n"
            for clock, line in (("17:07:00", GONE), *lines)
        )
    found = diagnosed(texts=texts)

    assert found.verdict.cause == "nfs-unavailable"
    assert restart_sentence(diagnosis=found, speaker=ENGLISH).startswith(says)


def test_a_rank_that_was_killed_is_called_a_rank_not_a_process_of_its_number() -> None:
    assert (
        device(Device(kind="process", host="node7", rank=2), speaker=ENGLISH) == "rank 2 on node7"
    )
    assert device(Device(kind="process", host="node7"), speaker=ENGLISH) == "a process on node7"
