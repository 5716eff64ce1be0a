"""Run a way, and keep what it printed as the project's own: without paths of this machine."""

import re
import shutil
import subprocess
import tempfile
from contextlib import ExitStack
from functools import cache
from pathlib import Path

from tests.live.gloo.judge import VARIABLE, python_with_torch
from tests.live.gloo.plain import plain
from tests.live.nodes.cluster import BRIDGE, PREFIX, cluster, unable
from tests.live.nodes.kernel_log import newest
from tests.live.nodes.stage import PROGRAMS, Stage
from tests.live.nodes.ways.way import Way

MOST_BYTES = 40_000
LOOPS = re.compile(r"\bloop\d+\b")


def skipped(way: Way) -> str:
    """Return why a way can't be run here; empty where it can."""
    if not python_with_torch():
        return f"{VARIABLE} names no Python with PyTorch"
    missing = [each for each in way.programs if shutil.which(each) is None]
    absent = [each for each in way.needs if not _has(each)]
    words = [
        unable(),
        f"not found: {', '.join(missing)}" if missing else "",
        f"{VARIABLE} has no {', '.join(absent)}" if absent else "",
    ]
    return "; ".join(filter(None, words))


@cache
def _has(module: str) -> bool:
    code = f"import importlib.util, sys; sys.exit(importlib.util.find_spec('{module}') is None)"
    asked = subprocess.run([python_with_torch(), "-c", code], check=False)  # noqa: S603  named by who runs the tests
    return asked.returncode == 0


def recorded(way: Way, *, into: Path) -> None:
    """Run a way and write its logs below a folder, in place of those of a former run."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        made = stack.enter_context(cluster(way.nodes))
        stage = Stage(
            cluster=made,
            folder=folder,
            python=python_with_torch(),
            kernel_from=newest(),
            stack=stack,
        )
        stack.callback(stage.end)
        way.play(stage)
        stage.end()
        shutil.rmtree(into, ignore_errors=True)
        _keep(stage, into)


def _keep(stage: Stage, into: Path) -> None:
    for path in sorted(stage.logs.rglob("*.log")):
        kept = into / path.relative_to(stage.logs)
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(_plain(path.read_text(errors="replace"), stage), encoding="utf-8")


def _plain(text: str, stage: Stage) -> str:
    text = text.replace(f"{PROGRAMS}/", "/app/").replace(str(stage.scratch), "/mnt/run")
    text = LOOPS.sub("loop0", text).replace(BRIDGE, "br-train").replace(PREFIX, "")
    return plain(text, folder=stage.folder, program=PROGRAMS, python=stage.python, host=None)
