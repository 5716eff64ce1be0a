"""Small programs that speak like Slurm's and like a node's, for one cluster of two nodes."""

import os
import stat
from pathlib import Path

XID = (
    "2026-11-20T03:14:07.000100+0900 gpu002 kernel: "
    "NVRM: Xid (PCI:0000:18:00): 79, GPU has fallen off the bus."
)
FORMAT = "Fields: JobID JobName State UID ExitCode Start End NodeList WorkDir"
SACCT = """JobID|State|UID|ExitCode|Start|End|NodeList|WorkDir
4711|{state}|{uid}|1:0|2026-11-20T02:00:00+0900|{end}|gpu[001-002]|{folder}
4711.batch|{state}|{uid}|1:0|2026-11-20T02:00:00+0900|{end}|gpu001|{folder}
"""
SCONTROL = """JobId=4711 JobName=pretrain
   UserId=minji({uid}) GroupId=ml(1000) MCS_label=N/A
   JobState={state} Reason=NonZeroExitCode Dependency=(null)
   ReqNodeList=(null) ExcNodeList=gpu009
   NodeList=gpu[001-002]
   StdErr={folder}/slurm 4711.out
   StdOut={folder}/slurm 4711.out
   WorkDir={folder}
"""


class Programs:
    """A folder of programs; each can be replaced by another text."""

    def __init__(self, *, folder: Path, work: Path, state: str = "FAILED") -> None:
        self.folder, self.work = folder, work
        folder.mkdir()
        end = "Unknown" if state == "RUNNING" else "2026-11-20T03:15:00+0900"
        told = {"state": state, "folder": work, "end": end, "uid": os.geteuid()}
        (folder / "table").write_text(SACCT.format(**told))
        (folder / "shown").write_text(SCONTROL.format(**told))
        self.make(
            "sacct", f'case "$*" in *helpformat*) echo "{FORMAT}";; *) cat {folder}/table;; esac'
        )
        self.make(
            "scontrol",
            f'case "$*" in *hostnames*) echo gpu001; echo gpu002;; *batch_script*) '
            "echo '#!/bin/sh'; echo export WANDB_API_KEY=0123456789abcdef0123;; "
            f"*) cat {folder}/shown;; esac",
        )
        # What a node is asked is the last argument; the node is the one before it.
        self.make(
            "ssh",
            f'for one; do node=$last; last=$one; done; echo "$*" >> {folder}/asked; '
            'NODE=$node sh -c "$last"',
        )
        self.make(
            "srun",
            f'for one; do last=$one; done; echo "$*" >> {folder}/asked; NODE=gpu002 sh -c "$last"',
        )
        self.make("journalctl", f'[ "$NODE" = gpu002 ] && echo "{XID}"; exit 0')
        self.make(
            "dmesg", "echo 'dmesg: read kernel buffer failed: Operation not permitted' >&2; exit 1"
        )
        self.make("nvidia-smi", "echo '==============NVSMI LOG=============='")

    def make(self, name: str, script: str) -> None:
        """Write a program."""
        path = self.folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def asked(self) -> str:
        """Return the arguments with which nodes were reached."""
        path = self.folder / "asked"
        return path.read_text() if path.exists() else ""

    @property
    def path(self) -> str:
        """Return a search path on which these come first."""
        return f"{self.folder}:{os.environ['PATH']}"
