"""What launchers print as a session ends: torchrun, srun, DeepSpeed's, mpirun, Ray's driver."""

from tests.score.second.draft import SessionDraft
from tests.score.second.lines import elastic, others, slurm
from tests.score.second.lines import pods as kube
from tests.score.second.stamps import comma

SCRIPTS = {
    "megatron": "pretrain_gpt.py",
    "nemo": "run.py",
    "deepspeed": "train.py",
    "titan": "torchtitan.train",
    "trainer": "run_clm.py",
    "ray": "driver.py",
    "jax": "train.py",
    "horovod": "train.py",
}


def over(draft: SessionDraft, at: float, rank: int, code: int) -> None:
    """End the session since a rank's process ended with a code; a negative one is a signal."""
    rig = draft.rig
    place = rig.host_of(rank).place
    draft.fates.setdefault(place, ("Error", 128 - code if code < 0 else code))
    ways = {
        "torchrun-srun": _torchrun,
        "torchrun-pods": _torchrun,
        "srun": _srun,
        "pods": _pods,
        "pdsh": _pdsh,
        "mpirun": _mpirun,
        "ray": _ray,
    }
    ways[rig.launcher](draft, at, rank, code)
    draft.ends = max(draft.ends, at + draft.soon(3, 40))
    if rig.is_in_pods:
        kube.job_failed(draft, draft.ends)
    else:
        text = f"WTERMSIG {-code}" if code < 0 else f"WEXITSTATUS {code}"
        draft.control.append((draft.ends, f"_job_complete: JobId={rig.job} {text}"))
        draft.control.append((draft.ends + 0.01, f"_job_complete: JobId={rig.job} done"))


def _alive(draft: SessionDraft, at: float, place: int) -> bool:
    return draft.silent_after.get(place, at + 1) > at


def _torchrun(draft: SessionDraft, at: float, rank: int, code: int) -> None:
    rig = draft.rig
    place = rig.host_of(rank).place
    script = SCRIPTS[rig.framework]
    draft.launch(at, place, *elastic.agent_failed(draft, at, place, rank, code, script))
    later = at + draft.soon(0.5, 3)
    if rig.launcher == "torchrun-srun":
        draft.launch(later, -1, slurm.tasks_ended(rig.hosts[place].name, [place], 1))
        draft.launch(later + 0.1, -1, f"srun: Terminating StepId={rig.job}.0")
        draft.launch(
            later + 0.2, place, slurm.step_ended(draft, later + 0.2, place, "DUE TO TASK FAILURE")
        )
    for one in rig.hosts:
        seen = later + draft.soon(0.3, 2)
        if one.place != place and _alive(draft, seen, one.place):
            draft.launch(seen, one.place, *elastic.agent_told_to_stop(draft, seen, one.place))
            if rig.launcher == "torchrun-srun":
                draft.launch(seen + 2, -1, slurm.tasks_ended(one.name, [one.place], 1))


def _srun(draft: SessionDraft, at: float, rank: int, code: int) -> None:
    rig = draft.rig
    place = rig.host_of(rank).place
    draft.launch(at, -1, slurm.tasks_ended(rig.hosts[place].name, [rank], code))
    draft.launch(at + 0.05, -1, f"srun: Terminating StepId={rig.job}.0")
    draft.launch(at + 0.1, place, slurm.step_ended(draft, at, place, "DUE TO TASK FAILURE"))
    for one in rig.hosts:
        left = [each for each in rig.ranks_on(one.place) if each != rank]
        if left and _alive(draft, at, one.place):
            seen = at + draft.soon(0.5, 4)
            draft.launch(seen, -1, slurm.tasks_ended(one.name, left, -15))


def _pods(draft: SessionDraft, at: float, rank: int, code: int) -> None:
    draft.launch(at, draft.rig.host_of(rank).place, "Aborted (core dumped)" if code < 0 else "")


def _pdsh(draft: SessionDraft, at: float, rank: int, code: int) -> None:
    rig = draft.rig
    place = rig.host_of(rank).place
    stamp = comma(draft.clock(at, place), rig.program_zone)
    script = f"['/usr/bin/python3', '-u', '{SCRIPTS['deepspeed']}', '--local_rank={rank % rig.per_host}', '--deepspeed_config', 'ds.json']"  # noqa: E501
    kills = [
        f"[{stamp}] [INFO] [launch.py:335:sigkill_handler] Killing subprocess {pid}"
        for pid in rig.hosts[place].pids
    ]
    ended = f"[{stamp}] [ERROR] [launch.py:341:sigkill_handler] {script} exits with return code = {code}"  # noqa: E501
    draft.launch(at, place, *kills, ended)
    draft.launch(
        at + 1.5,
        -1,
        f"pdsh@login1: {rig.hosts[place].name}: ssh exited with exit code {code % 256}",
    )


def _mpirun(draft: SessionDraft, at: float, rank: int, code: int) -> None:
    draft.launch(at, -1, *others.mpi_signalled(draft, rank, code))


def _ray(draft: SessionDraft, at: float, rank: int, code: int) -> None:
    host = draft.rig.host_of(rank)
    stamp = comma(draft.clock(at, 0), draft.rig.program_zone)
    if code < 0:
        cause = (
            "its worker process has died. Worker exit type: SYSTEM_ERROR Worker exit detail: "
            "Worker unexpectedly exits with a connection error code 2. End of file. There are "
            "some potential root causes. (1) The process is killed by SIGKILL by OOM killer due "
            "to high memory usage. (2) ray stop --force is called. (3) The worker is crashed "
            "unexpectedly due to SIGSEGV or other unexpected errors."
        )
        draft.launch(at, -1, *others.ray_actor_died(draft, rank, cause))
    else:
        draft.launch(
            at,
            -1,
            f"{stamp}\tERROR tune_controller.py:1331 -- Trial task failed for trial "
            f"TorchTrainer_{draft.hexed(5)}_00000",
            "Traceback (most recent call last):",
            f"ray.exceptions.RayTaskError(RuntimeError): ray::_Inner.train() (pid="
            f"{draft.rig.pid_of(rank)}, ip={host.address}, actor_id={draft.hexed(32)})",
        )
    draft.launch(
        at + 1,
        -1,
        f"{stamp}\tERROR tune.py:1037 -- Trials did not complete: [TorchTrainer_00000]",
        "ray.train.base_trainer.TrainingFailedError: The Ray Train run failed. Please "
        "inspect the previous error messages for a cause.",
    )


def stopped_by_launcher(draft: SessionDraft, at: float, why: str) -> None:
    """End every step by Slurm's order, with its reason."""
    rig = draft.rig
    draft.launch(at + 0.05, -1, slurm.ending(draft)[0])
    for one in rig.hosts:
        seen = at + draft.soon(0.1, 0.6)
        if _alive(draft, seen, one.place):
            draft.launch(seen, one.place, slurm.step_ended(draft, seen, one.place, why))
            if rig.launcher == "torchrun-srun":
                told = elastic.agent_told_to_stop(draft, seen + 0.2, one.place)
                draft.launch(seen + 0.2, one.place, *told)
            tasks = [one.place] if rig.launcher == "torchrun-srun" else rig.ranks_on(one.place)
            code = 1 if rig.launcher == "torchrun-srun" else -15
            draft.launch(seen + 1, -1, slurm.tasks_ended(one.name, tasks, code))
    draft.ends = max(draft.ends, at + draft.soon(3, 33))
