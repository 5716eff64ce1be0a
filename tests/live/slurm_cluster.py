"""A whole Slurm on this machine: accounting in MariaDB, a controller, and daemons as nodes."""

import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Event as Pause
from typing import Final

from tests.live.serving import free_port

PROGRAMS: Final = ("slurmctld", "slurmd", "slurmdbd", "munged", "mariadbd", "mariadb-install-db")
PACKAGES: Final = "slurmctld slurmd slurmdbd slurm-client munge mariadb-server"
SEARCHED: Final = f"{os.environ['PATH']}:/usr/sbin:/sbin"
NODES: Final = ("n1", "n2", "n3", "n4", "n5", "n6")
SECONDS: Final = 60
MEMORY: Final = Path("/sys/fs/cgroup/memory")  # of version 1, as this Slurm reads it
CONFIGURATION: Final = """\
ClusterName=live
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock,cred_expire=5
SlurmctldPort={controller}
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin={task}
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
DefMemPerCPU=50
SlurmdParameters=config_overrides
ReturnToService=0
SlurmdTimeout=10
KillWait=1
FirstJobId=4101
DebugFlags=NO_CONF_HASH
MailProg=/bin/true
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,bf_interval=2
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={accounting}
AccountingStoragePass={folder}/munge.sock
JobAcctGatherType=jobacct_gather/linux
{hooks}
{nodes}
PartitionName=low Nodes=ALL Default=YES PriorityTier=1 PreemptMode=REQUEUE
PartitionName=spare Nodes=ALL PriorityTier=1 PreemptMode=CANCEL
PartitionName=high Nodes=ALL PriorityTier=10 PreemptMode=OFF
"""
ACCOUNTING: Final = """\
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort={accounting}
SlurmUser=root
LogFile={folder}/slurmdbd.log
PidFile={folder}/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={database}
StorageUser=slurm
StoragePass=slurm
StorageLoc=slurm
"""
CGROUP: Final = """\
CgroupPlugin=cgroup/v1
CgroupMountpoint=/sys/fs/cgroup
CgroupAutomount=no
ConstrainRAMSpace=yes
"""
GRANTS: Final = (
    "create database slurm; create user slurm@localhost identified by 'slurm'; "
    "create user slurm@127.0.0.1 identified by 'slurm'; "
    "grant all on slurm.* to slurm@localhost; grant all on slurm.* to slurm@127.0.0.1"
)


def is_here() -> bool:
    """Say whether this machine can run it: its programs, and root, as which they run here."""
    return os.geteuid() == 0 and all(shutil.which(one, path=SEARCHED) for one in PROGRAMS)


def can_limit_memory() -> bool:
    """Say whether the kernel ends a job here that takes more memory than it was given."""
    return os.access(MEMORY / "memory.limit_in_bytes", os.W_OK)


class SlurmCluster:
    """The daemons' folder, and what a person types at a terminal of the cluster."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment = {"PATH": SEARCHED, "SLURM_CONF": str(folder / "slurm.conf")}
        self.ports = {name: free_port() for name in ("controller", "accounting", "database")}
        self.node_ports = {name: free_port() for name in NODES}
        self.daemons: dict[str, subprocess.Popen[bytes]] = {}

    def configure(self, *hooks: str) -> None:
        """Write slurm.conf with these lines in it."""
        nodes = "\n".join(
            f"NodeName={name} NodeAddr=127.0.0.1 NodeHostname=localhost Port={port} CPUs=4 "
            "RealMemory=2000"
            for name, port in self.node_ports.items()
        )
        task = "task/cgroup" if can_limit_memory() else "task/none"
        values = {"folder": self.folder, "nodes": nodes, "task": task, "hooks": "\n".join(hooks)}
        for name, text in (("slurm.conf", CONFIGURATION), ("slurmdbd.conf", ACCOUNTING)):
            (self.folder / name).write_text(text.format(**values, **self.ports))
        (self.folder / "slurmdbd.conf").chmod(0o600)
        (self.folder / "cgroup.conf").write_text(CGROUP)
        (self.folder / "state").mkdir(exist_ok=True)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Run all of it until the block ends."""
        with ExitStack() as ends:
            ends.callback(self._stop_all)
            self._start_munge()
            self._start_accounting()
            self.start_controller()
            for name in NODES:
                self.start_node(name)
            self.wait_for(lambda: self.tell("sinfo", "-h", "-N", "-t", "idle").count("low") == 6)
            yield
            self.tell("scancel", "--user=root")
            self.wait_for(lambda: not self.tell("squeue", "-h"))

    def start_controller(self) -> None:
        """Start slurmctld and wait until it answers."""
        self._start("slurmctld", "slurmctld", "-D")
        self.wait_for(lambda: "is UP" in self.tell("scontrol", "ping"))

    def start_node(self, name: str) -> None:
        """Start the daemon of a node."""
        self._start(name, "slurmd", "-D", "-N", name)

    def stop(self, name: str, *, at_once: bool = False) -> None:
        """End one daemon, or take it away as a crash does."""
        process = self.daemons.pop(name)
        process.kill() if at_once else process.terminate()
        process.wait(timeout=SECONDS)

    def submit(self, *words: str, wrap: str = "") -> str:
        """Submit a batch job and return its number."""
        script = (f"--wrap={wrap}",) if wrap else ()
        output = self.folder / "out"
        output.mkdir(exist_ok=True)
        told = ("--chdir=/tmp", f"--output={output}/slurm-%j.out", *words, *script)
        return self.tell("sbatch", "--parsable", *told).strip()

    def tell(self, *command: str, **more: str) -> str:
        """Run one of Slurm's programs and return what it prints, or why it fails."""
        done = subprocess.run(  # noqa: S603  the tests' own
            command, env=self.environment | more, capture_output=True, text=True, check=False,
            timeout=SECONDS,
        )  # fmt: skip
        return done.stdout if done.returncode == 0 else f"failed: {done.stderr}"

    def state(self, job: str) -> str:
        """Return the state of a job as squeue has it, empty once it is gone from there."""
        return self.tell("squeue", "-h", "-j", job, "-o", "%T").strip()

    def wait_for(self, is_so: Callable[[], bool], seconds: float = SECONDS) -> None:
        """Return once it is so; fail with the end of the controller's log."""
        pause = Pause()
        for _ in range(int(seconds * 5)):
            if is_so():
                return
            pause.wait(0.2)
        raise AssertionError(self.log())

    def log(self) -> str:
        """Return the end of the controller's log."""
        path = self.folder / "slurmctld.log"
        return path.read_text(errors="replace")[-4000:] if path.exists() else ""

    def accounted(self) -> list[dict[str, str]]:
        """Return what the accounting holds of each attempt that ran; times as Unix time."""
        names = ("JobIDRaw", "JobID", "State", "Start", "End", "NodeList")
        said = self.tell("sacct", "-n", "-P", "-D", "-X", "-o", ",".join(names), SLURM_TIME_FORMAT="%s")  # fmt: skip  # noqa: E501
        rows = [dict(zip(names, line.split("|"), strict=True)) for line in said.splitlines()]
        return [row for row in rows if row["NodeList"] != "None assigned"]

    def _start_munge(self) -> None:
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        names = {"socket": "munge.sock", "key-file": "munge.key", "pid-file": "munged.pid",
                 "seed-file": "munge.seed", "log-file": "munged.log"}  # fmt: skip
        options = [f"--{name}={self.folder / file}" for name, file in names.items()]
        self._start("munged", "munged", "--foreground", "--force", *options)
        self.wait_for((self.folder / "munge.sock").is_socket)

    def _start_accounting(self) -> None:
        data, door = self.folder / "db", self.folder / "db.sock"
        bare = ("--no-defaults", f"--datadir={data}", "--user=root")
        made = self.tell("mariadb-install-db", *bare, "--skip-test-db", "--auth-root-authentication-method=normal")  # fmt: skip  # noqa: E501
        assert not made.startswith("failed"), made
        self._start("mariadbd", "mariadbd", *bare, f"--port={self.ports['database']}", "--bind-address=127.0.0.1", f"--socket={door}", f"--pid-file={self.folder / 'db.pid'}", "--innodb-flush-log-at-trx-commit=0", "--innodb-buffer-pool-size=64M")  # fmt: skip  # noqa: E501
        self.wait_for(door.is_socket)
        said = self.tell("mariadb", "--no-defaults", "-S", str(door), "-e", GRANTS)
        assert not said, said
        self._start("slurmdbd", "slurmdbd", "-D")
        self.wait_for(lambda: _is_open(self.ports["accounting"]))
        for words in (("cluster", "live"), ("account", "solar"), ("user", "root", "account=solar")):
            self.tell("sacctmgr", "-i", "add", *words)

    def _start(self, name: str, *command: str) -> None:
        with (self.folder / f"{name}.heard").open("ab") as heard:
            self.daemons[name] = subprocess.Popen(  # noqa: S603  the tests' own
                command, stdout=heard, stderr=heard, env=self.environment, start_new_session=True
            )

    def _stop_all(self) -> None:
        order = [*NODES, "slurmctld", "slurmdbd", "mariadbd", "munged"]
        for name in [one for one in order if one in self.daemons]:
            self.stop(name)
        self._end_what_they_started()
        for folder in Path("/sys/fs/cgroup").glob("*/slurm_n*"):
            for each in sorted(folder.glob("**/"), reverse=True):
                with suppress(OSError):
                    each.rmdir()

    def _end_what_they_started(self) -> None:
        """End programs of jobs and hooks that outlive the daemons."""
        mark = str(self.folder).encode()
        for folder in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                about = (folder / "cmdline").read_bytes() + (folder / "environ").read_bytes()
                if mark in about:
                    os.kill(int(folder.name), signal.SIGKILL)


def _is_open(port: int) -> bool:
    with socket.socket() as probe:
        return not probe.connect_ex(("127.0.0.1", port))
