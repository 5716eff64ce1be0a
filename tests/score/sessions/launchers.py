# ruff: noqa: E501  the vendors' lines are long
"""What launchers print when workers end: torchrun, srun, DeepSpeed, Ray."""

from collections.abc import Mapping, Sequence

from tests.score.sessions.scene import Scene

SIGNALS = {-6: "SIGABRT", -9: "SIGKILL", -11: "SIGSEGV", -15: "SIGTERM", -7: "SIGBUS"}
API = "torch/distributed/elastic/multiprocessing/api.py"
AGENT = "torch/distributed/elastic/agent/server/api.py"
RULE, LINE = "=" * 60, "-" * 60


def elastic(scene: Scene, place: int, at: float, level: str, where: str, text: str) -> str:
    """Return a line of the agent in that version's form."""
    local = scene.local(place, at)
    if scene.world.torch in {"1.13", "2.1"}:
        word = {"W": "WARNING", "E": "ERROR", "I": "INFO"}[level]
        return (
            f"{word}:{where.split(':', maxsplit=1)[0].removesuffix('.py').replace('/', '.')}:{text}"
        )
    head = f"{level}{local:%m%d %H:%M:%S}.{local.microsecond // 1000:03d}000"
    pid = scene.world.hosts[place].agent_pid
    thread = f"{140000000000000 + pid} " if scene.world.torch == "2.3" else ""
    return f"{head} {pid} {thread}{where}] {text}"


def workers_failed(
    scene: Scene,
    place: int,
    at: float,
    first: Mapping[int, int],
    *,
    others: Mapping[int, int] | None = None,
    wait: float = 0.0,
) -> None:
    """Let the launcher of a host report its workers' end: `first` failed {rank: code}, then others.

    The rest of the host's ranks get SIGTERM and say nothing more.
    """
    failed = {**first, **(others or {})}
    scene.silence(scene.world.ranks_of(place), at + 0.5)
    if scene.world.launcher == "torchrun":
        _torchrun(scene, place, at, failed, wait)
    elif scene.world.launcher == "deepspeed":
        _deepspeed(scene, place, at, failed)
    elif scene.world.launcher == "ray":
        _ray(scene, place, at, failed)
    else:
        _srun(scene, place, at, failed)


def _torchrun(scene: Scene, place: int, at: float, failed: Mapping[int, int], wait: float) -> None:
    host = scene.world.hosts[place]
    for rank in scene.world.ranks_of(place):
        if rank not in failed:
            text = f"Sending process {scene.pid(rank)} closing signal SIGTERM"
            scene.agent(place, at, elastic(scene, place, at, "W", f"{API}:897", text))
    root = next(iter(failed))
    late = at + 0.3 + wait
    said = f"failed (exitcode: {failed[root]}) local_rank: {root % 8} (pid: {scene.pid(root)}) of binary: /usr/bin/python3"
    scene.agent(place, late, elastic(scene, place, late, "E", f"{API}:869", said))
    scene.agent(place, late + 0.1, child_failed(scene, place, at, failed))
    if scene.world.scheduler == "slurm":
        text = f"srun: error: {host.name}: task {place}: Exited with exit code 1"
        scene.job(late + 1.2, text)


def child_failed(scene: Scene, place: int, at: float, failed: Mapping[int, int]) -> str:
    """Return the traceback of torchrun with its summary of failures."""
    root, *rest = failed
    blocks = [
        _failure(scene, place, at + n * 0.01, rank, failed[rank], n + 1)
        for n, rank in enumerate(rest)
    ]
    body = "\n".join(["Failures:", *blocks] if blocks else ["Failures:", "  <NO_OTHER_FAILURES>"])
    name = script(scene)
    return "\n".join(
        (
            "Traceback (most recent call last):",
            '  File "/usr/local/bin/torchrun", line 8, in <module>',
            "    sys.exit(main())",
            '  File "/usr/local/lib/python3.10/dist-packages/torch/distributed/elastic/multiprocessing/errors/__init__.py", line 355, in wrapper',
            "    return f(*args, **kwargs)",
            '  File "/usr/local/lib/python3.10/dist-packages/torch/distributed/launcher/api.py", line 269, in launch_agent',
            "    raise ChildFailedError(",
            "torch.distributed.elastic.multiprocessing.errors.ChildFailedError: ",
            RULE,
            f"{name} FAILED",
            LINE,
            body,
            LINE,
            "Root Cause (first observed failure):",
            _failure(scene, place, at, root, failed[root], 0),
            RULE,
        )
    )


def own_name(scene: Scene, place: int) -> str:
    """Return what a host takes for its full name."""
    return scene.world.called(place) if scene.world.is_in_pods else scene.world.hosts[place].fqdn


def _failure(scene: Scene, place: int, at: float, rank: int, code: int, number: int) -> str:
    local = scene.local(place, at)
    pid = scene.pid(rank)
    reason = (
        f"Signal {-code} ({SIGNALS[code]}) received by PID {pid}"
        if code < 0
        else "To enable traceback see: https://pytorch.org/docs/stable/elastic/errors.html"
    )
    return "\n".join(
        (
            f"[{number}]:",
            f"  time      : {local:%Y-%m-%d_%H:%M:%S}",
            f"  host      : {own_name(scene, place)}",
            f"  rank      : {rank} (local_rank: {rank % 8})",
            f"  exitcode  : {code} (pid: {pid})",
            "  error_file: <N/A>",
            f"  traceback : {reason}",
        )
    )


def restarted(scene: Scene, places: Sequence[int], at: float, *, left: int = 2) -> float:
    """Let the launcher end all workers after the failure on those hosts and start them again."""
    world = scene.world
    if world.launcher == "torchrun":
        for place in range(len(world.hosts)):
            moment = at + scene.rng.uniform(0, 3)
            failed = (
                f"[default] Worker group FAILED. {left}/3 attempts left; will restart worker group"
            )
            changed = f"[default] Detected {len(places)} new nodes from group_rank={place}; will restart worker group"
            text = failed if place in places else changed
            for said in (
                text,
                "[default] Stopping worker group",
                "[default] Rendezvous'ing worker group",
            ):
                scene.agent(place, moment, elastic(scene, place, moment, "I", f"{AGENT}:877", said))
    elif world.scheduler == "slurm":
        host, local = world.hosts[0], scene.local(0, at)
        scene.job(
            at,
            f"slurmstepd: error: *** JOB {world.job} ON {host.name} CANCELLED AT {local:%Y-%m-%dT%H:%M:%S} DUE TO JOB REQUEUE ***",
        )
        scene.job(at + 40, f"[run.sh] restart count {scene.attempt + 1}")
    else:
        scene.job(
            at + 20,
            f"[run.sh] training ended with status 1, attempt {scene.attempt + 2} of 5 in 15 s",
        )
    scene.dead.clear()
    scene.attempt += 1
    return at + 60


def script(scene: Scene) -> str:
    """Return the name of the training script."""
    return {
        "megatron": "pretrain_gpt.py",
        "deepspeed": "train_ds.py",
        "torchtitan": "torchtitan.train",
        "lightning": "fit.py",
        "hf": "run_clm.py",
        "nemo": "megatron_gpt_pretraining.py",
    }[scene.world.framework]


def _deepspeed(scene: Scene, place: int, at: float, failed: Mapping[int, int]) -> None:
    local = scene.local(place, at)
    stamp = f"[{local:%Y-%m-%d %H:%M:%S},{local.microsecond // 1000:03d}]"
    for rank in scene.world.ranks_of(place):
        scene.agent(
            place,
            at + 0.4,
            f"{stamp} [INFO] [launch.py:319:sigkill_handler] Killing subprocess {scene.pid(rank)}",
        )
    root = next(iter(failed))
    command = f"['/usr/bin/python3', '-u', '{script(scene)}', '--local_rank={root % 8}', '--deepspeed', '--deepspeed_config', 'ds.json']"
    scene.agent(
        place,
        at + 0.6,
        f"{stamp} [ERROR] [launch.py:325:sigkill_handler] {command} exits with return code = {failed[root]}",
    )


def _ray(scene: Scene, place: int, at: float, failed: Mapping[int, int]) -> None:
    host = scene.world.hosts[place]
    root = next(iter(failed))
    scene.agent(
        place,
        at + 0.5,
        f"(raylet, ip={host.ip}) A worker died or was killed while executing a task by an unexpected system error. To troubleshoot the problem, check the logs for the dead worker. RayTask ID: {scene.rng.getrandbits(64):016x} Worker ID: {scene.rng.getrandbits(64):016x} Node ID: {scene.rng.getrandbits(64):016x} Worker IP address: {host.ip} Worker port: {10000 + root} Worker PID: {scene.pid(root)} Worker exit type: SYSTEM_ERROR Worker exit detail: Worker unexpectedly exits with a connection error code 2. End of file. There are some potential root causes. (1) The process is killed by SIGKILL by OOM killer due to high memory usage. (2) ray stop --force is called. (3) The worker is crashed unexpectedly due to SIGSEGV or other unexpected errors.",
    )


def _srun(scene: Scene, place: int, at: float, failed: Mapping[int, int]) -> None:
    name = scene.world.hosts[place].name
    for code, ranks in _by_code(failed).items():
        tasks = _ranges(sorted(ranks))
        word = "task" if len(ranks) == 1 else "tasks"
        how = {
            -6: "Aborted (core dumped)",
            -9: "Killed",
            -11: "Segmentation fault (core dumped)",
            -7: "Bus error",
            -15: "Terminated",
        }.get(code, f"Exited with exit code {code}")
        scene.job(at + 0.5, f"srun: error: {name}: {word} {tasks}: {how}", place=0)


def _ranges(numbers: Sequence[int]) -> str:
    """Return `1,3-5,9` as srun abbreviates task numbers."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ",".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)


def _by_code(failed: Mapping[int, int]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for rank, code in failed.items():
        found.setdefault(code, []).append(rank)
    return found


def stopped(scene: Scene, places: Sequence[int], at: float) -> None:
    """Let launchers on hosts be stopped by SIGTERM from outside, as when the job step is killed."""
    for place in places:
        moment = at + scene.rng.uniform(0, 1.5)
        scene.silence(scene.world.ranks_of(place), moment + 0.5)
        if scene.world.launcher != "torchrun":
            continue
        host = scene.world.hosts[place]
        scene.agent(
            place,
            moment,
            elastic(
                scene,
                place,
                moment,
                "W",
                f"{AGENT}:719",
                "Received 15 death signal, shutting down workers",
            ),
        )
        for pid in (scene.pid(rank) for rank in scene.world.ranks_of(place)):
            scene.agent(
                place,
                moment,
                elastic(
                    scene,
                    place,
                    moment,
                    "W",
                    f"{API}:897",
                    f"Sending process {pid} closing signal SIGTERM",
                ),
            )
        scene.agent(
            place,
            moment + 0.2,
            "Traceback (most recent call last):\n"
            '  File "/usr/local/bin/torchrun", line 8, in <module>\n    sys.exit(main())\n'
            '  File "/usr/local/lib/python3.10/dist-packages/torch/distributed/elastic/multiprocessing/api.py", line 84, in _terminate_process_handler\n'
            '    raise SignalException(f"Process {os.getpid()} got signal: {sigval}", sigval=sigval)\n'
            f"torch.distributed.elastic.multiprocessing.api.SignalException: Process {host.agent_pid} got signal: 15",
        )
