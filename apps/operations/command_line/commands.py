"""What the command offers first; everything else of Django's is there, too."""

from typing import Final

COMMANDS: Final = {
    "diagnose": "say from log files why a training session stopped, and what to do",
    "collect": "gather what a diagnosis needs of a job, from Slurm and its nodes, into one tar",
    "detect": "find what is unusual in a table of one machine's metrics",
    "stragglers": "say what slow members cost a job, from traces of its steps",
    "backtest": "replay past metrics beside known failures: would it have warned?",
    "verify_answer": "check a signed answer to a request for evidence, and say what it states",
    "verify_bundle": "check an evidence bundle, and say what is in it",
    "up": "start an empty portal with its own database and queue, in the foreground",
    "demo": "start a portal with a simulated cluster of six organizations",
    "setup": "make a cluster, its organizations, first admins and tokens",
    "token": "make, list and revoke tokens",
    "backup": "write everything of a portal into one archive",
    "restore": "bring a portal back from an archive",
    "completion": "print what bash, zsh or fish need to complete these commands",
}
# These need neither the settings, the database nor Django's models.
PLAIN: Final = frozenset(
    {"diagnose", "detect", "stragglers", "collect", "verify_answer", "verify_bundle"}
)
# Of these the options stand in a module of their own, as loading the command takes a second.
QUICK: Final = frozenset({"diagnose", "detect", "stragglers"})
SHELLS: Final = ("bash", "zsh", "fish")


def overview(*, program: str) -> str:
    """Return what is printed without a command."""
    width = max(map(len, COMMANDS))
    rows = "\n".join(f"  {name:<{width}}  {text}" for name, text in COMMANDS.items())
    return f"""usage: {program} COMMAND …

Says why GPU training sessions break: from files, or as a portal for everybody who runs the cluster.

{rows}

`{program} COMMAND --help` says more of one; `{program} help` lists every command there is."""
