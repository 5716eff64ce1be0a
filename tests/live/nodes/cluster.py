"""Nodes on this machine: a network namespace, a host name, a `/etc/hosts` and limits for each.

They hang on a bridge that lies in a namespace of its own. It takes root; nothing outside of these
namespaces and of the control groups made here is changed.
"""

import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event as Pause
from typing import Final

PREFIX: Final = f"faultline-{os.getpid()}-"  # several may run at once
SWITCH: Final = f"{PREFIX}switch"
BRIDGE: Final = f"br-{os.getpid()}"
CONTROL_GROUPS: Final = Path("/sys/fs/cgroup")
HOSTS: Final = Path("/etc/netns")
PROGRAMS: Final = ("ip", "iptables", "unshare", "mount")


def unable() -> str:
    """Return why no nodes can be made here; empty where they can."""
    if os.geteuid() != 0:
        return "only root makes network namespaces"
    missing = [name for name in PROGRAMS if shutil.which(name) is None]
    if missing:
        return f"{', '.join(missing)} not found (Debian: iproute2 iptables util-linux)"
    if not (CONTROL_GROUPS / "memory").is_dir():
        return "there are no control groups of version 1 at /sys/fs/cgroup/memory"
    return ""


def told(*command: str) -> str:
    """Run a command of the system and return what it prints; raise where it fails."""
    done = subprocess.run(  # noqa: S603  commands of this module
        command, check=True, capture_output=True, text=True
    )
    return done.stdout


@dataclass(slots=True, kw_only=True)
class Cluster:
    """Nodes by name; the first has address 10.77.0.1."""

    names: Sequence[str]
    groups: list[Path] = field(default_factory=list)

    def address(self, name: str) -> str:
        """Return the address of a node."""
        return f"10.77.0.{self.names.index(name) + 1}"

    def inside(
        self, name: str, command: Sequence[str], *, before: str = "", limits: str = ""
    ) -> list[str]:
        """Return a command that runs another one on a node, after shell words `before` there.

        `limits` are shell words of `limited`: on the node, no control group can be seen.
        """
        script = f'hostname {name}; {before}\nexec "$@"'
        at = ["ip", "netns", "exec", f"{PREFIX}{name}", "unshare", "--uts", "--mount"]
        enter = ["sh", "-ec", f'{limits}\nexec "$@"', "sh"]
        return [*enter, *at, "sh", "-ec", script, "sh", *command]

    def link(self, name: str, state: str) -> None:
        """Set the switch's port to a node `up` or `down`."""
        told("ip", "-n", SWITCH, "link", "set", name, state)

    def refuse(self, name: str, *rule: str) -> None:
        """Add a rule to what a node's firewall does with packets that come in."""
        told("ip", "netns", "exec", f"{PREFIX}{name}", "iptables", "-I", "INPUT", *rule)

    def limited(self, kind: str, name: str, limits: Mapping[str, str]) -> str:
        """Make a control group with these limits; return shell words that enter it."""
        group = CONTROL_GROUPS / kind / f"{PREFIX}{name}"
        group.mkdir(exist_ok=True)
        self.groups.append(group)
        for file, value in limits.items():
            (group / file).write_text(value, encoding="ascii")
        return f"echo $$ > {group}/cgroup.procs;"

    def processes(self, name: str) -> list[int]:
        """Return the processes on a node."""
        return [int(each) for each in told("ip", "netns", "pids", f"{PREFIX}{name}").split()]

    def power_off(self, name: str) -> None:
        """Take a node's link down and end all that runs on it, so that nobody hears of it."""
        self.link(name, "down")
        for pid in self.processes(name):
            with suppress(ProcessLookupError):
                os.kill(pid, 9)


@contextmanager
def cluster(names: Sequence[str]) -> Iterator[Cluster]:
    """Make the nodes; end all that runs on them, and them, with the block."""
    made = Cluster(names=names)
    _remove(made)
    try:
        told("ip", "netns", "add", SWITCH)
        told("ip", "-n", SWITCH, "link", "add", BRIDGE, "type", "bridge")
        told("ip", "-n", SWITCH, "link", "set", BRIDGE, "up")
        for name in names:
            _add(made, name)
        yield made
    finally:
        _remove(made)


def _add(made: Cluster, name: str) -> None:
    space = f"{PREFIX}{name}"
    folder = HOSTS / space
    folder.mkdir(parents=True, exist_ok=True)
    known = [f"{made.address(each)} {each}" for each in made.names]
    (folder / "hosts").write_text("\n".join(["127.0.0.1 localhost", *known, ""]), encoding="ascii")
    # Nobody answers there, at once: what isn't in `hosts` has no name.
    (folder / "resolv.conf").write_text("nameserver 127.0.0.1\n", encoding="ascii")
    told("ip", "netns", "add", space)
    told(*f"ip -n {SWITCH} link add {name} type veth peer name eth0 netns {space}".split())
    told(*f"ip -n {SWITCH} link set {name} master {BRIDGE} up".split())
    told(*f"ip -n {space} addr add {made.address(name)}/24 dev eth0".split())
    told(*f"ip -n {space} link set eth0 up".split())
    told(*f"ip -n {space} link set lo up".split())


def _remove(made: Cluster) -> None:
    for name in made.names:
        with suppress(subprocess.CalledProcessError):
            for pid in made.processes(name):
                with suppress(ProcessLookupError):
                    os.kill(pid, 9)
        _delete(f"{PREFIX}{name}")
        shutil.rmtree(HOSTS / f"{PREFIX}{name}", ignore_errors=True)
    _delete(SWITCH)
    for group in made.groups:
        _end_group(group)


def _end_group(group: Path) -> None:
    for _ in range(50):
        for pid in (group / "cgroup.procs").read_text(encoding="ascii").split():
            with suppress(ProcessLookupError):
                os.kill(int(pid), 9)
        with suppress(OSError):
            group.rmdir()
            return
        Pause().wait(0.1)


def _delete(space: str) -> None:
    with suppress(subprocess.CalledProcessError):
        told("ip", "netns", "delete", space)
