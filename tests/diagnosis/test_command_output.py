"""What `manage.py diagnose` does when nobody reads its output to the end."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
XID = "[ 9.1] NVRM: Xid (PCI:0000:1b:00): 79, GPU has fallen off the bus.\n"


def _shut(*arguments: str) -> tuple[int, str]:
    """Return (exit code, standard error) of the command whose output nobody reads."""
    child = subprocess.Popen(  # noqa: S603  our own command
        [sys.executable, "manage.py", "diagnose", *arguments],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert child.stdout is not None
    child.stdout.close()
    error = child.communicate(timeout=120)[1]
    return child.returncode, error.decode()


@pytest.mark.parametrize(
    "options", [["--cases"], ["--kernel"], ["--format", "json", "--kernel"], ["--explain"]]
)
def test_who_stops_reading_the_output_meets_no_traceback(
    options: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "kernel.log"
    text = XID
    if options == ["--cases"]:
        text = json.dumps({"id": "a", "logs": [{"stream": "kernel", "text": XID}]})
    path.write_text(text)
    given = "79" if options == ["--explain"] else str(path)
    assert _shut(*options, given) == (0, "")
