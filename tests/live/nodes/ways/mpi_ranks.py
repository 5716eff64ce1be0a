"""MPI over three nodes, broken in one way each."""

import signal

from tests.live.nodes.cluster import BRIDGE
from tests.live.nodes.stage import Stage
from tests.live.nodes.ways.launchers import mpi_program, mpirun
from tests.live.nodes.ways.way import Way

STEP = "step 15/"


def _mpi_fault(fault: str, on: str = "1") -> Way:
    def play(stage: Stage) -> None:
        mpi_program(stage, "--fault", fault, "--on", on)
        stage.wait(60)

    return Way(name=f"mpi-{fault}", play=play, needs=("mpi4py",), programs=("mpirun",))


def _mpi_killed(stage: Stage) -> None:
    mpi_program(stage)
    stage.wait_for(STEP)
    stage.signal_rank(2, signal.SIGKILL)
    stage.wait(60)


def _mpi_link(stage: Stage) -> None:
    mpi_program(stage)
    stage.wait_for(STEP)
    stage.cluster.link("node-c", "down")
    stage.wait(100)
    stage.keep_kernel("sw1", rf"{BRIDGE}: port \d\(node-c\)", log="fabric/sw1.log")


def _mpi_node_off(stage: Stage) -> None:
    mpi_program(stage, "--steps", "200")
    stage.wait_for(STEP)
    stage.cluster.power_off("node-b")
    stage.wait(100)


def _mpi_timeout(stage: Stage) -> None:
    mpi_program(stage, "--fault", "sleeps", options=("--timeout", "20"))
    stage.wait(60)


def _mpi_slots(stage: Stage) -> None:
    program = ("-m", "mpi4py", stage.program("mpi_train"))
    mpirun(stage, stage.python, *program, count=8)
    stage.wait(60)


def _mpi_no_program(stage: Stage) -> None:
    mpirun(stage, "/opt/train/bin/pretrain", "--config", "a.yaml")
    stage.wait(60)


def _mpi_told_to_end(stage: Stage) -> None:
    mpi_program(stage)
    stage.wait_for(STEP)
    stage.launchers[0].send_signal(signal.SIGTERM)
    stage.wait(60)


def _mpi_healthy(stage: Stage) -> None:
    mpi_program(stage)
    stage.wait(60)


MPI = ("mpi4py",)
WAYS = (
    _mpi_fault("raises"),
    _mpi_fault("segfault", "2"),
    _mpi_fault("abort", "0"),
    _mpi_fault("counts"),
    _mpi_fault("exits", "2"),
    Way(name="mpi-rank-killed", play=_mpi_killed, needs=MPI, programs=("mpirun",)),
    Way(name="mpi-link-down", play=_mpi_link, needs=MPI, programs=("mpirun",)),
    Way(name="mpi-node-off", play=_mpi_node_off, needs=MPI, programs=("mpirun",)),
    Way(name="mpi-launcher-timeout", play=_mpi_timeout, needs=MPI, programs=("mpirun",)),
    Way(name="mpi-too-few-slots", play=_mpi_slots, needs=MPI, programs=("mpirun",)),
    Way(name="mpi-program-absent", play=_mpi_no_program, needs=MPI, programs=("mpirun",)),
    Way(name="mpi-told-to-end", play=_mpi_told_to_end, needs=MPI, programs=("mpirun",)),
    Way(name="mpi-healthy", play=_mpi_healthy, needs=MPI, programs=("mpirun",)),
)
