"""How each framework is started on the nodes."""

import subprocess
from contextlib import suppress

from tests.live.nodes.cluster import PREFIX
from tests.live.nodes.stage import Stage
from tests.live.nodes.ways.way import NODES, torchrun

TWO = NODES[:2]
JAX_QUIET = {"JAX_PLATFORMS": "cpu"}
RAY_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_health_check_period_ms": "1000",
    "RAY_health_check_failure_threshold": "4",
    "RAY_DEDUP_LOGS": "0",
    "RAY_TRAIN_V2_ENABLED": "1",
}
RAY_NODES = ("node-a", "node-b")


def deepspeed(stage: Stage, *arguments: str, limits: str = "", processes: int = 2) -> None:
    """Start DeepSpeed's launcher on the first node alone; it prints for all of its processes."""
    command = [
        *(stage.python, "-m", "deepspeed.launcher.runner", "--num_gpus", str(processes)),
        *("--master_port", "29600", stage.program("deepspeed_train"), *arguments),
    ]
    stage.start(
        "node-a",
        command,
        log="train.log",
        limits=limits,
        environment={"DS_ACCELERATOR": "cpu", "GLOO_SOCKET_IFNAME": "lo"},
    )


def lightning(
    stage: Stage,
    *arguments: str,
    before: dict[str, str] | None = None,
    limits: dict[str, str] | None = None,
    environment: dict[str, dict[str, str]] | None = None,
) -> None:
    """Start torchrun with Lightning's program on two nodes."""
    torchrun(
        stage,
        "lightning_train",
        *arguments,
        hosts=TWO,
        before=before,
        limits=limits,
        environment=environment,
    )


def accelerate(
    stage: Stage,
    *arguments: str,
    port: int = 29700,
    options: tuple[str, ...] = (),
    program: str = "accelerate_train",
    limits: dict[str, str] | None = None,
    environment: dict[str, dict[str, str]] | None = None,
) -> None:
    """Start Accelerate's launcher on two nodes."""
    for index, host in enumerate(TWO):
        command = [
            *(stage.python, "-m", "accelerate.commands.launch", "--multi_gpu"),
            *("--num_machines", "2", "--num_processes", "2", "--machine_rank", str(index)),
            *("--main_process_ip", stage.cluster.address("node-a")),
            *("--main_process_port", str(port), "--mixed_precision", "no"),
            *("--dynamo_backend", "no", "--rdzv_backend", "static"),
            *("--num_cpu_threads_per_process", "1"),
            *options,
            stage.program(program),
            *arguments,
        ]
        stage.start(
            host,
            command,
            log=f"session/{host}.log",
            limits=(limits or {}).get(host, ""),
            environment=(environment or {}).get(host),
        )


def jax(
    stage: Stage,
    *arguments: str,
    hosts: tuple[str, ...] = NODES,
    count: int = 0,
    indices: tuple[int, ...] = (0, 1, 2),
    before: dict[str, str] | None = None,
    limits: dict[str, str] | None = None,
) -> None:
    """Start a process on each node; logs are `session/<host>/rank<N>.log`."""
    for index, host in zip(indices, hosts, strict=False):
        where = ("node-a:29500", str(count or len(hosts)), str(index))
        stage.start(
            host,
            [stage.python, stage.program("jax_train"), *where, *arguments],
            log=f"session/{host}/rank{index}.log",
            before=(before or {}).get(host, ""),
            limits=(limits or {}).get(host, ""),
            environment=JAX_QUIET,
        )


def mpirun(
    stage: Stage,
    *arguments: str,
    options: tuple[str, ...] = (),
    count: int = 3,
    interface: str = "eth0",
    limits: str = "",
    before: str = "",
) -> None:
    """Start mpirun on the first node; it prints for all of its ranks."""
    agent = stage.scratch / "rsh"
    # In place of ssh: a shell on the node, with its name and addresses.
    agent.write_text(
        '#!/bin/sh\nhost=$1; shift\nexec ip netns exec "' + PREFIX + '$host" unshare --uts --mount '
        f'sh -c \'hostname "$0"; {before} exec sh -c "$*"\' "$host" "$@"\n',
        encoding="ascii",
    )
    agent.chmod(0o755)
    hosts = ",".join(f"{each}:1" for each in NODES)
    command = [
        *("mpirun", "--allow-run-as-root", "-np", str(count), "--host", hosts),
        *("--mca", "plm_rsh_agent", str(agent), "--mca", "btl", "tcp,self"),
        *("--mca", "btl_tcp_if_include", interface, "--mca", "oob_tcp_if_include", "eth0"),
        *options,
        *arguments,
    ]
    stage.start("node-a", command, log="train.log", limits=limits)


def mpi_program(
    stage: Stage,
    *arguments: str,
    options: tuple[str, ...] = (),
    interface: str = "eth0",
    limits: str = "",
    before: str = "",
) -> None:
    """Start the program of MPI on three nodes."""
    program = ("-m", "mpi4py", stage.program("mpi_train"))
    command = (stage.python, *program, *arguments)
    mpirun(stage, *command, options=options, interface=interface, limits=limits, before=before)


def ray(stage: Stage, *arguments: str, limits: dict[str, str] | None = None) -> None:
    """Start a cluster of Ray on two nodes, and a trainer on the first."""
    at = stage.cluster.address("node-a")
    common = ("--num-cpus", "1", "--disable-usage-stats", "--object-store-memory", "100000000")
    start = (stage.python, "-m", "ray.scripts.scripts", "start", "--block")
    for host in RAY_NODES:
        head = ("--head", "--port", "6379", "--include-dashboard", "false")
        where = head if host == "node-a" else ("--address", f"{at}:6379")
        mine = (
            "--node-ip-address",
            stage.cluster.address(host),
            "--temp-dir",
            f"{stage.folder}/{host}",
        )
        command = [*start, *where, *mine, *common]
        stage.start(
            host,
            command,
            log=f"ray/{host}.log",
            limits=(limits or {}).get(host, ""),
            environment=RAY_QUIET,
        )
        stage.wait_for("Ray runtime started", times=RAY_NODES.index(host) + 1)
    command = [stage.python, stage.program("ray_train"), "--folder", str(stage.scratch)]
    stage.start("node-a", [*command, *arguments], log="train.log", environment=RAY_QUIET)


def ray_end(stage: Stage, limit: float = 240) -> None:
    """Wait for the trainer, and end the cluster."""
    with suppress(subprocess.TimeoutExpired):
        stage.launchers[-1].wait(timeout=limit)
    stage.end()
    forget_ray(stage)


def forget_ray(stage: Stage) -> None:
    """Leave only what the driver printed: Ray's own words name no job."""
    for path in (stage.logs / "ray").glob("*"):
        path.unlink()
