"""Sessions that no fault ended: a person, the time limit, a preemption, their own last step."""

from collections.abc import Callable, Mapping

from tests.score.second.checkpoints import save
from tests.score.second.draft import SessionDraft
from tests.score.second.launchers import stopped_by_launcher
from tests.score.second.lines import driver
from tests.score.second.outcome import Outcome
from tests.score.second.stamps import iso, plain


def _pods_stopped(draft: SessionDraft, at: float, reason: str, text: str) -> None:
    """Record what ended the pods: a preemption by each pod, all else by the job that owns them."""
    rig = draft.rig
    owner = f"job/{rig.run}" if rig.launcher == "pods" else f"pytorchjob/{rig.run}"
    if reason != "Preempted":
        draft.event(at, "Warning", reason, owner, text)
    for host in rig.hosts:
        about = f"pod/{rig.pod_of(host.place)}"
        if reason == "Preempted":
            draft.event(at, "Normal", reason, about, text)
        draft.event(at + 0.3, "Normal", "Killing", about, "Stopping container pytorch")
        draft.fates[host.place] = ("Error", 143)
    draft.ends = at + 30


def _stop(draft: SessionDraft, why: str, told: str, reason: str, text: str) -> None:
    at, rig = draft.stops, draft.rig
    if rig.is_in_pods:
        _pods_stopped(draft, at, reason, text)
    elif rig.is_under_slurm:
        draft.control.append((at - 0.2, told))
        stopped_by_launcher(draft, at, why)
    else:
        draft.control.append((at - 0.2, told))
        draft.launch(
            at,
            0,
            f"slurmstepd: error: *** JOB {rig.job} ON {rig.hosts[0].name} "
            f"CANCELLED AT {_now(draft)} {why} ***",
        )
        draft.ends = at + 20


def _now(draft: SessionDraft) -> str:
    return iso(draft.clock(draft.stops, 0), draft.rig.host_zone)


def time_limit(draft: SessionDraft) -> Outcome:
    """The scheduler's limit of time is reached."""
    job = draft.rig.job
    _stop(
        draft,
        "DUE TO TIME LIMIT",
        f"Time limit exhausted for JobId={job}",
        "DeadlineExceeded",
        "Job was active longer than specified deadline",
    )
    return Outcome(status="no-failure", end="walltime", tells_scheduler=True)


def person(draft: SessionDraft) -> Outcome:
    """A person cancels the session."""
    job = draft.rig.job
    _stop(
        draft,
        "DUE to SIGNAL Terminated",
        f"_slurm_rpc_kill_job: REQUEST_KILL_JOB JobId={job} uid 1001",
        "SuccessfulDeletePod",
        f"Deleted pod: {draft.rig.pod_of(0)}",
    )
    return Outcome(status="no-failure", end="cancelled", tells_scheduler=True)


def preempted(draft: SessionDraft) -> Outcome:
    """A job of higher priority takes the hosts."""
    job = draft.rig.job
    _stop(
        draft,
        "DUE TO PREEMPTION",
        f"preempted JobId={job} has been requeued to reclaim resources for JobId={job + 7}",
        "Preempted",
        f"Preempted by pod 6f0a1b5e-77c1-4d5b-9a0e-0b6f1b2c9d11 on node {draft.rig.hosts[0].name}",
    )
    return Outcome(status="no-failure", end="preempted", tells_scheduler=True)


def finished(draft: SessionDraft) -> Outcome:
    """The session makes its last step, saves and ends."""
    at = draft.stops
    draft.stops = at + 60
    save(draft, at, draft.rig.first_step + 900)
    texts = {
        "megatron": f"[after training is done] datetime: {plain(at + 40, draft.rig.program_zone)} ",
        "titan": "Training completed",
        "nemo": "`Trainer.fit` stopped: `max_steps=500000` reached.",
        "trainer": "{'train_runtime': 8123.1, 'train_samples_per_second': 210.4, 'train_loss': 1.81, 'epoch': 1.0}",  # noqa: E501
    }
    draft.say(at + 40, 0, texts.get(draft.rig.framework, "Training finished."))
    for host in draft.rig.hosts:
        draft.fates[host.place] = ("Completed", 0)
        if draft.rng.random() < 0.5:
            draft.kernel(at + 42, host.place, driver.benign(draft))
    draft.ends = at + 50
    draft.control.append((at + 50, f"_job_complete: JobId={draft.rig.job} WEXITSTATUS 0"))
    draft.stops = at
    return Outcome(status="no-failure", end="finished", tells_scheduler=True)


FAULTS: Mapping[str, Callable[[SessionDraft], Outcome]] = {
    "end-time-limit": time_limit,
    "end-person": person,
    "end-preempted": preempted,
    "end-finished": finished,
}
