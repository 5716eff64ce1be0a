"""Programs in other interpreters that log through their own libraries."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

SECONDS = 60
# A Python and a folder `node_modules` that have what the portal's own environment lacks.
PYTHON = os.environ.get("LIVE_PYTHON") or os.environ.get("OPENTELEMETRY_PYTHON") or sys.executable
NODE = shutil.which("node") or shutil.which("nodejs") or ""
NODE_MODULES = Path(os.environ.get("LIVE_NODE_MODULES", "node_modules"))


@dataclass(frozen=True, kw_only=True)
class Library:
    """A library and a program that fails as training does and logs it through that library."""

    name: str
    needs: str  # what has to be importable
    text: str
    is_script: bool = False  # JavaScript

    @property
    def lacking(self) -> str:
        """Return why it can't be tried here, nothing where it can."""
        if self.is_script:
            is_here = bool(NODE) and (NODE_MODULES / self.needs).is_dir()
            how = f"`npm install {self.needs}` and name its node_modules in LIVE_NODE_MODULES"
        else:
            is_here = _imports(self.needs)
            how = "install it where LIVE_PYTHON is"
        return "" if is_here else f"no {self.name}: {how} to try it"

    def run(self, *, url: str, token: str, cluster: str) -> None:
        """Let the program log to a portal; what it says of trouble fails the test."""
        command = [NODE, "-e"] if self.is_script else [PYTHON, "-c"]
        done = subprocess.run(  # noqa: S603  the tests' own
            [*command, self.text, "--", url, token, cluster],
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
            env={**os.environ, "NODE_PATH": str(NODE_MODULES.resolve())},
        )
        said = done.stdout + done.stderr
        assert done.returncode == 0, said
        assert "Failed to export" not in said, said


def _imports(module: str) -> bool:
    command = [PYTHON, "-c", f"import {module}"]
    done = subprocess.run(command, capture_output=True, check=False, timeout=SECONDS)  # noqa: S603
    return done.returncode == 0
