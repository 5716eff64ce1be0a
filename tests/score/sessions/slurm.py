# ruff: noqa: E501  the vendors' lines are long
"""What Slurm, Kubernetes and Backend.AI say about the job."""

import json

from tests.score.sessions.cluster import wall
from tests.score.sessions.scene import Scene


def say(scene: Scene, at: float, text: str) -> None:
    """Write a line of slurmctld with its stamp; nothing where another scheduler runs."""
    if scene.world.scheduler == "slurm":
        local = wall(at=at, zone=scene.world.kernel_zone)
        scene.scheduler(at, f"[{local:%Y-%m-%dT%H:%M:%S}.{local.microsecond // 1000:03d}] {text}")


def event(scene: Scene, at: float, kind: str, reason: str, thing: str, text: str) -> None:
    """Write a Kubernetes event; nothing elsewhere."""
    if scene.world.scheduler == "k8s":
        local = wall(at=at, zone="UTC")
        scene.scheduler(at, f"{local:%Y-%m-%dT%H:%M:%SZ}   {kind:<8} {reason:<22} {thing}   {text}")


def backend(
    scene: Scene, at: float, text: str, *, module: str = "ai.backend.manager.registry"
) -> None:
    """Write a line of Backend.AI's manager; nothing elsewhere."""
    if scene.world.scheduler == "backend.ai":
        local = wall(at=at, zone=scene.world.kernel_zone)
        scene.scheduler(
            at,
            f"{local:%Y-%m-%d %H:%M:%S}.{local.microsecond // 1000:03d} INFO {module} [811] {text}",
        )


def backend_event(scene: Scene, at: float, **said: str | int) -> None:
    """Write an event of Backend.AI as its history exports them; nothing elsewhere."""
    if scene.world.scheduler == "backend.ai":
        local = wall(at=at, zone="UTC")
        fields = {
            **said,
            "timestamp": f"{local:%Y-%m-%dT%H:%M:%S}.{local.microsecond // 1000:03d}Z",
        }
        scene.scheduler(at, json.dumps(fields))


def node_range(scene: Scene) -> str:
    """Return the hosts of the job as a list."""
    return ",".join(host.name for host in scene.world.hosts)


def started(scene: Scene, at: float) -> None:
    """Tell that the job began."""
    job, size = scene.world.job, len(scene.world.hosts)
    say(scene, at - 31, f"_slurm_rpc_submit_batch_job: JobId={job} InitPrio=10042 usec=612")
    say(
        scene,
        at - 3,
        f"sched: Allocate JobId={job} NodeList={node_range(scene)} #CPUs={size * 192} Partition=train",
    )
    for host in scene.world.hosts:
        event(
            scene,
            at - 20,
            "Normal",
            "Scheduled",
            f"pod/{pod(scene, host.place)}",
            f"Successfully assigned train/{pod(scene, host.place)} to {host.name}",
        )
        event(
            scene,
            at - 8,
            "Normal",
            "Started",
            f"pod/{pod(scene, host.place)}",
            "Started container pytorch",
        )
    backend(
        scene,
        at - 4,
        f"handle_session_started: ev:session_started s:{session(scene)}",
        module="ai.backend.manager.event_dispatcher.handlers.session",
    )


def pod(scene: Scene, place: int) -> str:
    """Return the name of the pod on a host."""
    return f"llm-{scene.world.job}-worker-{place}"


def session(scene: Scene) -> str:
    """Return the Backend.AI id of the session."""
    return f"0b6f{scene.world.job:04x}-5a8c-4a52-9d0e-7f5a2f6d1c11"


def failed(scene: Scene, at: float, code: int = 1) -> None:
    """Tell that the job ended in failure."""
    job = scene.world.job
    say(scene, at, f"_job_complete: JobId={job} WEXITSTATUS {code}")
    say(scene, at + 0.1, f"_job_complete: JobId={job} done")
    event(
        scene,
        at,
        "Warning",
        "BackOff",
        f"pod/{pod(scene, 0)}",
        f"Back-off restarting failed container pytorch in pod {pod(scene, 0)}",
    )
    backend_event(
        scene,
        at,
        event_name="session_failure",
        session_id=session(scene),
        reason="task-failed",
        exit_code=code,
    )


def completed(scene: Scene, at: float) -> None:
    """Tell that the job ended well."""
    job = scene.world.job
    say(scene, at, f"_job_complete: JobId={job} WEXITSTATUS 0")
    say(scene, at + 0.1, f"_job_complete: JobId={job} done")
    event(scene, at, "Normal", "Completed", f"job/llm-{job}", "Job completed")
    backend_event(
        scene,
        at,
        event_name="session_success",
        session_id=session(scene),
        reason="task-finished",
        exit_code=0,
    )


def step_aborted(scene: Scene, at: float, *, places: list[int] | None = None) -> None:
    """Let srun end the step because a task failed, with slurmstepd's line from each host."""
    if scene.world.scheduler != "slurm":
        return
    scene.job(at, "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.")
    for place in places if places is not None else range(len(scene.world.hosts)):
        host, local = scene.world.hosts[place], scene.local(place, at + 0.4)
        scene.job(
            at + 0.4,
            f"slurmstepd: error: *** STEP {scene.world.job}.0 ON {host.name} CANCELLED AT {local:%Y-%m-%dT%H:%M:%S} ***",
            place=place,
        )


def cancelled(scene: Scene, at: float, because: str) -> None:
    """Let slurmstepd say why the whole job is cancelled; `because` may be empty."""
    host, local = scene.world.hosts[0], scene.local(0, at)
    tail = f" {because}" if because else ""
    scene.job(
        at,
        f"slurmstepd: error: *** JOB {scene.world.job} ON {host.name} CANCELLED AT {local:%Y-%m-%dT%H:%M:%S}{tail} ***",
    )
    for place, one in enumerate(scene.world.hosts):
        scene.job(
            at + 0.2,
            f"slurmstepd: error: *** STEP {scene.world.job}.0 ON {one.name} CANCELLED AT {scene.local(place, at + 0.2):%Y-%m-%dT%H:%M:%S}{tail} ***",
            place=place,
        )
