"""A run → what the diagnosis says of it, beside what an expert says."""

import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from apps.diagnosis.model import Diagnosis
from tests.live.gloo.launch import PROGRAM, Run, ran
from tests.live.gloo.plain import plain
from tests.live.gloo.ways import Way
from tests.scenarios.torch_expected import EXPECTED, misses, said, slug
from tests.scenarios.verdicts import diagnosed

VARIABLE = "FAULTLINE_TORCH_PYTHON"


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What came of one way."""

    name: str
    said: str
    misses: tuple[str, ...]

    def as_row(self) -> str:
        """Return it as a row of a table."""
        right = "" if not self.misses else ", ".join(self.misses)
        return f"| {self.name} | {EXPECTED[self.name].as_text()} | {self.said} | {right} |"


@cache
def python_with_torch() -> str:
    """Return the Python that has PyTorch: the one that is named, else this one; empty for none."""
    for python in filter(None, (os.environ.get(VARIABLE), sys.executable)):
        asked = subprocess.run(  # noqa: S603  named by who runs the tests
            [python, "-c", "import torch"], capture_output=True, check=False
        )
        if asked.returncode == 0:
            return python
    return ""


def judged(*, way: Way, folder: Path, keep: Path | None = None) -> Judged:
    """Run a way and diagnose what it left; keep that in a folder, plain, where one is named."""
    run = ran(
        python=python_with_torch(),
        folder=folder,
        shape=way.shape,
        arguments=way.arguments,
        act=way.act,
    )
    found = _diagnosed(run)
    if keep is not None:
        _keep(run, keep / slug(way.name))
    wrong = misses(EXPECTED[way.name], found)
    return Judged(name=way.name, said=said(found), misses=tuple(wrong))


def judged_again(*, way: Way, folder: Path) -> Judged:
    """Diagnose what a former run left, kept in a folder."""
    found = _read(folder / slug(way.name))
    return Judged(name=way.name, said=said(found), misses=tuple(misses(EXPECTED[way.name], found)))


def _diagnosed(run: Run) -> Diagnosis:
    return _read(run.folder / "logs")


def _read(root: Path) -> Diagnosis:
    paths = sorted(root.rglob("*.log"))
    texts = {str(path.relative_to(root)): path.read_text(errors="replace") for path in paths}
    return diagnosed(texts=texts)


def _keep(run: Run, folder: Path) -> None:
    for path in run.logs():
        kept = folder / path.relative_to(run.folder / "logs")
        kept.parent.mkdir(parents=True, exist_ok=True)
        text = plain(
            path.read_text(errors="replace"),
            folder=run.folder,
            program=PROGRAM,
            python=run.python,
            host="gpu002" if "gpu002" in kept.name else "gpu001",
        )
        kept.write_text(text, encoding="utf-8")
